package tmux

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Watch polls one server as long as somebody watches it. Starting a client costs more than a still server's answer, so a client asks
// several times, and the server pauses between them for Listing.Every. It is not safe for concurrent use.
type Watch struct {
	*Server
	looks  *looks    // those that a client has been started for; nil: none
	ahead  int       // how many looks the last client was started for
	polled time.Time // when the poll before began

	drawing *drawing // waits for a pane to draw; nil: none does
	silent  Life     // the server's run that said of no pane that it drew
}

// NewWatch makes the Watch of a server that is named as in New. It does no I/O.
func NewWatch(name string) *Watch { return &Watch{Server: New(name)} }

const (
	// maxAhead is the most looks of one client, which lives as long: about as many as there are between two listings of all panes.
	maxAhead = 14
	// maxBusy is the most panes whose screens such a client gets. The server would send those of more each by itself, and save nothing.
	maxBusy = 64
	// late is how much later or sooner than planned a look may come. Else it is asked for by itself.
	late = 100 * time.Millisecond
	// early is how much too soon the pauses of a server may end: it counts in ticks of the kernel.
	early = 10 * time.Millisecond
)

// Poll is Server.Poll. If last.Every says when the next one follows, the server is asked for that beforehand. Each look is asked for
// before the one before is known, so the screens of panes that drew nothing lately follow in another process.
func (w *Watch) Poll(ctx context.Context, known []Capture, last Listing) (Listing, []Capture, error) {
	if last.Every <= 0 {
		return w.Server.Poll(ctx, known, last)
	}
	if last.Taken.IsZero() {
		w.end()
	}
	l, captures, err := w.poll(ctx, known, last, w.pass)
	w.polled = time.Now()
	if err == nil {
		w.awaitDrawing(ctx, &l, len(captures)+len(l.Missed) == 0)
	}
	return l, captures, err
}

// pass returns the next look of the running client, or that of a new client if the running one's looks don't fit.
func (w *Watch) pass(ctx context.Context, last Listing, busy []Pane) (l listed, asked []Pane, err error) {
	if w.looks != nil && !w.looks.fit(last.Every, busy) {
		w.end()
		w.ahead = 0
	}
	// A poll out of turn says that the next one is not as far away as it should be.
	if w.looks == nil && !last.hoards && len(last.Panes) > 0 && len(busy) <= maxBusy && time.Since(w.polled) >= last.Every-late {
		w.ahead = min(max(2, 2*w.ahead), maxAhead)
		w.looks = w.start(ctx, last, busy, w.ahead)
	}
	if w.looks != nil {
		looks := w.looks
		// A server whose last session has ended waits for its clients.
		if l, err = looks.next(w.socket); err != nil || l.gate == "" || len(looks.records) == 0 {
			w.end()
		}
		if err == nil {
			return l, looks.panes, nil
		}
		w.ahead = 0
	}
	return w.Server.pass(ctx, last, busy)
}

// end ends the client, if there is one.
func (w *Watch) end() {
	if w.looks != nil {
		w.looks.end()
		w.looks = nil
	}
}

// looks are what one client asks the server for, one after another.
type looks struct {
	records []records // of the looks to come. Each has its marker: tmux shows a command to all of its clients once it is carried out
	panes   []Pane    // the panes whose screens each has
	every   time.Duration
	taken   time.Time // the next one is not taken sooner
	due     time.Time // when the next one comes; zero: once the client has started
	out     *os.File
	read    bytes.Buffer
	end     func()
}

// start starts a client for some looks after the last one, which ends with ctx; nil: it can't be started.
func (s *Server) start(ctx context.Context, last Listing, busy []Pane, ahead int) *looks {
	l := &looks{panes: busy, every: last.Every, taken: time.Now()}
	var script strings.Builder
	for i := range ahead {
		m := newRecords()
		l.records = append(l.records, m)
		if i > 0 {
			fmt.Fprintf(&script, "run-shell -d %.3f\n", last.Every.Seconds())
		}
		last.brief = last.briefly(busy)
		for _, command := range m.gate(last.brief) {
			script.WriteString(line(command) + "\n")
		}
		for _, command := range append(m.screens(busy), line([]string{"display-message", "-p", m.marker + ofEnd})) {
			script.WriteString(command + "\n")
		}
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil
	}
	cmd := exec.Command("tmux", "-N", "-u", "-S", s.socket, "source-file", "-")
	cmd.Env, cmd.Stdin, cmd.Stdout = environment(), strings.NewReader(script.String()), in
	err = cmd.Start()
	_ = in.Close()
	if err != nil {
		_ = out.Close()
		return nil
	}
	l.out, l.end = out, sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = out.Close()
	})
	forget := context.AfterFunc(ctx, l.end)
	end := l.end
	l.end = func() { forget(); end() }
	return l
}

// fit reports whether the next look is due now, and has the screens of the busy panes and of not many others.
func (l *looks) fit(every time.Duration, busy []Pane) bool {
	return l.every == every && time.Since(l.due).Abs() <= late && len(l.panes) <= 2*len(busy)+8 && !slices.ContainsFunc(busy, func(p Pane) bool {
		return !slices.ContainsFunc(l.panes, func(q Pane) bool { return q.ID == p.ID })
	})
}

// next waits for the next look.
func (l *looks) next(socket string) (listed, error) {
	m := l.records[0]
	wait := time.Second // for a client to start
	if !l.due.IsZero() {
		wait = time.Until(l.due) + 2*late
	}
	_ = l.out.SetReadDeadline(time.Now().Add(wait))
	end := []byte(m.marker + ofEnd + "\n")
	for !bytes.HasSuffix(l.read.Bytes(), end) {
		l.read.Grow(16 << 10)
		room := l.read.AvailableBuffer()
		n, err := l.out.Read(room[:cap(room)])
		if err != nil {
			return listed{}, err
		}
		l.read.Write(room[:n])
	}
	told, err := m.read(socket, string(bytes.TrimSuffix(l.read.Bytes(), end)))
	l.read.Reset()
	now := time.Now()
	told.Taken, told.Next = l.taken, now.Add(l.every)
	l.records, l.taken, l.due = l.records[1:], l.taken.Add(l.every-early), told.Next
	return told, err
}
