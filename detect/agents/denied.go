package agents

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"nod/detect/screen"
)

// DeniedCalls are the calls of one turn that an agent's own guard denied without asking anybody, by its screen or its transcript.
// Zero: neither shows a turn.
type DeniedCalls struct {
	Turn  string // names the turn; empty: its beginning is not known
	All   bool   // all of that turn, so far, are among them
	Calls []DeniedCall
	// Stops is how often somebody stopped the agent in that turn, or said no to it, by its screen. GivesUp says that the agent may have
	// stopped by itself, at the last of these calls.
	Stops   int
	GivesUp bool
}

// Same reports whether o says the same.
func (d DeniedCalls) Same(o DeniedCalls) bool {
	return d.Turn == o.Turn && d.All == o.All && d.Stops == o.Stops && slices.Equal(d.Calls, o.Calls)
}

// StoppedSince reports whether a person has stopped the agent since it showed what was seen before; stood says that it showed that for so
// long that it had not given up over that.
func (d DeniedCalls) StoppedSince(before DeniedCalls, stood bool) bool {
	same := d.Turn == before.Turn || d.Turn == "" // its beginning has left the screen
	if d.Stops == 0 || same && d.Stops <= before.Stops {
		return false
	}
	old := len(before.Calls) - len(d.Calls) // that have left the screen
	return !d.GivesUp || same && stood && old >= 0 && slices.Equal(d.Calls, before.Calls[old:])
}

// DeniedCall is one of them.
type DeniedCall struct {
	Verb   string // what the text is asked for; empty: to run it
	Text   string // the command, or whatever else is known of the call
	Folder string // in which it is made; empty: unknown
	Reason string // the guard's; empty: unknown
	Cut    bool   // not all of the call is known
	// Review is what the agent's own server takes to review the call once more; empty: unknown.
	Review string
	// Session is the server's, of a call that no pane shows.
	Session string
}

// Shows reports whether a call that a screen shows, perhaps not all of it, may be c: how many blanks are where is not known there.
func (c DeniedCall) Shows(on DeniedCall) bool {
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), "") }
	shown := squeeze(strings.TrimSuffix(on.Text, "..."))
	return on.Verb == c.Verb && shown != "" && strings.HasPrefix(squeeze(c.Text), shown)
}

// Grants is how an agent keeps the calls that its guard denied in a list of its own, in which a person allows one to be tried again.
type Grants struct {
	Opens string // the command that opens it, at an empty input box
	// Offered is the first line from which on a screen shows that command in the input box, and the agent offering it; -1: it does not.
	Offered func(s screen.Screen) int
	Shape   string // of the dialog that it opens
	// Command is what a row of the list says is run, if that is there whole.
	Command func(label string) (command string, whole bool)
}

// GrantsOf is the list of an agent; nil: it keeps none.
func GrantsOf(name string) *Grants { return byName(name).policy.grants }

// DeniedOn are those that a screen of an agent shows.
func DeniedOn(name string, s screen.Screen, r screen.Reading) DeniedCalls {
	if a := byName(name); a.policy.denied != nil && r.Composer != nil {
		return a.policy.denied(a.lay(s), r.Composer.Row)
	}
	return DeniedCalls{}
}

// Lines are those of a transcript, the last one first.
type Lines = iter.Seq[map[string]json.RawMessage]

// turnAbove finds the last thing above line box that a person said, which begins with a glyph in a column, and is given as it is where it wraps.
// begins is -1 where it is not on the screen. At the very top it is what Codex (0.169.0) keeps there, in one row, while the turn itself scrolls
// away below it.
func turnAbove(l *screen.Layout, box, col int, glyph rune) (begins int, said string) {
	for i := box - 1; i > 0; i-- {
		if line := &l.Lines[i]; line.Col == col && line.First() == glyph {
			end := i
			for end+1 < box && l.Lines[end+1].Kind == screen.Words && l.Lines[end+1].Col > col {
				end++
			}
			return i, l.Paragraph(i, end)
		}
	}
	return -1, ""
}

// textsIn are the fields of a tool's input that hold text, by their exact names. In a struct encoding/json would take
// "CMD" for "cmd", which the agent does not.
func textsIn(input string) map[string]string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(input), &fields) // of what is no object there are none
	texts := map[string]string{}
	for name, value := range fields {
		var text string
		if json.Unmarshal(value, &text) == nil {
			texts[name] = text
		}
	}
	return texts
}
