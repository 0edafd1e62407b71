//go:build agents

package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// obj and list are JSON as it is written by hand.
type (
	obj  = map[string]any
	list = []any
)

// events writes server-sent events.
type events struct {
	w     http.ResponseWriter
	flush func()
}

func startEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	// A failed write or flush means that the agent hung up, which the request's context tells.
	e := &events{w: w, flush: func() { _ = rc.Flush() }}
	e.flush()
	return e
}

// send writes one event. An empty name writes data alone, as OpenAI chat and Gemini have it.
func (e *events) send(name string, data any) {
	body, err := json.Marshal(data)
	if err != nil {
		panic(err) // the value is made of obj and list
	}
	if name != "" {
		_, _ = fmt.Fprintf(e.w, "event: %s\n", name)
	}
	_, _ = fmt.Fprintf(e.w, "data: %s\n\n", body)
	e.flush()
}

// line writes a value as one line of JSON, which is no event.
func (e *events) line(data any) {
	_, _ = fmt.Fprintf(e.w, "%s\n", mustJSON(data))
	e.flush()
}

// end writes the word that ends an OpenAI chat stream.
func (e *events) end() {
	_, _ = fmt.Fprint(e.w, "data: [DONE]\n\n")
	e.flush()
}

func (e *events) keepAlive() {
	_, _ = fmt.Fprint(e.w, ": keepalive\n\n")
	e.flush()
}
