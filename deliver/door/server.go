package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coder/websocket"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// This file answers what an agent asks whose session is run by a server of its own: as a second client of that server, on the connection on
// which the request came. It was proven for Codex 0.169.0: to resume a thread sends its pending request again, "accept" lets that
// call run once, "decline" denies it, and its dialog goes.

const (
	// replays is how long a server may take to send a pending request again once it has resumed a thread.
	replays = 500 * time.Millisecond
	// longestMessage is how many bytes a message of a server may have: a thread that is resumed comes whole.
	longestMessage = 64 << 20
	asksToRun      = "item/commandExecution/requestApproval"
)

// ErrNoRequest says that a server has no such request, or not one alone.
var ErrNoRequest = errors.New("the server has not this one request alone")

// Approval is one request that waits at a server.
type Approval struct {
	server *server
	id     json.RawMessage
}

// server is one connection to it.
type server struct {
	ws   *websocket.Conn
	told chan rpcMessage
	asks []rpcMessage // its requests so far
	last int          // the id of the last call
}

// rpcMessage is a call, a result, or a notification.
type rpcMessage struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// Reach connects to the server at an address, ws:// on loopback or unix://, and finds the one request to run a command that waits there, as
// commandOf reads that off a request. Trusted says whether the process behind a connection may be answered.
func Reach(ctx context.Context, address, command string, commandOf func(string) (string, bool), trusted func(net.Conn) error) (*Approval, error) {
	s, err := dial(ctx, address, trusted)
	if err != nil {
		return nil, fmt.Errorf("reach the app server at %s: %w", address, err)
	}
	a, err := s.find(ctx, command, commandOf)
	if err != nil {
		s.close()
		return nil, fmt.Errorf("look for a request at the app server: %w", err)
	}
	return a, nil
}

// dial connects to a server that is trusted before anything is said to it.
func dial(ctx context.Context, address string, trusted func(net.Conn) error) (*server, error) {
	network, at, err := endpoint(address)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var err error
		conn, err = (&net.Dialer{}).DialContext(ctx, network, at)
		return conn, err
	}}}
	ws, _, err := websocket.Dial(ctx, "ws://localhost/", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, err
	}
	if err := trusted(conn); err != nil { // the kernel tells whose end it is once that has taken the connection
		_ = ws.CloseNow()
		return nil, err
	}
	ws.SetReadLimit(longestMessage)
	s := &server{ws: ws, told: make(chan rpcMessage)}
	go s.read()
	return s, nil
}

// endpoint is what an address leads to, on this machine alone.
func endpoint(address string) (network, at string, err error) {
	if path, ok := strings.CutPrefix(address, "unix://"); ok && filepath.IsAbs(path) {
		return "unix", path, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "ws" || u.User != nil || u.Port() == "" {
		return "", "", errors.New("it is no address on this machine")
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		return "", "", errors.New("it is no address on this machine")
	}
	return "tcp", u.Host, nil
}

// read passes on what the server sends, until the connection ends.
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
	for range s.told { // read ends
	}
}

func (s *server) write(ctx context.Context, m rpcMessage) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.ws.Write(ctx, websocket.MessageText, text)
}

// call asks something of the server, and keeps the requests that come meanwhile.
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
	if err == nil && len(m.Error) > 0 {
		err = fmt.Errorf("%s: %s", method, m.Error)
	}
	return m.Result, err
}

// until takes in what the server sends until a message is the one.
func (s *server) until(ctx context.Context, is func(rpcMessage) bool) (rpcMessage, error) {
	for {
		select {
		case m, open := <-s.told:
			if !open {
				return rpcMessage{}, errors.New("the server has hung up")
			}
			if m.Method != "" && len(m.ID) > 0 {
				s.asks = append(s.asks, m)
			}
			if is(m) {
				return m, nil
			}
		case <-ctx.Done():
			return rpcMessage{}, ctx.Err()
		}
	}
}

// find resumes all threads of the server, and gives the request that runs a command.
func (s *server) find(ctx context.Context, command string, commandOf func(string) (string, bool)) (*Approval, error) {
	hello := map[string]any{"clientInfo": map[string]string{"name": "nod", "title": "nod", "version": "1"}}
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
	var threads struct{ Data []string }
	if err := json.Unmarshal(loaded, &threads); err != nil {
		return nil, err
	}
	for _, id := range threads.Data {
		// One of the server's own can't be resumed, and asks nobody.
		if _, err := s.call(ctx, "thread/resume", map[string]string{"threadId": id}); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	soon, stop := context.WithTimeout(ctx, replays)
	defer stop()
	if _, err := s.until(soon, func(rpcMessage) bool { return false }); ctx.Err() != nil || soon.Err() == nil {
		return nil, err
	}
	return s.only(command, commandOf)
}

// only is the request to run a command, where one alone does that and it may be answered for this once.
func (s *server) only(command string, commandOf func(string) (string, bool)) (*Approval, error) {
	var found *Approval
	for _, m := range s.asks {
		var p struct {
			Command            string
			AvailableDecisions []json.RawMessage
		}
		if m.Method != asksToRun || json.Unmarshal(m.Params, &p) != nil {
			continue
		}
		if said, whole := commandOf(p.Command); !whole || said != command {
			continue
		}
		once := false
		for _, d := range p.AvailableDecisions {
			once = once || string(d) == `"accept"`
		}
		if found != nil || !once {
			return nil, ErrNoRequest
		}
		found = &Approval{s, m.ID}
	}
	if found == nil {
		return nil, ErrNoRequest
	}
	return found, nil
}

// Decide gives a decision, and returns when the server has said that the request is over. An error may have come after it has heard it.
func (a *Approval) Decide(ctx context.Context, d screen.Decision) error {
	said := `{"decision":"decline"}`
	if d == screen.Approve {
		said = `{"decision":"accept"}`
	}
	if err := a.server.write(ctx, rpcMessage{ID: a.id, Result: json.RawMessage(said)}); err != nil {
		return fmt.Errorf("answer the app server: %w", err)
	}
	_, err := a.server.until(ctx, func(m rpcMessage) bool {
		var p struct{ RequestID json.RawMessage }
		return m.Method == "serverRequest/resolved" && json.Unmarshal(m.Params, &p) == nil && string(p.RequestID) == string(a.id)
	})
	return err
}

// Waits reports whether the server has not said that the request is over.
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

// OwnServer reports why the process at the other end of a connection is no server of that agent which this user runs.
func OwnServer(agent string) func(net.Conn) error {
	return func(conn net.Conn) error {
		uid, pids, err := proc.Peer(conn)
		if err != nil {
			return err
		}
		if uid != os.Getuid() || len(pids) == 0 {
			return errors.New("another user listens there")
		}
		for _, pid := range pids {
			line, err := proc.Lineage(pid)
			if err != nil || len(line) == 0 {
				return errors.New("who listens there can't be told")
			}
			if name, _, _ := agents.Of(line[:1]); name != agent {
				return fmt.Errorf("%s listens there, and no %s", line[0].Name(), agent)
			}
		}
		return nil
	}
}
