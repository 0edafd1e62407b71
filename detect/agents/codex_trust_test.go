package agents

import (
	"fmt"
	"strings"
	"testing"

	"nod/detect/screen"
)

// codexTrustCut is the question of 0.130 in a pane that cuts its answers off.
const codexTrustCut = `> You are in /tmp/proj

  Do you trust the contents of this directory?

› 1. Yes, contin…
  2. No, q…

  Press enter to continue
`

// TestCodexTrustLastsWhereItIsCutOff: no pane is so narrow that a yes to trust becomes one for this once, or one that nobody knows
// and a single tap takes.
func TestCodexTrustLastsWhereItIsCutOff(t *testing.T) {
	p := prompt(t, "codex", codexTrustCut)
	got := fmt.Sprint(p.Shape, " ", p.Approve, " ", p.Deny)
	for _, o := range p.Options {
		got += fmt.Sprintf(" %s=%s", o.Label, o.Scope)
	}
	if want := "codex.trust [] [] Yes, contin…=always No, q…=other"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	read := 0
	for _, shown := range []string{codexTrustCut, capture(t, "codex/0.169.0-trust-80x24.txt"), capture(t, "codex/0.169.0-trust-80x24.ansi")} {
		for width := 16; width <= 60; width++ {
			c := canvasOf(shown)
			for i := range c {
				c[i] = c[i][:min(len(c[i]), width)]
			}
			r := Read("codex", screen.Parse(c.String()))
			if r.Prompt == nil || len(r.Prompt.Options) == 0 {
				continue
			}
			read++
			for _, o := range r.Prompt.Options {
				yes := strings.HasPrefix(o.Label, "Yes") || strings.HasPrefix(o.Label, "Trust")
				if r.State == screen.Permission || yes && o.Scope != screen.Always {
					t.Errorf("%d columns: %s, %+v\n%s", width, r.State, o, c.plain())
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d screens have answers: the test proves little", read)
	}
}

// TestCodexTrustIsNeverForOnce, whichever of its questions asks for it.
func TestCodexTrustIsNeverForOnce(t *testing.T) {
	asked := 0
	for _, l := range labels(t) {
		if l.Agent != "codex" || l.State != screen.Permission || len(l.Approve) == 0 {
			continue
		}
		for _, head := range []string{"Would you like to run the following command?", "Would you like to make the following edits?"} {
			shown := capture(t, l.File)
			trusts := strings.ReplaceAll(shown, head, "Would you like to trust the following server?")
			if trusts == shown {
				continue
			}
			asked++
			if p := Read("codex", screen.Parse(trusts)).Prompt; p != nil && len(p.Approve) > 0 {
				t.Errorf("%s: trust is given by %q", l.File, p.Approve)
			}
		}
	}
	if asked < 20 {
		t.Errorf("only %d questions for trust", asked)
	}
}
