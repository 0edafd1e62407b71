//go:build agents

package agentrig

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHeadless proves `nod mcp` on Claude Code without a screen: `claude -p --permission-prompt-tool`.
func TestHeadless(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, a := range Agents() {
		if a.Name != "claude" {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for name, prove := range map[string]func(*headless){
				"allow": (*headless).proveAllow, "deny": (*headless).proveDeny, "words": (*headless).proveWords, "restart": (*headless).proveRestart, "killed": (*headless).proveKilled,
			} {
				t.Run(name, func(t *testing.T) {
					r, _ := prepare(t, a, install, &Options{})
					h := &headless{Run: r, nod: nod}
					h.bot = startBot(t, nod, r)
					h.bot.listens()
					prove(h)
				})
			}
		})
	}
}

// headless is an agent that runs without a screen.
type headless struct {
	*Run
	nod  string
	bot  *bot
	said lockedBuffer
}

// ask starts the agent with the instruction for a scenario.
func (h *headless) ask(scenario string) *exec.Cmd {
	h.t.Helper()
	config := filepath.Join(h.Home, "nod-mcp.json")
	text, err := json.Marshal(obj{"mcpServers": obj{"nod": obj{"type": "stdio", "command": h.nod, "args": list{"mcp"}}}})
	must(h.t, err)
	must(h.t, os.WriteFile(config, text, 0o600))
	cmd := exec.Command(h.argv[0], "-p", "SCENARIO "+scenario, "--mcp-config", config, "--permission-prompt-tool", "mcp__nod__approve")
	cmd.Dir, cmd.Env = h.Project.Dir, h.env
	cmd.Stdout, cmd.Stderr = &h.said, &h.said
	must(h.t, cmd.Start())
	return cmd
}

// asks waits for a question that is in no pane, and not for what was asked before.
func (h *headless) asks(before sight) sight {
	h.t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		for _, s := range h.bot.queue() {
			if s.Pane == "" && s.ID != before.ID {
				return s
			}
		}
	}
	h.t.Fatalf("nobody was asked; claude says:\n%s\nthe model's journal:\n%s", &h.said, h.Model.Journal())
	return sight{}
}

func (h *headless) ended(cmd *exec.Cmd) {
	h.t.Helper()
	if err := cmd.Wait(); err != nil {
		h.t.Errorf("claude -p: %v\n%s", err, &h.said)
	}
}

func (h *headless) wantRan(scenario string, times int) {
	h.t.Helper()
	if n := h.Ran(scenario); n != times {
		h.t.Errorf("%s ran %d times, want %d; claude says:\n%s", scenario, n, times, &h.said)
	}
}

// proveAllow: a yes is good for one call, and the next one asks again.
func (h *headless) proveAllow() {
	cmd := h.ask("chain")
	s := h.asks(sight{})
	if s.Kind != "permission" || !strings.Contains(s.Subject, "first.ran") {
		h.t.Errorf("asked %+v", s)
	}
	h.bot.told(s)
	h.wantRan("first", 0)
	if ok, said := h.bot.reply(s, "y"); !ok {
		h.t.Fatal(said)
	}
	next := h.asks(s)
	h.wantRan("first", 1)
	h.wantRan("second", 0)
	if ok, said := h.bot.reply(next, "y"); !ok {
		h.t.Fatal(said)
	}
	h.ended(cmd)
	h.wantRan("second", 1)
}

// proveDeny: nothing runs, and the model hears why.
func (h *headless) proveDeny() {
	cmd := h.ask("run")
	if ok, said := h.bot.reply(h.asks(sight{}), "n"); !ok {
		h.t.Fatal(said)
	}
	h.ended(cmd)
	h.wantRan("run", 0)
	if results := h.Model.Results("run"); len(results) != 1 || !strings.Contains(results[0].Text, "The human denied this") {
		h.t.Errorf("the model heard %+v", results)
	}
}

// proveWords: the model hears what the human says to it in the chat.
func (h *headless) proveWords() {
	cmd := h.ask("run")
	q := &asked{Run: h.Run, bot: h.bot}
	q.shows("⚠ ", "run.ran")
	q.denies("use trash-put instead")
	h.ended(cmd)
	h.wantRan("run", 0)
	if results := h.Model.Results("run"); len(results) != 1 || !strings.Contains(results[0].Text, "The human denied this, and says: use trash-put instead") {
		h.t.Errorf("the model heard %+v", results)
	}
}

// proveRestart: the answer that the next nod takes is the answer.
func (h *headless) proveRestart() {
	cmd := h.ask("run")
	s := h.asks(sight{})
	h.bot.restart()
	if ok, said := h.bot.reply(s, "y"); !ok {
		h.t.Fatal(said)
	}
	h.ended(cmd)
	h.wantRan("run", 1)
}

// proveKilled: nobody is asked any more for an agent that is gone.
func (h *headless) proveKilled() {
	cmd := h.ask("run")
	s := h.asks(sight{})
	must(h.t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	for end := time.Now().Add(10 * time.Second); len(h.bot.queue()) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatal("its question still waits")
		}
	}
	if ok, said := h.bot.reply(s, "y"); ok || !strings.Contains(said, "withdrawn") {
		h.t.Error(fmt.Errorf("a late yes: %t, %s", ok, said))
	}
	h.wantRan("run", 0)
}
