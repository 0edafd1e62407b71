package screen

import (
	"cmp"
	"strconv"
	"strings"

	"nod/internal/reason"
)

// Keys that open the field of the row for words of one's own.
const (
	Number = "#"    // its number
	Move   = "Down" // moving the mark down to it
)

// OwnWords is how an agent draws the row for words of one's own, the last row of a question. A model's answer is never there,
// but may have the same label elsewhere.
type OwnWords struct {
	Opens string // as Keys.Writes
	Open  int    // the option that is the field and has the focus, from 1; 0: the agent's file does not say
	Hint  string // shown in the row and in the field while nothing is typed
	Mark  string // before the words while the field is open
	Below bool   // the field is below the row, and reads the arrows while it is open
	Alone bool   // on a page of a set, words are left to the terminal
	Lines int    // the number of lines of words that the field shows at once
	Room  int    // as Prompt.Room, if it does not depend on the width of the pane
}

// ownWords makes the last row the one for words of one's own, and reads its field if that is open.
func (d *Dialog) ownWords(o *OwnWords, paged bool) {
	own := len(d.Entries) - 1
	for i := range d.Entries {
		if d.Entries[i].Number != i+1 {
			return // a row within a label may look like an option
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
		d.openField(own, strings.TrimPrefix(words, o.Mark), o.Hint)
		d.Keys.Enter = d.Keys.Enter && !o.Below
	}
	if o.Opens == "" || o.Alone && paged {
		d.TextField = false
		return
	}
	// Words wrap, so no line is full, and other things are beside them.
	d.Keys.Writes, d.Room = o.Opens, cmp.Or(o.Room, o.Lines*cmp.Or(d.screen.Columns, d.width)/2)
}

// openField says that entry i is a text field with the focus, holding words, or the hint if it is empty. Digits are text then, so
// other entries are reached by moving; if the field holds words, none is, because Enter sends these.
func (d *Dialog) openField(i int, words, hint string) {
	d.Keys.Digits, d.TextField, d.Entries[i].Label = false, true, hint
	if words != hint {
		d.Words, d.Keys.Enter, d.Why = words, false, reason.WordsUnderway
	}
}

// writing fills in how words of one's own answer p. The number of the one entry that takes them, or the mark moved to it, opens
// its field, and Enter gives the words. An open, empty field takes them at once.
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

// fieldHint is the hint of an empty text field.
const fieldHint = "Type your answer"

// Field says that a text field of the dialog has the focus, in the lines from first up to end; the first begins with its mark.
// If first < 0 its words can't be read.
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
