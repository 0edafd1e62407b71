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
