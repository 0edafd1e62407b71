package agents

import (
	"fmt"
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Where Codex shows what it is about to change: in the dialog, up to 0.107.0, and later in the transcript above it.
//
//	                                                     • Edited 2 files (+3 -1)             the title of the edit, with its counts
//	                                                       └ main.py (+1 -1)                  of one file of several
//	  Would you like to make the following edits?            1 -print("hello")                a row of the diff: number, sign, text
//	                                                         1 +print("hello, rig")
//	  main.py (+1 -1)                                      └ one.txt (+2 -0)
//	    1 -print("hello")                                    1 +first
//	    1 +print("hello, rig")                               2 +second
//
//	› 1. Yes, proceed (y)                                  Would you like to make the following edits?
//	                                                       Destination: /tmp/proj/main.py     of 0.169.0: what the edit is of
//	                                                       Destination: /tmp/proj/one.txt
//
//	                                                     › 1. Yes, proceed (y)
//
// The transcript has a diff whether the edit is asked about, made or refused, and several that a model asks for at once are there before the
// first of them is asked about, in the order of the questions. 0.130.0 prints it as it is, so that control characters in it draw over what is
// there (codex/0.130.0-edits-hidden-100x40). 0.169.0 draws cell by cell, and lets the model's own words stream in below the diff while the
// question waits (codex/0.169.0-edits-forged-100x40).

// codexTitle is a row that titles a diff, with the counts of its rows: of the whole edit at the left edge of the transcript, of one
// file of several, or of a file in the dialog of older versions.
var codexTitle = lazy.MustCompile(`^(?:(• )(?:Added|Deleted|Edited) |(└ ))?(.+) \(\+(\d+) -(\d+)\)$`)

// codexDeeds begin the title of a whole edit.
var codexDeeds = []string{"• Added ", "• Deleted ", "• Edited "}

// codexFiles is what such a row says of an edit of several files.
var codexFiles = lazy.MustCompile(`^(\d+) files$`)

// codexDiff takes in the diff, unless the dialog itself holds it: from its title down to the question, below the files that the dialog names.
func codexDiff(d *screen.Dialog) string {
	if codexHoldsDiff(d) {
		return ""
	}
	question := d.Asked
	title := atEdge(d, question)
	if title < 0 || !codexDrawn(d, title) {
		top := title + 1
		codexDestinations(d)
		d.Place(screen.Subject, top, question-1)
		d.BeginAt(top)
		d.Doubt(reason.DiffTopUnseen)
		return ""
	}
	d.Mark(title, "• ")
	d.BeginAt(title)
	files, diff := codexDestinations(d), codexRead(d, title, question-1)
	codexDoubts(d, title, files, diff)
	d.Place(screen.Subject, title, question-1)
	if end := d.AboveBlanks(question-1, title); diff.whole && d.Lines[end].Text == "+ Show details" {
		d.Place(screen.Button, end, end) // it is there whether lines are left out or not
	}
	return ""
}

// codexDoubts doubts a diff that may be short, of other files than the dialog names, or not the only one of these.
func codexDoubts(d *screen.Dialog, title int, files []string, diff codexChange) {
	switch {
	case screen.Holds(d.Footer, "to open thread"): // a sentence of 0.169.0's own, never seen on a screen here
		d.Doubt(reason.DiffElsewhere)
	case len(files) == 0:
		d.DoubtOf("Codex", reason.DiffRaw)
	case len(files) != len(diff.names) || slices.ContainsFunc(files, func(file string) bool { return !codexNames(diff.names, file) }):
		d.Doubt(reason.DiffOfAnother)
	case !codexOnly(d, title, files):
		d.Doubt(reason.TwoDiffs)
	}
	if !diff.whole {
		d.Doubt(reason.DiffShort)
	}
}

// codexHoldsDiff reports whether the dialog itself holds the diff: a title, and below it as many rows as that counts, or the word
// that lines are left out.
func codexHoldsDiff(d *screen.Dialog) bool {
	row := func(is func(line *screen.Line) bool) int {
		return d.LineFrom(d.AskedEnd+1, d.First, func(i int) bool { return is(&d.Lines[i]) })
	}
	begins := func(words string) int {
		return row(func(line *screen.Line) bool { return screen.Starts(line.Text, words) })
	}
	title := row(func(line *screen.Line) bool { return line.Col == codexIndent && codexTitle().MatchString(line.Text) })
	if title < 0 || begins(codexGoesTo) >= 0 {
		return false
	}
	return begins("[… ") > title || codexRead(d, title, d.First-1).whole
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
	removed := line.End() - len("-)") - len(m[5])
	added := removed - len("+ ") - len(m[4])
	green, red := []string{"5;2", "32"}, []string{"5;1", "31"}
	return slices.Contains(green, line.Style(added).Fg) && slices.Contains(red, line.Style(removed).Fg)
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

// codexRead reads a diff whose title is in one line and whose last row is in another. Of several files each has a title of its own, in the
// column where no row of a diff begins. The signs of one file are in one column: what goes on in a row below is further right, and may look
// like another.
func codexRead(d *screen.Dialog, title, last int) codexChange {
	head := codexTitle().FindStringSubmatch(d.Lines[title].Text)
	var names []string
	rows, column := map[string]int{}, 0 // how many have a sign, in the column of the file's first
	for i := title + 1; i <= last; i++ {
		line := &d.Lines[i]
		if m := codexTitle().FindStringSubmatch(line.Text); m != nil && m[2] != "" && line.Col == codexIndent {
			names, column = append(names, m[3]), 0
			continue
		}
		m := codexRow().FindStringSubmatch(line.Text)
		if m == nil {
			continue
		}
		at := line.Col + len(m[1])
		if column == 0 {
			column = at
		}
		if at == column {
			rows[m[2]]++
		}
	}
	switch files := codexFiles().FindStringSubmatch(head[3]); {
	case files == nil:
		names = []string{head[3]}
	case files[1] != fmt.Sprint(len(names)):
		names = nil
	}
	return codexChange{names, head[4] == fmt.Sprint(rows["+"]) && head[5] == fmt.Sprint(rows["-"])}
}

// codexNames reports whether one of a diff's names, from the folder on that Codex works in, may be that of a file.
func codexNames(names []string, file string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		for strings.HasPrefix(name, "../") {
			name = name[len("../"):]
		}
		name = strings.TrimPrefix(name, "~/")
		return file == name || strings.HasSuffix(file, "/"+name)
	})
}

// codexOnly reports whether no other diff of one of the files is above the title, in all that followed the last instruction.
func codexOnly(d *screen.Dialog, title int, files []string) bool {
	for end := title; ; end = title {
		if title = atEdge(d, title); title < 0 {
			return false // it may be above the screen
		}
		line := &d.Lines[title]
		switch {
		case codexOrdered(d, line):
			return true
		case codexTitle().MatchString(line.Text):
			names := codexRead(d, title, end-1).names
			again := func(file string) bool { return codexNames(names, file) }
			if len(names) == 0 || slices.ContainsFunc(files, again) {
				return false
			}
		case screen.Starts(line.Text, codexDeeds...) && (!d.Coloured() || line.Style(codexIndent).Bold):
			return false // its name may go on in the row below
		}
	}
}

// codexMarked is the marked answer of a dialog.
var codexMarked = lazy.MustCompile(`^› \d+\. `)

// codexOrdered reports whether a line at the left edge begins what the person told Codex, by the sign in front of it, which is bold, and dim or
// in no colour (codex/0.169.0-patch-80x24). The marked answer of a dialog has the same sign in other colours, and one that was only printed may be anywhere above.
func codexOrdered(d *screen.Dialog, line *screen.Line) bool {
	if !line.Begins("›") || codexMarked().MatchString(line.Text) {
		return false
	}
	style := line.Style(line.Col)
	return !d.Coloured() || style.Bold && !style.Reverse && (style.Dim || style.Fg == "")
}
