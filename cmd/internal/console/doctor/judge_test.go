package doctor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deploy"
	"nod/internal/host/tmux"
)

func TestJudgeDisk(t *testing.T) {
	for _, tt := range []struct {
		name              string
		free              uint64
		noFiles, readOnly bool
		level             Level
		says, next        string
	}{
		{"room", 1 << 30, false, false, OK, "1024 MB are free under /state", ""},
		{"little room", 100 << 20, false, false, Note, "only 100 MB", "df -h /state"},
		{"full", 1 << 20, false, false, Broken, "only 1 MB", "df -h /state"},
		{"no more files", 1 << 30, true, false, Broken, "no more files", "df -i /state"},
		{"read-only", 1 << 30, false, true, Broken, "read-only", "NOD_STATE_DIR"},
	} {
		f := judgeDisk("/state", tt.free, tt.noFiles, tt.readOnly)
		if f.Level != tt.level || !strings.Contains(f.Says, tt.says) || !strings.Contains(f.Next, tt.next) {
			t.Errorf("%s: %+v", tt.name, f)
		}
	}
}

// TestProposedCommandsAreQuoted, so that they can be copied whatever a folder is named.
func TestProposedCommandsAreQuoted(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "it's mine; true")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	quoted := deploy.ShellQuote(folder)
	for _, f := range slices.Concat(
		guarded("files", folder, 0o077, "chmod 700"),
		[]Finding{judgeDisk(folder, 100<<20, false, false), judgeDisk(folder, 1<<20, false, false), judgeDisk(folder, 1<<30, true, false)},
		[]Finding{behind(t.Context(), tmux.New(folder), tmux.Pane{ID: "%1"}, "ssh")},
	) {
		if !strings.Contains(f.Next, " "+quoted) {
			t.Errorf("%s: not quoted: %s", f.Check, f.Next)
		}
	}
}

func TestJudgeClock(t *testing.T) {
	for skew, want := range map[time.Duration]Level{
		0: OK, 5 * time.Second: OK, -19 * time.Second: OK, 20 * time.Second: Note, -time.Minute: Note, 2 * time.Minute: Broken, -time.Hour: Broken,
	} {
		if f := judgeClock(skew); f.Level != want {
			t.Errorf("%s: %+v", skew, f)
		}
	}
}

// TestOtherUsersAreOneLine, however many servers they run.
func TestOtherUsersAreOneLine(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		servers := map[int]int{}
		for range r.IntN(4) {
			servers[70000+r.IntN(9)] = 1 + r.IntN(30)
		}
		found := otherUsers(servers)
		if want := min(len(servers), 1); len(found) != want {
			t.Fatalf("%v: %d lines", servers, len(found))
		}
		for uid, n := range servers {
			if !strings.Contains(found[0].Says, fmt.Sprintf("uid %d (%d server", uid, n)) {
				t.Fatalf("%v: %+v", servers, found)
			}
		}
	}
}

// TestLingering: a service that ends with the last logout is reported; a service that does not exist is not.
func TestLingering(t *testing.T) {
	for want, s := range map[string]deploy.ServiceStatus{
		"off: nod stops":               {Manager: "systemd", Installed: true, Current: true, Enabled: true, State: "active"},
		"nod goes on when you log out": {Manager: "systemd", Installed: true, Current: true, Enabled: true, State: "active", Lingering: true},
		"it is not installed":          {Manager: "systemd"},
	} {
		found := judgeService(s)
		if last := found[len(found)-1]; !strings.Contains(last.Says, want) {
			t.Errorf("%+v: %+v", s, found)
		}
	}
}
