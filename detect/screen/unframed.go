package screen

import (
	"slices"
	"strings"

	"nod/internal/reason"
)

// Bounds, heading and labels of dialogs that no agent's file describes.

// leaves reports whether a refusal also ends the turn or the program: "Cancel", "No, exit", "No, and stop for now".
func leaves(words []string) bool {
	if leaving[words[0]] {
		return true
	}
	rest := after(words, "no and", "no")
	return len(rest) > 0 && len(rest) < len(words) && leaving[rest[0]] && len(object(rest[1:])) == len(rest[1:])
}

var leaving = set("cancel quit exit abort skip dismiss stop")

// Lasting is the scope of an option of a question about trust: no yes to it is for once.
func (e *Entry) Lasting() Scope {
	if e.Scope == Once || e.Scope == Other && e.Agrees() {
		return Always
	}
	return e.Scope
}

// Agrees reports whether a label begins with a yes of any kind.
func (e *Entry) Agrees() bool {
	words := wordsOf(e.Label)
	return len(words) > 0 && agreeing[words[0]]
}

// OfModel is the scope of an answer that a model made up: Text or Other.
func (e *Entry) OfModel() Scope {
	if e.Own || e.labelScope() == Text {
		return Text
	}
	return Other
}

// Clear reports whether exactly one entry says yes once and exactly one says no.
func (m *Menu) Clear() bool { return m.only(Once) >= 0 && m.only(No) >= 0 }

// transcriptCol is the last column in which a row of a transcript begins.
const transcriptCol = 2

// boundByGaps guesses the head of a dialog without an edge: it reaches up over few rows, and not into the transcript.
func (d *Dialog) boundByGaps() {
	if d.Frame() != nil || !d.TopUnseen {
		return
	}
	blanks := 0
	for i := d.First - 1; i >= 0; i-- {
		line := &d.Lines[i]
		if line.Kind == Blank {
			if blanks++; blanks > 1 && i < d.First-2 && d.HasWords(i+1, d.Asked-1) {
				d.guessTop(i + 1)
				return
			}
			continue
		}
		blanks = 0
		if line.Kind == Rule || line.Kind == Words && line.Col <= transcriptCol && beginsTranscript(line.First()) || line.moves() && d.HasWords(i+1, d.Asked-1) {
			d.guessTop(i + 1)
			return
		}
	}
}

// headAt makes line i the head of a dialog without a frame, as the person said who taught it. It cuts nothing off that may
// belong to the dialog: rows between the last output and line i stay, and are doubted.
func (d *Dialog) headAt(i int) {
	if !d.HasWords(d.Top, i-1) && !d.TopUnseen || d.TopUnseen && d.outputAbove(i) {
		d.BeginAt(i)
		return
	}
	d.boundByGaps()
	if d.HasWords(d.Top, i-1) {
		d.Doubt(reason.AboveHead)
	} else if d.Top > i {
		d.Top, d.edge = i, i
	}
}

// outputAbove reports whether a paragraph of an agent's transcript is above line i, with a blank row between them.
func (d *Dialog) outputAbove(i int) bool {
	last := d.AboveBlanks(i-1, 0)
	if last < 0 || last == i-1 || d.Lines[last].Kind != Words {
		return false
	}
	first := &d.Lines[d.ParagraphBegin(last)]
	return first.Col <= transcriptCol && beginsTranscript(first.First())
}

// boundByBlanks guesses the head of a dialog without an edge and options: it reaches up to two blank lines.
func (d *Dialog) boundByBlanks() {
	two := d.LineAbove(func(i int) bool { return i > 0 && d.Lines[i].Kind == Blank && d.Lines[i-1].Kind == Blank })
	if two >= 0 && d.Frame() == nil && d.TopUnseen {
		d.guessTop(two + 1)
	}
}

// guessTop makes line i the dialog's first one, as a guess.
func (d *Dialog) guessTop(i int) {
	d.Top, d.TopUnseen = i, false
	d.Doubt(reason.HeadGuessed)
	if d.Asked < i {
		d.findQuestion()
	}
}

// TakeHeading makes a heading of a few words above the options the question, or what is asked right above the line at the dialog's upper end.
// It reports whether there is one.
func (d *Dialog) TakeHeading() bool {
	framed := d.Frame() != nil
	if top := d.edge - 1; !framed && top >= 0 && d.Lines[d.edge].Kind == Rule && d.words(top) && asksAtEnd(d.Lines[top].Text) && !d.uniform() {
		d.Place(Drawing, d.edge, d.edge)
		d.BeginAt(top)
		return true
	}
	nearest := -1
	for i := d.First - 1; i >= d.Top && i > d.First-headingRows; i-- {
		line := &d.Lines[i]
		if line.Kind != Words || d.places[i].spins || strings.ContainsRune("├└│", line.First()) { // a branch of a tree is no heading
			continue
		}
		if nearest < 0 && d.First-i < nearRows && (framed || IsFooter(d.Footer) || d.Clear() && (d.printsKeys() || d.Marked >= 0 || d.varied())) {
			nearest = i
		}
		low := strings.ToLower(line.Text)
		if strings.HasSuffix(line.Text, ":") || Holds(low, "permission", "approv", "confirm", "allow", "requires", "required", "dangerous", "choose", "select") {
			d.Ask(i, i)
			return true
		}
	}
	if framed {
		if t := d.Frame().Title; t != "" {
			d.Question = t
			return true
		}
	}
	if nearest >= 0 {
		d.Question = d.Lines[nearest].Text // which stays in the subject
		if !d.TopUnseen {
			d.Question, _ = d.Head()
		}
	}
	return nearest >= 0
}

// How many rows above the options a heading may be: one that names a permission or ends in a colon, and any other one.
const (
	headingRows = 30
	nearRows    = 6
)

// leavesProgram reports whether a label says that choosing it leaves the program.
func (e *Entry) leavesProgram() bool {
	words := wordsOf(e.Label)
	return slices.Contains(words, "quit") || slices.Contains(words, "exit")
}

// dropUnclear drops the head of a menu without numbers, if the rest of it says yes and no.
func (m *Menu) dropUnclear() {
	if m.Numbered || m.Across || m.Marked < 0 {
		return
	}
	bare := *m
	bare.readScopes()
	if bare.dropHead(nil); known(nil).menu(&bare) {
		*m = bare
	}
}

// leaveFrame begins the dialog above a frame that holds the options alone.
func (d *Dialog) leaveFrame() {
	if d.Frame() == nil || d.HasWords(d.Top, d.First-1) {
		return
	}
	d.around = nil
	d.BeginAt(-1)
}

// ownAnswer reports whether an option takes words of one's own and refuses nothing: a model made up such a list, whatever its
// other answers say.
func (d *Dialog) ownAnswer() bool {
	return slices.ContainsFunc(d.Entries, func(e Entry) bool {
		words := wordsOf(e.Label)
		if e.Asks || len(words) == 0 || Holds(strings.ToLower(e.Label), "differently", "instead") {
			return false
		}
		switch words[0] {
		case "type", "write", "enter", "other", "custom", "chat":
			return true
		}
		return Starts(strings.ToLower(e.Label), "something else", "none of these", "my own", "own answer")
	})
}

// marksWords reports whether the marked option asks for words, alone or beside a refusal: "No, and tell Codex what to do differently".
func (d *Dialog) marksWords() bool {
	if d.Marked < 0 {
		return false
	}
	e := &d.Entries[d.Marked]
	return e.Scope == Text || slices.Contains(wordsOf(e.Label), "tell")
}
