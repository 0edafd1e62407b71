package agents

import (
	"strings"

	"nod/detect/screen"
)

// panelPages reads a set of questions: its headings stand in the first row, the one of the page that stands on a ground of its
// own, and Tab leads to the next (opencode 1.18.33, kilo 7.7.9). There a number ticks its box. name is the agent's; empty where
// nothing tells which it is.
func panelPages(d *screen.Dialog, name string) {
	text, head := d.Head()
	if !screen.Holds(d.Footer, "⇆ tab") || !strings.HasSuffix(text, "Confirm") {
		return
	}
	d.Place(screen.Subject, head+1, d.First-1)
	if d.Page, d.Pages = d.LitTabs(head); name == "" || d.Name != "ask_user_multi" || !screen.Holds(d.Footer, "enter toggle") {
		return
	}
	d.OwnBoxes()
	d.Keys.Ticks = "#"
	d.Keys.Sends = []screen.Step{{Key: "Tab", Last: true}}
	if d.Pages == 1 {
		d.Keys.Sends = []screen.Step{{Key: "Tab", Opens: name + ".ask_user_review", Reviews: true}}
	}
}

// panelReviews reads the page that reviews the answers, each behind its heading: "Sizes: Small, Large". Enter sends them.
func panelReviews(d *screen.Dialog) {
	text, head := d.Head()
	if !strings.HasSuffix(text, "Confirm") {
		return
	}
	d.Place(screen.Subject, head+1, d.First-1)
	d.Page, d.Pages = d.LitTabs(head)
	for i := head + 1; i < d.First; i++ {
		line := &d.Lines[i]
		if line.Kind != screen.Words || line.Text == "Review" {
			continue
		}
		end := d.ParagraphEnd(i)
		if _, answer, ok := strings.Cut(d.Paragraph(i, end), ": "); ok {
			d.Answers = append(d.Answers, answer)
		}
		i = end
	}
	if len(d.Answers) == d.Pages && d.Page == 0 {
		d.Keys = screen.Keys{Leaves: true, Sends: []screen.Step{{Key: "Enter", Last: true}}}
	}
}
