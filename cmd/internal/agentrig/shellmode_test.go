//go:build agents

package agentrig

import (
	"testing"

	"nod/cmd/internal/agentrig/model"
)

// TestShellModes leaves the input box of each agent as somebody leaves it who has typed "!" and nothing else: many run the next
// line in a shell then. An instruction is refused, and nothing runs.
func TestShellModes(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, a := range Agents() {
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			r := Start(t, a, install, Options{})
			b := startBot(t, nod, r)
			b.listens()
			r.Tmux.Type(r.Pane, "!")
			r.Settle()
			out, err := b.person("tell", r.Pane, "echo ran >> "+model.RanFile("words")).CombinedOutput()
			r.Settle()
			if n := r.Ran("words"); n != 0 || err == nil {
				c, _ := b.check(r)
				r.Fatalf("it ran %d times; nod tell: %v: %s; it checks %+v", n, err, out, c)
			}
			t.Logf("%s\n%s", out, r.Screen())
		})
	}
}
