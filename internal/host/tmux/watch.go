package tmux

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
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
	polled time.Time // when the poll before was over; zero: it failed, or there was none

	drawing *drawing // waits for a pane to draw; nil: none does
	silent  Life     // the server's run that said of no pane that it drew
}

// NewWatch makes the Watch of a server that is named as in New. It does no I/O.
func NewWatch(name string) *Watch { return &Watch{Server: New(name)} }

const (
	// maxAhead is the most looks of one client, which lives as long. Each look may be dated sooner by early than the one before, and what
	// drew in that time is captured again.
	maxAhead = 3 * wholeEvery
	// maxBusy is the most panes whose screens such a client gets. The server would send those of more each by itself, and save nothing.
	maxBusy = 64
	// late is how much later or sooner than planned a look may come. Else it is asked for by itself.
	late = 100 * time.Millisecond
	// early is how much too soon the pauses of a server may end: it counts in ticks of the kernel.
	early = 10 * time.Millisecond
	// hung is after how long without a look a client counts as hung. One that ends says so at once.
	hung = 5 * time.Second
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
	if w.polled = time.Now(); err != nil {
		w.polled = time.Time{}
		return l, captures, err
	}
	w.awaitDrawing(ctx, &l, len(captures)+len(l.Missed) == 0)
	return l, captures, nil
}

// pass returns the next look of the running client, or that of a new client if the running one's looks don't fit.
func (w *Watch) pass(ctx context.Context, last Listing, want wanted) (l listed, asked []string, err error) {
	if w.looks != nil && !w.looks.fit(last.Every, want) {
		w.end()
		w.ahead = 0
	}
	// A poll out of turn says that the next one is not as far away as it should be. A server that hangs gets no client, since nobody ends it.
	if inTurn := !w.polled.IsZero() && time.Since(w.polled) >= last.Every-late; inTurn &&
		w.looks == nil && !last.hoards && len(last.Panes) > 0 && len(want.each)+len(want.spared) <= maxBusy {
		w.ahead = min(max(2, 2*w.ahead), maxAhead)
		w.looks = w.start(ctx, last, want, w.ahead)
	}
	if w.looks != nil {
		looks := w.looks
		// A server whose last session has ended waits for its clients.
		if l, asked, err = looks.next(); err != nil || l.gate == "" && len(l.panes) == 0 || looks.left == 0 {
			w.end()
			l.Came, l.Next = nil, looks.due
		}
		if err == nil {
			return l, asked, nil
		}
		w.ahead = 0
	}
	return w.Server.pass(ctx, last, want)
}

// end ends the client, if there is one that has more to ask.
func (w *Watch) end() {
	if w.looks != nil && w.looks.left > 0 {
		w.looks.end()
	}
	w.looks = nil
}

// looks are what one client asks the server for, one after another.
type looks struct {
	left  int // how many are to come
	has   wanted
	every time.Duration
	taken time.Time     // the next one is not taken sooner
	due   time.Time     // when the next one comes; zero: once the client has started
	come  chan look     // gets each; closed after the last
	mu    sync.Mutex    // while one is put in, or was taken out
	came  chan struct{} // has a value while come has a look
	end   func()
}

// look is what a look of a client told, and the panes whose screens it was asked for.
type look struct {
	told  listed
	asked []string
	err   error
}

// planned is a look that a client is asked for.
type planned struct {
	records
	asked []string
}

// start starts a client for some looks after the last one, which ends with ctx; nil: it can't be started.
//
// A server never frees what a client that was killed has still to ask: half a megabyte of forty looks at twelve screens (3.3a). So none is
// killed. All its commands are one line, whose rest a server drops when one of them fails, and between two looks it unlocks a channel and
// locks it again: it ends there once somebody else has unlocked it. A client whose nod has died ends with its last look. A channel that was
// signalled twice is gone; else a server would keep its name for good.
func (s *Server) start(ctx context.Context, last Listing, want wanted, ahead int) *looks {
	l := &looks{left: ahead, has: want, every: last.Every, taken: time.Now(), come: make(chan look, ahead), came: make(chan struct{}, 1)}
	channel := "nod-" + rand.Text()[:8]
	unlock, lock, signal := "wait-for -U "+channel, "wait-for -L "+channel, "wait-for -S "+channel
	// Each look has its marker: tmux shows a command to all of its clients once it is carried out.
	var all []planned
	script := []string{lock}
	for i := range ahead {
		m := planned{newRecords(), want.after(last)}
		all = append(all, m)
		if i > 0 {
			script = append(script, fmt.Sprintf("run-shell -d %.3f", last.Every.Seconds()), unlock, lock)
		}
		script = append(script, slices.Concat(m.next(last, m.asked), m.screens(m.asked), []string{line([]string{"display-message", "-p", m.marker + ofEnd})})...)
		last.gates = (last.gates + 1) % wholeEvery
	}
	script = append(script, unlock, signal, signal)
	out, in, err := os.Pipe()
	if err != nil {
		return nil
	}
	cmd := exec.Command("tmux", "-N", "-u", "-S", s.socket, "source-file", "-")
	cmd.Env, cmd.Stdin, cmd.Stdout = environment(), strings.NewReader(strings.Join(script, " ; ")+"\n"), in
	err = cmd.Start()
	_ = in.Close()
	if err != nil {
		_ = out.Close()
		return nil
	}
	l.end = sync.OnceFunc(func() { go s.unlock(channel) })
	forget := context.AfterFunc(ctx, l.end)
	go func() {
		l.follow(out, s.socket, all)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		_ = out.Close()
		forget()
	}()
	return l
}

// unlock unlocks a channel, and has the server forget it. It does nothing if the client that locked it has ended already.
func (s *Server) unlock(channel string) {
	signal := []string{"wait-for", "-S", channel}
	_, _ = s.commands(context.Background(), []string{"wait-for", "-U", channel}, signal, signal)
}

// fit reports whether the next look is due now, and has the screens of the wanted panes and of not many others.
func (l *looks) fit(every time.Duration, want wanted) bool {
	lacks := func(has ...[]string) func(string) bool {
		return func(id string) bool {
			return !slices.ContainsFunc(has, func(ids []string) bool { return slices.Contains(ids, id) })
		}
	}
	return l.every == every && time.Since(l.due).Abs() <= late && len(l.has.each) <= 2*len(want.each)+8 &&
		!slices.ContainsFunc(want.each, lacks(l.has.each)) && !slices.ContainsFunc(want.spared, lacks(l.has.each, l.has.spared))
}

// follow reads the looks as they come, as long as the client runs.
func (l *looks) follow(out io.Reader, socket string, all []planned) {
	defer close(l.come)
	var read bytes.Buffer
	for _, m := range all {
		told, err := m.readLook(out, &read, socket)
		l.mu.Lock()
		l.come <- look{told, m.asked, err}
		l.noteCome()
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// noteCome says by came whether a look has come that nobody has taken: several come together where nod had no time to read.
func (l *looks) noteCome() {
	select {
	case <-l.came:
	default:
	}
	if len(l.come) > 0 {
		l.came <- struct{}{}
	}
}

// readLook reads one look. What has been read of those after it stays in the buffer: they come together where nod had no time to read.
func (m records) readLook(out io.Reader, read *bytes.Buffer, socket string) (listed, error) {
	end := []byte(m.marker + ofEnd + "\n")
	for from := 0; ; {
		if at := bytes.Index(read.Bytes()[from:], end); at >= 0 {
			told := string(read.Next(from + at))
			read.Next(len(end))
			return m.read(socket, told)
		}
		from = max(read.Len()-len(end), 0)
		read.Grow(16 << 10)
		room := read.AvailableBuffer()
		n, err := out.Read(room[:cap(room)])
		if err != nil {
			return listed{}, err
		}
		read.Write(room[:n])
	}
}

// next is the next look, which has come or is awaited for a moment.
func (l *looks) next() (told listed, asked []string, err error) {
	wait := time.Second // for a client to start
	if !l.due.IsZero() {
		wait = time.Until(l.due) + late
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case next, open := <-l.come:
		if !open {
			return listed{}, nil, errors.New("the tmux client has ended")
		}
		l.mu.Lock()
		l.noteCome()
		l.mu.Unlock()
		if next.err != nil {
			return listed{}, nil, next.err
		}
		now := time.Now()
		l.left--
		l.due = now.Add(l.every)
		told = next.told
		told.Taken, told.Next, told.Came = l.taken, l.due.Add(hung), l.came
		l.taken = l.taken.Add(l.every - early)
		return told, next.asked, nil
	case <-timer.C:
		return listed{}, nil, errors.New("tmux is late with an answer")
	}
}
