package agents

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nod/detect/screen"
	"nod/internal/text/lazy"
)

// Questions of Gemini's model, and check lists, of which three rows are drawn at a time.

// What Gemini itself puts behind the answers of a check list.
const (
	geminiAll     = "All of the above"
	geminiAllNote = "Select all options"
)

// geminiWindow is how many rows of a check list Gemini draws at a time, whatever the height of the pane (0.61.0).
const geminiWindow = 3

// geminiQuestions: in a set Right leads from a check list, which the numbers of its rows tick, to the page that reviews the answers.
var geminiQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true}, Leaves: "Esc to cancel", Titled: true,
	Headings: screen.Headings{Begins: "← ", Ends: "≡ Review →", Boxes: "□✓"}, // "← ✓ Colour │ □ Sizes │ ≡ Review →"
	Review:   screen.Review{Head: "Review your answers:"},
}

// geminiAsk is a question of the model, or one page of a set.
func geminiAsk(d *screen.Dialog) bool {
	if title, _ := d.Head(); !screen.Starts(title, "Answer Questions") && !screen.Holds(d.Footer, "Enter to select") {
		return false
	}
	q := geminiQuestions
	switch {
	case geminiBoxes(d):
		geminiTicks(d, &q)
	case geminiWhole(d):
		q.Own = &geminiOwnWords
	}
	d.AskSet(&q)
	return true
}

// geminiTicks says how a check list is answered: ticked only where its rows are whole, and sent by itself where it is no page of a set.
func geminiTicks(d *screen.Dialog, q *screen.Questions) {
	q.Keys = screen.Keys{Leaves: true}
	all, answers, whole := geminiList(d)
	if !whole {
		return
	}
	q.Ticks, q.Leads, q.Drawn, q.More = "#", "Right", true, !all
	if !screen.Holds(d.Footer, "switch questions") {
		q.Alone = geminiSends(d.Marked, answers, geminiTicked(d.Entries[:answers]))
	}
}

// geminiOwnWords: the mark on the row for words opens a field; Up leads out of it again. In a set words change the headings (0.61.0).
var geminiOwnWords = screen.OwnWords{Opens: screen.Move, Hint: "Enter a custom value", Alone: true, Lines: 3}

// geminiWhole reports whether the last row that is seen is the last of the list, the one for words, and its field is open where the mark is
// on it: below a part of a list an arrow is in a row of its own.
func geminiWhole(d *screen.Dialog) bool {
	open := screen.Holds(d.Footer, "Enter to submit")
	return d.NextWords(d.Last+1, d.End+1) == d.Last+2 && (open || d.Marked != len(d.Entries)-1)
}

// geminiList reports whether the rows of a check list that are seen are whole, and how many of them are answers. The third row may be
// Gemini's own, all, which ticks all others, and shows where they are: it is left to the terminal, as the row for words is.
func geminiList(d *screen.Dialog) (all bool, answers int, whole bool) {
	answers = len(d.Entries)
	broken := func(e screen.Entry) bool { return e.Gap != 1 || e.Check != "[x]" && e.Check != "[ ]" }
	if answers != geminiWindow || slices.ContainsFunc(d.Entries, broken) {
		return false, 0, false
	}
	last := &d.Entries[answers-1]
	if last.Label != geminiAll || last.Note != geminiAllNote {
		return false, answers, true
	}
	answers--
	if geminiTicked(d.Entries[:answers]) != (last.Check == "[x]") {
		return false, 0, false // so it is an answer of the model's
	}
	last.Check, last.Own = "", true
	return true, answers, true
}

// geminiTicked reports whether all answers are ticked.
func geminiTicked(answers []screen.Entry) bool {
	return !slices.ContainsFunc(answers, func(e screen.Entry) bool { return e.Check != "[x]" })
}

// geminiBoxes reports whether a list has boxes of its own, which are right behind its numbers. Boxes with which a model begins the labels
// of a list are one column further on.
func geminiBoxes(d *screen.Dialog) bool {
	boxes := false
	for i := range d.Entries {
		switch e := &d.Entries[i]; {
		case e.Gap == 1 && (e.Check != "" || screen.Starts(e.Label, "[")): // one is broken where its label is wrapped
			boxes = true
		case e.Check != "":
			e.Label, e.Check = e.Check+" "+e.Label, ""
		}
	}
	return boxes
}

// geminiSends is how a check list with so many answers is sent from its row marked: up over its first row to the last one, which says
// Done, and Enter there. The rows above that show by their numbers that there was no answer more.
func geminiSends(marked, answers int, ticked bool) []screen.Step {
	steps := slices.Repeat([]screen.Step{{Key: "Up"}}, max(marked, 0))
	return append(steps, screen.Step{Key: "Up", Opens: "gemini." + geminiDoneShape(answers, ticked)}, screen.Step{Key: "Enter", Last: true})
}

// geminiDoneShape names the end of a check list by how many answers it has, and whether all of them are ticked.
func geminiDoneShape(answers int, ticked bool) string {
	return fmt.Sprintf("ask_user_done_%d_%t", answers, ticked)
}

// geminiLast are the last rows of a check list, while its mark is on the one that sends it.
var geminiLast = lazy.MustCompile(`^(\d+)\. \[([x ])\] ` + geminiAll + "\n" + geminiAllNote + `\n(\d+)\. \[ \] Enter a custom value\n●  Done\nFinish selection$`)

// geminiScrolled is a check list that was scrolled down, so that it does not begin with its first row: its end, while the mark is on the last
// row, which sends what is ticked; p is nil where words are in the row for them, or anything else is seen.
func geminiScrolled(l *screen.Layout) (p *screen.Prompt, covers bool) {
	d := l.KeysAlone("Enter to select", "Enter to submit")
	if d == nil || !geminiAlone(d) {
		return nil, false
	}
	words := func(i int) bool { return d.Lines[i].Kind == screen.Words }
	last := d.LineAbove(words)
	first, number := d.LineBefore(last, func(i int) bool { return !words(i) })+1, 0
	if _, _ = fmt.Sscanf(strings.TrimPrefix(d.Lines[first].Text, "● "), "%d.", &number); number < 2 {
		return nil, false
	}
	m := geminiLast().FindStringSubmatch(strings.Join(d.Texts(first, last), "\n"))
	if m == nil {
		return nil, true
	}
	n, _ := strconv.Atoi(m[1]) // behind the answers
	if m[3] != fmt.Sprint(n+1) {
		return nil, true
	}
	d.Is(screen.Shape{Name: geminiDoneShape(n-1, m[2] == "x"), State: screen.Overlay, Ask: "Done"})
	return d.Prompt("gemini"), true
}

// geminiAlone reports whether a dialog is the box of a question.
func geminiAlone(d *screen.Dialog) bool {
	title, _ := d.Head()
	return screen.Holds(d.Footer, "Esc to cancel") && d.Frame() != nil && title == "Answer Questions"
}

// geminiWords is the last page of a set, which reviews the answers and sends them by Enter, or a question that takes words.
func geminiWords(d *screen.Dialog) bool {
	if !geminiAlone(d) {
		return false
	}
	at, listed := d.ReviewSet(&geminiQuestions)
	if listed && screen.Holds(d.Footer, "to edit answers") {
		return true
	}
	at = d.NextWords(at+1, d.First)
	d.AskAs(d.Paragraph(at, d.ParagraphEnd(at)))
	d.Is(screen.Shape{Name: "ask_words", State: screen.Question})
	return true
}
