package door

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// Answers to the requests of an agent whose session runs in a server of its own. nod connects as a second
// client and answers on the connection that brought the request. Proven for Codex 0.169.0 and
// 0.171.0: resuming a thread sends its pending request again, "accept" lets that call run once, "decline"
// denies it, and its dialog goes.

const (
	// replays is how long a server may take to send a pending request again after it has resumed a thread.
	replays = 500 * time.Millisecond
	// longestMessage is the maximum size of a server's message in bytes. A resumed thread comes whole.
	longestMessage = 64 << 20
)

var errHungUp = errors.New("the server has hung up")

// ErrNoRequest means that a server has no such request, or more than one.
var ErrNoRequest = errors.New("the server does not have exactly one such request")

// Approval is one request that waits at a server.
type Approval struct {
	server *server
	id     json.RawMessage
}

// server is one connection to a server.
type server struct {
	at      *agents.Server
	process proc.ID // the process that listens there
	ws      *websocket.Conn
	told    chan rpcMessage
	heard   []rpcMessage // requests and notifications that are not handled yet
	last    int          // the id of the last call
}

// rpcMessage is a call, a result, or a notification.
type rpcMessage struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// Trust returns the process at the other end of a connection to an agent's server, or why the server must not
// be spoken to. OwnServer is one.
type Trust func(agent string, conn net.Conn) (proc.ID, error)

// Reach connects to a server and finds the one request to run a command that waits there.
func Reach(ctx context.Context, at *agents.Server, command string, trust Trust) (*Approval, error) {
	s, err := dial(ctx, at, trust)
	if err != nil {
		return nil, err
	}
	a, err := s.find(ctx, command)
	if err != nil {
		s.close()
		return nil, fmt.Errorf("look for a request at the app server: %w", err)
	}
	return a, nil
}

// dial connects to a server. It is trusted before anything is said to it.
func dial(ctx context.Context, at *agents.Server, trust Trust) (*server, error) {
	s, err := connect(ctx, at, trust)
	if err != nil {
		return nil, fmt.Errorf("reach the app server at %s: %w", at.Address, err)
	}
	go s.read()
	return s, nil
}

func connect(ctx context.Context, at *agents.Server, trust Trust) (*server, error) {
	network, path, err := endpoint(at.Address)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, // a server that refuses would keep each connection
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var err error
			conn, err = (&net.Dialer{}).DialContext(ctx, network, path)
			return conn, err
		},
	}}
	ws, _, err := websocket.Dial(ctx, "ws://localhost/", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, err
	}
	process, err := trust(at.Agent, conn) // the kernel can name the process only after it has accepted the connection
	if err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	ws.SetReadLimit(longestMessage)
	return &server{at: at, process: process, ws: ws, told: make(chan rpcMessage)}, nil
}

// endpoint returns the network and address of a server on this machine. It refuses all others.
func endpoint(address string) (network, at string, err error) {
	if path, ok := strings.CutPrefix(address, "unix://"); ok && filepath.IsAbs(path) {
		return "unix", path, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "ws" || u.User != nil || u.Port() == "" {
		return "", "", errors.New("it is no address on this machine")
	}
	if !net.ParseIP(u.Hostname()).IsLoopback() { // nor is no IP
		return "", "", errors.New("it is no address on this machine")
	}
	return "tcp", u.Host, nil
}

// read passes the server's messages on until the connection ends.
func (s *server) read() {
	defer close(s.told)
	for {
		_, text, err := s.ws.Read(context.Background()) // close ends it
		if err != nil {
			return
		}
		var m rpcMessage
		if json.Unmarshal(text, &m) == nil {
			s.told <- m
		}
	}
}

func (s *server) close() {
	_ = s.ws.CloseNow()
	for range s.told { // until read ends
	}
}

func (s *server) write(ctx context.Context, m rpcMessage) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.ws.Write(ctx, websocket.MessageText, text)
}

// call calls a method of the server. Other messages that arrive meanwhile are kept.
func (s *server) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	given, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	s.last++
	id := fmt.Sprint(s.last)
	if err := s.write(ctx, rpcMessage{ID: json.RawMessage(id), Method: method, Params: given}); err != nil {
		return nil, err
	}
	m, err := s.until(ctx, func(m rpcMessage) bool { return m.Method == "" && string(m.ID) == id })
	if len(m.Error) > 0 {
		err = &refusedCall{method, string(m.Error)}
	}
	return m.Result, err
}

// refusedCall is a server's error result.
type refusedCall struct{ method, why string }

func (e *refusedCall) Error() string { return e.method + ": " + e.why }

// until receives messages until one matches is.
func (s *server) until(ctx context.Context, is func(rpcMessage) bool) (rpcMessage, error) {
	for {
		select {
		case m, open := <-s.told:
			if !open {
				return rpcMessage{}, errHungUp
			}
			if m.Method != "" {
				s.heard = append(s.heard, m)
			}
			if is(m) {
				return m, nil
			}
		case <-ctx.Done():
			return rpcMessage{}, ctx.Err()
		}
	}
}

// hello begins a connection and returns the threads that the server has loaded.
func (s *server) hello(ctx context.Context) (threads []string, err error) {
	hello := map[string]any{
		"clientInfo":   map[string]string{"name": "nod", "title": "nod", "version": "1"},
		"capabilities": map[string]any{"experimentalApi": true, "optOutNotificationMethods": unheard},
	}
	if _, err := s.call(ctx, "initialize", hello); err != nil {
		return nil, err
	}
	if err := s.write(ctx, rpcMessage{Method: "initialized"}); err != nil {
		return nil, err
	}
	loaded, err := s.call(ctx, "thread/loaded/list", struct{}{})
	if err != nil {
		return nil, err
	}
	var list struct{ Data []string }
	err = json.Unmarshal(loaded, &list)
	return list.Data, err
}

// unheard are the most frequent notifications of a server; nod needs none of them.
var unheard = []string{
	"item/agentMessage/delta", "item/plan/delta", "item/reasoning/summaryPartAdded", "item/reasoning/summaryTextDelta", "item/reasoning/textDelta",
	"item/commandExecution/outputDelta", "item/fileChange/outputDelta", "item/fileChange/patchUpdated", "item/mcpToolCall/progress",
}

// resume makes the server report the events of a thread on this connection, and send its pending requests
// again.
func (s *server) resume(ctx context.Context, thread string) (json.RawMessage, error) {
	return s.call(ctx, "thread/resume", map[string]any{"threadId": thread, "excludeTurns": true})
}

// status is the state of a thread.
type status struct {
	Type        string
	ActiveFlags []string
}

// waits reports whether the thread is asking somebody.
func (s status) waits() bool {
	return slices.Contains(s.ActiveFlags, "waitingOnApproval") || slices.Contains(s.ActiveFlags, "waitingOnUserInput")
}

// state asks the server for the state of a thread. It is zero if the server tells none.
func (s *server) state(ctx context.Context, thread string) (status, error) {
	result, err := s.call(ctx, "thread/read", map[string]any{"threadId": thread})
	var p struct{ Thread struct{ Status status } }
	_ = json.Unmarshal(result, &p) // its next change will be reported
	return p.Thread.Status, unlessRefused(err)
}

// find resumes all threads of the server and returns the request to run the command.
func (s *server) find(ctx context.Context, command string) (*Approval, error) {
	threads, err := s.hello(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range threads {
		_, _ = s.resume(ctx, id) // one of the server's own threads can't be resumed, and asks nobody
	}
	soon, stop := context.WithTimeout(ctx, replays)
	defer stop()
	_, _ = s.until(soon, func(rpcMessage) bool { return false }) // if ctx or the connection has ended, the next call fails
	// A request that was not sent yet may be for the same command as another session's that was.
	for _, id := range threads {
		if now, err := s.state(ctx, id); err != nil || now.waits() && !s.asksIn(id) {
			return nil, cmp.Or(err, ErrNoRequest)
		}
	}
	return s.only(command)
}

// asksIn reports whether a request of a thread was heard.
func (s *server) asksIn(thread string) bool {
	return slices.ContainsFunc(s.heard, func(m rpcMessage) bool {
		r, _ := s.at.Asks(m.Method, m.Params)
		return r.Thread == thread
	})
}

// only returns the request to run the command. There must be exactly one that is not over, and it must allow
// an answer for once.
func (s *server) only(command string) (*Approval, error) {
	var found *Approval
	for _, m := range s.heard {
		if found != nil && string(resolved(m)) == string(found.id) {
			found = nil
		}
		r, _ := s.at.Asks(m.Method, m.Params)
		if len(m.ID) == 0 || r.Text != command {
			continue
		}
		if found != nil || !r.Once {
			return nil, ErrNoRequest
		}
		found = &Approval{s, m.ID}
	}
	if found == nil {
		return nil, ErrNoRequest
	}
	return found, nil
}

// Decide sends a decision and returns when the server has said that the request is over. After an error the
// server may still have got the decision.
func (a *Approval) Decide(ctx context.Context, d screen.Decision) error {
	if err := a.server.answer(ctx, a.id, d); err != nil {
		return err
	}
	_, err := a.server.until(ctx, func(m rpcMessage) bool { return string(resolved(m)) == string(a.id) })
	return err
}

// answer sends a decision on the connection that brought the request.
func (s *server) answer(ctx context.Context, id json.RawMessage, d screen.Decision) error {
	said := `{"decision":"decline"}`
	if d == screen.Approve {
		said = `{"decision":"accept"}`
	}
	if err := s.write(ctx, rpcMessage{ID: id, Result: json.RawMessage(said)}); err != nil {
		return fmt.Errorf("answer the app server: %w", err)
	}
	return nil
}

// resolved returns the id of the request that a message reports to be over; nil: none.
func resolved(m rpcMessage) json.RawMessage {
	var p struct{ RequestID json.RawMessage }
	if m.Method != "serverRequest/resolved" || json.Unmarshal(m.Params, &p) != nil {
		return nil
	}
	return p.RequestID
}

// Waits reports whether the request is not yet over, as far as the server has said.
func (a *Approval) Waits() bool {
	for {
		select {
		case m, open := <-a.server.told:
			if !open || m.Method == "serverRequest/resolved" {
				return false
			}
		default:
			return true
		}
	}
}

// Close ends the connection.
func (a *Approval) Close() { a.server.close() }

// OwnServer returns the process at the other end of a connection, if it is a server of that agent and runs as
// this user.
func OwnServer(agent string, conn net.Conn) (proc.ID, error) {
	uid, pids, err := proc.Peer(conn)
	if err != nil {
		return proc.ID{}, err
	}
	if uid != os.Getuid() || len(pids) == 0 {
		return proc.ID{}, errors.New("another user listens there")
	}
	var first proc.ID
	for _, pid := range pids {
		line, err := proc.Lineage(pid)
		if err != nil || len(line) == 0 {
			return proc.ID{}, errors.New("the process that listens there can't be identified")
		}
		if name, _, _ := agents.Of(line[:1]); name != agent {
			return proc.ID{}, fmt.Errorf("%s listens there, and no %s", line[0].Name(), agent)
		}
		if first.PID == 0 {
			first = line[0].ID
		}
	}
	return first, nil
}
