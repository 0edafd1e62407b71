package rpc

import (
	"encoding/json"

	"github.com/creachadair/jrpc2"
)

// refused is the code of nod's own errors, in the range that the standard leaves to servers.
const refused jrpc2.Code = -32000

// Fault is an error that a method answered with, as the caller sees it.
type Fault struct {
	Code    int    // the JSON-RPC code
	Message string // a sentence for the human
	Reason  string // data.reason: why nod refused, in a word that a program can read; empty for other errors
	Needs   string // data.needs: the parameter that would have nod do it after all; empty: there is none
}

func (f *Fault) Error() string { return f.Message }

type faultData struct {
	Reason string `json:"reason"`
	Needs  string `json:"needs,omitempty"`
}

// Refuse makes the error for what nod refuses: reason is a word that a program can read, message a
// sentence for the human.
func Refuse(reason, message string) error {
	return RefuseUnless("", reason, message)
}

// RefuseUnless is Refuse of what the caller may ask for once more with the parameter needs.
func RefuseUnless(needs, reason, message string) error {
	return jrpc2.Errorf(refused, "%s", message).WithData(faultData{reason, needs})
}

func faultOf(e *jrpc2.Error) *Fault {
	f := &Fault{Code: int(e.Code), Message: e.Message}
	var data faultData
	if json.Unmarshal(e.Data, &data) == nil {
		f.Reason, f.Needs = data.Reason, data.Needs
	}
	return f
}
