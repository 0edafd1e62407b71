package agents

import (
	"fmt"
	"strings"

	"nod/detect/screen"
)

// qwenAsk is a question of the model, or one page of a set: "? AskUserQuestion Ask user 2 questions ←" heads it, and a row of
// headings with a mark before the one that stands. Space ticks the marked row of a check list, where digits only move the mark;
// Right leads on (0.24.4).
func qwenAsk(d *screen.Dialog) bool {
	head := qwenBegin(d)
	asks := head >= 0 && screen.Starts(d.Lines[head].Text, "? AskUserQuestion") && screen.Holds(d.Footer, "Enter: ", "Esc: Cancel")
	if !asks && !screen.Holds(d.Footer, "Enter: Select", "Space: Toggle") {
		return false
	}
	menu := qwenKeys
	menu.Leaves = screen.Holds(d.Footer, "Esc: Cancel")
	d.AskUser(menu)
	list := d.Name == "ask_user_multi" && screen.Holds(d.Footer, "Space: Toggle")
	d.OwnBoxes()
	tabs := qwenTabs(d, head)
	if tabs < 0 {
		// A list that is the only question has no headings to turn, and Enter sends what is ticked, whatever is marked.
		if list && head >= 0 && screen.Starts(d.Lines[head].Text, "? AskUserQuestion Ask user 1 question") &&
			screen.Holds(d.Footer, "Enter: Confirm") && !screen.Holds(d.Footer, "Switch tabs") {
			d.Keys.Ticks, d.Keys.Sends = "Space", []screen.Step{{Key: "Enter", Last: true}}
		}
		return true
	}
	d.Place(screen.Subject, tabs+1, d.First-1)
	switch {
	case d.Name == "ask_user_review":
		d.Keys.Digits = false // they are dead there, though they are printed
		d.Answers = qwenAnswers(d, tabs)
	case list:
		d.Keys.Ticks, d.Keys.Sends = "Space", []screen.Step{{Key: "Right", Last: true}}
	}
	return true
}

// qwenTabs is the line of the headings, and fills in which page stands; -1 where there is none.
func qwenTabs(d *screen.Dialog, head int) int {
	pages := 0
	if head < 0 {
		return -1
	}
	if _, err := fmt.Sscanf(d.Lines[head].Text, "? AskUserQuestion Ask user %d question", &pages); err != nil {
		return -1
	}
	for i := head + 1; i < d.First; i++ {
		line := &d.Lines[i]
		if line.Kind != screen.Words {
			continue
		}
		before, _, marked := strings.Cut(line.Text, "▸")
		if !marked || !strings.HasSuffix(line.Text, "Submit") {
			return -1
		}
		page := 1
		for heading := range strings.SplitSeq(strings.ReplaceAll(before, "✓", "  "), "  ") {
			if strings.TrimSpace(heading) != "" {
				page++
			}
		}
		if d.Pages = pages; page <= pages {
			d.Page = page
		}
		return i
	}
	return -1
}

// qwenAnswers are the answers on the page that reviews them, a row each: "Sizes: Small, Large".
func qwenAnswers(d *screen.Dialog, tabs int) []string {
	var answers []string
	for i := tabs + 1; i < d.First; i++ {
		if d.Lines[i].Text != "Your answers:" {
			continue
		}
		for i++; i < d.First && d.Lines[i].Kind == screen.Words; i++ {
			if _, answer, ok := strings.Cut(d.Lines[i].Text, ": "); ok {
				answers = append(answers, answer)
			} else {
				return nil // wrapped, so it is not known which row belongs to which
			}
		}
	}
	return answers
}
