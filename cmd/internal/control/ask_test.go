package control

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/testrun"
	"nod/nudge"
)

// until waits until a condition on a nudge is true.
func (w *world) until(t *testing.T, id string, holds func(nudge.Nudge) bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		n, found, err := w.cfg.Keeper.Find(id)
		if err != nil || !found {
			t.Fatalf("nudge %s: found %t, %v", id, found, err)
		}
		if holds(n) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("it never came to that: %+v", n.Program())
		}
	}
}

// TestACallerWhoHangsUpLeavesTheQuestion: if one of two callers hangs up, nothing changes, and a caller who
// comes back in time still finds the question.
func TestACallerWhoHangsUpLeavesTheQuestion(t *testing.T) {
	w := newWorld(t)
	w.set(func() { w.settings.Expiry = time.Hour })
	var asked Asked
	if err := w.client.Call(t.Context(), "ask.create", AskParams{Question: "Deploy?"}, &asked); err != nil {
		t.Fatal(err)
	}
	wait := func() (hangUp func()) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			var answer AskAnswer
			if err := w.client.Wait(ctx, "ask.wait", IDParams{asked.ID}, &answer); !errors.Is(err, context.Canceled) {
				t.Errorf("%+v, %v", answer, err)
			}
		}()
		return func() { cancel(); <-done }
	}
	count := func(n int) func(nudge.Nudge) bool {
		return func(nudge.Nudge) bool {
			w.attending.Lock()
			defer w.attending.Unlock()
			return w.waiting[asked.ID] == n
		}
	}
	first, second := wait(), wait()
	w.until(t, asked.ID, count(2))
	first()
	w.until(t, asked.ID, count(1))
	w.until(t, asked.ID, func(n nudge.Nudge) bool { return n.Program().Left.IsZero() })
	second()
	w.until(t, asked.ID, func(n nudge.Nudge) bool { return !n.Program().Left.IsZero() })
	third := wait()
	w.until(t, asked.ID, func(n nudge.Nudge) bool { return n.Program().Left.IsZero() && n.State == nudge.Pending })
	third()
}

// TestAProgramsProjectIsOneFolderHere: a program names its folder, neither a machine nor a page of text.
func TestAProgramsProjectIsOneFolderHere(t *testing.T) {
	w := newWorld(t)
	w.set(func() { w.settings.Expiry = time.Hour })
	for project, want := range map[string]string{"": "", "api": "api", "gpu1:api": "gpu1_api", "/home/ann/api": "api", strings.Repeat("ü", 1000): strings.Repeat("ü", maxProject/2)} {
		var asked Asked
		if err := w.client.Call(t.Context(), "ask.create", AskParams{Question: "Deploy?", Project: project}, &asked); err != nil {
			t.Fatal(err)
		}
		if n, _, err := w.cfg.Keeper.Find(asked.ID); err != nil || n.Project != want {
			t.Errorf("%.20q: %q, %v", project, n.Project, err)
		}
		if err := w.client.Call(t.Context(), "ask.cancel", CancelParams{asked.ID, asked.Key}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOnlyAProgramsQuestionIsWaitedFor: nobody may read a prompt's answer this way, or withdraw its nudge.
func TestOnlyAProgramsQuestionIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	id := w.waits(t, w.own)
	for method, params := range map[string]any{"ask.wait": IDParams{id}, "ask.cancel": CancelParams{id, w.askKey(id)}} {
		err := w.client.Call(t.Context(), method, params, nil)
		if fault := (*rpc.Fault)(nil); !errors.As(err, &fault) || fault.Reason != "not_found" {
			t.Errorf("%s: %v", method, err)
		}
	}
	w.until(t, id, func(n nudge.Nudge) bool { return n.State == nudge.Pending })
}

// TestNoProgramAsksAsNod: a program may call itself anything, and a question is told with the asker's name.
func TestNoProgramAsksAsNod(t *testing.T) {
	for _, called := range []string{"nod", "NOD", " nod", "nod "} {
		script := filepath.Join(t.TempDir(), called)
		if err := testrun.WriteProgram(script, []byte("#!/bin/sh\nread line\n")); err != nil {
			t.Fatal(err)
		}
		program := exec.Command(script)
		if _, err := program.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = program.Process.Kill(), program.Wait() })
		line, err := proc.Lineage(program.Process.Pid)
		switch {
		case err != nil:
			t.Fatal(err)
		case line[0].Comm != called:
			t.Skip("this system names a script by its interpreter")
		}
		if name, _ := asker(program.Process.Pid); strings.EqualFold(strings.TrimSpace(name), "nod") || name == "" {
			t.Errorf("%q asks", name)
		}
	}
}

// TestOnlyAProgramsOwnQuestionIsWithdrawn: an agent takes no machine that wants to join, no prompt of an agent outside tmux, and no
// question of another machine out of a human's sight.
func TestOnlyAProgramsOwnQuestionIsWithdrawn(t *testing.T) {
	w := newWorld(t)
	for name, change := range map[string]func(*nudge.ProgramQuestion){
		"its own":                func(*nudge.ProgramQuestion) {},
		"a machine":              func(q *nudge.ProgramQuestion) { q.Join, q.Options = true, []string{nudge.LetIn, nudge.KeepOut} },
		"an agent's prompt":      func(q *nudge.ProgramQuestion) { q.Door, q.Call = true, &nudge.Call{Subject: "rm -rf build", Lead: 1} },
		"a form":                 func(q *nudge.ProgramQuestion) { q.Form = true },
		"one of another machine": func(q *nudge.ProgramQuestion) { q.Machine = "gpu1" },
	} {
		q := nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"}
		change(&q)
		n, err := w.cfg.Keeper.Ask(q)
		if err != nil {
			t.Fatal(err)
		}
		waiting, hangUp := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_ = w.client.Wait(waiting, "ask.wait", IDParams{n.ID}, nil) // whoever leaves has the question withdrawn within a minute
		hangUp()
		if name == "its own" {
			w.until(t, n.ID, func(n nudge.Nudge) bool { return !n.Program().Left.IsZero() })
		} else if now, _, err := w.cfg.Keeper.Find(n.ID); err != nil || !now.Program().Left.Equal(n.Program().Left) {
			t.Errorf("%s: it was left at %s, %v", name, now.Program().Left, err)
		}
		err = w.client.Call(t.Context(), "ask.cancel", CancelParams{n.ID, w.askKey(n.ID)}, nil)
		now, _, err2 := w.cfg.Keeper.Find(n.ID)
		if err2 != nil || (err == nil) != (name == "its own") || now.State.Over() != (name == "its own") {
			t.Errorf("%s: %v, %s, %v", name, err, now.State, err2)
		}
	}
}

// TestNoProgramWithdrawsAnothersQuestion: an id is known to every program, from the queue. The key is known to the asker, which needs none.
func TestNoProgramWithdrawsAnothersQuestion(t *testing.T) {
	w := newWorld(t)
	w.set(func() { w.settings.Expiry = time.Hour })
	var asked, others Asked
	for _, a := range []*Asked{&asked, &others} {
		if err := w.client.Call(t.Context(), "ask.create", AskParams{Question: "Deploy?"}, a); err != nil {
			t.Fatal(err)
		}
	}
	w.askers.asked[asked.ID] = ownQuestion{asked, proc.ID{PID: 1}}
	for _, key := range []string{"", others.Key, asked.Key[1:], asked.ID} {
		if err := w.client.Call(t.Context(), "ask.cancel", CancelParams{asked.ID, key}, nil); reasonOf(err) != deliver.NotFound {
			t.Errorf("key %q: %v", key, err)
		}
		w.until(t, asked.ID, func(n nudge.Nudge) bool { return n.State == nudge.Pending })
	}
	for _, p := range []CancelParams{{asked.ID, asked.Key}, {ID: others.ID}} {
		if err := w.client.Call(t.Context(), "ask.cancel", p, nil); err != nil {
			t.Error(err)
		}
		w.until(t, p.ID, func(n nudge.Nudge) bool { return n.State == nudge.Gone })
	}
}
