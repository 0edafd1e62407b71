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

// beat is how often a stream with no news shows that it lives.
const beat = 15 * time.Second

// feed tells of changes for as long as the page is open and its session lasts.
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
		for every := time.NewTicker(beat); ; {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
				if s.session(r, false) == nil || out.send(": beat\n\n") != nil {
					return
				}
			}
		}
	}()
	// A reader who was too slow is let go: the page comes again, and begins with a snapshot.
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

// view takes in which card somebody looks at, so that its screen is read more often.
func (s *Server) view(w http.ResponseWriter, r *http.Request, _ *session) {
	var in struct {
		Card string `json:"card"`
	}
	if readInto(w, r, &in) {
		s.cfg.View(in.Card)
		w.WriteHeader(http.StatusNoContent)
	}
}

// events is a stream that two write to.
type events struct {
	mu  sync.Mutex
	w   http.ResponseWriter
	out *http.ResponseController
}

// send writes one event, or fails where the reader takes too long: it is given up, and may come again.
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
