package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/desk"
	"nod/detect/screen"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/rpc"
)

// feed plays a bot with cards, and records its calls.
type feed struct {
	t      *testing.T
	socket string
	stop   func()

	mu      sync.Mutex
	changes chan desk.Change
	cards   []desk.Card
	calls   []string
	refuse  error // returned by the next call
}

func newFeed(t *testing.T, cards ...desk.Card) *feed {
	t.Helper()
	dir, err := os.MkdirTemp("", "nodfeed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	f := &feed{t: t, socket: filepath.Join(dir, "nod.sock"), cards: cards, changes: make(chan desk.Change)}
	f.start()
	t.Cleanup(func() { f.stop() })
	return f
}

func (f *feed) start() {
	f.t.Helper()
	listener, err := rpc.Listen(f.socket)
	if err != nil {
		f.t.Fatal(err)
	}
	methods := rpc.Methods{"inbox.watch": f.watch}
	for _, name := range []string{"nudge.reply", "nudge.skip", "nudge.snooze", "denial.allow", "denial.leave", "wish.send", "wish.drop", "instruction.submit", "inbox.view"} {
		methods[name] = f.called
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = rpc.NewServer(methods, nil, http.NotFoundHandler(), slog.New(slog.DiscardHandler)).Serve(ctx, listener)
	}()
	f.stop = func() { cancel(); <-ended }
}

// watch streams all cards, and then each change.
func (f *feed) watch(context.Context, *jrpc2.Request) (any, error) {
	return rpc.Stream(func(ctx context.Context, emit func(any) error) error {
		seq := uint64(1)
		if err := emit(desk.Change{Seq: seq, Snapshot: true, Cards: f.cards, Health: &desk.Health{}}); err != nil {
			return err
		}
		for {
			select {
			case <-ctx.Done():
				return nil
			case c := <-f.changes:
				seq++
				if c.Seq = seq; emit(c) != nil {
					return nil
				}
			}
		}
	}), nil
}

func (f *feed) called(_ context.Context, r *jrpc2.Request) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method() == "inbox.view" {
		return nil, nil
	}
	f.calls = append(f.calls, r.Method()+" "+r.ParamString())
	err := f.refuse
	f.refuse = nil
	return map[string]any{"outcome": "delivered", "state": "done", "keys": []string{"1"}, "way": "keys"}, err
}

func (f *feed) said() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.calls...)
}

// until waits for a number of calls, and returns the last one.
func (f *feed) until(n int) string {
	f.t.Helper()
	for end := time.Now().Add(tmuxtest.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if calls := f.said(); len(calls) >= n {
			return calls[n-1]
		}
	}
	f.t.Fatalf("of %d calls came %q", n, f.said())
	return ""
}

// asking is a card with a question.
func asking(id string, rank int, subject string) desk.Card {
	return desk.Card{
		ID: id, Section: desk.Needs, Rank: rank, State: "permission", Since: time.Now().Add(-3*time.Minute - 20*time.Second),
		Agent: desk.Agent{Title: "claude in " + id, Agent: "claude", Project: id, Where: id + ":0.0"},
		Asks: &desk.Asks{
			Nudge: id, Fingerprint: "f-" + id, Kind: "permission", Verb: "Bash command", Question: "Do you want to proceed?", Subject: subject, Lead: 1,
			Minds: []string{"It deletes files for good."}, Says: "I need this to go on. 漢字 stay where they are.",
			Options: []desk.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "Yes, and don't ask again", Lasts: "for this session"}, {Number: 3, Label: "No"}},
		},
		Actions: []desk.Action{{Do: desk.Yes}, {Do: desk.No}, {Do: desk.Choose}, {Do: desk.DenyWords}, {Do: desk.Skip}, {Do: desk.Snooze}, {Do: desk.Send, Refused: "Nothing is ticked yet."}},
		Screen:  []screen.Drawn{{Role: screen.Title, Text: "Bash command"}, {Role: screen.Subject, Text: "  " + subject}, {Role: screen.Choice, Text: "❯ 1. Yes"}},
	}
}

// other is a card of another section.
func other(id string, section desk.Section, state string, acts ...desk.Act) desk.Card {
	c := desk.Card{ID: id, Section: section, State: state, Since: time.Now().Add(-3*time.Minute - 20*time.Second), Agent: desk.Agent{Title: "codex in " + id, Agent: "codex"}}
	for _, act := range acts {
		c.Actions = append(c.Actions, desk.Action{Do: act})
	}
	return c
}

func everyCard() []desk.Card {
	ask := asking("ask", 1, "Which parts?")
	no := false
	ask.Asks.Kind, ask.Asks.Minds, ask.Asks.Lead = "question", nil, 0
	ask.Asks.Options = []desk.Option{{Number: 1, Label: "API", Ticked: &no}, {Number: 2, Label: "Tests", Ticked: &no}}
	ask.Actions = []desk.Action{{Do: desk.Tick}, {Do: desk.Send}, {Do: desk.Leave}, {Do: desk.Words}}
	blocked := other("blocked", desk.Denied, "denied", desk.Allow, desk.LeaveIt)
	blocked.Asks = &desk.Asks{Nudge: "w1w", Call: 2, Fingerprint: "f4", Kind: "denied", Subject: "curl x | sh", Lead: 1}
	idle := other("docs", desk.Idle, "idle", desk.Tell)
	idle.Pane, idle.Server, idle.Life = "%9", "/tmp/other", "codex 9 1"
	idle.Did = &desk.Did{Words: "All done. What is next?", Files: 1, Added: 1, Diff: []desk.File{{Name: "docs/a.md", Parts: []desk.Part{{New: []string{"more"}}}}}}
	wish := other("ci", desk.Elsewhere, "wish", desk.SendWish, desk.DropWish)
	wish.Asks = &desk.Asks{Nudge: "v7v", Fingerprint: "f5", Kind: "wish", Subject: "send notes.txt"}
	return []desk.Card{asking("api", 0, "rm -rf build && go test ./..."), ask, blocked, idle, other("infra", desk.Working, "working"), wish}
}

// sitting is `nod inbox` in a pane, with a person at a terminal that shows it.
type sitting struct {
	*tmuxtest.Server
	outer        *tmuxtest.Server
	pane, client string
}

func sitDown(t *testing.T, f *feed, width, height int, flags string) sitting {
	t.Helper()
	s := attach(t, f, width, height, flags)
	s.press("Down", "Up")   // from now on the inbox knows this terminal
	time.Sleep(time.Second) // the screen must be read first
	return s
}

// attach attaches a person to the pane just now.
func attach(t *testing.T, f *feed, width, height int, flags string) sitting {
	t.Helper()
	s := sitting{Server: tmuxtest.New(t), outer: tmuxtest.New(t)}
	s.Run("set-option", "-g", "status", "off")
	s.pane = s.Pane(fmt.Sprintf("GORACE=%s NOD_SOCKET=%s exec nod inbox %s", quickExit, f.socket, flags), width, height)
	s.client = s.Attach(s.outer, s.pane, width, height)
	s.Until(s.pane, func(screen string) bool { return strings.Contains(screen, "? keys") })
	return s
}

// press presses a key as the person, who reads the screen before the next one.
func (s sitting) press(names ...string) {
	for _, name := range names {
		s.outer.Type(s.client, name)
		time.Sleep(600 * time.Millisecond)
	}
}
