package screen

import (
	"strconv"
	"strings"
)

// writing fills in how words of one's own answer p: the number of the one entry that takes some moves the mark there, which opens its
// field, and Enter gives what stands in that. In an open field that is empty they are given at once.
func (d *Dialog) writing(p *Prompt) {
	i := d.only(Text)
	if !d.Keys.Writes || p.Partial || i < 0 || d.Entries[i].Check != "" || d.Entries[i].Number < 1 || d.Entries[i].Number > 9 {
		return
	}
	p.Writes = i + 1
	give := Step{Key: "Enter", Takes: i + 1, Last: true}
	switch {
	case !d.TextField:
		p.write = []Step{{Key: strconv.Itoa(d.Entries[i].Number), Lights: i + 1}, give}
	case d.Words == "":
		p.write = []Step{give}
	}
}

// fieldHint is what a text field shows while nothing is typed into it.
const fieldHint = "Type your answer"

// Field says that a text field of the dialog has the focus, whose lines are first to the one before end, the first one behind its
// mark. Without one, first < 0, what stands in it can't be told.
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
