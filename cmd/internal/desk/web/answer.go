package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
)

// answered is the result of an answer, or the reason why it was refused.
type answered struct {
	Said    string `json:"said,omitempty"`    // a sentence
	Refused string `json:"refused,omitempty"` // a sentence
	Reason  string `json:"reason,omitempty"`
	Needs   string `json:"needs,omitempty"` // what makes nod accept it after all: unseen or sure
}

// watching is the reply to an answer from a page that only watches.
const watching = "This page is for watching: `nod web` without --watch gives a link that can answer."

// answer applies a person's answer to the card that their page showed, by the same rules as at the socket.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, of *session) {
	var reply desk.Reply
	if !readInto(w, r, &reply) {
		return
	}
	if s.session(r, true) != of { // the session ended while the body was read
		http.Error(w, signedOut(hostOf(r)), http.StatusUnauthorized)
		return
	}
	if of.watch {
		writeJSON(w, answered{Refused: watching, Reason: "watch"})
		return
	}
	method, params, err := reply.Request("page")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	unhurried(w) // the answer waits for its outcome
	result, err := s.cfg.Call(r.Context(), s.visitor(r, of), method, params)
	var out answered
	var became desk.Result
	if err == nil {
		err = json.Unmarshal(result, &became)
	}
	if err == nil {
		out.Said, err = reply.Said(became)
	}
	if err != nil {
		out.Refused = err.Error()
	}
	if fault := (*rpc.Fault)(nil); errors.As(err, &fault) {
		out.Refused, out.Reason, out.Needs = fault.Message, fault.Reason, fault.Needs
	}
	writeJSON(w, out)
}
