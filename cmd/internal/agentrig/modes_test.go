//go:build agents

package agentrig

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// modes are arguments with which an agent asks nobody, and how nod says so; dangerous: what it is told then runs.
var modes = []struct {
	agent     string
	args      []string
	says      string
	dangerous bool
}{
	{"claude", []string{"--dangerously-skip-permissions"}, "bypass permissions: nothing is asked; what it runs you will not hear", true},
	{"claude", []string{"--permission-mode", "dontAsk"}, "don't ask mode: what it would ask is denied without a word", false},
	{"codex", []string{"--yolo"}, "no approvals: nothing is asked; what it runs you will not hear", true},
	{"gemini", []string{"--yolo"}, "YOLO: nothing is asked; what it runs you will not hear", true},
	{"qwen", []string{"--yolo"}, "YOLO: nothing is asked; what it runs you will not hear", true},
}

// TestModes proves that nod says of an agent that asks nobody why, in its status, in the chat and in its check of itself, and that where it then
// runs what it likes its owner is told once.
func TestModes(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, mode := range modes {
		a, err := Find(mode.agent, "")
		must(t, err)
		t.Run(a.String()+" "+mode.args[len(mode.args)-1], func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			g := &guardProof{doorProof: doorProof{Run: Start(t, a, install, Options{Nod: nod, Args: mode.args})}}
			g.bot = startBot(t, nod, g.Run, "NOD_IDLE=off", "HOME="+g.Home)
			g.bot.listens()
			if c, _ := g.bot.check(g.Run); c.State == "question" { // the warning of that mode
				g.types([]string{"Down", "Enter"})
				g.Until("takes an instruction", a.ready.MatchString)
			}
			g.saysOf(mode.says, mode.dangerous)
			for range 2 {
				g.Ask("run")
				g.Until("has finished", func(string) bool { return g.Model.Finished("run") > 0 })
				g.Settle()
				g.saysOf(mode.says, mode.dangerous)
			}
			// Codex's scripted model asks to leave the sandbox, which Codex refuses where it asks nobody.
			if ran := g.Ran("run") > 0; ran != mode.dangerous && mode.agent != "codex" {
				t.Errorf("what it was told ran: %v\n%s", ran, g.Screen())
			}
			g.bot.restart()
			time.Sleep(quiet)
			g.saysOf(mode.says, mode.dangerous)
		})
	}
}

// saysOf: in nod status, /status and nod doctor the sentence stands, and in a message of its own once where it is dangerous, else never.
func (g *guardProof) saysOf(sentence string, told bool) {
	g.t.Helper()
	g.Until("nod status says it", func(string) bool { return strings.Contains(joined(g.bot.command("status")), sentence) })
	if said := joined(g.bot.command("doctor")); !strings.Contains(said, sentence) {
		g.t.Errorf("nod doctor says %s", said)
	}
	before := len(g.bot.owner.Messages())
	g.bot.owner.Say("/status")
	time.Sleep(3 * time.Second)
	alone, answered := 0, false
	for i, m := range g.bot.owner.Messages() {
		switch said := strings.Join(strings.Fields(m.Text), " "); {
		case !strings.Contains(said, sentence):
		case i >= before:
			answered = true
		case m.ReplyID == 0:
			alone++
		}
	}
	if want := map[bool]int{true: 1}[told]; alone != want || !answered {
		g.t.Errorf("it was told %d times, want %d; /status says it: %v\n%+v", alone, want, answered, g.bot.owner.Messages())
	}
}

// joined is what a command prints, without its line breaks.
func joined(c *exec.Cmd) string {
	out, _ := c.CombinedOutput() // nod doctor fails for what else is wrong
	return strings.Join(strings.Fields(string(out)), " ")
}
