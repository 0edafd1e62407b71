package demo

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nod/internal/actor"
)

// TestTheDemoIsOverWhenAllIsAnswered, in any order of the answers.
func TestTheDemoIsOverWhenAllIsAnswered(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		played := shownScripts(&demo{dir: t.TempDir()})
		if answered(played) {
			t.Fatal("it is over before anything was answered")
		}
		next := make([]int, len(played)) // the next step of each agent
		for {
			open := 0
			for i, s := range played {
				open += len(s.Steps) - next[i]
			}
			if over := answered(played); over != (open == 0) {
				t.Fatalf("over: %v, with %d questions open", over, open)
			}
			if open == 0 {
				break
			}
			i := r.IntN(len(played))
			if next[i] == len(played[i].Steps) {
				continue
			}
			step := played[i].Steps[next[i]]
			next[i]++
			for _, kind := range []string{"asks", []string{"ran", "denied"}[r.IntN(2)]} {
				notes(t, played[i].Log, actor.Event{Kind: kind, Command: step.Command})
			}
		}
	}
}

// TestNextStepCanBeTaken: who has only built nod has no `nod` in PATH.
func TestNextStepCanBeTaken(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if said := next(); !strings.Contains(said, "install.sh") || !strings.Contains(said, "setup") {
		t.Errorf("without nod in PATH it says %q", said)
	}
	if err := os.WriteFile(filepath.Join(dir, "nod"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if said := next(); strings.Contains(said, "install") || !strings.Contains(said, "nod setup") {
		t.Errorf("with nod in PATH it says %q", said)
	}
}

// TestWordsFitTheTerminal of 80 columns.
func TestWordsFitTheTerminal(t *testing.T) {
	t.Setenv("PATH", "")
	for line := range strings.Lines(opening + over + next()) {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// notes appends an event to an agent's log.
func notes(t *testing.T, path string, e actor.Event) {
	t.Helper()
	line, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}
