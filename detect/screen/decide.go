package screen

import (
	"cmp"
	"slices"
	"strings"

	"nod/internal/reason"
)

// Prompt makes the prompt of a dialog that an agent's file has recognised.
func (d *Dialog) Prompt(agent string) *Prompt {
	d = d.scoped()
	p := &Prompt{
		Content:  Content{Agent: agent, Shape: cmp.Or(agent, "unknown") + "." + d.Name, Question: d.Question, Verb: d.Verb},
		OnScreen: OnScreen{Highlighted: d.Marked, Colour: d.Colour, First: d.Top, Last: d.End},
		Ways:     Ways{Why: reason.Why{Kind: d.Why}},
		Field:    Field{TextField: d.TextField, Typed: d.Words},
	}
	for i := range d.Entries {
		p.Options = append(p.Options, d.Entries[i].Option)
		var steps []Step
		if !(d.Keys.Second && d.Entries[i].Scope != Once && d.Entries[i].Scope != No) {
			steps = d.Keys.steps(&d.Menu, i)
		}
		p.choices = append(p.choices, steps)
	}
	d.tell(p)
	p.Furniture = d.furniture()
	if d.State == Question {
		d.ask(p)
	}
	if d.State == Permission {
		d.decide(p)
	}
	reaches := func(s []Step) bool { return s != nil }
	if d.State.Asks() && !d.TextField {
		p.AtTerminal = len(p.Options) > 0 && !slices.ContainsFunc(p.choices, reaches) && !slices.ContainsFunc(p.ticks, reaches)
	}
	p.Fingerprint = fingerprint(&p.Content)
	return p
}

// scoped is d with the scope and the key of each option filled in.
func (d *Dialog) scoped() *Dialog {
	scoped := *d
	scoped.Entries = slices.Clone(d.Entries)
	scoped.readScopes()
	for i := range scoped.Entries {
		e := &scoped.Entries[i]
		if d.Means != nil {
			e.Scope = d.Means(e)
		}
		if e.Scope == Once && d.asksForMore(e) {
			e.Scope = Always
		}
		if strings.ContainsFunc(e.Label, drawsFrame) {
			e.Scope = Other // a row of something else has run into it
		}
		e.Key = d.Keys.keyOf(e)
	}
	scoped.distinctKeys()
	return &scoped
}

// ask fills in the ways to answer a question besides its options: ticks, words, sending and dismissing.
func (d *Dialog) ask(p *Prompt) {
	p.InSet = d.InSet
	for i := range d.Entries {
		p.Notes = append(p.Notes, d.Entries[i].Note)
	}
	if strings.Join(p.Notes, "") == "" {
		p.Notes = nil
	}
	d.checkList(p)
	d.writing(p)
	if d.Keys.Leaves && !d.writes() && !p.Partial { // Escape may leave only the words
		p.dismiss = []Step{{Key: "Escape", Last: true}}
		p.Dismiss = keysOf(p.dismiss)
	}
	switch {
	case p.Partial: // it may be another thing than it seems
	case d.Submits > 0 && d.Submits <= len(p.choices):
		p.send = p.choices[d.Submits-1]
	case len(d.Entries) == 0 && len(d.answers) > 0:
		p.send, p.Send = d.Keys.Sends, keysOf(d.Keys.Sends)
	}
}

// distinctKeys drops a key that two entries claim from both.
func (d *Dialog) distinctKeys() {
	count := map[string]int{}
	for _, e := range d.Entries {
		count[e.Key]++
	}
	for i := range d.Entries {
		if count[d.Entries[i].Key] > 1 {
			d.Entries[i].Key = ""
		}
	}
}

// decide fills in the keys that approve and deny p, or why there are none.
func (d *Dialog) decide(p *Prompt) {
	p.deny = d.Keys.deny(&d.Menu)
	yes := d.only(Once)
	if d.SessionYes {
		yes = d.only(Session)
	}
	if d.Marked >= 0 && d.Entries[d.Marked].Scope == Text {
		p.TextField, p.deny = true, d.Keys.leave()
		p.Why.Kind = reason.WordsUnderway
		yes = -1
	}
	p.Deny = keysOf(p.deny)
	if len(p.deny) > 0 && !p.TextField {
		p.tell = d.Keys.tell(&d.Menu)
	}
	if yes >= 0 {
		p.approve = d.Keys.steps(&d.Menu, yes)
		p.Approve = keysOf(p.approve)
	}
	switch {
	case len(p.Approve) > 0 || !p.Why.IsZero():
	case d.count(Once) > 1:
		p.Why.Kind = reason.TwoYes
	case yes < 0:
		p.Why.Kind = reason.NoYes
	case d.Marked < 0:
		p.Why.Kind = reason.MarkUnseen
	default:
		p.Why.Kind = reason.YesUnreached
	}
}
