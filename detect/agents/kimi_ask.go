package agents

import (
	"fmt"

	"nod/detect/screen"
)

// kimiQuestions: a number ticks its box wherever the mark is, a colour. What leads on is proven for a set whose headings are all seen.
var kimiQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Leaves: true}, Toggles: " / ↵ toggle", Ticks: "#", Leads: "Tab", Opens: "kimi.ask_user_review",
	Headings: screen.Headings{Row: 2, Ends: "  Submit"}, // "(✓) Colour   Sizes    Submit"
	Review:   screen.Review{Foot: "↑↓ select  1/2 choose  ↵ confirm", Sign: 'Q'},
}

// kimiPages is a question of the model, one page of a set, or the page that reviews the answers. The row of keys right above the closing
// rule says which: "↑↓ select  1-3 / ↵ toggle  ←/→/tab switch  esc cancel", or, while words are being typed, "type answer  ↵ save".
// A narrow pane cuts it off (kimi/2.1.0-boxes-50x24).
var kimiPages = asking{
	part: kimiClosed, menu: screen.Bracketed | screen.Boxed, titles: []string{"question"},
	fits: func(l *screen.Layout, d *screen.Dialog) bool {
		above := d.LineAbove(func(i int) bool { return l.Lines[i].Kind == screen.Rule && l.Lines[i].Col == kimiMargin })
		d.BeginIn(above+1, above < 0)
		return screen.Starts(d.Footer, "↑↓ select  1", "type answer  ↵ save")
	},
	shapes: []shape{{fits: kimiAsk}},
}

// kimiAsk says how the question is answered, and reads its page. While words are being typed a number is one of them. The rows of a check
// list print no number: the row of keys says how many there are, and without that none is ticked and nothing sent.
func kimiAsk(d *screen.Dialog) bool {
	q := kimiQuestions
	q.Numbers = screen.Starts(d.Footer, fmt.Sprintf("↑↓ select  1-%d / ↵ toggle", len(d.Entries)))
	if screen.Starts(d.Footer, "type answer") {
		q.Keys = screen.Keys{}
	}
	paged := d.AskSet(&q)
	for i := d.Top; paged && i < d.First; i++ {
		if d.Mark(i, "? ") {
			d.Ask(i, d.ParagraphEnd(i))
			break
		}
	}
	return true
}
