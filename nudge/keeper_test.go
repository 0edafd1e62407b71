package nudge_test

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
	"nod/internal/proc"
	"nod/internal/tmux"
	"nod/nudge"
	"nod/store"
)

const (
	ann int64 = 1001
	bob int64 = 1002
)

// desk is a Keeper over a real database, in a bubble of fake time, with the world around it: a pane's
// screen is what the test says, and a chat is a list of messages.
type desk struct {
	testing.TB
	*nudge.Keeper
	store  *store.Store
	path   string
	rules  nudge.Rules
	log    *bytes.Buffer
	typist *typist
	up     time.Duration // what the uptime clock is ahead of the bubble's
	woken  atomic.Int64

	message int // the newest message of any chat
	update  int
	chat    []nudge.Notice // what was carried out
	stop    func()
}

// inBubble runs f with a new desk on fake time.
func inBubble(t *testing.T, f func(d *desk)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nod.db")
	synctest.Test(t, func(t *testing.T) {
		d := &desk{TB: t, path: path, typist: &typist{}, log: &bytes.Buffer{}, message: 100, stop: func() {}}
		d.rules = nudge.Rules{
			Cadence: []time.Duration{0, 5 * time.Minute, 15 * time.Minute, 45 * time.Minute, 2 * time.Hour, 4 * time.Hour},
			Expiry:  8 * time.Hour, Presence: time.Minute, Grace: 20 * time.Second,
			Supervisors: []int64{ann},
		}
		d.start()
		defer func() {
			d.stop()
			if err := d.store.Check(); err != nil {
				t.Errorf("the database is not in order: %v", err)
			}
			d.store.Close()
		}()
		f(d)
	})
}

func (d *desk) start() {
	s, err := store.Open(d.path)
	if err != nil {
		d.Fatal(err)
	}
	d.store = s
	d.Keeper = d.keeper()
}

// keeper is a new Keeper over the open database.
func (d *desk) keeper() *nudge.Keeper { return d.keeperOver(d.store) }

func (d *desk) keeperOver(book nudge.Book) *nudge.Keeper {
	began := time.Now()
	return nudge.NewKeeper(nudge.Config{
		Book: book, Typist: d.typist, Rules: func() nudge.Rules { return d.rules },
		Log:     slog.New(slog.NewTextHandler(d.log, nil)),
		Uptime:  func() time.Duration { return d.up + time.Since(began) },
		Changed: func() { d.woken.Add(1) },
	})
}

// deliver starts the delivery loop, as `nod run` does.
func (d *desk) deliver() {
	ctx, cancel := context.WithCancel(d.Context())
	var loop sync.WaitGroup
	loop.Go(func() {
		if err := d.Run(ctx); err != nil {
			d.Error(err)
		}
	})
	d.stop = func() { cancel(); loop.Wait(); d.stop = func() {} }
	synctest.Wait()
}

// restart ends this nod, without a goodbye to the records, and starts the next on the same file.
func (d *desk) restart() {
	d.stop()
	if err := d.store.Close(); err != nil {
		d.Fatal(err)
	}
	d.start()
}

// typist is a keyboard that does as it is told.
type typist struct {
	mu     sync.Mutex
	asked  []deliver.Request
	began  []string
	result func(context.Context, deliver.Request) deliver.Result // before the first key; nil, or a zero result: type
	typing func()                                                // while the key is typed
	after  deliver.Result                                        // of typing; zero: delivered
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
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable, Detail: err.Error()}
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

func permission(subject string) *detect.Prompt {
	return &detect.Prompt{
		Agent: "claude", Shape: "claude.tool_confirmation", Question: "Do you want to proceed?", Subject: subject,
		Options: []detect.Option{
			{Key: "1", Label: "Yes", Scope: detect.Once},
			{Key: "2", Label: "Yes, and don't ask again", Scope: detect.Always},
			{Key: "3", Label: "Yes, and switch to auto mode", Scope: detect.Mode},
			{Key: "4", Label: "No", Scope: detect.No},
		},
		Approve: []string{"1"}, Deny: []string{"4"}, Fingerprint: "fp:" + subject,
	}
}

func shows(id string, p *detect.Prompt) detect.Sighting {
	return detect.Sighting{
		Pane: pane(id), Process: proc.ID{PID: 7, Start: 70}, Agent: "claude", Project: "api", Where: "main:2.0",
		State: detect.Permission, Prompt: p, Tail: []string{p.Question}, By: "poll",
	}
}

func asks(id string, p *detect.Prompt) detect.Sighting {
	s := shows(id, p)
	s.State = detect.Question
	return s
}

func is(id string, state detect.State) detect.Sighting {
	s := shows(id, permission(""))
	s.State, s.Prompt = state, nil
	return s
}

// see takes in a look at this moment and gives the newest nudge, of any pane.
func (d *desk) see(s detect.Sighting) nudge.Nudge {
	d.Helper()
	if s.At.IsZero() {
		s.At = time.Now()
	}
	if err := d.See(s); err != nil {
		d.Fatal(err)
	}
	return d.newest(s.Pane)
}

func (d *desk) newest(p detect.PaneRef) (newest nudge.Nudge) {
	d.Helper()
	for _, n := range d.all() {
		if n.Pane == p && n.Number > newest.Number {
			newest = n
		}
	}
	return newest
}

func (d *desk) all() []nudge.Nudge {
	d.Helper()
	all, err := d.List(true)
	if err != nil {
		d.Fatal(err)
	}
	return all
}

func (d *desk) find(id string) nudge.Nudge {
	d.Helper()
	n, found, err := d.Find(id)
	if err != nil || !found {
		d.Fatalf("nudge %s: found %t, %v", id, found, err)
	}
	return n
}

func (d *desk) wantState(id string, want nudge.State) nudge.Nudge {
	d.Helper()
	n := d.find(id)
	if n.State != want {
		d.Fatalf("nudge %s is %s, want %s", id, n.State, want)
	}
	return n
}

// tick does what is due at this moment.
func (d *desk) tick() {
	d.Helper()
	if err := d.Tick(time.Now()); err != nil {
		d.Fatal(err)
	}
}

// tell carries out all that is to be told at this moment, as the bot does, and gives it.
func (d *desk) tell() []nudge.Notice {
	d.Helper()
	notices := d.untold()
	for _, n := range notices {
		d.told(n)
	}
	d.chat = append(d.chat, notices...)
	return notices
}

func (d *desk) untold() []nudge.Notice {
	d.Helper()
	notices, err := d.ToTell(time.Now())
	if err != nil {
		d.Fatal(err)
	}
	return notices
}

// told reports that a notice was carried out, with a new message where it makes one.
func (d *desk) told(n nudge.Notice) int {
	d.Helper()
	d.message++
	if err := d.Told(nudge.Receipt{Notice: n, Message: d.message, Sent: time.Now().Truncate(time.Second)}); err != nil {
		d.Fatal(err)
	}
	return d.message
}

// kinds says in short what notices do: "send 1 to 1001".
func kinds(notices []nudge.Notice, kind nudge.NoticeKind) []nudge.Notice {
	return slices.DeleteFunc(slices.Clone(notices), func(n nudge.Notice) bool { return n.Kind != kind })
}

// answer is one that Ann gives at this moment, with a new update and message.
func (d *desk) answer(way nudge.Way, decision detect.Decision) nudge.Answer {
	d.update++
	d.message++
	return nudge.Answer{
		Decision: decision, By: nudge.Person{ID: ann, Name: "Ann"}, Way: way, Chat: ann,
		Message: d.message, Update: d.update, Written: time.Now().Truncate(time.Second), Read: time.Now(),
	}
}

// replyTo is a threaded reply of Ann's to the newest message of a nudge.
func (d *desk) replyTo(id string, decision detect.Decision) nudge.Answer {
	d.Helper()
	a := d.answer(nudge.ByReply, decision)
	for _, c := range d.find(id).Copies {
		if c.Chat == ann {
			a.ReplyTo = c.Message
		}
	}
	if a.ReplyTo == 0 {
		d.Fatalf("nudge %s was not told to Ann", id)
	}
	return a
}

func (d *desk) give(a nudge.Answer, want nudge.VerdictKind) nudge.Verdict {
	d.Helper()
	v, err := d.Answer(a)
	if err != nil {
		d.Fatal(err)
	}
	if v.Kind != want {
		d.Fatalf("the verdict is %s (%s: %s), want %s", v.Kind, v.Reason, v.Detail, want)
	}
	synctest.Wait()
	return v
}

func (d *desk) wantLog(words ...string) {
	d.Helper()
	for _, w := range words {
		if !strings.Contains(d.log.String(), w) {
			d.Errorf("the log lacks %q:\n%s", w, d.log)
		}
	}
}
