package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/control"
	"nod/internal/text/visible"
)

// TestStatusNamesNoServerOfAnotherUser: their panes can't be watched.
func TestStatusNamesNoServerOfAnotherUser(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tmux-9")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if sockets := unwatchedServers(nil); !slices.Contains(sockets, socket) {
		t.Errorf("%s is not among %q", socket, sockets)
	}
	if os.Chown(socket, 65534, 65534) != nil {
		t.Skip("only root can give a socket away")
	}
	if sockets := unwatchedServers(nil); slices.Contains(sockets, socket) {
		t.Errorf("%s is nobody's, and among %q", socket, sockets)
	}
}

// TestAnIdleAgentIsListedWithWhatItSaid: an agent that stopped at an error is not called done, and a nudge
// without words has no second row.
func TestAnIdleAgentIsListedWithWhatItSaid(t *testing.T) {
	var out bytes.Buffer
	p := &program{streams: streams{out: &out}}
	now := time.Now()
	p.printNudges([]control.Nudge{
		{ID: "a2a", Where: "main:0.0", Agent: "claude", Kind: "idle", State: "pending", Detected: now, Says: "All tests\npass."},
		{ID: "b3b", Where: "main:1.0", Agent: "claude", Kind: "idle", State: "pending", Detected: now, Failed: "The account has no credit left.", Says: "API Error"},
		{ID: "c4c", Where: "main:2.0", Agent: "codex", Kind: "idle", State: "pending", Detected: now},
	}, now)
	want := `ID    PANE      AGENT   WHAT     FOR  TOLD  NEXT
#a2a  main:0.0  claude  done     0s   -     -
      All tests pass.
#b3b  main:1.0  claude  stopped  0s   -     -
      The account has no credit left.
#c4c  main:2.0  codex   done     0s   -     -
`
	if got := out.String(); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// TestJSONMovesNoCursor: a person may print JSON on a terminal, with names that others chose.
func TestJSONMovesNoCursor(t *testing.T) {
	const name = "api\u009b31m\u202e\x7f"
	var status, log strings.Builder
	if err := printJSON(&status, map[string]string{"name": name}); err != nil {
		t.Fatal(err)
	}
	l := logPrinter{out: &log, asJSON: true}
	if err := l.told(json.RawMessage(`{"project":"` + name + `"}`)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{status.String(), log.String()} {
		if strings.ContainsFunc(text, visible.Hidden) || !strings.Contains(text, `api\u009b31m\u202e\u007f`) {
			t.Errorf("%q", text)
		}
	}
}

// TestTheFirstLineOfStatusFits a narrow terminal, which would break it within a word.
func TestTheFirstLineOfStatusFits(t *testing.T) {
	out := &frame{columns: 50}
	p := &program{streams: streams{out: out}}
	p.printStatus(statusResult{Health: control.Health{Version: "v0.0.0-20261128.741efaa", Status: "degraded", UptimeMS: 9e9}, Panes: make([]control.Pane, 12)}, time.Now())
	for line := range strings.Lines(out.String()) {
		if line == "\n" {
			return
		}
		if w := len(strings.TrimSpace(line)); w > 50 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}
