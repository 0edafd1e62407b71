package control

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/store"
)

// TestAQuestionIsAskedAsItWasGiven: without answers to choose from it takes yes and no, unless words or a call are asked about.
func TestAQuestionIsAskedAsItWasGiven(t *testing.T) {
	for name, c := range map[string]struct {
		params  AskParams
		options []string
		subject string
	}{
		"plain":   {AskParams{Question: "Deploy?"}, []string{"yes", "no"}, ""},
		"choice":  {AskParams{Question: "Deploy?", Options: []string{"a", "b"}}, []string{"a", "b"}, ""},
		"words":   {AskParams{Question: "Deploy?", Text: true}, nil, ""},
		"either":  {AskParams{Question: "Deploy?", Options: []string{"a"}, Text: true}, []string{"a"}, ""},
		"of call": {AskParams{Call: &AskCall{Tool: "Bash", Input: []byte(`{"command":"make"}`)}}, nil, "make"},
	} {
		q := c.params.question(time.Hour)
		if !slices.Equal(q.Options, c.options) || q.Words != c.params.Text || (q.Call != nil) != (c.subject != "") || q.Call != nil && q.Call.Subject != c.subject {
			t.Errorf("%s: %+v", name, q)
		}
	}
}

// TestAProgramIsNamedAsItIs, whatever has started it, and one that nobody knows is a program.
func TestAProgramIsNamedAsItIs(t *testing.T) {
	if name, agent := asker(1 << 30); name != "a program" || agent != (proc.ID{}) {
		t.Errorf("one that has ended is %q of %v", name, agent)
	}
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	nod, link := filepath.Join(dir, "nod"), filepath.Join(dir, "ask")
	if err := errors.Join(testrun.WriteProgram(nod, sh), os.Symlink(nod, link)); err != nil {
		t.Fatal(err)
	}
	own, _ := asker(os.Getpid())
	for path, want := range map[string]string{"sleep": "sleep", link: own} { // the last is nod by another name
		args := []string{"100"}
		if path == link {
			args = []string{"-c", "read line"}
		}
		cmd := exec.Command(path, args...)
		in, err := cmd.StdinPipe()
		if err = errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close(); _, _ = cmd.Process.Kill(), cmd.Wait() })
		if name, _ := asker(cmd.Process.Pid); name != want {
			t.Errorf("%s asks as %q, want %q", path, name, want)
		}
	}
}

// TestACallerWhoseNodStopsComesBack: it is told the state as it is, and its question is not taken for left. One that hangs up has left.
func TestACallerWhoseNodStopsComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n, err := w.cfg.Keeper.Ask(AskParams{Question: "Deploy?"}.question(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for _, cause := range []error{context.Canceled, rpc.ErrStopping} { // in this order: a nod that stops forgets who waited
		back := cause == rpc.ErrStopping
		if _, err := w.waitAskUntil(t, n.ID, cause); (err == nil) != back {
			t.Errorf("%v: %v", cause, err)
		}
		now, _, err := w.cfg.Keeper.Find(n.ID)
		if err != nil || now.Program().Left.IsZero() != back {
			t.Errorf("%v: left at %v, %v", cause, now.Program().Left, err)
		}
	}
}

// waitAskUntil waits for an answer until cause ends the request.
func (w *world) waitAskUntil(t *testing.T, id string, cause error) (AskAnswer, error) {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { stop(cause) })
	return w.awaitAsk(ctx, IDParams{id})
}

// TestADenialComesWithItsWords, for a caller that takes them.
func TestADenialComesWithItsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := AskParams{Call: &AskCall{Tool: "Bash", Input: []byte(`{"command":"make"}`), Hears: true}}.question(time.Hour)
	n, err := w.cfg.Keeper.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	w.says(t, n, nudge.Said{Decision: screen.Deny, Because: deliver.Say("use ninja")})
	got, err := w.awaitAsk(t.Context(), IDParams{n.ID})
	if err != nil || got.Answer != nudge.Deny || got.Because != "use ninja" || got.State != string(nudge.Delivered) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestNoHookWaitsForADiskThatACallerOfAskWaitsFor: programs that come and leave are written down one by one, and a hook has half a second.
func TestNoHookWaitsForADiskThatACallerOfAskWaitsFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n, err := w.cfg.Keeper.Ask(AskParams{Question: "Deploy?"}.question(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	slow, written := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_ = w.cfg.Store.Update(func(*store.Tx) error { close(written); <-slow; return nil })
	})
	<-written
	all.Go(func() { _ = w.attend(n.ID, 1) })
	for w.attending.TryLock() {
		w.attending.Unlock()
		time.Sleep(time.Millisecond)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if _, err := w.client.Hook(ctx, rpc.Hook{Agent: "claude", Event: []byte(`{"hook_event_name":"Stop","session_id":"s"}`)}); err != nil {
		t.Error(err)
	}
	close(slow)
	all.Wait()
}
