package detect

import (
	"fmt"
	"time"

	"nod/internal/tmux"
)

// How a pane that somebody asked for is read: every fast for the first second, then every slower, for
// patience at most. Agents draw a dialog up to half a second after the hook that announces it.
const (
	fast     = 50 * time.Millisecond
	slower   = 200 * time.Millisecond
	patience = 5 * time.Second
)

// request asks for a look at a pane at once.
type request struct {
	pane   PaneRef
	dialog bool        // an agent says that a dialog is about to be drawn
	answer chan answer // has room for one; nil: nobody waits
}

type answer struct {
	sighting Sighting
	err      error
}

// urgency is a pane that is read as fast as can be had.
type urgency struct {
	asked   time.Time
	next    time.Time
	reads   int
	dialog  bool
	before  string // the fingerprint that stood there when the dialog was announced
	told    string // the fingerprint that was told since
	answers []chan answer
}

// take takes in a request. Several for one pane are one: however many events come, it is read no faster.
func (l *lookout) take(r request) {
	if r.pane.Server != l.life {
		if r.answer != nil {
			r.answer <- answer{err: fmt.Errorf("read pane %s: that run of the tmux server has ended or is not known: %w", r.pane.ID, tmux.ErrNoPane)}
		}
		return
	}
	now := time.Now()
	u := l.urgent[r.pane.ID]
	switch {
	case u == nil:
		u = &urgency{asked: now, next: now}
		l.urgent[r.pane.ID] = u
	case r.answer != nil:
		u.asked, u.next, u.reads = now, now, 0
	case r.dialog:
		u.asked, u.reads = now, 0
		if soon := now.Add(fast); soon.Before(u.next) {
			u.next = soon
		}
	default: // a look that is due anyway is enough
		u.reads = 0
	}
	if r.dialog {
		u.dialog, u.before, u.told = true, "", ""
		if w := l.panes[r.pane.ID]; w != nil {
			u.before = w.shown
		}
	}
	if r.answer != nil {
		u.answers = append(u.answers, r.answer)
	}
}

// soonest is when the next look is due: the next poll, or sooner where somebody asked for a pane.
func (l *lookout) soonest(poll time.Time) time.Time {
	for _, u := range l.urgent {
		if u.next.Before(poll) {
			poll = u.next
		}
	}
	return poll
}

// stranger reports whether somebody asked for a pane that is not watched, or not any more.
func (l *lookout) stranger() bool {
	for id := range l.urgent {
		if w := l.panes[id]; w == nil || w.shell {
			return true
		}
	}
	return false
}

// hurry carries on with the panes that somebody asked for, after a look that read some panes: it tells
// what two reads agree on, whatever the settings ask of polls, and ends what has its answer.
func (l *lookout) hurry(read map[string]bool, clients []tmux.Client) {
	for id, u := range l.urgent {
		w := l.panes[id]
		if w == nil || !read[id] {
			continue
		}
		u.reads++
		drawn := u.dialog && w.print != "" && w.drawn >= 2 && w.print != u.told
		still := w.same >= 2 && (!u.dialog || len(u.answers) > 0)
		if u.reads < 2 || !drawn && !still {
			continue
		}
		by := "poll"
		if drawn {
			by, u.told = "hook", w.print
		}
		s := l.tell(w, clients, 2, by)
		for _, a := range u.answers {
			a <- answer{sighting: s}
		}
		u.answers = nil
		// The dialog that stood there before it was announced is not the one that was.
		if !u.dialog || drawn && w.print != u.before {
			delete(l.urgent, id)
		}
	}
}

// giveUp sets when each pane is read next, and ends what took too long: what is not certain by then is
// left to the polls.
func (l *lookout) giveUp() {
	now := time.Now()
	for id, u := range l.urgent {
		u.next = now.Add(fast)
		if now.Sub(u.asked) > time.Second {
			u.next = now.Add(slower)
		}
		if now.Sub(u.asked) < patience {
			continue
		}
		l.mu.Lock()
		last, ok := l.sighting[id]
		l.mu.Unlock()
		for _, a := range u.answers {
			if ok {
				a <- answer{sighting: last}
			} else {
				a <- answer{err: fmt.Errorf("read pane %s: no agent is known to run there: %w", id, tmux.ErrNoPane)}
			}
		}
		delete(l.urgent, id)
	}
}
