package botapi

import (
	"context"
	"time"
)

// query is one tap on a button.
type query struct {
	id      string
	chat    int64
	message int
	made    time.Time
	toast   *Toast
	rev     int
}

// Toast is a bot's answer to a tap.
type Toast struct {
	Text  string `json:"text"`
	Alert bool   `json:"alert"` // a dialog instead of a short notice
	URL   string `json:"url,omitempty"`
}

// answerCallbackQuery works once per tap, and only for a limited time.
func (s *Server) answerCallbackQuery(r *request) (any, error) {
	if codePoints(r.params["text"]) > 200 {
		return nil, badRequest("MESSAGE_TOO_LONG")
	}
	q := s.queries[r.params["callback_query_id"]]
	if q == nil || q.toast != nil || time.Since(q.made) > s.opts.CallbackWindow {
		return nil, badRequest("query is too old and response timeout expired or query ID is invalid")
	}
	q.toast = &Toast{Text: r.params["text"], Alert: r.bool("show_alert"), URL: r.params["url"]}
	q.rev = s.touch()
	return true, nil
}

// Tap is a press of a button by a person.
type Tap struct {
	ID string
	s  *Server
}

// Answer waits until the bot has answered the tap.
func (t Tap) Answer(ctx context.Context) (Toast, error) {
	var toast Toast
	err := t.s.Await(ctx, func() bool {
		t.s.mu.Lock()
		defer t.s.mu.Unlock()
		q := t.s.queries[t.ID]
		if q == nil || q.toast == nil {
			return false
		}
		toast = *q.toast
		return true
	})
	return toast, err
}
