package screen

import (
	"cmp"
	"strconv"
	"strings"

	"nod/internal/reason"
)

// What opens the field of the row for words of one's own.
const (
	Number = "#"    // its number
	Move   = "Down" // the mark that comes down to it
)

// OwnWords is how an agent draws the row for words of one's own, which is the last of a question: a model's answer never is there, and
// may have the same label elsewhere.
type OwnWords struct {
	Opens string // as Keys.Writes
	Hint  string // what the row shows while nothing is typed, and the field
	Mark  string // is before the words while the field is open
	Below bool   // the field is below the row, and reads the arrows while it is open
	Alone bool   // on a page of a set they are left to the terminal
	Lines int    // how many lines of words the field shows at once
	Room  int    // as Prompt.Room, where that does not depend on the width of the pane
}

// ownWords makes the last row the one for words of one's own, and opens its field where that is open.
func (d *Dialog) ownWords(o *OwnWords, paged bool) {
	own := len(d.Entries) - 1
	for i := range d.Entries {
		if d.Entries[i].Number != i+1 {
			return // a row of a label may look like another option
		}
	}
	if own < 1 || d.Entries[own].Check != "" {
		return
	}
	e := &d.Entries[own]
	words, other := e.Label, e.Note
	if o.Below {
		words, other = e.Note, strings.TrimPrefix(e.Label, o.Hint)
	}
	switch open := d.Marked == own && words != "" && strings.HasPrefix(words, o.Mark); {
	case open && other != "", !open && (e.Label != o.Hint || e.Note != "" || d.Marked == own && o.Opens == Move):
		return
	case open:
		e.Note = ""
		d.OpenField(own, strings.TrimPrefix(words, o.Mark), o.Hint)
		d.Keys.Enter = d.Keys.Enter && !o.Below
	}
	if o.Opens == "" || o.Alone && paged {
		d.TextField = false
		return
	}
	// Words are wrapped, so that no line is full, and other things stand beside them.
	d.Keys.Writes, d.Room = o.Opens, cmp.Or(o.Room, o.Lines*cmp.Or(d.screen.Columns, d.width)/2)
}

// OpenField says that entry i is a text field that has the focus, in which words stand, or the hint of an empty one. Digits are letters of
// the words then, so that the other entries are reached by moving; from words, none is.
func (d *Dialog) OpenField(i int, words, hint string) {
	d.Keys.Digits, d.TextField, d.Entries[i].Label = false, true, hint
	if words != hint {
		d.Words, d.Keys.Enter, d.Why = words, false, reason.WordsUnderway
	}
}

// writing fills in how words of one's own answer p: the number of the one entry that takes some, or the mark that is moved there, opens its
// field, and Enter gives what is in that. In an open field that is empty they are given at once.
func (d *Dialog) writing(p *Prompt) {
	i := d.only(Text)
	if d.Keys.Writes == "" || p.Partial || i < 0 || d.Entries[i].Check != "" || d.Entries[i].Number < 1 || d.Entries[i].Number > 9 {
		return
	}
	give := Step{Key: "Enter", Takes: i + 1, Last: true}
	switch {
	case d.TextField && d.Words == "":
		p.write = []Step{give}
	case d.TextField:
	case d.Keys.Writes == Number:
		p.write = []Step{{Key: strconv.Itoa(d.Entries[i].Number), Lights: i + 1}, give}
	case d.Marked < 0 || d.Marked >= i:
		return
	default:
		for at := d.Marked + 1; at <= i; at++ {
			p.write = append(p.write, Step{Key: d.Keys.Writes, Lights: at + 1})
		}
		p.write = append(p.write, give)
	}
	p.Writes, p.Room = i+1, d.Room
}

// fieldHint is what a text field shows while nothing is typed into it.
const fieldHint = "Type your answer"

// Field says that a text field of the dialog has the focus, whose lines are first to the one before end, the first one behind its
// mark. Without one, first < 0, what is in it can't be told.
func (d *Dialog) Field(first, end int) {
	d.TextField = true
	if first < 0 {
		d.Words = "?"
		return
	}
	var rows []string
	for i := first; i < end; i++ {
		rows = append(rows, d.Lines[i].Text)
	}
	mark := string(d.Lines[first].First())
	d.Words = strings.TrimSpace(strings.TrimPrefix(strings.Join(rows, "\n"), mark))
	if strings.TrimRight(d.Words, ".…") == fieldHint {
		d.Words = ""
	}
}
