//go:build agents

package agentrig

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServers proves the answers that go to an agent's own server: the command runs once, or not at all, the dialog goes, and no key is typed.
func TestServers(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	a, err := Find("codex", "")
	must(t, err)
	install, err := Install(t.Context(), a)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	port := listener.Addr().String()
	listener.Close()
	for name, address := range map[string]string{"websocket": "ws://" + port, "unix": "unix://" + filepath.Join(t.TempDir(), "codex.sock")} {
		t.Run(name, func(t *testing.T) {
			r := Start(t, a, install, Options{Server: address})
			b := startBot(t, nod, r, "NOD_IDLE=off")
			b.listens()
			last := sight{}
			for _, c := range []struct {
				answer string
				ran    int
			}{{"y", 1}, {"n", 1}, {"y", 2}} {
				r.Ask("run")
				last = b.see(r, last)
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
