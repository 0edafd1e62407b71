package actor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// TestMain lets the test binary be an agent: called as `claude actor SCRIPT` it plays one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "actor" {
		s, err := ReadScript(os.Args[2])
		if err == nil {
			err = Run(context.Background(), s, os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testrun.AtOnce(6)
	os.Exit(m.Run())
}

// stage is one agent in a real tmux pane.
type stage struct {
	t    *testing.T
	tm   *tmuxtest.Server
	pane string
	dir  string // where its commands run
	log  string
}

func play(t *testing.T, agent string, steps ...Step) *stage {
	t.Helper()
	base := t.TempDir()
	st := &stage{t: t, tm: tmuxtest.New(t), dir: filepath.Join(base, "api"), log: filepath.Join(base, "log")}
	if err := os.Mkdir(st.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(base, agent)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(base, "script.json")
	data, err := json.Marshal(Script{Agent: agent, Dir: st.dir, Log: st.log, Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, data, 0o600); err != nil {
		t.Fatal(err)
	}
	st.pane = st.tm.Pane("exec "+name+" actor "+script, 80, 24)
	return st
}

// until waits for an event in the agent's log.
func (st *stage) until(what string, match func(Event) bool) Event {
	st.t.Helper()
	var found Event
	st.tm.Until(st.pane, func(string) bool {
		all, err := ReadLog(st.log)
		if err != nil {
			st.t.Fatal(err)
		}
		i := slices.IndexFunc(all, match)
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	return found
}

func kind(k string) func(Event) bool { return func(e Event) bool { return e.Kind == k } }

func (st *stage) exists(name string) bool {
	_, err := os.Stat(filepath.Join(st.dir, name))
	return err == nil
}

// shown waits until a prompt has been on screen for longer than Claude Code ignores keys.
func (st *stage) shown(text string) {
	st.tm.UntilShows(st.pane, text)
	asked := st.until("asks", kind("asks")).At
	st.tm.Until(st.pane, func(string) bool { return time.Since(asked) > 2*guard })
}

var touch = Step{Instruction: "make it", Command: "touch made", Doing: "Making", Why: "Make it", Done: "Made."}

func TestKeysDoWhatTheyDoInTheRealProgram(t *testing.T) {
	tests := []struct {
		agent string
		keys  []string
		want  string // "ran", "always", "denied", or "asks" for an open prompt
	}{
		{"claude", []string{"1"}, "ran"},
		{"claude", []string{"Enter"}, "ran"},
		{"claude", []string{"2"}, "always"},
		{"claude", []string{"3"}, "always"},
		{"claude", []string{"4"}, "denied"},
		{"claude", []string{"Escape"}, "denied"},
		{"claude", []string{"7", "Enter"}, "denied"},
		{"claude", []string{"y", "n", "C-c", "Space"}, "asks"},
		{"codex", []string{"y"}, "ran"},
		{"codex", []string{"p"}, "always"},
		{"codex", []string{"Escape"}, "denied"},
		{"codex", []string{"Down", "Down", "Enter"}, "denied"},
		{"codex", []string{"4", "d", "Tab"}, "asks"},
		{"opencode", []string{"Enter"}, "ran"},
		{"opencode", []string{"Escape"}, "denied"},
		{"opencode", []string{"Left", "Enter"}, "denied"},
		{"opencode", []string{"Right", "Enter", "Enter"}, "always"},
		{"opencode", []string{"Right", "Enter", "Escape"}, "asks"},
		{"opencode", []string{"y", "1", "Space"}, "asks"},
	}
	for _, tt := range tests {
		t.Run(tt.agent+" "+strings.Join(tt.keys, " "), func(t *testing.T) {
			a := newActor(t, tt.agent, t.TempDir())
			a.begin(touch)
			a.ask()
			ran := make(chan error, 1)
			pressed := a.dialog.shown.Add(time.Second)
			var got string
			for _, name := range tt.keys {
				if name == "Space" {
					name = " "
				}
				a.press(t.Context(), key{name: name, at: pressed}, ran)
			}
			switch {
			case a.state == running && a.always:
				got = "always"
			case a.state == running:
				got = "ran"
			case a.denied:
				got = "denied"
			case a.state == asking:
				got = "asks"
			}
			if a.state == running {
				<-ran
			}
			if got != tt.want {
				t.Errorf("%v: %s, want %s", tt.keys, got, tt.want)
			}
			if _, err := os.Stat(filepath.Join(a.script.Dir, "made")); (err == nil) != (tt.want == "ran" || tt.want == "always") {
				t.Errorf("%v: the file: %v", tt.keys, err)
			}
		})
	}
}

func TestClaudeSwallowsTheFirstKeys(t *testing.T) {
	t.Parallel()
	a := newActor(t, "claude", t.TempDir())
	a.begin(touch)
	a.ask()
	a.press(t.Context(), key{name: "1", at: a.dialog.shown.Add(guard / 2)}, nil)
	if a.state != asking {
		t.Error("a key in the first moment answered the prompt")
	}
}

func TestApprovedInARealPane(t *testing.T) {
	t.Parallel()
	st := play(t, "claude", touch)
	st.shown("❯ 1. Yes")
	pid, err := strconv.Atoi(strings.TrimSpace(st.tm.Run("display-message", "-p", "-t", st.pane, "#{pane_pid}")))
	if err != nil {
		t.Fatal(err)
	}
	members, err := proc.Foreground(pid)
	if err != nil || len(members) == 0 || members[0].Comm != "claude" {
		t.Errorf("the pane's process: %+v, %v", members, err)
	}
	if st.exists("made") {
		t.Fatal("the command ran before it was approved")
	}
	st.tm.Type(st.pane, "1")
	st.until("ran", kind("ran"))
	if !st.exists("made") {
		t.Error("approved, but no file appeared")
	}
	st.tm.UntilShows(st.pane, "manual mode on · ? for shortcuts")
}

func TestDeniedInARealPane(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude", "codex", "opencode"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			st := play(t, agent, touch)
			st.shown("touch made")
			st.tm.Type(st.pane, "Escape")
			st.until("denied", kind("denied"))
			if st.exists("made") {
				t.Error("denied, but the file appeared")
			}
		})
	}
}

func TestSwapPutsAnotherCommandThere(t *testing.T) {
	t.Parallel()
	step := touch
	step.Swap, step.SwapWhen = "touch other", filepath.Join(t.TempDir(), "swap")
	st := play(t, "codex", step)
	st.shown("$ touch made")
	if err := os.WriteFile(step.SwapWhen, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	st.tm.UntilShows(st.pane, "$ touch other")
	st.tm.Type(st.pane, "y")
	st.until("ran", kind("ran"))
	if st.exists("made") || !st.exists("other") {
		t.Error("the first command ran, or the second did not")
	}
}

func TestIdleTakesPastedText(t *testing.T) {
	t.Parallel()
	st := play(t, "claude")
	st.tm.UntilShows(st.pane, "manual mode on")
	st.tm.Run("set-buffer", "-b", "x", "run 'it';\nall of it")
	st.tm.Run("paste-buffer", "-d", "-p", "-b", "x", "-t", st.pane)
	st.tm.UntilShows(st.pane, "❯\u00a0run 'it';\n  all of it")
	st.tm.Type(st.pane, "Enter")
	if got := st.until("told", kind("told")).Text; got != "run 'it';\nall of it" {
		t.Errorf("told %q", got)
	}
	st.shown("Do you want to proceed?")
	st.tm.Type(st.pane, "1")
	st.until("ran", kind("ran"))
	data, err := os.ReadFile(filepath.Join(st.dir, "notes.txt"))
	if err != nil || string(data) != "run 'it'; all of it\n" {
		t.Errorf("notes.txt: %q, %v", data, err)
	}
}

func TestRedrawsOnResize(t *testing.T) {
	t.Parallel()
	st := play(t, "opencode", touch)
	st.shown("Permission required")
	st.tm.Run("resize-window", "-t", st.pane, "-x", "50", "-y", "24")
	st.tm.Until(st.pane, func(screen string) bool {
		return strings.Contains(screen, "Reject\n  ┃  ctrl+f fullscreen")
	})
}

func TestKeyReader(t *testing.T) {
	tests := []struct {
		name  string
		reads []string
		want  []string
	}{
		{"letters", []string{"yn"}, []string{"y", "n"}},
		{"escape alone", []string{"\x1b"}, []string{"Escape"}},
		{"escape, then a digit", []string{"\x1b1"}, []string{"Escape", "1"}},
		{"arrows", []string{"\x1b[A\x1bOB"}, []string{"Up", "Down"}},
		{"unknown sequence", []string{"\x1b[1;5Cx"}, []string{"x"}},
		{"paste in pieces", []string{"\x1b[200~a\rb", "c\x1b[201~\r"}, []string{"paste", "Enter"}},
		{"split character", []string{"\xc3", "\xa9"}, []string{"é"}},
		{"backspace", []string{"\x7f\x08"}, []string{"BSpace", "BSpace"}},
	}
	for _, tt := range tests {
		var r keyReader
		var got []string
		for _, in := range tt.reads {
			for _, k := range r.read(in, time.Time{}) {
				got = append(got, k.name)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
