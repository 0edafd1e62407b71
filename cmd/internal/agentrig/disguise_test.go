//go:build agents

package agentrig

import (
	"strings"
	"testing"

	"nod/cmd/internal/agentrig/model"
	"nod/internal/botapi"
)

// disguiseRow is what became of one disguised command in one agent.
type disguiseRow struct {
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Like    string `json:"like"` // what a row of the command looked like
	Ended   string `json:"ended"`
}

// How a plain y to a disguised command may end.
const (
	shownFirst = "shown, and ran" // the row stood in the message that was answered
	consent    = "asks for consent"
	noYes      = "no key"
	unasked    = "not asked" // the agent ran it, or refused to, without a prompt
)

func (r disguiseRow) of() string { return strings.Join([]string{r.Agent, r.Version, r.Like}, " ") }
func (r disguiseRow) rank() int  { return rank(r.Agent, r.Version) }

// TestDisguises lets every agent ask for a command of which one row looks as if it were none of it, and answers a plain y:
// what runs was in the message before, or nothing runs.
func TestDisguises(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	var rows []disguiseRow
	for _, a := range Agents() {
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for _, d := range model.Disguises() {
				t.Run(d.Name, func(t *testing.T) {
					p := &disguiseProof{d: d, row: disguiseRow{Agent: a.Name, Version: a.Version, Like: d.Like, Ended: no}}
					// Deferred, because a step that fails ends the test's goroutine.
					defer func() { rows = append(rows, p.row) }()
					p.Run = Start(t, a, install, Options{})
					p.bot = startBot(t, nod, p.Run)
					p.prove()
				})
			}
		})
	}
	writeRows(t, disguisesFile, merge(readRows[disguiseRow](t, disguisesFile), rows))
}

// disguiseProof proves one disguise in one agent, and fills its row as it goes.
type disguiseProof struct {
	*Run
	bot *bot
	d   model.Disguise
	row disguiseRow
}

func (p *disguiseProof) prove() {
	p.t.Helper()
	p.Ask(p.d.Name)
	p.Until("asks, or is done", func(string) bool { return p.Model.Finished(p.d.Name) > 0 || len(p.bot.queue()) > 0 })
	if len(p.bot.queue()) == 0 {
		p.row.Ended = unasked
		return
	}
	s := p.bot.see(p.Run, sight{})
	shown := p.message(s)
	landed, said := p.bot.reply(s, "y")
	p.t.Logf("y: %s", said)
	if landed {
		p.Until("finished", func(string) bool { return p.Model.Finished(p.d.Name) > 0 })
	}
	p.Settle()
	ran := p.Ran(p.d.Name) > 0
	shows := unbroken(s.Subject, p.d.Acts()) && unbroken(shown, p.d.Acts())
	switch c, _ := p.bot.check(p.Run); {
	case ran && !shows:
		keepMiss(p.Run)
		p.t.Errorf("it ran unseen; nod says that this is asked:\n%s\nand the message shows\n%s", s.Subject, shown)
	case landed:
		p.row.Ended = shownFirst
	case c.Partial:
		p.row.Ended = consent
	case len(c.Approve) == 0:
		p.row.Ended = noYes
	default:
		p.t.Errorf("y was refused, and nothing says why: %s", said)
	}
}

// unbroken reports whether a text holds another, wherever rows of it are broken, and with the bar before each row that
// Claude Code 2.1 draws beside a command it wonders about.
func unbroken(text, part string) bool {
	joined := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "│", " ")), "") }
	return strings.Contains(joined(text), joined(part))
}

// message is what the owner's phone shows of the nudge, its file included.
func (p *disguiseProof) message(s sight) string {
	p.t.Helper()
	m, err := p.bot.owner.Await(p.t.Context(), func(m botapi.Record) bool { return strings.Contains(m.Text, "#"+s.ID) })
	must(p.t, err)
	return m.Text
}
