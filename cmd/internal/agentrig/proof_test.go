//go:build agents

package agentrig

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestAgents is the proof. It runs every agent in every version at every prompt that it can be brought
// to show, one at a time, and writes what it saw into provenFile. `-run TestAgents/codex` runs a part
// and leaves the other rows as they are.
func TestAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	var rows []row
	for _, a := range Agents() {
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for _, c := range cases(a) {
				t.Run(c.scenario+"-"+c.size(), func(t *testing.T) {
					p := &proof{c: c, row: row{
						Agent: a.Name, Version: a.Version, Asked: c.scenario, Size: c.size(),
						Seen: no, Approved: no, Again: no, Denied: no,
					}}
					// Deferred, because a step that fails ends the test's goroutine.
					defer func() { rows = append(rows, p.row) }()
					p.Run = Start(t, a, install, c.options)
					p.bot = startBot(t, nod, p.Run)
					p.prove()
				})
			}
		})
	}
	writeRows(t, provenFile, merge(readRows[row](t, provenFile), rows))
}

func writeRows[R proven](t *testing.T, file string, rows []R) {
	text, err := json.MarshalIndent(rows, "", "  ")
	must(t, err)
	must(t, os.WriteFile(file, append(text, '\n'), 0o644))
}

// proof proves one case, and fills its row as it goes.
type proof struct {
	*Run
	bot *bot
	c   proofCase
	row row
}

func (p *proof) prove() {
	p.t.Helper()
	if p.c.scenario != trust {
		p.Ask(p.c.scenario)
	}
	s := p.seen(sight{})
	switch {
	case p.c.question:
		p.proveNoKey(s)
	case p.c.pair:
		p.provePair(s)
	default:
		p.proveOnce(s)
	}
}

// seen waits for the next nudge, and compares what nod says of it in its three ways.
func (p *proof) seen(before sight) sight {
	p.t.Helper()
	p.bot.see(p.Run, before)
	p.Settle()
	s := p.bot.see(p.Run, before) // what is drawn in two goes is told again
	p.bot.told(s)
	c, _ := p.bot.check(p.Run)
	p.row.Shape, p.row.Seen = s.Shape, no
	kind := "permission"
	if p.c.question {
		kind = "question"
	}
	about := strings.ToLower(c.Question + " " + c.Subject)
	switch {
	case s.Kind != kind || c.State != kind:
		p.t.Errorf("nod nudges for a %s and checks a %s, want a %s", s.Kind, c.State, kind)
	case s.Shape != c.Shape || !strings.HasPrefix(s.Shape, p.Agent.Name+"."):
		p.t.Errorf("nod nudges for %s and checks %s", s.Shape, c.Shape)
	case !strings.Contains(about, strings.ToLower(p.c.subject)) && !(p.c.late && c.Partial):
		p.t.Errorf("nod says that %q is asked about, want %q in it", about, p.c.subject)
	case p.c.hidden && !c.Partial:
		p.t.Errorf("nod takes this for all that is asked about: %q", c.Subject)
	default:
		p.row.Seen = yes
		if c.Partial {
			p.row.Seen = inPart
		}
		return s
	}
	keepMiss(p.Run)
	return s
}

// proveOnce approves, lets the agent ask for the same again, and denies.
func (p *proof) proveOnce(s sight) {
	p.t.Helper()
	of := p.c.scenario
	p.approve(s)
	p.Until("did what was approved", func(string) bool { return p.Ran(of) > 0 })
	p.Until("finished", func(string) bool { return p.Model.Finished(of) > 0 })
	p.Settle()
	p.once(of)

	p.Ask(of)
	s = p.seen(s)
	p.row.Again = yes
	p.deny(s)
	p.Settle()
	p.notAgain(of, 1)
}

// provePair approves the first of two commands and denies the second, which is in its place at
// once.
func (p *proof) provePair(s sight) {
	p.t.Helper()
	first, second := "first", "second"
	if strings.Contains(s.Subject, second) {
		first, second = second, first // agents ask in either order
	}
	p.approve(s)
	p.Until("did what was approved", func(string) bool { return p.Ran(first) > 0 || len(p.bot.queue()) > 0 })
	s = p.seen(s)
	p.row.Again = yes
	if !strings.Contains(s.Subject, second) {
		p.t.Errorf("after %s nod nudges for %q", first, s.Subject)
		p.row.Again = no
	}
	p.deny(s)
	p.Settle()
	p.once(first) // only now: some agents run nothing before every call is answered
	p.notAgain(second, 0)
}

// proveNoKey answers y, which must be refused and type nothing.
func (p *proof) proveNoKey(s sight) {
	p.t.Helper()
	p.Settle()
	_, before := p.bot.check(p.Run)
	landed, said := p.bot.reply(s, "y")
	p.Settle()
	if landed {
		p.t.Errorf("y landed: %s", said)
		return
	}
	// The highlight and the text field are in it; a clock on the screen is not.
	if _, now := p.bot.check(p.Run); now != before {
		p.t.Errorf("y was refused (%s), and still the prompt changed from\n%s\nto\n%s", said, before, now)
		return
	}
	p.row.Approved, p.row.Again, p.row.Denied = noKey, noKey, noKey
}

func (p *proof) approve(s sight) {
	p.t.Helper()
	if p.row.Seen == inPart {
		if landed, said := p.bot.reply(s, "y"); landed {
			p.Fatalf("what can't be seen was approved without consent: %s", said)
		}
		p.answer(s, "y", "--unseen")
		return
	}
	p.answer(s, "y")
}

func (p *proof) deny(s sight) {
	p.t.Helper()
	p.answer(s, "n")
}

func (p *proof) answer(s sight, words ...string) {
	p.t.Helper()
	landed, said := p.bot.reply(s, words...)
	p.t.Logf("%s: %s", strings.Join(words, " "), said)
	if !landed {
		keepMiss(p.Run)
		p.Fatalf("nod reply %v: %s\nnod's log:\n%s", words, said, p.bot.log)
	}
}

func (p *proof) once(of string) {
	p.t.Helper()
	if n := p.Ran(of); n != 1 {
		p.t.Errorf("approved once, and it ran %d times", n)
		return
	}
	p.row.Approved = yes
}

func (p *proof) notAgain(of string, ran int) {
	p.t.Helper()
	if n := p.Ran(of); n != ran {
		p.t.Errorf("denied, and it ran %d times, want %d", n, ran)
		return
	}
	p.row.Denied = yes
}

func (c proofCase) size() string { return fmt.Sprintf("%dx%d", c.options.Width, c.options.Height) }
