//go:build agents

package agentrig

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSettingsErrors proves what nod makes of the dialog with which Claude Code says at its start that a settings file is not valid: it is
// told with what is wrong, a yes has no key, and the row that somebody chooses is the one that is taken.
func TestSettingsErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, version := range []string{"2.1.332", "2.1.330", "2.1.166", "2.1.9"} {
		a, err := Find("claude", version)
		must(t, err)
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			p := &proof{Run: Start(t, a, install, Options{Misspelt: true}), c: proofCase{question: true}}
			p.bot = startBot(t, nod, p.Run, "NOD_IDLE=off")
			s := p.bot.see(p.Run, sight{})
			p.bot.told(s)
			c, said := p.bot.check(p.Run)
			if s.Shape != "claude.settings_error" || c.State != "question" || !strings.Contains(c.Subject, misspelt) {
				t.Errorf("nod says %s", said)
			}
			p.proveNoKey(s)
			goesOn := slices.IndexFunc(c.Options, func(o option) bool { return strings.HasPrefix(o.Label, "Continue") })
			if landed, said := p.bot.reply(s, strconv.Itoa(goesOn+1)); !landed {
				p.Fatalf("%s", said)
			}
			p.Until("goes on", func(screen string) bool {
				return strings.Contains(screen, "for shortcuts") && a.ready.MatchString(screen)
			})
		})
	}
}
