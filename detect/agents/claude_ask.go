package agents

import (
	"strings"

	"nod/detect/screen"
)

// claudeAsking: a digit answers, and ticks a box while the mark stands on one (2.0.54, 2.1.329: on the row that submits digits
// are dead); Escape declines all questions of the set.
var claudeAsking = screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true, Ticks: "#"}

// claudeAsk is the dialog in which the model itself asks, known by what stands below its question, where no command can print: a
// footer that selects, or the two rows that end a set.
func claudeAsk(d *screen.Dialog) bool {
	title, head := d.Head()
	tabs := strings.ContainsAny(title, "☐☒") || screen.Starts(title, "←  ")
	ends := d.Footer == "" && len(d.Entries) == 2 && d.Entries[0].Label == "Submit answers" && d.Entries[1].Label == "Cancel"
	if d.Frame() != nil || !screen.Holds(d.Footer, "Enter to select") && !(tabs && ends) {
		return false
	}
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Check != "" {
			e.Label = e.Check + " " + e.Label
		}
	}
	d.AskUser(claudeAsking)
	d.AnotherHead(d.RuleAtEdge)
	if tabs {
		claudePages(d, head)
	}
	return true
}

// claudePages reads a set of questions, whose headings stand in line head: "←  ☒ Colour  ☐ Sizes  ✔ Submit  →". Tab leads from
// a check list to the next question, and behind the last one to the page that reviews the answers.
func claudePages(d *screen.Dialog, head int) {
	d.Place(screen.Subject, head+1, d.First-1)
	title := d.Lines[head].Text
	if !screen.Starts(title, "← ") || !strings.HasSuffix(title, "✔ Submit  →") {
		return
	}
	d.Page, d.Pages = d.Tabs(head, "☐☒")
	switch {
	case d.Name == "ask_user_review":
		d.Answers = claudeAnswers(d, head)
	case d.Name == "ask_user_multi" && d.Pages == 1:
		d.Keys.Sends = []screen.Step{{Key: "Tab", Opens: "claude.ask_user_review", Reviews: true}}
	case d.Name == "ask_user_multi":
		d.Keys.Sends = []screen.Step{{Key: "Tab", Last: true}}
	}
}

// claudeSubmit reports whether s is the row below the boxes of a check list, which has no number, with or without the mark.
func claudeSubmit(s string) bool {
	s = strings.TrimSpace(strings.TrimPrefix(s, "❯"))
	return s == "Submit" || s == "Next"
}

// claudeSubmits reports whether the mark stands on that row.
func claudeSubmits(d *screen.Dialog) bool {
	for i := d.First; i <= d.End; i++ {
		if line := &d.Lines[i]; line.Begins("❯") && claudeSubmit(line.Text) {
			return true
		}
	}
	return false
}

// claudeAnswers are the answers on the page that reviews them, each behind an arrow below its question. One may be wrapped.
func claudeAnswers(d *screen.Dialog, head int) []string {
	var answers []string
	going := false
	for i := head + 1; i < d.First; i++ {
		line := &d.Lines[i]
		switch {
		case line.Begins("→"):
			answers, going = append(answers, strings.TrimSpace(strings.TrimPrefix(line.Text, "→"))), true
		case line.Kind != screen.Words || line.Begins("●"):
			going = false
		case going:
			answers[len(answers)-1] += " " + line.Text
		}
	}
	return answers
}
