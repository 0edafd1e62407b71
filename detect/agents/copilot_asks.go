package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
)

// Copilot asks for a permission in a frame, with the command in a frame of its own, and its model asks between two lines:
//
//	╭─────────────────────────────────────────────────╮
//	│ Create a file                                   │     ───────────────────────────────────────────────
//	│ ─────────────────────────────────────────────── │      Copilot needs information.
//	│ ╭─────────────────────────────────────────────╮ │
//	│ │ touch made.txt                              │ │      Sizes:
//	│ ╰─────────────────────────────────────────────╯ │      Which sizes do you want?
//	│                                                 │
//	│ Do you want to run this command?                │        ✓ Small
//	│                                                 │      ❯ • Large
//	│ ❯ 1. Yes                                        │        • Other (type your answer)
//	│   2. No, and tell Copilot what … (Esc to stop)  │
//	│                                                 │      ↑/↓ select · space toggle · enter accept · …
//	│ ↑/↓ to navigate · enter to select · esc to …    │     ───────────────────────────────────────────────
//	╰─────────────────────────────────────────────────╯

// copilotAsks are a question that takes words alone, those with numbers, and a question of the model. 1.0.47 draws the latter like permissions.
var copilotAsks = []asking{
	{
		framed: true,
		shapes: []shape{{Shape: screen.Shape{Name: "ask_words", State: screen.Question}, keys: []string{"nter to submit · "}, fits: copilotWords}},
	},
	{
		menu: screen.Numbered, cursor: "❯", only: true, titles: []string{"Create file", "Edit file"}, asks: copilotSentences,
		shapes: []shape{
			{Shape: copilotTrust, titled: trustTitles},
			{framed: true, keys: copilotCancels, asks: copilotOpens, set: &screen.Questions{Keys: screen.Keys{Enter: true}}, fits: copilotNeutral},
			{Shape: copilotCall, framed: true, keys: copilotCancels, asks: copilotOpens, verbs: copilotVerbs, fix: copilotTool},
		},
	},
	{
		menu: screen.Pointed, cursor: "❯", titles: []string{"Copilot needs information."},
		shapes: []shape{{keys: []string{"enter accept", "enter to select", "enter submit", "space toggle", "enter to accept"}, fits: copilotAsk}},
	},
}

// copilotSentences are those that it asks.
var copilotSentences = []string{
	"Do you want to run this command?", "Do you want to use this tool?", "Do you want to allow this?", "Do you want to create %?", "Do you want to edit %?",
}

// copilotCancels is in its row of keys, and copilotOpens begins what it asks.
var (
	copilotCancels = []string{"esc to", "Esc to", "Cancel with Esc"}
	copilotOpens   = []string{"Do you want to ", "Allow "}
)

// copilotTrust is the question for trust, where a yes lasts for the session.
var copilotTrust = screen.Shape{
	Name: "trust", State: screen.Question, Verb: "trust", Keys: screen.Keys{Enter: true}, Means: instead([]screen.Scope{screen.Once}, screen.Session),
}

// copilotCall is the confirmation of one tool call. A digit chooses its row at once, but the row that begins with No opens a text field: without
// words only Escape denies.
var copilotCall = screen.Shape{
	Name: "tool_confirmation", State: screen.Permission, Gutter: 2,
	Keys:  screen.Keys{Digits: true, Enter: true, Escape: true, Escapes: true, Tells: tellsBy("copilot")},
	Means: means([]meaning{{"No, and tell ", screen.Text}}, nil),
}

// copilotVerbs are what Copilot asks for, by its questions.
var copilotVerbs = []verb{
	{asks: "create ", verb: "create"}, {asks: "edit ", verb: "edit"}, {asks: "modify", verb: "edit"}, {asks: "use this tool", verb: "use"},
	{asks: "allow this", verb: "allow"},
}

// copilotTool places what is asked for. Of a command the title is what the model says of it.
func copilotTool(d *screen.Dialog) string {
	if d.TopUnseen {
		if d.Verb == "create" || d.Verb == "edit" {
			namedFirst(d)
		}
		return ""
	}
	_, head := d.Head()
	d.Place(screen.Drawing, head+1, head+1) // the line under the title
	if d.Verb == "" {
		d.Place(screen.Subject, head+1, d.Asked-1)
	}
	return ""
}

// copilotNeutral reports whether no answer says yes or no.
func copilotNeutral(d *screen.Dialog) bool {
	return !d.Refusable() && !slices.ContainsFunc(d.Entries, func(e screen.Entry) bool { return e.Agrees() })
}

// copilotWords is a question that offers no answer: the last thing on the screen is a frame with the question, a line drawn under
// it (copilot/1.0.12-words-100x40) or under the title above it (copilot/1.0.60-words-100x40), a field and the keys of that.
func copilotWords(d *screen.Dialog) bool {
	field := d.LineAbove(func(i int) bool { return d.Lines[i].Begins("❯") })
	rule := d.LineAbove(func(i int) bool { return i < field && d.Lines[i].Kind == screen.Rule })
	if !strings.EqualFold(d.Footer, "Enter to submit · Esc to cancel") || !d.HasWords(d.Top, rule-1) {
		return false
	}
	d.Place(screen.Drawing, rule, rule)
	if first := d.NextWords(rule+1, field); first < field {
		d.Ask(first, field-1)
	} else {
		d.Ask(d.Top, rule-1)
	}
	d.Field(field, d.First)
	return true
}

// Questions of the model.

// copilotSet: in a check list a bullet is before what is not ticked, and Space ticks the marked row. Tab leads on from each page but
// the last, where Enter sends the answers to all of them, and no page reviews these (1.0.102).
var copilotSet = screen.Questions{
	Keys: screen.Keys{Enter: true, Leaves: true}, Leaves: "esc cancel", Toggles: "space toggle", Ticks: "Space", Leads: "Tab", Next: "tab next",
	Headings: screen.Headings{Each: true}, // "Colour  [Sizes]"
}

// copilotAsk is a question of the model, or one page of a set.
func copilotAsk(d *screen.Dialog) bool {
	q := copilotSet
	if !screen.Holds(d.Footer, q.Toggles) || !copilotBoxes(d) || !copilotMarked(d) || !copilotWhole(d) {
		q.Ticks, q.Leads, q.Next = "", "", ""
	}
	d.AskSet(&q)
	if _, head := d.Head(); !d.TopUnseen {
		d.Place(screen.Subject, head+1, d.First-1) // the headings too, which name what is asked about
	}
	return true
}

// copilotBoxes takes the sign before each row for its box. It reports whether every row has one.
func copilotBoxes(d *screen.Dialog) bool {
	boxes := map[string]string{"•": "[ ]", "✓": "[✓]"}
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Check = boxes[e.Check]; e.Check == "" {
			return false
		}
	}
	return true
}

// copilotMarked reports whether the mark is the agent's own: a label may hold a row that looks like a marked one, but the colours of
// that are those of the rows around it, or else two rows have a mark.
func copilotMarked(d *screen.Dialog) bool {
	marks := 0
	for i := d.Top; i <= d.Last; i++ {
		if d.Lines[i].Begins("❯") {
			marks++
		}
	}
	if marks != 1 || d.Marked < 0 {
		return false
	}
	look := func(e screen.Entry) screen.Style { return d.Lines[e.First].Style(e.Col) }
	marked := look(d.Entries[d.Marked])
	others := slices.Delete(slices.Clone(d.Entries), d.Marked, d.Marked+1)
	return !slices.ContainsFunc(others, func(e screen.Entry) bool { return look(e) == marked })
}

// copilotWhole reports whether no row above the list has the sign of a box: a label with an empty line in it parts the list, and
// what is ticked above that line would be sent unseen.
func copilotWhole(d *screen.Dialog) bool {
	return !slices.ContainsFunc(d.Lines[d.Top:d.First], func(line screen.Line) bool { return line.Begins("•✓") })
}
