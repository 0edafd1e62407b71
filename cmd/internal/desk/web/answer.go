package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
)

// answered is what became of an answer, or why it was refused.
type answered struct {
	Said    string `json:"said,omitempty"`    // a sentence
	Refused string `json:"refused,omitempty"` // a sentence
	Reason  string `json:"reason,omitempty"`
	Needs   string `json:"needs,omitempty"` // what would have nod do it after all: unseen or sure
}

// watching is why a page for watching answers nothing.
const watching = "This page is for watching: `nod web` without --watch gives a link that can answer."

// answer does what a human does with a card, as it was drawn for them, by the rules of the socket.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, of *session) {
	var reply desk.Reply
	if !readInto(w, r, &reply) {
		return
	}
	if s.session(r, true) != of { // it ended while the body came
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
	unhurried(w) // it waits for the outcome
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
