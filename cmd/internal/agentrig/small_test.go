//go:build agents

package agentrig

import (
	"fmt"
	"slices"
	"testing"
)

// smallPanes are the sizes to which a pane with a dialog shrinks, as when somebody splits its window.
var smallPanes = []struct{ width, height int }{{100, 20}, {100, 14}, {100, 9}, {40, 24}}

// TestSmallPanes brings the newest version of each agent to a permission and to a question of its model, makes the pane smaller and
// smaller, and asks nod each time: what the agent draws of the dialog is never silence, nor work.
func TestSmallPanes(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	before := ""
	for _, a := range Agents() {
		if a.Name == before {
			continue
		}
		before = a.Name
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for _, c := range cases(a) {
				if !slices.Contains([]string{"run", "question"}, c.scenario) || c.options.Width != 100 {
					continue
				}
				t.Run(c.scenario, func(t *testing.T) {
					r := Start(t, a, install, c.options)
					b := startBot(t, nod, r)
					r.Ask(c.scenario)
					b.see(r, sight{})
					for _, size := range smallPanes {
						r.Tmux.Run("resize-window", "-t", r.Pane, "-x", fmt.Sprint(size.width), "-y", fmt.Sprint(size.height))
						r.Until(fmt.Sprintf("asks in %dx%d, by what nod reads", size.width, size.height), func(string) bool {
							r.Settle()
							got, _ := b.check(r)
							return got.State == "permission" || got.State == "question"
						})
					}
				})
			}
		})
	}
}
