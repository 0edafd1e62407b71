package detect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

// wholeEvery is how often every pane is captured whether or not tmux says that it changed.
const wholeEvery = time.Minute

// lookout watches one tmux server. All but what mu guards belongs to run's goroutine.
type lookout struct {
	watcher  *Watcher
	screens  Screens
	me       owner
	stop     context.CancelFunc
	done     chan struct{}
	looked   chan struct{} // closed after the first poll, whatever came of it
	first    sync.Once
	requests chan request
	inbox    *inbox

	life    tmux.Life // zero until the server was met
	process proc.ID   // the server's
	panes   map[string]*watched
	urgent  map[string]*urgency
	whole   time.Time // when every pane was captured last
	next    time.Time // when all panes are looked at again

	sessions map[string]*session // of the watched panes, as their agents' events told
	effects  []Effect            // that have not been passed on yet
	early    []heard             // events whose server or pane is not known yet

	mu       sync.Mutex
	met      tmux.Life
	owned    bool
	trouble  string
	sighting map[string]Sighting
	roll     roll
}

func newLookout(w *Watcher, screens Screens, me owner, stop context.CancelFunc) *lookout {
	return &lookout{
		watcher: w, screens: screens, me: me, stop: stop,
		done: make(chan struct{}), looked: make(chan struct{}), requests: make(chan request, 64),
		inbox: newInbox(), sessions: map[string]*session{},
		panes: map[string]*watched{}, urgent: map[string]*urgency{}, sighting: map[string]Sighting{},
		roll: newRoll(time.Now()),
	}
}

// run polls the server until ctx ends, and in between reads panes that somebody asked for.
func (l *lookout) run(ctx context.Context) {
	defer close(l.done)
	defer l.disown(ctx)
	l.next = time.Now()
	hasty := false // the last look was made sooner for panes that the one before had found
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(time.Until(l.soonest(l.next)))
		select {
		case <-ctx.Done():
			return
		case r := <-l.requests:
			l.take(r)
			continue
		case <-l.inbox.wake:
			if l.listen() {
				l.next = time.Now()
			}
			continue
		case <-timer.C:
		}
		settings := l.watcher.settings()
		all := !time.Now().Before(l.next)
		if all {
			l.next = time.Now().Add(settings.Interval)
		}
		found := l.poll(ctx, settings.StablePolls, all)
		if found && !hasty {
			l.next = time.Now() // they have not been read yet
		}
		hasty = found
		l.reconsider()
		if all {
			l.polled(time.Now())
		}
	}
}

// poll looks at all watched panes, or at those only that somebody asked for. It reports whether panes
// were found that it did not know to read.
func (l *lookout) poll(ctx context.Context, enough int, all bool) (found bool) {
	defer l.first.Do(func() { close(l.looked) })
	known, began := l.known(all), time.Now()
	listing, shots, err := l.screens.Poll(ctx, known)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		l.failed(err)
	default:
		l.meet(listing.Life)
		l.listed(listing)
		if !l.own(ctx, listing) {
			break
		}
		trouble := ""
		if all || l.stranger() {
			if found, err = l.enrol(listing); err != nil {
				trouble = sentence(err)
			}
		}
		l.set(true, trouble)
		read := l.read(known, shots, listing, began)
		if all {
			for _, id := range l.ids() {
				if w := l.panes[id]; w.shell || read[id] {
					l.tell(w, listing.Clients, enough, "poll")
				}
			}
		}
		l.hurry(read, listing.Clients)
	}
	l.giveUp()
	return found
}

// ids are the watched panes in a fixed order.
func (l *lookout) ids() []string { return slices.Sorted(maps.Keys(l.panes)) }

// known are the last shots of the panes that are to be read. Now and then they say nothing, so that
// every pane is captured.
func (l *lookout) known(all bool) []tmux.Shot {
	whole := all && time.Since(l.whole) >= wholeEvery
	if whole {
		l.whole = time.Now()
	}
	var known []tmux.Shot
	for _, id := range l.ids() {
		w := l.panes[id]
		if w.shell || !all && l.urgent[id] == nil {
			continue
		}
		shot := w.shot
		shot.Pane.ID = id
		if whole {
			shot.Taken = time.Time{}
		}
		known = append(known, shot)
	}
	return known
}

// read takes in the shots, and that a pane which was not captured looks as it did. It returns which
// panes were read, by a poll that began at began: one that could not be captured was not, and nothing follows from that.
func (l *lookout) read(known, shots []tmux.Shot, listing tmux.Listing, began time.Time) map[string]bool {
	read := map[string]bool{}
	for _, shot := range shots {
		if w := l.panes[shot.Pane.ID]; w != nil {
			w.read(shot)
			read[shot.Pane.ID] = true
		}
	}
	for _, asked := range known {
		w := l.panes[asked.Pane.ID]
		listed := slices.ContainsFunc(listing.Panes, func(p tmux.Pane) bool { return p.ID == asked.Pane.ID })
		if w != nil && listed && !read[asked.Pane.ID] && !asked.Taken.IsZero() && w.shot.Taken.Equal(asked.Taken) {
			w.again(began)
			read[asked.Pane.ID] = true
		}
	}
	return read
}

// tell passes on what the last look at a pane says.
func (l *lookout) tell(w *watched, clients []tmux.Client, enough int, by string) Sighting {
	s := w.judge(enough, time.Now())
	s.Pane, s.By = PaneRef{Server: l.life, ID: w.info.ID}, by
	l.interpret(w, &s)
	w.catchUp(&s)
	for _, c := range clients {
		if c.Activity.After(s.Near) {
			s.Near = c.Activity
		}
		if c.Pane == w.info.ID && c.Activity.After(s.Here) {
			s.Here = c.Activity
		}
	}
	l.mu.Lock()
	l.sighting[w.info.ID] = s
	l.mu.Unlock()
	l.watcher.cfg.See(s)
	l.report()
	return s
}

// gone retires a pane: it does not exist any more, or is not to be watched.
func (l *lookout) gone(w *watched) {
	id := w.info.ID
	s := w.sighting(Gone, time.Now())
	s.Pane, s.By = PaneRef{Server: l.life, ID: id}, "poll"
	delete(l.panes, id)
	delete(l.sessions, id)
	l.mu.Lock()
	delete(l.sighting, id)
	l.mu.Unlock()
	l.watcher.cfg.See(s)
}

// meet notes which life of the server answers. Another one than before means that all panes of the
// life before are gone, although the new one has panes of the same ids.
func (l *lookout) meet(life tmux.Life) {
	if life == l.life {
		return
	}
	l.bury()
	l.life, l.whole = life, time.Now()
	// Where this fails the server counts as dead as soon as it does not answer.
	l.process, _ = proc.Of(life.PID)
	l.mu.Lock()
	l.met = life
	l.mu.Unlock()
}

// bury retires all panes of a server that has ended.
func (l *lookout) bury() {
	for _, id := range l.ids() {
		l.gone(l.panes[id])
	}
	l.life, l.process = tmux.Life{}, proc.ID{}
	l.mu.Lock()
	l.met, l.owned = tmux.Life{}, false
	l.roll.panes = nil
	l.mu.Unlock()
}

// own makes sure that this nod owns the server, and reports whether it does.
func (l *lookout) own(ctx context.Context, listing tmux.Listing) bool {
	mine := l.me.String()
	if listing.Owner == mine {
		return true
	}
	if other, ok := parseOwner(listing.Owner); ok && other.lives(l.me.boot) {
		l.forget()
		l.set(false, fmt.Sprintf("Another nod (process %d) watches the tmux server at %s, so this one neither tells of its panes nor types there. Stop one of the two.",
			other.PID, l.screens.Socket()))
		return false
	}
	err := l.screens.SetOwner(ctx, listing.Life, listing.Owner, mine)
	if err != nil {
		// Who was faster is seen at the next poll.
		if !errors.Is(err, tmux.ErrStale) {
			l.failed(err)
		}
		return false
	}
	return true
}

// disown takes the mark off the server, so that another nod need not find out that this one has ended.
func (l *lookout) disown(ctx context.Context) {
	if !l.owns() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	// A mark that stays names a dead process, which stops nobody.
	_ = l.screens.SetOwner(ctx, l.life, l.me.String(), "")
}

// forget stops watching all panes without saying that they are gone: they are another nod's.
func (l *lookout) forget() {
	clear(l.panes)
	clear(l.sessions)
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.sighting)
}

// failed takes in that the server could not be asked. That says nothing of its panes, unless nobody
// listens any more and the server's process has ended.
func (l *lookout) failed(err error) {
	l.vanished(errors.Is(err, tmux.ErrNoServer))
	switch {
	case !errors.Is(err, tmux.ErrNoServer):
		l.set(l.owns(), sentence(err))
	case l.life == (tmux.Life{}):
		l.set(false, "")
	case proc.Alive(l.process):
		l.set(l.owns(), fmt.Sprintf("The tmux server at %s runs (process %d), but its socket does not answer; `kill -USR1 %d` makes it anew if the file was deleted.",
			l.life.Socket, l.process.PID, l.process.PID))
	default:
		l.bury()
		l.set(false, "")
	}
}

// set notes whether this nod owns the server and what is wrong with it, and logs what is new.
func (l *lookout) set(owned bool, trouble string) {
	l.mu.Lock()
	before := l.trouble
	l.owned, l.trouble = owned, trouble
	l.mu.Unlock()
	switch {
	case trouble == before:
	case trouble != "":
		l.watcher.cfg.Log.Warn("tmux server in trouble", "socket", l.screens.Socket(), "trouble", trouble)
	default:
		l.watcher.cfg.Log.Info("tmux server is well again", "socket", l.screens.Socket())
	}
}

func (l *lookout) owns() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owned
}

func (l *lookout) troubled() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble
}

func (l *lookout) current() tmux.Life {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.met
}

func (l *lookout) seen() []Sighting {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Sighting
	for _, id := range slices.Sorted(maps.Keys(l.sighting)) {
		all = append(all, l.sighting[id])
	}
	return all
}

// sentence makes an error one.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
