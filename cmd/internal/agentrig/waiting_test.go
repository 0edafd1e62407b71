//go:build agents

package agentrig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// waitingHooks are what a hook that is called when an agent asks for permission, and waits, was seen to do there. An
// agent is answered by its hook only where that does not hold the dialog back from whoever sits at the terminal.
var waitingHooks = []struct {
	agent, allow string // allow is the agent's own decision, as its hook prints it
	// holds: the dialog comes only when the hook has ended. answers: what the hook then prints is the answer.
	holds, answers bool
}{
	{"claude", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, false, true},
	{"qwen", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, true, true},
	{"copilot", `{"behavior":"allow"}`, true, true},
	{"gemini", `{"decision":"allow","hookSpecificOutput":{"decision":{"behavior":"allow"}}}`, true, false},
}

// hookHolds is how long a dialog may take that no hook holds back.
const hookHolds = 5 * time.Second

// TestWaitingHooks measures that on the newest version of each.
func TestWaitingHooks(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, c := range waitingHooks {
		a, err := Find(c.agent, "")
		must(t, err)
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			dir := t.TempDir()
			called, goes := filepath.Join(dir, "called"), filepath.Join(dir, "goes")
			must(t, os.WriteFile(filepath.Join(dir, "decision"), []byte(c.allow), 0o600))
			hook := "cat >/dev/null; : >" + called + "; while [ ! -e " + goes + " ]; do sleep 0.1; done; cat " + filepath.Join(dir, "decision")
			d := &doorProof{Run: Start(t, a, install, Options{OtherHook: hook})}
			d.bot = startBot(t, nod, d.Run, "NOD_DOORS=off")
			d.bot.listens()
			d.Ask("run")
			d.Until("calls its hook", func(string) bool { return exists(called) })
			since := time.Now()
			asks := d.asksWithin(hookHolds)
			t.Logf("the hook waits: the dialog is there: %t, after %v", asks, time.Since(since).Round(100*time.Millisecond))
			d.wantRan("run", 0)
			must(t, os.WriteFile(goes, nil, 0o600))
			answered := d.ranWithin("run", hookHolds)
			t.Logf("the hook has printed an approval: it ran: %t; the dialog is there: %t", answered, d.asksWithin(0))
			if asks == c.holds || answered != c.answers {
				t.Errorf("it holds the dialog back: %t, and its decision answers: %t; want %t, %t\n%s", !asks, answered, c.holds, c.answers, d.Screen())
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// asksWithin reports whether the agent's dialog comes to be on the screen so soon.
func (d *doorProof) asksWithin(limit time.Duration) bool {
	for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		if c, _ := d.bot.check(d.Run); c.State == "permission" && strings.Contains(c.Subject, "run.ran") {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func (d *doorProof) ranWithin(scenario string, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if d.Ran(scenario) > 0 {
			return true
		}
	}
	return false
}
