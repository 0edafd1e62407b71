package agents

import (
	"fmt"
	"strings"

	"nod/detect/screen"
)

var kimiQuestions = []string{"question"}

// kimiQuestion is a question of the model, one page of a set, or the page that reviews the answers. Which it is, the row of keys
// right above the closing rule tells: "↑↓ select  1-3 / ↵ toggle  ←/→/tab switch  esc cancel", or, while words are being typed,
// "type answer  ↵ save". A narrow pane cuts it off (kimi/2.1.0-boxes-50x24).
func kimiQuestion(l *screen.Layout, rule int) *screen.Dialog {
	keys := rule - 1
	if keys < 0 || !screen.Starts(l.Lines[keys].Text, "↑↓ select  1", "type answer  ↵ save") {
		return nil
	}
	list, ok := l.Menu(screen.Bracketed | screen.Boxed)
	if !ok || list.Last >= keys {
		return nil
	}
	d, ok := l.Dialog(list, func(s string) bool { return s == l.Lines[keys].Text || kimiBelow(l, rule, s) })
	if !ok || d.End > rule {
		return nil
	}
	d.Footer, d.End = l.Lines[keys].Text, keys
	d.Titles = kimiQuestions
	top := d.LineAbove(func(i int) bool { return l.Lines[i].Kind == screen.Rule && l.Lines[i].Col == l.Lines[rule].Col })
	if d.TopUnseen = top < 0; top >= 0 {
		d.BeginAt(top + 1)
	}
	d.FindQuestion()
	kimiAsk(d)
	return d
}

// kimiAsk says how the question is answered, and reads its page. A number ticks its box wherever the mark is, a colour, but where
// words are being typed it is one of them.
func kimiAsk(d *screen.Dialog) {
	review := screen.Starts(d.Footer, "↑↓ select  1/2 choose  ↵ confirm")
	toggle := screen.Holds(d.Footer, " / ↵ toggle")
	menu := screen.Keys{Digits: true, Enter: true, Leaves: true}
	switch {
	case toggle:
		menu = screen.Keys{Leaves: true, Ticks: "#"}
	case screen.Starts(d.Footer, "type answer"):
		menu = screen.Keys{}
	}
	d.AskUser(menu)
	tabs := kimiTabs(d)
	switch {
	case review:
		d.Name, d.Answers = "ask_user_review", kimiAnswers(d)
		if d.Entries[0].Label == "Submit" && len(d.Answers) == d.Pages {
			d.Submits = 1
		}
		return
	case toggle && screen.Starts(d.Footer, fmt.Sprintf("↑↓ select  1-%d / ", len(d.Entries))):
		kimiBoxes(d)
	}
	if tabs < 0 {
		return
	}
	for i := tabs + 1; i < d.First; i++ {
		if d.Mark(i, "? ") {
			d.Ask(i, d.ParagraphEnd(i))
			d.Question = strings.TrimPrefix(d.Question, "? ")
			return
		}
	}
}

// kimiBoxes numbers the rows of a check list, which print no number, from the first one: the keys tell how many there are. The last one takes words, whatever its
// label. What leads on is proven for a set whose headings are all seen.
func kimiBoxes(d *screen.Dialog) {
	d.NoField = true
	d.OwnBoxes()
	own := &d.Entries[len(d.Entries)-1]
	d.Means = func(e *screen.Entry) screen.Scope {
		if e == own {
			return screen.Text
		}
		return e.OfModel()
	}
	for i := range d.Entries {
		d.Entries[i].Number = i + 1
	}
	switch {
	case d.Pages == 1:
		d.Keys.Sends = []screen.Step{{Key: "Tab", Opens: "kimi.ask_user_review", Reviews: true}}
	case d.Pages > 1:
		d.Keys.Sends = []screen.Step{{Key: "Tab", Last: true}}
	}
}

// kimiTabs is the line of the headings, of which the one that stands has a ground of its own: "(✓) Colour   Sizes    Submit". It
// fills in which page that is; -1 where the line is not seen whole.
func kimiTabs(d *screen.Dialog) int {
	_, head := d.Head()
	for i := head + 1; i < d.First && !d.TopUnseen; i++ {
		line := &d.Lines[i]
		if line.Kind != screen.Words {
			continue
		}
		if !strings.HasSuffix(line.Text, "  Submit") {
			return -1
		}
		d.Place(screen.Subject, i+1, d.First-1)
		d.Page, d.Pages = d.LitTabs(i)
		return i
	}
	return -1
}

// kimiAnswers are the answers on the page that reviews them, each behind an arrow below its question, in the same column as the
// sign of that. What is wrapped stands further right.
func kimiAnswers(d *screen.Dialog) []string {
	var answers []string
	col, going := -1, false
	for i := d.Top; i < d.First; i++ {
		line := &d.Lines[i]
		if col < 0 && line.Begins("Q") {
			col = line.Col
		}
		switch {
		case col < 0 || line.Kind != screen.Words:
			going = false
		case line.Col == col:
			if going = line.Begins("→"); going {
				answers = append(answers, strings.TrimSpace(strings.TrimPrefix(line.Text, "→")))
			}
		case going:
			answers[len(answers)-1] += " " + line.Text
		}
	}
	return answers
}
