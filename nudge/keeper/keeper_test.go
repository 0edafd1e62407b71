package keeper_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

const (
	ann nudge.Place = "1001"
	bob nudge.Place = "1002"
)

// world is a Keeper over a real database, in a bubble of fake time, with its surroundings: a pane shows what
// the test says, and a chat is a list of messages.
type world struct {
	testing.TB
	*keeper.Keeper
	store  *store.Store
	path   string
	rules  nudge.Rules
	log    *bytes.Buffer // the log of all keepers of the test
	logger *slog.Logger
	typist *typist
	exited proc.ID       // an agent that has exited
	up     time.Duration // how far the uptime clock is ahead of the bubble's
	woken  atomic.Int64

	message int // the newest message of all chats
	update  int
	chat    []nudge.Notice // the notices that were carried out
	stop    func()
	onRules func() // called once, when the Keeper next asks for the rules; nil: nothing
}

// inBubble runs f with a new world on fake time.
func inBubble(t *testing.T, f func(w *world)) {
	t.Helper()
	inBubbleAt(t, filepath.Join(t.TempDir(), "nod.db"), f)
}

// inBubbleAt is inBubble with a database that may come from another bubble: the clock was then set back.
func inBubbleAt(t *testing.T, path string, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{TB: t, path: path, typist: &typist{}, log: &bytes.Buffer{}, message: 100, stop: func() {}}
		w.logger = slog.New(slog.NewTextHandler(w.log, nil))
		w.rules = nudge.Rules{
			Cadence: []time.Duration{0, 5 * time.Minute, 15 * time.Minute, 45 * time.Minute, 2 * time.Hour, 4 * time.Hour},
			Expiry:  8 * time.Hour, Presence: time.Minute, Grace: 20 * time.Second,
			Supervisors: []nudge.Place{ann},
		}
		w.start()
		defer func() {
			w.stop()
			w.wantTrail()
			if err := w.store.Check(); err != nil {
				t.Errorf("the database is not in order: %v", err)
			}
			w.store.Close()
		}()
		f(w)
	})
}

func (w *world) start() {
	s, err := store.Open(w.path)
	if err != nil {
		w.Fatal(err)
	}
	w.store = s
	w.Keeper = w.keeper()
}

// keeper is a new Keeper over the open database.
func (w *world) keeper() *keeper.Keeper {
	began := time.Now()
	return keeper.New(keeper.Config{
		Store: w.store, Typist: w.typist,
		Rules: func() nudge.Rules {
			if do := w.onRules; do != nil {
				w.onRules = nil
				do()
			}
			return w.rules
		},
		Log:     w.logger,
		Uptime:  func() time.Duration { return w.up + time.Since(began) },
		Alive:   func(at detect.Whereabouts) bool { return at.Process != w.exited },
		Changed: func() { w.woken.Add(1) },
	})
}

// deliver starts the delivery loop, as `nod run` does.
func (w *world) deliver() {
	w.stop() // only one loop types for a keeper
	ctx, cancel := context.WithCancel(w.Context())
	var loop sync.WaitGroup
	loop.Go(func() {
		if err := w.Run(ctx); err != nil {
			w.Error(err)
		}
	})
	w.stop = func() { cancel(); loop.Wait(); w.stop = func() {} }
	synctest.Wait()
}

// hangAtTheKey starts a delivery loop that hangs once it has recorded that it types: nod dies there, before it learns the outcome.
func (w *world) hangAtTheKey() {
	hang := make(chan struct{})
	ctx, cancel := context.WithCancel(w.Context())
	w.Cleanup(func() { cancel(); close(hang) })
	w.typist.typing = func() { <-hang }
	go w.Run(ctx)
	synctest.Wait()
}

// restart ends this nod without any shutdown, and starts the next one on the same file.
func (w *world) restart() {
	w.stop()
	if err := w.store.Close(); err != nil {
		w.Fatal(err)
	}
	w.start()
}

// restartHung starts the next nod after one that hangs at the key, with a keyboard of its own.
func (w *world) restartHung() {
	w.restart()
	w.typist = &typist{}
	w.Keeper = w.keeper()
	w.deliver()
}

// typist is a keyboard that does as the test says.
type typist struct {
	mu     sync.Mutex
	asked  []deliver.Request
	began  []string
	result func(context.Context, deliver.Request) deliver.Result // called before the first key; nil or a zero result: it types
	typing func()                                                // called while the key is typed
	after  deliver.Result                                        // the result of the typing; zero: delivered
}

func (t *typist) Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result {
	t.mu.Lock()
	t.asked = append(t.asked, r)
	result, after := t.result, t.after
	t.mu.Unlock()
	if result != nil {
		if refusal := result(ctx, r); refusal.Outcome != "" {
			return refusal
		}
	}
	if err := begin(); err != nil {
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable, Detail: reason.Why{Said: err.Error()}}
	}
	t.mu.Lock()
	t.began = append(t.began, r.Nudge)
	typing := t.typing
	t.mu.Unlock()
	if typing != nil {
		typing()
	}
	if after.Outcome != "" {
		return after
	}
	return deliver.Result{Outcome: deliver.Delivered, Keys: []string{"1"}}
}

func pane(id string) detect.PaneRef {
	return detect.PaneRef{Server: tmux.Life{Socket: "/tmp/tmux-1000/default", PID: 42, Start: 1}, ID: id}
}

func permission(subject string) *screen.Prompt {
	return &screen.Prompt{
		Content: screen.Content{
			Agent: "claude", Shape: "claude.tool_confirmation", Question: "Do you want to proceed?", Subject: subject,
			Options: []screen.Option{
				{Key: "1", Label: "Yes", Scope: screen.Once},
				{Key: "2", Label: "Yes, and don't ask again", Scope: screen.Always},
				{Key: "3", Label: "Yes, and switch to auto mode", Scope: screen.Mode},
				{Key: "4", Label: "No", Scope: screen.No},
			},
		},
		Ways:        screen.Ways{Approve: []string{"1"}, Deny: []string{"4"}},
		Fingerprint: "fp:" + subject,
	}
}

func shows(id string, p *screen.Prompt) detect.Sighting {
	return detect.Sighting{
		Whereabouts: detect.Whereabouts{Pane: pane(id), Process: proc.ID{PID: 7, Start: 70}, Agent: "claude", Project: "api", Where: "main:2.0"},
		State:       screen.Permission, Prompt: p, Tail: []string{p.Question}, By: "poll",
	}
}

func asks(id string, p *screen.Prompt) detect.Sighting {
	s := shows(id, p)
	s.State = screen.Question
	return s
}

func is(id string, state screen.State) detect.Sighting {
	s := shows(id, permission(""))
	s.State, s.Prompt = state, nil
	return s
}

// see gives the keeper a look now and returns the newest nudge of all panes.
func (w *world) see(s detect.Sighting) nudge.Nudge {
	w.Helper()
	if s.At.IsZero() {
		s.At = time.Now()
	}
	if err := w.See(s); err != nil {
		w.Fatal(err)
	}
	return w.newest(s.Pane)
}

func (w *world) newest(p detect.PaneRef) (newest nudge.Nudge) {
	w.Helper()
	for _, n := range w.all() {
		if n.Pane == p && n.Number > newest.Number {
			newest = n
		}
	}
	return newest
}

func (w *world) all() []nudge.Nudge {
	w.Helper()
	all, err := w.List(true)
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w *world) find(id string) nudge.Nudge {
	w.Helper()
	n, found, err := w.Find(id)
	if err != nil || !found {
		w.Fatalf("nudge %s: found %t, %v", id, found, err)
	}
	return n
}

func (w *world) wantState(id string, want nudge.State) nudge.Nudge {
	w.Helper()
	n := w.find(id)
	if n.State != want {
		w.Fatalf("nudge %s is %s, want %s", id, n.State, want)
	}
	return n
}

// tick does the work of this moment.
func (w *world) tick() {
	w.Helper()
	if err := w.Tick(time.Now()); err != nil {
		w.Fatal(err)
	}
}

// tell carries out all notices of this moment, as the bot does, and returns them.
func (w *world) tell() []nudge.Notice {
	w.Helper()
	notices := w.untold()
	for _, n := range notices {
		w.told(n)
	}
	w.chat = append(w.chat, notices...)
	return notices
}

func (w *world) untold() []nudge.Notice {
	w.Helper()
	notices, err := w.ToTell(time.Now())
	if err != nil {
		w.Fatal(err)
	}
	return notices
}

// told reports that a notice was carried out, with a new message if it makes one.
func (w *world) told(n nudge.Notice) int {
	w.Helper()
	w.message++
	if err := w.Told(nudge.Receipt{Notice: n, Message: w.message, Sent: time.Now().Truncate(time.Second)}); err != nil {
		w.Fatal(err)
	}
	return w.message
}

// kinds describes notices in short: "send 1 to 1001".
func kinds(notices []nudge.Notice, kind nudge.NoticeKind) []nudge.Notice {
	return slices.DeleteFunc(slices.Clone(notices), func(n nudge.Notice) bool { return n.Kind != kind })
}

// answer is an answer by Ann now, with a new update and message.
func (w *world) answer(way nudge.Way, decision screen.Decision) nudge.Answer {
	w.update++
	w.message++
	return nudge.Answer{
		Said: nudge.Said{Decision: decision}, By: nudge.Person{ID: ann, Name: "Ann"}, Way: way,
		Ref: nudge.Ref{Place: ann, Message: w.message, Update: w.update}, Written: time.Now().Truncate(time.Second), Read: time.Now(),
	}
}

// replyTo is Ann's threaded reply to the newest message of a nudge.
func (w *world) replyTo(id string, decision screen.Decision) nudge.Answer {
	w.Helper()
	a := w.answer(nudge.ByReply, decision)
	for _, c := range w.find(id).Copies {
		if c.Place == ann {
			a.ReplyTo = c.Message
		}
	}
	if a.ReplyTo == 0 {
		w.Fatalf("nudge %s was not told to Ann", id)
	}
	return a
}

func (w *world) give(a nudge.Answer, want nudge.VerdictKind) nudge.Verdict {
	w.Helper()
	v, err := w.Answer(a)
	if err != nil {
		w.Fatal(err)
	}
	if v.Kind != want {
		w.Fatalf("the verdict is %s (%s: %s), want %s", v.Kind, v.Reason, words.Why(v.Detail), want)
	}
	synctest.Wait()
	return v
}

func (w *world) wantLog(words ...string) {
	w.Helper()
	for _, word := range words {
		if !strings.Contains(w.log.String(), word) {
			w.Errorf("the log lacks %q:\n%s", word, w.log)
		}
	}
}
