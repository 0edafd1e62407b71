//go:build agents

package agentrig

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// realCodex builds nod and installs the real Codex.
func realCodex(t *testing.T) (nod string, a Agent, install string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	a, err := Find("codex", "")
	must(t, err)
	install, err = Install(t.Context(), a)
	must(t, err)
	return buildNod(t), a, install
}

// TestServers proves the answers that go to an agent's own server: the command runs once, or not at all, the dialog goes, and no key is typed.
func TestServers(t *testing.T) {
	nod, a, install := realCodex(t)
	for name, address := range map[string]string{"websocket": loopback(t), "unix": "unix://" + filepath.Join(t.TempDir(), "codex.sock")} {
		t.Run(name, func(t *testing.T) {
			r := Start(t, a, install, Options{Server: address})
			b := startBot(t, nod, r, "NOD_IDLE=off", "HOME="+r.Home)
			b.listens()
			last := sight{}
			for _, c := range []struct {
				answer string
				ran    int
			}{{"y", 1}, {"n", 1}, {"y", 2}} {
				r.Ask("run")
				last = b.see(r, last)
				time.Sleep(quiet)
				if list := b.queue(); len(list) != 1 {
					t.Errorf("it is asked as %+v", list)
				}
				landed, said := b.reply(last, c.answer)
				if !landed {
					r.Fatalf("%s did not land: %s\nnod's log:\n%s", c.answer, said, b.log)
				}
				r.Until("goes on", func(screen string) bool { return !strings.Contains(screen, "Yes, proceed") })
				time.Sleep(quiet)
				if n := r.Ran("run"); n != c.ran {
					r.Fatalf("after %s it ran %d times, want %d", c.answer, n, c.ran)
				}
			}
			if log := b.log.String(); strings.Contains(log, "key typed") || strings.Count(log, "handed over") != 3 {
				t.Errorf("nod's log:\n%s", log)
			}
		})
	}
}

// TestServersReviewed proves what nod says of a call that Codex's reviewer denied in a pane whose agent is a client of a server of its own: it is
// known whole, where neither the screen nor the agent's list show that, and allowed by that very call. No key is typed for it.
func TestServersReviewed(t *testing.T) {
	nod, a, install := realCodex(t)
	for _, size := range [][2]int{{80, 24}, {160, 40}} {
		t.Run(fmt.Sprint(size[0], "x", size[1]), func(t *testing.T) {
			r := Start(t, a, install, Options{Server: loopback(t), Auto: true, Width: size[0], Height: size[1]})
			g := &guardProof{doorProof: doorProof{Run: r}}
			g.bot = startBot(t, nod, r, "NOD_IDLE=off", "HOME="+r.Home)
			g.bot.listens()
			g.flag("push")
			g.playPush(push("guarded") + "\necho a second line that no list shows")
			m := g.message("its reviewer blocked", "git push --force origin main", "a second line that no list shows", "Force-pushing rewrites shared history.", "reviewed again")
			g.finished()
			g.tap(m, "✅ Allow this once")
			g.message("the agent's server knows it: it is reviewed again")
			time.Sleep(quiet)
			g.wantRan("guarded", 0)
			if log := g.bot.log.String(); strings.Contains(log, "key typed") || strings.Contains(g.Screen(), "Auto-review Denials") {
				t.Errorf("something was typed:\n%s", log)
			}
			g.flag("")
			g.tap(m, "🔁 Tell it to try again")
			g.Until("ran it", func(string) bool { return g.Ran("guarded") > 0 })
			time.Sleep(quiet)
			g.wantRan("guarded", 1)
			told := 0
			for _, m := range g.bot.owner.Messages() {
				if strings.Contains(m.Text, "its reviewer blocked") {
					told++
				}
			}
			if told != 1 {
				t.Errorf("it was told in %d messages", told)
			}
		})
	}
}
