package botapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// How long Telegram keeps unfetched updates (telegram-bot-api Client.cpp).
const (
	keepMessages  = 24 * time.Hour
	keepCallbacks = 150 * time.Second
)

// Telegram's limits of getUpdates.
const (
	maxPoll  = 50 // seconds
	maxBatch = 100
)

type update struct {
	id   int
	kind string
	body json.RawMessage
	made time.Time
}

func (u update) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"update_id": u.id, u.kind: u.body})
}

// poll is the getUpdates call that is waiting now, and the offset of the last one.
type poll struct {
	over   chan struct{} // closed to end it when another poll has come
	offset int
	began  time.Time
}

// push queues an update if the bot wants its kind: Telegram filters when an update is made, not when it is
// fetched. The caller holds the lock.
func (s *Server) push(kind string, payload any) {
	unasked := kind == "chat_member" || kind == "message_reaction" || kind == "message_reaction_count"
	if s.allowed != nil && !s.allowed[kind] || s.allowed == nil && unasked {
		return
	}
	body, err := json.Marshal(payload)
	if err != nil {
		panic("botapi: an update that is no JSON: " + err.Error()) // only our own types get here
	}
	s.queue = append(s.queue, update{id: s.nextID, kind: kind, body: body, made: time.Now()})
	s.nextID++
	s.touch()
}

// Waiting returns the number of unconfirmed updates.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	return len(s.queue)
}

// forget drops updates that are too old.
func (s *Server) forget() {
	s.queue = slices.DeleteFunc(s.queue, func(u update) bool {
		limit := keepMessages
		if u.kind == "callback_query" {
			limit = keepCallbacks
		}
		return time.Since(u.made) >= limit
	})
}

// getUpdates waits until there is an update, the timeout is over, the client is gone, or another poll has
// come. In the last case this older poll is refused, as by Telegram.
func (s *Server) getUpdates(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, timeout, err := s.beginPoll(r)
	if err != nil {
		return nil, err
	}
	over := s.poll.over
	end := time.NewTimer(timeout)
	defer end.Stop()
	for {
		s.forget()
		if n := min(len(s.queue), limit); n > 0 {
			s.endPoll(over)
			return slices.Clone(s.queue[:n]), nil
		}
		changed := s.changed
		s.mu.Unlock()
		done, conflict := false, false
		select {
		case <-changed:
		case <-end.C:
			done = true
		case <-r.ctx.Done():
			done = true
		case <-over:
			conflict = true
		}
		s.mu.Lock()
		switch {
		case conflict:
			return nil, conflictError("terminated by other getUpdates request; make sure that only one bot instance is running")
		case s.webhook != "":
			s.endPoll(over)
			return nil, conflictError("terminated by setWebhook request")
		case s.revoked:
			s.endPoll(over)
			return nil, &Error{Code: http.StatusUnauthorized, Description: "Unauthorized"}
		case done:
			s.endPoll(over)
			return []update{}, nil
		}
	}
}

// beginPoll confirms the updates before the offset, remembers allowed_updates and ends an older poll.
func (s *Server) beginPoll(r *request) (limit int, timeout time.Duration, err error) {
	if s.webhook != "" {
		return 0, 0, conflictError("can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	if err := s.setAllowed(r.params["allowed_updates"]); err != nil {
		return 0, 0, err
	}
	if limit = r.int("limit"); limit < 1 || limit > maxBatch {
		limit = maxBatch
	}
	seconds := min(max(r.int("timeout"), 0), maxPoll)
	offset := r.int("offset")
	now := time.Now()
	// A bot that repeats the same poll at once is delayed (telegram-bot-api Client.cpp).
	if offset == s.poll.offset && !s.poll.began.IsZero() {
		if now.Sub(s.poll.began) < 3*time.Second {
			seconds = max(seconds, 3)
		}
		if now.Sub(s.poll.began) < 500*time.Millisecond {
			limit = 1
		}
	}
	s.confirm(offset)
	if s.poll.over != nil {
		close(s.poll.over)
	}
	s.poll = poll{over: make(chan struct{}), offset: offset, began: now}
	return limit, time.Duration(seconds) * time.Second, nil
}

func (s *Server) endPoll(over chan struct{}) {
	if s.poll.over == over {
		s.poll.over = nil
	}
}

// confirm drops all updates below offset; a negative offset keeps the last -offset. An offset more than ten
// past the end is ignored, so all waiting updates come again.
func (s *Server) confirm(offset int) {
	switch {
	case offset < 0:
		s.queue = s.queue[max(0, len(s.queue)+offset):]
	case offset > 0 && offset <= s.nextID+10:
		s.queue = slices.DeleteFunc(s.queue, func(u update) bool { return u.id < offset })
	}
}

// setAllowed stores the kinds of updates that a bot wants: a list replaces them, an empty list means the
// default, and an absent or null one keeps them.
func (s *Server) setAllowed(raw string) error {
	if raw == "" || raw == "null" {
		return nil
	}
	var kinds []string
	if json.Unmarshal([]byte(raw), &kinds) != nil {
		return badRequest("Can't parse allowed_updates: Expected an Array of Strings")
	}
	s.allowed = nil
	if len(kinds) > 0 {
		s.allowed = map[string]bool{}
		for _, k := range kinds {
			s.allowed[k] = true
		}
	}
	return nil
}

func conflictError(why string) *Error {
	return &Error{Code: http.StatusConflict, Description: "Conflict: " + why}
}

func (s *Server) setWebhook(r *request) (any, error) {
	url := r.params["url"]
	if url != "" && checkURL(url) != "" {
		return nil, badRequest("bad webhook: %s", checkURL(url))
	}
	s.webhook = url
	return true, s.afterWebhook(r)
}

func (s *Server) deleteWebhook(r *request) (any, error) {
	s.webhook = ""
	return true, s.afterWebhook(r)
}

func (s *Server) afterWebhook(r *request) error {
	if r.bool("drop_pending_updates") {
		s.queue = nil
	}
	s.touch()
	return s.setAllowed(r.params["allowed_updates"])
}

func (s *Server) getWebhookInfo(*request) (any, error) {
	s.forget()
	return map[string]any{"url": s.webhook, "has_custom_certificate": false, "pending_update_count": len(s.queue)}, nil
}
