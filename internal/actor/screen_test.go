package actor

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// text returns a drawn page as tmux would show it.
func text(rows []string) string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimRight(escapes.ReplaceAllString(r, ""), " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		out = append(out, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

func newActor(t *testing.T, agent, dir string) *actor {
	t.Helper()
	return &actor{script: Script{Agent: agent, Dir: dir}, program: programs[agent], began: time.Now()}
}

var recordedSteps = map[string]Step{
	"claude": {
		Instruction: "SCENARIO bash", Command: "touch rig-bash-ran && rm -rf build",
		Doing: "Creating marker and removing build directory", Why: "Create marker and remove build directory",
		Done: "Scenario bash finished after 1 tool turn(s): OK.",
	},
	"codex": {
		Instruction: "SCENARIO escalate-prefix", Command: "touch rig-escp-ran",
		Why: "May I create the marker file outside the sandbox?", Done: "Scenario escalate-prefix finished after 1 tool turn(s).",
	},
	"opencode": {
		Instruction: "SCENARIO cmd touch made.txt && rm -rf build", Command: "touch made.txt && rm -rf build",
		Done: "RIGDONE 1 results; last: (no output)",
	},
}

// TestDrawsTheRecordedScreens: with the recorded command at the recorded size, every row equals the real
// program's.
func TestDrawsTheRecordedScreens(t *testing.T) {
	ask := func(a *actor) { a.begin(recordedSteps[a.script.Agent]); a.ask() }
	approve := func(a *actor) { ask(a); a.finish(nil) }
	deny := func(a *actor) { ask(a); a.denied = true; a.remember(a.program.screens.denied); a.next() }
	tests := []struct {
		capture, agent, dir string
		w, h                int
		do                  func(*actor)
		same                string // the first row to compare; the rows above scroll differently
	}{
		{"claude-idle", "claude", "/tmp/rig-cc/s2/proj", 80, 24, func(*actor) {}, ""},
		{"claude-ask", "claude", "/tmp/rig-cc/c1/proj", 80, 24, ask, ""},
		{"claude-ask-120x40", "claude", "/tmp/rig-cc/c2/proj", 120, 40, ask, "  ⎿  $"},
		{"claude-denied", "claude", "/tmp/rig-cc/c1/proj", 80, 24, func(a *actor) { approve(a); deny(a) }, ""},
		{"codex-idle", "codex", "/tmp/rig-cc/s1/proj", 80, 24, func(*actor) {}, ""},
		{"codex-ask", "codex", "/tmp/rig-cc/c2/proj", 80, 24, ask, ""},
		{"codex-ask-120x40", "codex", "/tmp/rig-cc/c1/proj", 120, 40, ask, ""},
		{"codex-approved", "codex", "/tmp/rig-cc/c2/proj", 80, 24, approve, "✔ You"},
		{"opencode-ask", "opencode", "/tmp/rig-oc/run/opencode-4a88f5/ws", 80, 24, ask, ""},
		{"opencode-always", "opencode", "/tmp/rig-oc/run/opencode-4a88f5/ws", 80, 24, func(a *actor) { ask(a); a.dialog.confirming = true }, ""},
		{"opencode-approved", "opencode", "/tmp/rig-oc/run/opencode-4a88f5/ws", 80, 24, approve, ""},
		{"opencode-denied", "opencode", "/tmp/rig-oc/run/opencode-1524de/ws", 80, 24, deny, ""},
	}
	// Details of the recording that can't be reproduced: a clock, a title, a duration.
	rig := strings.NewReplacer("· 23.2s", "· 1.2s", "Worked for 2s", "Worked for 1s", "3 warnings", "4 warnings", "Rig session", "proj")
	for _, tt := range tests {
		t.Run(tt.capture, func(t *testing.T) {
			a := newActor(t, tt.agent, tt.dir)
			tt.do(a)
			rows := a.page(tt.w, tt.h)
			want, got := rig.Replace(recorded(t, tt.capture)), text(rows)
			if tt.same != "" {
				_, want, _ = strings.Cut(want, tt.same)
				_, got, _ = strings.Cut(got, tt.same)
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-recorded +drawn):\n%s\ndrawn:\n%s", tt.capture, diff, text(rows))
			}
		})
	}
}

// TestFitsEverySize: no row is wider than the terminal and no page is taller.
func TestFitsEverySize(t *testing.T) {
	for agent, step := range recordedSteps {
		for w := 20; w <= 200; w += 9 {
			for _, h := range []int{10, 24, 50} {
				for _, s := range []state{idle, working, asking, running} {
					a := newActor(t, agent, "/home/ann/a-rather-long-name-of-a-folder")
					step.Command = strings.Repeat("echo some words && ", 12) + "true"
					a.begin(step)
					a.state, a.draft = s, "two\nlines"
					rows := a.page(w, h)
					if len(rows) > h {
						t.Errorf("%s %dx%d: %d rows", agent, w, h, len(rows))
					}
					for _, r := range rows {
						if n := parseCells(r).width(); n > w {
							t.Errorf("%s %dx%d: a row of %d columns: %q", agent, w, h, n, r)
						}
					}
				}
			}
		}
	}
}
