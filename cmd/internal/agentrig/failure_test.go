//go:build agents

package agentrig

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/internal/botapi"
)

// failures are errors of the model's server, and how nod tells a turn that ended in them.
var failures = []struct {
	name  string
	model model.Failure
	says  string
}{
	{"limit", model.Failure{Status: 429, Type: "rate_limit_error", Message: "This request would exceed your limit."}, "The usage limit is reached"},
	{"overloaded", model.Failure{Status: 529, Type: "overloaded_error", Message: "Overloaded"}, "overloaded or fails"},
	{"server", model.Failure{Status: 500, Type: "api_error", Message: "Internal server error"}, "overloaded or fails"},
	{"sign-in", model.Failure{Status: 401, Type: "authentication_error", Message: "invalid x-api-key"}, "The login has expired or is not valid"},
	{"credit", model.Failure{Status: 400, Type: "invalid_request_error", Message: "Your credit balance is too low to access the Anthropic API."}, "no credit left"},
}

// TestFailures proves what nod says of a turn that ended in an error: told with its kind, and nothing goes on but by a tap on Resend, once.
func TestFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, version := range []string{"2.1.332", "2.1.330", "2.1.166"} {
		a, err := Find("claude", version)
		must(t, err)
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for _, hooks := range []string{nod, ""} {
				how := map[bool]string{true: "hooks", false: "screen"}[hooks != ""]
				for _, f := range failures {
					t.Run(how+"/"+f.name, func(t *testing.T) {
						g := &guardProof{doorProof: doorProof{Run: Start(t, a, install, Options{Nod: hooks, Fails: true})}}
						g.bot = startBot(t, nod, g.Run, "NOD_IDLE=on")
						g.bot.listens()
						g.proveResend(f.model, f.says)
					})
				}
			}
		})
	}
}

// TestFailuresOnTheScreen proves that the error of an agent that tells none by its hooks is told, whatever its words, and never as a turn that is done.
func TestFailuresOnTheScreen(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	credit := failures[len(failures)-1]
	for _, name := range []string{"codex", "opencode", "kilo", "gemini", "qwen", "copilot", "kimi", "cline", "auggie", "continue", "pi"} {
		a, err := Find(name, "")
		must(t, err)
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			g := &guardProof{doorProof: doorProof{Run: Start(t, a, install, Options{})}}
			if name == "opencode" || name == "kilo" { // on their first page they take no instruction of nod's
				g.Ask(done)
				g.Until("answers", func(screen string) bool { return strings.Contains(screen, "All done.") })
			}
			g.bot = startBot(t, nod, g.Run, "NOD_IDLE=on")
			g.bot.listens()
			g.idle()
			g.proveTold(credit.model, "rror")
			for _, m := range g.bot.owner.Messages() {
				if strings.Contains(m.Text, "is done") {
					t.Errorf("it was told as done: %s", m.Text)
				}
			}
		})
	}
}

const (
	done   = "done" // the scenario of these tests
	resend = "🔁 Resend: SCENARIO " + done
)

// proveTold: a turn that nod began fails, and is told with its error and a button that gives the instruction again.
func (g *guardProof) proveTold(f model.Failure, says string) botapi.Record {
	g.t.Helper()
	g.Model.Fail(&f)
	if out, err := g.bot.person("tell", g.Pane, "SCENARIO "+done).CombinedOutput(); err != nil {
		g.Fatalf("nod tell: %v: %s", err, out)
	}
	m := g.message("stopped", says)
	if !slices.ContainsFunc(buttons(m), func(b botapi.Button) bool { return b.Text == resend }) {
		g.Fatalf("it has %+v", buttons(m))
	}
	return m
}

// proveResend: what nod typed is typed again by a tap, and by nothing else.
func (g *guardProof) proveResend(f model.Failure, says string) {
	g.t.Helper()
	m := g.proveTold(f, says)
	asked := g.Model.Asked(done)
	g.Model.Fail(nil)
	time.Sleep(quiet)
	if now := g.Model.Asked(done); now != asked {
		g.t.Errorf("it was asked %d times before the tap, want %d", now, asked)
	}
	data := buttons(m)[slices.IndexFunc(buttons(m), func(b botapi.Button) bool { return b.Text == resend })].Data
	g.tap(m, resend)
	g.Until("is asked again", func(string) bool { return g.Model.Asked(done) > asked })
	g.bot.owner.TapData(m.ID, data)
	time.Sleep(quiet)
	if n := g.Model.Asked(done); n != asked+1 {
		g.t.Errorf("it was asked %d times after the tap, want once", n-asked)
	}
}
