package tmux_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

func TestASessionRunsAProgramWithoutAShell(t *testing.T) {
	real := tmuxtest.New(t)
	real.Pane("exec cat", 80, 24)
	s := tmux.New(real.Socket)
	dir := filepath.Join(t.TempDir(), "it's #(touch x) #{pid}; kill-server")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "agent")
	if err := testrun.WriteProgram(script, []byte("#!/bin/sh\npwd >place\nprintf '<%s>\\n' \"$@\"\nexec cat\n")); err != nil {
		t.Fatal(err)
	}
	args := []string{script, "; kill-server ;", "$HOME", "it's", "#{pid}", "#(touch y)", "a;", "-x"}
	pane, err := s.NewSession(t.Context(), "api", dir, args)
	if err != nil {
		t.Fatal(err)
	}
	shown := real.UntilShows(pane, "<-x>")
	for _, arg := range args[1:] {
		if !strings.Contains(shown, "<"+arg+">") {
			t.Errorf("the program did not get %q:\n%s", arg, shown)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "place")); err != nil || strings.TrimSpace(string(got)) != dir {
		t.Errorf("it runs in %s, %v", got, err)
	}
	if _, err := s.NewSession(t.Context(), "api", dir, args); !errors.Is(err, tmux.ErrSessionExists) {
		t.Errorf("a second one: %v", err)
	}
	for _, name := range []string{"", "a:b", "a.b", "-a", "a b", "#{pid}", "="} {
		if _, err := s.NewSession(t.Context(), name, dir, args); err == nil {
			t.Errorf("%q was taken for a name", name)
		}
	}
	if _, err := s.NewSession(t.Context(), "b", dir, []string{"a\nkill-server"}); err == nil {
		t.Error("an argument of two lines was taken")
	}

	l, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old := l.Life
	old.Start--
	if err := s.EndSession(t.Context(), old, pane); !errors.Is(err, tmux.ErrStale) {
		t.Errorf("of another life: %v", err)
	}
	if err := s.EndSession(t.Context(), l.Life, pane); err != nil {
		t.Fatal(err)
	}
	if l, err = s.List(t.Context()); err != nil || len(l.Panes) != 1 {
		t.Errorf("left are %+v, %v", l.Panes, err)
	}
	if err := s.EndSession(t.Context(), l.Life, pane); !errors.Is(err, tmux.ErrNoPane) {
		t.Errorf("a second time: %v", err)
	}
	// A server may end with its last session.
	real.Run("set-option", "-s", "exit-empty", "on")
	if err := s.EndSession(t.Context(), l.Life, l.Panes[0].ID); err != nil {
		t.Error(err)
	}
	real.Kill()
	if _, err := s.NewSession(t.Context(), "b", dir, args); !errors.Is(err, tmux.ErrNoServer) {
		t.Errorf("where no server runs: %v", err)
	}
}
