// Package rpc carries agents' hooks and JSON-RPC 2.0 over nod's Unix socket, both ends.
//
// Only the socket's owner is heard, by the uid that the kernel reports, and every method can learn which
// process calls it.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"nod/internal/text/agentname"
)

// MaxHook is the size limit of an event in bytes: an event contains a tool's whole input, which may be a
// file.
const MaxHook = 8 << 20

// maxRequest is the size limit of a request in bytes.
const maxRequest = 1 << 20

// At most maxHeld bytes of large events are held at once. A further large event waits for hookWait, as long
// as a hook may, and is then refused. A small event never waits: it may be a question.
const (
	maxHeld   = 2 * MaxHook
	smallHook = 64 << 10
	hookWait  = 300 * time.Millisecond
)

// Hook is one event from an agent's hook.
type Hook struct {
	Agent string          // "claude", from the path
	Tmux  string          // $TMUX of the hook: "/tmp/tmux-1000/default,1234,0"; empty outside tmux
	Pane  string          // $TMUX_PANE of the hook: "%12"; empty outside tmux
	Event json.RawMessage // valid JSON
	PID   int             // of the caller; 0 if unknown
	// Version is the agent's version according to its hook's environment; empty if it is not there.
	Version string
	// Ended says that this hook was waiting for an answer when the agent ended it.
	Ended bool
}

// Further headers of an event and of the answer to it.
const (
	doorHeader  = "X-Door"       // in the answer: the word with which the hook may wait
	endedHeader = "X-Hook-Ended" // the hook waited and was ended

	versionHeader = "X-Agent-Version"
)

// Server answers calls on the socket.
type Server struct {
	methods Methods
	hook    func(context.Context, Hook) (door string, err error)
	metrics http.Handler
	log     *slog.Logger
	held    *semaphore.Weighted // bytes of large events
	// patience is how long a caller may take to read the next part of its answer.
	patience time.Duration

	events, refused atomic.Int64
	streams         atomic.Int32 // number of open streams
}

// Counts has the number of agents' events received.
type Counts struct{ Events, Refused int64 }

// Counts returns the numbers of events since the server was made. Refused counts those that were invalid, too
// large or too many.
func (s *Server) Counts() Counts { return Counts{s.events.Load(), s.refused.Load()} }

// NewServer answers JSON-RPC with methods and GET /metrics with metrics, and passes each event to hook. An
// error of hook means that the event is invalid; it is a sentence for the sender. door is the word with which
// the sender may wait for a human's answer to this event; empty if there is nothing to wait for.
func NewServer(methods Methods, hook func(context.Context, Hook) (door string, err error), metrics http.Handler, log *slog.Logger) *Server {
	return &Server{methods: methods, hook: hook, metrics: metrics, log: log, held: semaphore.NewWeighted(maxHeld), patience: writeLimit}
}

// ErrStopping is the cause of a request's cancelled context if the server stops. If the caller hung up, the
// cause is context.Canceled.
var ErrStopping = errors.New("nod stops")

// Serve answers on listener until ctx ends, then gives running requests one second to finish.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	requests, stopRequests := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stopRequests(ErrStopping)
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second, // no write timeout: an answer may wait for its outcome; see writeLimit
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ConnContext:       withPeer,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		stopRequests(ErrStopping)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
	})
	err := server.Serve(newGate(listener, s.patience, s.log))
	if !stop() {
		<-closed
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the socket: %w", err)
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rpc", s.serveRPC)
	mux.HandleFunc("POST /hook/{agent}", s.serveHook)
	mux.Handle("GET /metrics", s.metrics)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := r.Context().Value(peerKey{}).(peer)
		if !ok || p.uid != os.Getuid() {
			s.log.Warn("refused a caller of another user", "uid", p.uid, "pid", p.pid)
			http.Error(w, "nod answers only the user that it runs as", http.StatusForbidden)
			return
		}
		if p.tooMany != "" {
			w.Header().Set("Connection", "close")
			http.Error(w, p.tooMany, http.StatusServiceUnavailable)
			return
		}
		if p.conn != nil {
			ctx, cancel := whileCalled(r.Context(), p.conn)
			defer cancel()
			r = r.WithContext(ctx)
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) serveRPC(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r, maxRequest)
	if !ok {
		return
	}
	answer := s.methods.dispatch(r.Context(), body, s.log)
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if one, _ := answer.(response); one.stream != nil {
		s.serveStream(w, r, one.stream)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.log.Debug("answer not sent", "error", err) // the caller hung up
	}
}

// maxStreams is how many streams may be open at once.
const maxStreams = 32

// serveStream writes each value as a line of JSON until the caller hangs up.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, stream Stream) {
	defer s.streams.Add(-1)
	if s.streams.Add(1) > maxStreams {
		http.Error(w, "too many callers listen at once", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", streamType)
	flush := http.NewResponseController(w)
	if err := flush.Flush(); err != nil {
		return // the caller hung up
	}
	lines := json.NewEncoder(w)
	err := stream(r.Context(), func(value any) error {
		if err := lines.Encode(value); err != nil {
			return err
		}
		return flush.Flush()
	})
	if err != nil && r.Context().Err() == nil {
		s.log.Error("a stream broke off", "error", err)
	}
}

var errNoJSON = errors.New("the event is no valid JSON")

func (s *Server) serveHook(w http.ResponseWriter, r *http.Request) {
	h := Hook{Agent: r.PathValue("agent"), Tmux: r.Header.Get("X-Tmux"), Pane: r.Header.Get("X-Tmux-Pane"), PID: CallerPID(r.Context())}
	if !agentname.Is(h.Agent) {
		http.Error(w, "the path must be /hook/ and an agent's name, as in /hook/claude", http.StatusBadRequest)
		return
	}
	s.events.Add(1)
	letGo, ok := s.hold(r)
	if !ok {
		s.refused.Add(1)
		http.Error(w, "too many large events come at once", http.StatusServiceUnavailable)
		return
	}
	defer letGo()
	body, ok := readBody(w, r, MaxHook)
	if !ok {
		s.refused.Add(1)
		return
	}
	h.Event = body
	h.Ended, h.Version = r.Header.Get(endedHeader) != "", r.Header.Get(versionHeader)
	door, err := "", errNoJSON
	if json.Valid(body) {
		door, err = s.hook(r.Context(), h)
	}
	if err != nil {
		s.refused.Add(1)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if door != "" {
		w.Header().Set(doorHeader, door)
	}
	w.WriteHeader(http.StatusNoContent)
}

// hold waits until there is room for an event of the request's size. letGo releases the room.
func (s *Server) hold(r *http.Request) (letGo func(), ok bool) {
	size := min(r.ContentLength, MaxHook) // more is refused when it is read
	if size < 0 {
		size = MaxHook // unknown
	}
	if size <= smallHook {
		return func() {}, true
	}
	ctx, cancel := context.WithTimeout(r.Context(), hookWait)
	defer cancel()
	if s.held.Acquire(ctx, size) != nil {
		return nil, false
	}
	return func() { s.held.Release(size) }, true
}

// readBody reads the whole body. If it can't, it answers the request and returns false.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		return body, true
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
	} else {
		http.Error(w, "the body could not be read whole", http.StatusBadRequest)
	}
	return nil, false
}
