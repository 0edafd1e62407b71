package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestWhatIsCutOffHasNoKey takes rows off either end of recorded screens: where the pane has no room for the menu of a dialog, that is told,
// and nothing answers it.
func TestWhatIsCutOffHasNoKey(t *testing.T) {
	t.Parallel()
	rng, seen := random(t), 0
	for _, l := range labels(t) {
		rows := strings.Split(strings.TrimRight(capture(t, l.coloured()), "\n"), "\n")
		for range 4 {
			from := rng.IntN(len(rows))
			shown := strings.Join(rows[from:from+1+rng.IntN(len(rows)-from)], "\n")
			r := Read(l.Agent, screen.Parse(shown))
			p := r.Prompt
			if p == nil || !strings.HasSuffix(p.Shape, ".cut_off") {
				continue
			}
			seen++
			if r.State != screen.Question || !p.Partial || len(p.Options)+len(p.Approve)+len(p.Deny)+len(p.Send)+len(p.Dismiss) > 0 {
				t.Errorf("%s: %s, %+v\n%s", l.File, r.State, p.Ways, shown)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d of them are cut off: this proves little", seen)
	}
	t.Logf("%d are cut off", seen)
}

// TestAListOfWhichOneAnswerIsShown: one marked answer with a number and the keys below it are a list that has no room, of any agent.
func TestAListOfWhichOneAnswerIsShown(t *testing.T) {
	r := Read("newagent", screen.Parse("   rm -rf build\n Do you want to proceed?\n ❯ 1. Yes\n ↑ 2 more lines\n Esc to cancel · Tab to amend\n"))
	if r.State != screen.Question || !r.Prompt.Partial || len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
		t.Errorf("%s %q", r.State, r.Why)
	}
}

// TestAMenuWithNothingAboveItIsTold takes off all rows above the first answer of recorded permissions, as a pane of a few rows does: 99 of
// 100 are told, and nothing answers what is asked out of sight.
func TestAMenuWithNothingAboveItIsTold(t *testing.T) {
	t.Parallel()
	seen, silent := 0, 0
	for _, l := range labels(t) {
		first := "1. " + strings.TrimSpace(labelStart(&l))
		rows := strings.Split(strings.TrimRight(capture(t, l.File), "\n"), "\n")
		at := len(rows) - 1
		for at >= 0 && !strings.Contains(rows[at], first) {
			at--
		}
		if l.State != screen.Permission || len(l.Options) < 2 || at < 0 || strings.Contains(rows[at], "│") {
			continue
		}
		seen++
		for _, agent := range []string{l.Agent, "newagent"} {
			r := Read(agent, screen.Parse(strings.Join(rows[at:], "\n")))
			if p := r.Prompt; p == nil || !p.Partial {
				silent++
				t.Logf("%s as %s: %s", l.File, agent, r.State)
			} else if r.State == screen.Question && len(p.Approve)+len(p.Deny) > 0 {
				t.Errorf("%s as %s: %+v", l.File, agent, p.Ways)
			}
		}
	}
	if seen < 100 || silent*50 > seen { // two agents each
		t.Errorf("%d have numbers, and %d are not told", seen, silent)
	}
}

// labelStart is what the first option of a recorded dialog begins with.
func labelStart(l *label) string {
	if len(l.Options) == 0 {
		return ""
	}
	return l.Options[0].Starts
}
