//go:build agents

// Package model plays the language model behind a coding agent. It follows a script, answers on
// loopback, and needs no account.
//
// It speaks the four protocols that coding agents speak: Anthropic Messages, OpenAI Responses,
// OpenAI chat completions and Gemini generateContent, each streamed and plain, and Augment's own. A person (or a test)
// types "SCENARIO run" to the agent; the model then calls the tool that this scenario is about, and
// what the agent sends back tells what really happened.
package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Result is what an agent told the model about one tool call.
type Result struct {
	Scenario string
	ID       string // the call's id: the same result is sent again with every later request
	Text     string
}

// Model is an http.Handler. Make it with New; it serves many requests at once.
type Model struct {
	project Project

	mu       sync.Mutex
	serial   int
	asked    map[string]int // first turns of a scenario, by its name
	finished map[string]int // closing answers of a scenario, by its name
	results  []Result
	journal  []string
	guard    func(input string) string
	failure  *Failure
	plays    map[string]func(results []Result, hints int) []string
}

// New makes a model that works in project.
func New(project Project) *Model {
	return &Model{project: project, asked: map[string]int{}, finished: map[string]int{}, plays: map[string]func([]Result, int) []string{}}
}

// Asked is how many requests have come for the first step of scenario, retries of the agent included.
func (m *Model) Asked(scenario string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[scenario]
}

// Finished is how many times the model has closed scenario, all its calls being answered.
func (m *Model) Finished(scenario string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.finished[scenario]
}

// Results is what came back for the calls of scenario, each call once, in the order of arrival.
func (m *Model) Results(scenario string) []Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	var of []Result
	for _, r := range m.results {
		if r.Scenario == scenario {
			of = append(of, r)
		}
	}
	return of
}

// Journal is one line for each request: what was asked, with which tools, and what was answered. It
// is for a person who looks why an agent did not do what a scenario wants.
func (m *Model) Journal() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.journal, "\n")
}

// maxRequest bounds one request: agents send their whole conversation and all tool schemas.
const maxRequest = 32 << 20

// protocol is one way to put a request into words and an answer into bytes.
type protocol struct {
	name  string
	parse func(body []byte) (request, error)
	// plain is the whole answer as one JSON value; stream writes it as server-sent events.
	plain  func(req request, a answer) any
	stream func(w *events, req request, a answer)
}

func protocolFor(path string) (protocol, bool) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic, true
	case strings.HasSuffix(path, "/responses"):
		return responses, true
	case strings.HasSuffix(path, "/chat/completions"):
		return chat, true
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini, true
	case strings.HasSuffix(path, "/chat-stream"):
		return augment, true
	}
	return protocol{}, false
}

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	proto, ok := protocolFor(path)
	switch {
	case r.Method == http.MethodPost && ok:
		m.serve(w, r, proto)
	case r.Method == http.MethodPost && augmentElse(w, r):
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, http.StatusOK, obj{"input_tokens": 1200})
	case r.Method == http.MethodPost && strings.HasSuffix(path, ":countTokens"):
		writeJSON(w, http.StatusOK, obj{"totalTokens": 1200})
	case strings.HasSuffix(path, "/page"):
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	case strings.HasSuffix(path, "/models"):
		writeJSON(w, http.StatusOK, obj{
			"object": "list",
			"data":   list{obj{"id": Name, "object": "model", "owned_by": "nod", "context_length": 128000}},
		})
	default:
		m.note("%s %s", r.Method, path)
		writeJSON(w, http.StatusNotFound, obj{"error": obj{"type": "not_found_error", "message": "the scripted model has no such page"}})
	}
}

// Name is the model's name in agents' settings.
const Name = "nod-script"

// page is what the scenario fetch asks for.
const page = "<html><head><title>A page</title></head><body><p>Hello from loopback.</p></body></html>"

func (m *Model) serve(w http.ResponseWriter, r *http.Request, proto protocol) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		m.note("%s: read: %v", proto.name, err)
		return
	}
	req, err := proto.parse(body)
	if err != nil {
		m.note("%s: %v", proto.name, err)
		writeJSON(w, http.StatusBadRequest, obj{"error": obj{"type": "invalid_request_error", "message": err.Error()}})
		return
	}
	req.stream = req.stream || strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
	if f := m.fails(req); f != nil {
		writeJSON(w, f.Status, obj{"type": "error", "error": obj{"type": f.Type, "message": f.Message}})
		return
	}
	a := m.answer(proto.name, req)
	if a.status != 0 {
		writeJSON(w, a.status, obj{"error": obj{"type": "overloaded_error", "message": "the script says so"}})
		return
	}
	if !req.stream {
		wait(r, a.pause, nil)
		writeJSON(w, http.StatusOK, proto.plain(req, a))
		return
	}
	ev := startEvents(w)
	// The Gemini SDK takes no comments in a stream, nor does Auggie; the others give up on a silent one.
	alive := ev.keepAlive
	if proto.name == gemini.name || proto.name == augment.name {
		alive = nil
	}
	if wait(r, a.pause, alive) {
		proto.stream(ev, req, a)
	}
}

// Failure is an error that a model's server answers with, in Anthropic's words.
type Failure struct {
	Status        int
	Type, Message string
}

// Fail has the model answer every instruction with an error; nil: with what its scenario says, again.
func (m *Model) Fail(f *Failure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = f
}

// fails is the error that a request is answered with; nil: with none. An instruction that fails was asked for all the same.
func (m *Model) fails(req request) *Failure {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failure == nil || req.ownErrand() {
		return nil
	}
	if at, name, _ := req.scenario(); name != "" && len(req.results(at)) == 0 {
		m.asked[name]++
	}
	return m.failure
}

// wait waits for d, unless the agent hangs up first, and reports whether it is still there.
func wait(r *http.Request, d time.Duration, alive func()) bool {
	beat := time.NewTicker(500 * time.Millisecond)
	defer beat.Stop()
	end := time.NewTimer(d)
	defer end.Stop()
	for {
		select {
		case <-r.Context().Done():
			return false
		case <-end.C:
			return true
		case <-beat.C:
			if alive != nil {
				alive()
			}
		}
	}
}

// answer finds the script's next step for req and remembers what came back for the steps before.
func (m *Model) answer(proto string, req request) answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serial++
	if req.asksGuard() {
		a := m.guards(req)
		m.noteLocked("%s #%d: its guard asks, and hears %s", proto, m.serial, a.text)
		return a
	}
	if a, ok := m.reviews(req); ok {
		m.noteLocked("%s #%d: its reviewer asks, and hears %+v", proto, m.serial, a)
		return a
	}
	if req.ownErrand() {
		m.noteLocked("%s #%d: aside, %d turns", proto, m.serial, len(req.turns))
		return answer{id: m.serial, text: req.fillOwnErrand()}
	}
	at, name, times := req.scenario()
	if name == "" {
		m.noteLocked("%s #%d: no scenario in %d turns", proto, m.serial, len(req.turns))
		return answer{id: m.serial, text: "Noted."}
	}
	done := m.remember(name, req.results(at))
	s, ok := m.played(name, at, req)
	if ok {
		ok = len(s.calls) > 0
	} else {
		s, ok = stepAfter(steps(name, times, m.project, req), done)
	}
	if !ok {
		m.finished[name]++
		m.noteLocked("%s #%d: %s closes after %d results", proto, m.serial, name, done)
		a := answer{id: m.serial, text: fmt.Sprintf("Scenario %s is finished.", name)}
		if t, ok := req.named(closeTool); ok {
			a.calls = []toolCall{{id: fmt.Sprintf("call_%d_0", m.serial), name: t.name, args: obj{"result": a.text}}}
		}
		return a
	}
	if done == 0 {
		m.asked[name]++
	}
	a := m.act(s, req, at)
	a.safeguards = m.safeguards(req, a)
	m.noteLocked("%s #%d: %s, %d results so far; answers %+v", proto, m.serial, name, done, a)
	return a
}

// remember keeps the results that are new, and returns how many there are in all since the scenario
// was asked for.
func (m *Model) remember(scenario string, results []Result) int {
	for _, r := range results {
		r.Scenario = scenario
		if !slices.ContainsFunc(m.results, func(have Result) bool { return have.ID == r.ID }) {
			m.results = append(m.results, r)
		}
	}
	return len(results)
}

// act is step s in the words of the agent's tools.
func (m *Model) act(s step, req request, at int) answer {
	a := answer{id: m.serial, text: s.say, pause: s.pause, status: s.status}
	for i, c := range s.calls {
		call, err := req.call(c, at)
		if err != nil {
			m.noteLocked("%v; offered: %s", err, req.toolNames())
			return answer{id: m.serial, text: "This cannot be shown here: " + err.Error()}
		}
		call.here(m.project.Dir, c.fields)
		call.id = fmt.Sprintf("call_%d_%d", m.serial, i)
		a.calls = append(a.calls, call)
	}
	return a
}

// stepAfter is the first step of which not every call has been answered.
func stepAfter(steps []step, answered int) (step, bool) {
	for _, s := range steps {
		if len(s.calls) == 0 && answered == 0 && len(steps) == 1 {
			return s, true
		}
		if answered < len(s.calls) {
			return s, true
		}
		answered -= len(s.calls)
	}
	return step{}, false
}

func (m *Model) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noteLocked(format, args...)
}

func (m *Model) noteLocked(format string, args ...any) {
	m.journal = append(m.journal, fmt.Sprintf(format, args...))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The agent may have hung up; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(v)
}
