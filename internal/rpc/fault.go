package rpc

import (
	"encoding/json"

	"github.com/creachadair/jrpc2"
)

// refused is the code of nod's own errors, in the range that the standard reserves for servers.
const refused jrpc2.Code = -32000

// Fault is a method's error, as the caller receives it.
type Fault struct {
	Code    int    // the JSON-RPC code
	Message string // a sentence for the human
	Reason  string // data.reason: why nod refused, as a word for programs; empty for other errors
	Needs   string // data.needs: the parameter with which nod would do it after all; may be empty
}

func (f *Fault) Error() string { return f.Message }

type faultData struct {
	Reason string `json:"reason"`
	Needs  string `json:"needs,omitempty"`
}

// Refuse returns the error for a refusal: reason is a word for programs, message a sentence for the human.
func Refuse(reason, message string) error {
	return RefuseUnless("", reason, message)
}

// RefuseUnless is Refuse for a call that the caller may repeat with the parameter needs.
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
