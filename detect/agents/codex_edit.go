package agents

import (
	"fmt"
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Where Codex shows what it is about to change.
//
// Up to 0.107.0 the dialog holds the diff. Later versions leave it in the transcript above the dialog, whether the edit is asked about,
// made or refused, and several that a model asks for at once stand there before the first of them is asked about, in the order of
// the questions. 0.130.0 prints it as it is, so that control characters in it draw over what is there
// (codex/0.130.0-edits-hidden-100x40). 0.169.0 draws cell by cell, names in the dialog what the edit is of, and lets the model's own
// words stream in below the diff while the question waits (codex/0.169.0-edits-forged-100x40).

// codexTitle is a row that titles a diff, with the counts of its rows: of the whole edit at the left edge of the transcript, of one
// file of several, or of a file in the dialog of older versions.
var codexTitle = lazy.MustCompile(`^(?:(• )(?:Added|Deleted|Edited) |(└ ))?(.+) \(\+(\d+) -(\d+)\)$`)

// codexDeeds begin the title of a whole edit.
var codexDeeds = []string{"• Added ", "• Deleted ", "• Edited "}

// codexFiles is what such a row says of an edit of several files.
var codexFiles = lazy.MustCompile(`^(\d+) files$`)

// codexDiff takes in the diff.
func codexDiff(d *screen.Dialog) string {
	if codexHoldsDiff(d) {
		return ""
	}
	question := d.Asked
	i := atEdge(d, question)
	if i < 0 || !codexDrawn(d, i) {
		top := i + 1
		codexDestinations(d)
		d.Place(screen.Subject, top, question-1)
		d.BeginAt(top)
		d.Doubt(reason.DiffTopUnseen)
		return ""
	}
	d.Mark(i, "• ")
	d.BeginAt(i)
	files, diff := codexDestinations(d), codexRead(d, i, question-1)
	switch {
	case screen.Holds(d.Footer, "to open thread"): // a sentence of 0.169.0's own, never seen on a screen here
		d.Doubt(reason.DiffElsewhere)
	case len(files) == 0:
		d.DoubtOf("Codex", reason.DiffRaw)
	case !codexSame(files, diff.names):
		d.Doubt(reason.DiffOfAnother)
	case !codexOnly(d, i, files):
		d.Doubt(reason.TwoDiffs)
	}
	d.Place(screen.Subject, i, question-1)
	if end := d.AboveBlanks(question-1, i); !diff.whole {
		d.Doubt(reason.DiffShort)
	} else if d.Lines[end].Text == "+ Show details" {
		d.Place(screen.Button, end, end) // it is there whether lines are left out or not
	}
	return ""
}

// codexHoldsDiff reports whether the dialog itself holds the diff: a title, and below it as many rows as that counts, or the word
// that lines are left out.
func codexHoldsDiff(d *screen.Dialog) bool {
	first := func(is func(line *screen.Line) bool) int {
		return d.LineFrom(d.AskedEnd+1, d.First, func(i int) bool { return d.Lines[i].Kind == screen.Words && is(&d.Lines[i]) })
	}
	title := first(func(line *screen.Line) bool { return line.Col == codexIndent && codexTitle().MatchString(line.Text) })
	if title < 0 || first(func(line *screen.Line) bool { return screen.Starts(line.Text, codexGoesTo) }) >= 0 {
		return false
	}
	return first(func(line *screen.Line) bool { return screen.Starts(line.Text, "[… ") }) > title || codexRead(d, title, d.First-1).whole
}

// codexGoesTo begins a row of a dialog that says what the edit is of.
const codexGoesTo = "Destination: "

// codexDrawn reports whether line i is one with which Codex itself heads a diff: the counts have their colours. No words of the
// model have both.
func codexDrawn(d *screen.Dialog, i int) bool {
	line := &d.Lines[i]
	m := codexTitle().FindStringSubmatch(line.Text)
	if m == nil || m[1] == "" || !d.Coloured() {
		return m != nil && m[1] != ""
	}
	removed := line.End() - len(m[5]) - 2
	added := removed - len(m[4]) - 2
	return slices.Contains([]string{"5;2", "32"}, line.Style(added).Fg) && slices.Contains([]string{"5;1", "31"}, line.Style(removed).Fg)
}

// codexDestinations puts the rows first that say where an edit goes, if there are any, and returns the files.
func codexDestinations(d *screen.Dialog) (files []string) {
	for i := d.AskedEnd + 1; i < d.First; i++ {
		if !d.Mark(i, codexGoesTo) {
			continue
		}
		end := i
		for end+1 < d.First && d.Lines[end+1].Kind == screen.Words && !screen.Starts(d.Lines[end+1].Text, codexGoesTo) {
			end++
		}
		d.Place(screen.Subject, i, end)
		files = append(files, strings.TrimPrefix(strings.Join(d.Texts(i, end), ""), codexGoesTo))
	}
	return files
}

// codexChange is what the rows of a diff say.
type codexChange struct {
	names []string // of the files that it is of, by its own words; nil where those are not as many as it says
	whole bool     // as many rows are there as its title counts
}

// codexRow is a row of a diff: a number, and a sign where it adds a line or takes one away.
var codexRow = lazy.MustCompile(`^(\d+ )(.)`)

// codexRead reads a diff that begins with the title in line i and ends with line last. Of several files each has a title of its own, in the
// column where no row of a diff begins. The signs of one file stand in one column: what goes on in a row below is further right, and may
// look like another.
func codexRead(d *screen.Dialog, i, last int) (c codexChange) {
	title := codexTitle().FindStringSubmatch(d.Lines[i].Text)
	several := codexFiles().FindStringSubmatch(title[3])
	if several == nil {
		c.names = []string{title[3]}
	}
	rows, column := map[string]int{}, 0 // by their signs
	for i++; i <= last; i++ {
		line := &d.Lines[i]
		if m := codexTitle().FindStringSubmatch(line.Text); m != nil && m[2] != "" && line.Col == codexIndent {
			if column = 0; several != nil {
				c.names = append(c.names, m[3])
			}
			continue
		}
		if m := codexRow().FindStringSubmatch(line.Text); m != nil && line.Kind == screen.Words {
			at := line.Col + len(m[1])
			if column == 0 {
				column = at
			}
			if at == column {
				rows[m[2]]++
			}
		}
	}
	c.whole = title[4] == fmt.Sprint(rows["+"]) && title[5] == fmt.Sprint(rows["-"])
	if several != nil && fmt.Sprint(len(c.names)) != several[1] {
		c.names = nil
	}
	return c
}

// codexSame reports whether files are the named ones, by their names.
func codexSame(files, names []string) bool {
	return len(files) == len(names) && !slices.ContainsFunc(files, func(file string) bool { return !codexNames(names, file) })
}

func codexNames(names []string, file string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return codexIs(file, name) })
}

// codexIs reports whether a diff's name may be that of a file, which it gives from the folder on that Codex works in.
func codexIs(file, name string) bool {
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	name = strings.TrimPrefix(name, "~/")
	return file == name || strings.HasSuffix(file, "/"+name)
}

// codexOnly reports whether no other diff of one of the files is above line i, in all that followed the last instruction.
func codexOnly(d *screen.Dialog, i int, files []string) bool {
	for end := i; ; end = i {
		if i = atEdge(d, i); i < 0 {
			return false // it may be above the screen
		}
		line := &d.Lines[i]
		switch {
		case line.Begins("›"):
			return true
		case codexTitle().MatchString(line.Text):
			if names := codexRead(d, i, end-1).names; len(names) == 0 || slices.ContainsFunc(files, func(file string) bool { return codexNames(names, file) }) {
				return false
			}
		case screen.Starts(line.Text, codexDeeds...) && (!d.Coloured() || line.Style(codexIndent).Bold):
			return false // its name may go on in the row below
		}
	}
}
