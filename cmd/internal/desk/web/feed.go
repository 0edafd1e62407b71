package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"nod/cmd/internal/desk"
)

// beat is the interval at which a stream without news sends a sign of life.
const beat = 15 * time.Second

// feed sends changes until the page is closed or its session ends.
func (s *Server) feed(w http.ResponseWriter, r *http.Request, of *session) {
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	done, err := s.sessions.stream(of, stop)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTooManyRequests)
		return
	}
	defer done()
	w.Header().Set("Content-Type", "text/event-stream")
	out := &events{w: w, out: http.NewResponseController(w)}
	unhurried(w)
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		defer stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(beat):
				if s.session(r, false) == nil || out.send(": beat\n\n") != nil {
					return
				}
			}
		}
	}()
	// A slow reader is disconnected. The page connects again and gets a snapshot.
	err = s.cfg.Watch(ctx, func(c desk.Change) error {
		line, err := json.Marshal(draw(c, of.watch))
		if err != nil {
			return fmt.Errorf("write a change: %w", err)
		}
		return out.send("data: " + string(line) + "\n\n")
	})
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Debug("a stream of the page broke off", "error", err)
	}
	stop()
	<-beating
}

// view records which card somebody looks at, so that its pane is read more often.
func (s *Server) view(w http.ResponseWriter, r *http.Request, _ *session) {
	var in struct {
		Card string `json:"card"`
	}
	if readInto(w, r, &in) {
		s.cfg.View(in.Card)
		w.WriteHeader(http.StatusNoContent)
	}
}

// events is a stream with two writers.
type events struct {
	mu  sync.Mutex
	w   http.ResponseWriter
	out *http.ResponseController
}

// send writes one event. It fails if the reader takes too long; the page then connects again.
func (e *events) send(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.out.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.out.Flush()
}
