package tmux

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Look is one pane as it is now, all of it read in the same step of the server.
type Look struct {
	Life    Life
	Pane    Pane
	Clients []Client
	// Capture is the visible screen, a line a row, with colours (capture-pane -e).
	Capture string
}

// List lists the panes and clients of the server.
func (s *Server) List(ctx context.Context) (Listing, error) {
	l, err := s.list(ctx)
	return l.Listing, err
}

func (s *Server) list(ctx context.Context, more ...string) (listed, error) {
	m := newRecords()
	return s.ask(ctx, m, append(m.listing(), more...))
}

func (s *Server) ask(ctx context.Context, m records, lines []string) (listed, error) {
	r, err := s.script(ctx, lines...)
	return s.told(m, r, err)
}

// told reads the result of a script or of commands.
func (s *Server) told(m records, r reply, err error) (listed, error) {
	if err != nil {
		return listed{}, err
	}
	l, err := m.read(s.socket, r.out)
	if err != nil {
		return listed{}, fmt.Errorf("tmux server %s: %w", s.socket, err)
	}
	return l, nil
}

// Look reads one pane now.
func (s *Server) Look(ctx context.Context, pane string) (Look, error) {
	if !validPane(pane) {
		return Look{}, fmt.Errorf("%q is no pane id: %w", pane, ErrNoPane)
	}
	m := newRecords()
	return s.look(ctx, m, pane, m.capture(pane))
}

func (s *Server) look(ctx context.Context, m records, pane, command string) (Look, error) {
	l, err := s.ask(ctx, m, append(m.listing(), command))
	if err != nil {
		return Look{}, fmt.Errorf("read pane %s: %w", pane, err)
	}
	capture, ok := l.captures[pane]
	for _, p := range l.Panes {
		if ok && p.ID == pane {
			return Look{Life: l.Life, Pane: p, Clients: l.Clients, Capture: capture.text}, nil
		}
	}
	return Look{}, fmt.Errorf("read pane %s of tmux server %s: %w", pane, s.socket, ErrNoPane)
}

// Capture is what a pane showed at a moment, and how the pane was when it was taken.
type Capture struct {
	Pane  Pane
	Taken time.Time // not later than it showed this
	Text  string    // as in Look
	// Spared says that something else tells what matters in the pane. While the pane goes on to draw, only every fourth poll captures it.
	Spared bool
}

// Poll lists the server and captures those of the known panes whose screen may have changed since. known are the last
// captures of the panes of interest; one that has only the pane's id is always captured. A pane that is gone, or can't be
// captured, is missing from the captures and changes nothing for the others.
//
// last is the listing of a poll before: unchanged panes are returned as in it. If it is zero, or the server has other panes now,
// all panes are listed. Clients have no Shows unless all is listed. A pane that was spared is in Listing.Missed.
//
// A pane has changed if its window's activity has, in whole seconds, which any byte of output moves, or its process, modes, size or
// @nod-agent, for which the activity does not move. No other change of a screen is known, but only tmux 3.3a was examined: list and
// capture all now and then.
func (s *Server) Poll(ctx context.Context, known []Capture, last Listing) (Listing, []Capture, error) {
	return s.poll(ctx, known, last, s.pass)
}

// passes asks the gate of a poll, and captures some panes. It returns those that it has captured.
type passes func(ctx context.Context, last Listing, want wanted) (l listed, asked []string, err error)

func (s *Server) poll(ctx context.Context, known []Capture, last Listing, pass passes) (Listing, []Capture, error) {
	// Whole seconds, and rounded down: output of the rest of this second is captured again.
	now := time.Now()
	was := make(map[string]*Capture, len(known))
	for i, k := range known {
		was[k.Pane.ID] = &known[i]
	}
	l, err := s.listSince(ctx, was, last, pass)
	if l.Taken.IsZero() {
		l.Taken = now
	}
	if err == nil {
		err = s.captureChanged(ctx, was, &l)
	}
	if err != nil {
		return Listing{}, nil, fmt.Errorf("poll: %w", err)
	}
	l.Missed = map[string]bool{}
	captures := make([]Capture, 0, len(l.captures))
	for p := range l.changed(was) {
		if c, ok := l.captures[p.ID]; ok && c.of(p) {
			apart(&c.text)
			captures = append(captures, Capture{Pane: *p, Taken: l.Taken, Text: c.text})
		} else {
			l.Missed[p.ID] = true
		}
	}
	return l.Listing, captures, nil
}

// listSince lists the server by its gate and the listing before, and whole if they do not agree. In the same process it captures
// the panes that drew something a moment before, since some draw all the time.
func (s *Server) listSince(ctx context.Context, was map[string]*Capture, last Listing, pass passes) (l listed, err error) {
	want := last.wants(was)
	if !last.Taken.IsZero() {
		since := last.Taken
		for _, k := range was {
			if !k.Taken.IsZero() && k.Taken.Before(since) {
				since = k.Taken
			}
		}
		var asked []string
		l, asked, err = pass(ctx, last, want)
		if err != nil {
			return l, err
		}
		l.spares = !last.sparesNone()
		if len(l.panes) > 0 {
			l.isWhole()
			l.readScreens(asked)
			return l, nil
		}
		if l.Life == last.Life && l.carryOver(last, since) {
			l.gates = last.gates + 1
			l.readScreens(asked)
			return l, nil
		}
	}
	m, all := newRecords(), want.all()
	l, err = s.ask(ctx, m, append(m.listing(), m.screens(all)...))
	l.isWhole()
	l.readScreens(all)
	return l, err
}

// isWhole says that all panes were listed.
func (l *listed) isWhole() {
	l.Whole, l.Fresh = true, make(map[string]bool, len(l.Panes))
	for _, p := range l.Panes {
		l.Fresh[p.ID] = true
	}
}

// Every wholeEvery polls of a Watch, all panes are listed. Between these every fullEvery gates, one is not brief.
const (
	wholeEvery = 15
	fullEvery  = 4
)

// listsAll reports whether the poll after this listing lists all panes.
func (l Listing) listsAll() bool { return l.Every > 0 && l.gates >= wholeEvery-1 }

// sparesNone reports whether the poll after this listing captures spared panes as well.
func (l Listing) sparesNone() bool { return l.gates%fullEvery == fullEvery-1 || l.listsAll() }

// briefly reports whether the gate after this listing is a brief one. It is not where it comes with screens, which have no process and size
// of their own.
func (l Listing) briefly(busy []string) bool {
	return l.gates%fullEvery != fullEvery-1 && len(busy) == 0
}

// pass asks the gate, or lists all panes, and captures some. For a gate without panes the commands are arguments, which spare the server a
// way to the client and back for its standard input. Arguments are in the process table, so the marker that separates the text of panes is
// not among them.
func (s *Server) pass(ctx context.Context, last Listing, want wanted) (l listed, asked []string, err error) {
	m, busy := newRecords(), want.after(last)
	if len(busy) == 0 && !last.listsAll() {
		r, err := s.commands(ctx, m.gate(last.briefly(busy))...)
		l, err = s.told(m, r, err)
		return l, nil, err
	}
	l, err = s.ask(ctx, m, append(m.next(last, busy), m.screens(busy)...))
	return l, busy, err
}

// carryOver completes a gate's row by the listing before. It reports whether it could: the server has the same panes in the same
// windows, and nothing but their output has changed. The order of the sessions differs from a listing's from tmux 3.6 on.
func (l *listed) carryOver(last Listing, since time.Time) bool {
	l.Panes, l.windows, l.Fresh = last.Panes, last.windows, map[string]bool{}
	told := make([]bool, len(l.Panes))
	for rest := l.gate; rest != ""; {
		number := rest[:max(0, strings.IndexAny(rest, "%@"))]
		rest = rest[len(number):]
		window := l.windows[rest[:max(0, strings.IndexAny(rest, " ;"))]]
		drew, err := strconv.ParseInt(number, 10, 64)
		if err != nil || window == nil {
			return false
		}
		if l.brief {
			_, rest, _ = strings.Cut(rest, ";")
		}
		for _, at := range window {
			if !l.brief {
				var same bool
				if rest, same = strings.CutPrefix(rest, l.Panes[at].still); !same {
					return false
				}
			}
			told[at] = true
			l.drew(at, drew, since, last)
		}
	}
	return !slices.Contains(told, false)
}

// drew records when the pane at that place among the panes drew last.
func (l *listed) drew(at int, when int64, since time.Time, last Listing) {
	if when >= since.Unix() {
		l.Fresh[l.Panes[at].ID] = true
	}
	if l.Panes[at].Activity.Unix() == when {
		return
	}
	if &l.Panes[0] == &last.Panes[0] { // others may still hold the listing before
		l.Panes = slices.Clone(last.Panes)
	}
	l.Panes[at].Activity = time.Unix(when, 0)
}

// wanted are the panes whose screens come with a look: those of each look, and those that are spared.
type wanted struct{ each, spared []string }

// wants are those of the panes that had drawn something in the second before they were listed, or since.
func (l Listing) wants(was map[string]*Capture) (w wanted) {
	for i := range l.Panes {
		p := &l.Panes[i]
		k, ok := was[p.ID]
		switch {
		case !ok || !k.changed(p) && p.Activity.Unix() < l.Taken.Unix()-1:
		case k.Spared:
			w.spared = append(w.spared, p.ID)
		default:
			w.each = append(w.each, p.ID)
		}
	}
	return w
}

// after are the panes whose screens come with the look after a listing.
func (w wanted) after(last Listing) []string {
	if last.sparesNone() {
		return w.all()
	}
	return w.each
}

func (w wanted) all() []string {
	if len(w.spared) == 0 {
		return w.each
	}
	return slices.Concat(w.each, w.spared)
}

// changed are those of the panes that may show something else than their captures.
func (l *listed) changed(was map[string]*Capture) iter.Seq[*Pane] {
	return func(yield func(*Pane) bool) {
		for i := range l.Panes {
			p := &l.Panes[i]
			if k, ok := was[p.ID]; ok && k.changed(p) && !yield(p) {
				return
			}
		}
	}
}

// captureChanged adds to a listing the captures of changed panes that it lacks.
func (s *Server) captureChanged(ctx context.Context, was map[string]*Capture, l *listed) error {
	var lacking []string
	for p := range l.changed(was) {
		if _, has := l.captures[p.ID]; !has && !l.spared(p, was[p.ID]) {
			lacking = append(lacking, p.ID)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	m := newRecords()
	more, err := s.ask(ctx, m, append([]string{line(m.who(""))}, m.captureAll(lacking)...))
	if err == nil && more.Life == l.Life {
		maps.Copy(l.captures, more.captures)
	}
	return err
}

// spared reports whether a changed pane need not be captured now: it has drawn in the second before, and will be when it has stopped.
func (l *listed) spared(p *Pane, was *Capture) bool {
	return l.spares && was.Spared && was.likeNow(p) && p.Activity.Unix() >= l.Taken.Unix()-1
}

// changed reports whether a pane may show something else than its capture.
func (c *Capture) changed(p *Pane) bool { return !c.likeNow(p) || p.Activity.Unix() >= c.Taken.Unix() }

// likeNow reports whether there is a capture of a pane and nothing but the pane's output may have changed since.
func (c *Capture) likeNow(p *Pane) bool {
	was := &c.Pane
	return !c.Taken.IsZero() && was.PID == p.PID && was.Dead == p.Dead && was.InMode == p.InMode && was.Width == p.Width && was.Height == p.Height
}
