//go:build agents

package agentrig

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/internal/botapi"
)

// TestForms proves that an agent takes the answer to an MCP server's form from its own hook, and that the form is at the terminal
// where the hook ends without one: in every version in which nod answers that way.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, a := range Agents() {
		known := agents.HooksOf(a.Name).Forms
		if known == nil || !known.Takes(a.Version) {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for _, c := range formCases {
				if c.name == "a page" && a.Version == "2.1.166" {
					continue // it opens none
				}
				t.Run(c.name, func(t *testing.T) {
					f := &formProof{guardProof{doorProof: doorProof{Run: Start(t, a, install, Options{Nod: nod, Elicits: c.asks})}}}
					f.bot = startBot(t, nod, f.Run, append([]string{"NOD_IDLE=off"}, c.settings...)...)
					f.bot.listens()
					f.Ask("mcp")
					c.prove(f)
				})
			}
		})
	}
}

// deployForm has a field of each kind.
const deployForm = `{"mode":"form","message":"Deploy with which settings?","requestedSchema":{"type":"object","properties":{` +
	`"branch":{"type":"string","title":"Branch","minLength":2,"default":"main"},` +
	`"count":{"type":"integer","minimum":1,"maximum":5},"ratio":{"type":"number","maximum":1},` +
	`"env":{"type":"string","enum":["prod","stage"],"enumNames":["Production","Staging"]},"dry":{"type":"boolean"}},"required":["branch","count"]}}`

var formCases = []struct {
	name     string
	asks     string
	prove    func(*formProof)
	settings []string
}{
	{name: "filled in", asks: deployForm, prove: (*formProof).proveFilledIn},
	{name: "declined", asks: deployForm, prove: (*formProof).proveDeclined},
	{name: "escape", asks: deployForm, prove: (*formProof).proveEscape},
	{name: "late", asks: deployForm, prove: (*formProof).proveAtTerminal, settings: []string{"NOD_GUARD_WAIT=3s"}},
	{name: "keys alone", asks: deployForm, prove: (*formProof).proveAtTerminal, settings: []string{"NOD_DOORS=off"}},
	{name: "nod killed", asks: deployForm, prove: (*formProof).proveKilled},
	{
		name: "a secret", prove: (*formProof).proveSecret,
		asks: `{"message":"Sign in","requestedSchema":{"type":"object","properties":{"apiKey":{"type":"string"}}}}`,
	},
	{
		name: "a page", prove: (*formProof).provePage,
		asks: `{"mode":"url","message":"Sign in","url":"https://example.com/sign-in","elicitationId":"e1"}`,
	},
}

type formProof struct{ guardProof }

// asks waits for the question of a field that nobody has answered yet.
func (f *formProof) asks(words ...string) botapi.Record {
	f.t.Helper()
	m := f.message(append(words, "It waits until")...)
	if len(buttons(m)) == 0 {
		f.Fatalf("it has no buttons: %s", m.Text)
	}
	return m
}

func (f *formProof) replies(m botapi.Record, text string) { f.bot.owner.ReplyTo(m.ID, text) }

// got waits for what the server got, as the model heard of it.
func (f *formProof) got(want string) {
	f.t.Helper()
	for end := time.Now().Add(Patience); len(f.Model.Results("mcp")) == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			f.Fatalf("the server got no answer\nnod's log:\n%s", f.bot.log)
		}
	}
	if got := f.Model.Results("mcp")[0].Text; !strings.Contains(got, want) {
		f.Fatalf("the server got %s, want %s", got, want)
	}
}

// proveFilledIn: each kind of field, a value that is none, a fresh y that means nothing, and all values under Accept.
func (f *formProof) proveFilledIn() {
	f.replies(f.asks("Branch, 1 of 5"), "release/2")
	count := f.asks("count, 2 of 5")
	f.bot.owner.Say("y")
	f.replies(count, "7")
	f.replies(f.asks("count, 2 of 5", "That is not what it takes"), "3")
	f.tap(f.asks("ratio, 3 of 5"), "Leave it out")
	f.tap(f.asks("env, 4 of 5"), "2. Staging")
	f.replies(f.asks("dry, 5 of 5"), "y")
	m := f.asks("Branch: release/2", "count: 3", "ratio: left out", "env: Staging", "dry: Yes")
	f.bot.owner.Say("y")
	time.Sleep(2 * time.Second)
	if len(f.Model.Results("mcp")) > 0 {
		f.Fatalf("the form was sent before anybody accepted it")
	}
	f.tap(m, "✅ Accept")
	f.got(`{"action":"accept","content":{"branch":"release/2","count":3,"env":"stage","dry":true}}`)
	f.message("Accepted by Ann", "through the agent's own hook")
}

func (f *formProof) proveDeclined() {
	f.tap(f.asks("Branch, 1 of 5"), "Decline the form")
	f.got(`{"action":"decline"}`)
}

// atTerminal waits for the form's own dialog.
func (f *formProof) atTerminal() {
	f.t.Helper()
	f.Until("draws the form", func(screen string) bool { return strings.Contains(screen, "requests your input") })
}

// proveEscape: Escape interrupts the turn, and the form is at the terminal.
func (f *formProof) proveEscape() {
	m := f.asks("Branch, 1 of 5")
	data := buttons(m)[0].Data
	f.Tmux.Type(f.Pane, "Escape")
	f.message("The form is at the terminal now")
	f.atTerminal()
	f.bot.owner.TapData(m.ID, data)
	f.unanswered()
}

// unanswered proves that the server has no answer, also a moment later.
func (f *formProof) unanswered() {
	f.t.Helper()
	time.Sleep(2 * time.Second)
	if results := f.Model.Results("mcp"); len(results) > 0 && strings.Contains(results[0].Text, "answered") {
		f.Fatalf("the server got %+v", results)
	}
}

// proveAtTerminal: where nobody fills it in, the form is at the terminal, and nod says so.
func (f *formProof) proveAtTerminal() {
	f.atTerminal()
	f.message("MCP server", "requests your input", "You can't answer it from here")
	f.unanswered()
}

// proveKilled: a nod that ends lets the form go to the terminal, and the next one ends what it left.
func (f *formProof) proveKilled() {
	m := f.asks("Branch, 1 of 5")
	data := buttons(m)[0].Data
	f.bot.kill()
	f.atTerminal()
	f.bot.start()
	f.bot.listens()
	f.message("Branch, 1 of 5", "stopped waiting")
	f.bot.owner.TapData(m.ID, data)
	f.unanswered()
}

// proveSecret: it is told why it can't be filled in here.
func (f *formProof) proveSecret() {
	f.message("“apiKey” looks like a secret")
	f.unanswered()
}

// provePage: nobody can open it from here.
func (f *formProof) provePage() {
	m := f.message("wants to open a URL", "example.com/sign-in", "You can't answer it from here")
	if slices.ContainsFunc(buttons(m), func(b botapi.Button) bool { return strings.Contains(b.Text, "Accept") }) {
		f.t.Errorf("it has %+v", buttons(m))
	}
	f.bot.owner.Say("y")
	f.unanswered()
}
