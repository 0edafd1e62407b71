package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"nod/detect/screen"
)

// attendance is one connection to a server, with its state. Only run's goroutine uses it, except for what
// await is given.
type attendance struct {
	s       *Servers
	server  *server
	threads map[string]bool   // the threads that are heard; true: throughout a turn
	asked   map[string]*asked // by request id
	denied  []*review         // denied calls that were not reported yet
	told    bool              // some denied call was reported
	news    bool              // there is something to report
	more    bool              // too many requests waited, so that some were left out
	awaits  sync.WaitGroup
	cut     chan struct{} // closed when the connection has ended
}

// asked is one waiting request.
type asked struct {
	Asked
	id     json.RawMessage
	params json.RawMessage
	done   bool // it was reported, or needs no report
	over   chan struct{}
}

// run handles the server's messages until ctx or the connection ends.
func (a *attendance) run(ctx context.Context) error {
	beginning, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	threads, err := a.server.hello(beginning)
	if err != nil {
		return err
	}
	for _, id := range threads {
		if err := a.read(ctx, id); err != nil {
			return err
		}
	}
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for {
		for len(a.server.heard) > 0 {
			m := a.server.heard[0]
			a.server.heard = a.server.heard[1:]
			if err := a.hear(ctx, m); err != nil {
				return err
			}
		}
		if a.news {
			a.tell()
		}
		select {
		case <-ctx.Done():
			return nil
		case m, open := <-a.server.told:
			if !open {
				return errHungUp
			}
			a.server.heard = append(a.server.heard, m)
		case <-look.C:
			if a.news = true; !a.s.cfg.On() {
				return nil
			}
			a.askMore(ctx)
		}
	}
}

// end closes the connection, so that no answer goes through any more.
func (a *attendance) end() {
	close(a.cut)
	a.server.close()
	a.awaits.Wait()
}

// read handles the state of a thread that the server had loaded before.
func (a *attendance) read(ctx context.Context, thread string) error {
	reading, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	now, err := a.server.state(reading, thread)
	if err != nil {
		return err
	}
	return a.changed(ctx, thread, now)
}

func (a *attendance) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	calling, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	return a.server.call(calling, method, params)
}

// unlessRefused returns nil if err is the server's refusal of a call, otherwise err.
func unlessRefused(err error) error {
	if no := (*refusedCall)(nil); errors.As(err, &no) {
		return nil
	}
	return err
}

// hear handles one message.
func (a *attendance) hear(ctx context.Context, m rpcMessage) error {
	if len(m.ID) > 0 {
		return a.ask(m)
	}
	if id := resolved(m); id != nil {
		a.over(func(r *asked) bool { return bytes.Equal(r.id, id) })
		return nil
	}
	if d, denied := a.server.at.Reviewed(m.Method, m.Params); denied {
		a.denied, a.news = append(a.denied, a.s.note(Denied{a.server.at, a.server.process, d, time.Now()})), true
		return nil
	}
	var p struct {
		ThreadID string
		Status   status
	}
	if m.Method != "thread/status/changed" || json.Unmarshal(m.Params, &p) != nil {
		return nil
	}
	return a.changed(ctx, p.ThreadID, p.Status)
}

// changed handles the state of a thread. A thread is heard while it asks, and throughout a turn if a reviewer
// decides in it. Not for longer, because a client that hears a thread keeps it loaded.
func (a *attendance) changed(ctx context.Context, thread string, now status) error {
	through, heard := a.threads[thread]
	active := now.Type == "active"
	if !now.waits() {
		a.over(func(r *asked) bool { return r.Thread == thread })
	}
	switch {
	case active && !heard:
		if a.told {
			a.s.cfg.Turn(a.server.at.Agent, a.server.process)
			a.told = false
		}
		return a.follow(ctx, thread, now)
	case !heard, active && (through || now.waits()):
		return nil
	}
	delete(a.threads, thread)
	_, err := a.call(ctx, "thread/unsubscribe", map[string]string{"threadId": thread})
	return unlessRefused(err)
}

// follow starts to hear a thread.
func (a *attendance) follow(ctx context.Context, thread string, now status) error {
	result, err := a.resume(ctx, thread)
	if err != nil {
		return unlessRefused(err) // one of the server's own threads can't be resumed, and asks nobody
	}
	var p struct{ ApprovalsReviewer string }
	_ = json.Unmarshal(result, &p) // then nobody reviews
	a.threads[thread] = p.ApprovalsReviewer != "" && p.ApprovalsReviewer != "user"
	return a.changed(ctx, thread, now)
}

func (a *attendance) resume(ctx context.Context, thread string) (json.RawMessage, error) {
	resuming, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	return a.server.resume(resuming, thread)
}

// askMore has the server send its requests again, once there is room for those that were left out.
func (a *attendance) askMore(ctx context.Context) {
	if !a.more || len(a.asked) >= maxAsked {
		return
	}
	a.more = false
	for thread := range a.threads {
		_, _ = a.resume(ctx, thread) // if the connection has ended, so does run
	}
}

// ask handles a request. A request that is sent again must be the same as before, because a human decides
// about the request that they saw; otherwise the server is not trusted.
func (a *attendance) ask(m rpcMessage) error {
	if old := a.asked[string(m.ID)]; old != nil {
		if !bytes.Equal(old.params, m.Params) {
			return fmt.Errorf("%w: its id belongs to another one now", ErrServer)
		}
		return nil
	}
	r, asks := a.server.at.Asks(m.Method, m.Params)
	if !asks {
		return nil
	}
	if len(a.asked) >= maxAsked {
		a.more = true
		return nil
	}
	for _, old := range a.asked {
		if old.Thread == r.Thread && old.Item == r.Item {
			return fmt.Errorf("%w: two wait for one item", ErrServer)
		}
	}
	a.news = true
	a.asked[string(m.ID)] = &asked{
		Asked: Asked{a.server.at, a.server.process, r, time.Now()}, id: m.ID, params: m.Params, over: make(chan struct{}),
	}
	return nil
}

// over ends the requests for which is reports true.
func (a *attendance) over(is func(*asked) bool) {
	for id, r := range a.asked {
		if is(r) {
			close(r.over)
			delete(a.asked, id)
		}
	}
}

// tell reports the requests and denied calls that were not reported yet.
func (a *attendance) tell() {
	a.news = false
	for _, r := range a.asked {
		if r.done {
			continue
		}
		var w *Door
		if w, r.done = a.s.cfg.Ask(r.Asked); w != nil {
			a.awaits.Go(func() { a.await(w, r.id, r.over) })
		}
	}
	a.denied = slices.DeleteFunc(a.denied, func(r *review) bool {
		claimed := a.s.isClaimed(r)
		done := a.s.cfg.Denied(r.Denied, claimed)
		a.told = a.told || done && !claimed
		return done
	})
}

// await passes the answer on, once. Its outcome is unknown until the server says that the request is over.
func (a *attendance) await(w *Door, id json.RawMessage, over <-chan struct{}) {
	how := ErrShut
	select {
	case d := <-w.answers:
		how = a.give(w, id, d.decision, over)
	case <-over:
		how = ErrElsewhere
	case <-a.cut:
	}
	w.leave() // first, so that whoever is told that it is over can't answer it any more
	a.s.cfg.Over(w.nudge, how)
}

func (a *attendance) give(w *Door, id json.RawMessage, d screen.Decision, over <-chan struct{}) error {
	select {
	case <-over:
		return ErrElsewhere
	case <-a.cut:
		return ErrShut
	default:
	}
	writing, stop := context.WithTimeout(context.Background(), serverTime)
	defer stop()
	if err := a.server.answer(writing, id, d); err != nil {
		return ErrShut
	}
	select {
	case <-over:
		w.passedOn()
	case <-a.cut:
	}
	return ErrShut
}

// OpenAt opens a door for a request that waits at an agent's server; nudge is the id of its nudge. The door
// is open until the server ends or says that the request is over. nil: too many doors.
func (d *Doors) OpenAt(nudge string, now time.Time) *Door {
	w := &Door{
		nudge: nudge, doors: d, opened: now, left: now, waits: true, inside: true,
		answers: make(chan decided, 1), shut: make(chan struct{}), printed: make(chan struct{}),
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.forget(now); len(d.list) >= maxDoors {
		return nil
	}
	d.list = append(d.list, w)
	return w
}

// passedOn records that the server has taken the answer.
func (w *Door) passedOn() {
	w.doors.mu.Lock()
	defer w.doors.mu.Unlock()
	close(w.printed)
	w.doors.list = slices.DeleteFunc(w.doors.list, func(o *Door) bool { return o == w })
}
