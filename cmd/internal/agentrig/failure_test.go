//go:build agents

package agentrig

import (
	"slices"
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
	for _, version := range []string{"2.1.330", "2.1.166"} {
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

// proveResend: what nod typed is typed again by a tap, and by nothing else.
func (g *guardProof) proveResend(f model.Failure, says string) {
	g.t.Helper()
	const of = "done"
	g.Model.Fail(&f)
	if out, err := g.bot.person("tell", g.Pane, "SCENARIO "+of).CombinedOutput(); err != nil {
		g.Fatalf("nod tell: %v: %s", err, out)
	}
	m := g.message("stopped", says)
	resend := "🔁 Resend: SCENARIO " + of
	if !slices.ContainsFunc(buttons(m), func(b botapi.Button) bool { return b.Text == resend }) {
		g.Fatalf("it has %+v", buttons(m))
	}
	asked := g.Model.Asked(of)
	g.Model.Fail(nil)
	time.Sleep(quiet)
	if now := g.Model.Asked(of); now != asked {
		g.t.Errorf("it was asked %d times before the tap, want %d", now, asked)
	}
	data := buttons(m)[slices.IndexFunc(buttons(m), func(b botapi.Button) bool { return b.Text == resend })].Data
	g.tap(m, resend)
	g.Until("is asked again", func(string) bool { return g.Model.Asked(of) > asked })
	g.bot.owner.TapData(m.ID, data)
	time.Sleep(quiet)
	if n := g.Model.Asked(of); n != asked+1 {
		g.t.Errorf("it was asked %d times after the tap, want once", n-asked)
	}
}
