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
