package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Where a pane has no room for a dialog's menu, one of its rows may still show that something is asked. It is told, and answered at the terminal.

// cutOffBy finds a dialog that is known by a row of its agent alone, where no menu of it can be read. Below the row there are none but those
// about keys, and further options.
func cutOffBy(rows ...sign) func(l *screen.Layout) *screen.Dialog {
	return func(l *screen.Layout) *screen.Dialog {
		other := func(i int) bool {
			line := &l.Lines[i]
			return line.Kind == screen.Words && !screen.IsFooter(line.Text) && !numberedRow().MatchString(line.Text)
		}
		for _, row := range rows {
			if at := row.on(l); at >= 0 && l.LineFrom(at+1, len(l.Lines), other) < 0 {
				return cutOff(l, -1, at)
			}
		}
		return nil
	}
}

// numberedRow is a row with an option that has a number.
var numberedRow = lazy.MustCompile(`^\d+\. `)

// cutOffUnder finds a dialog by a row of it where the pane has no room for its menu. Between that row and the lowest one of the screen
// there is nothing that is drawn apart, such as an input box.
func cutOffUnder(row, lowest sign) func(l *screen.Layout) *screen.Dialog {
	return func(l *screen.Layout) *screen.Dialog {
		at, end := row.on(l), lowest.on(l)
		rule := func(i int) bool { return l.Lines[i].Kind == screen.Rule }
		if at < 0 || end < at || l.LineFrom(at, end, rule) >= 0 {
			return nil
		}
		first := at
		for _, f := range l.Frames() {
			if f.Top > at {
				return nil
			}
			if at < f.Bottom {
				first = min(first, f.Top+1)
			}
		}
		return cutOff(l, first, end)
	}
}

// cutOff makes a dialog without a menu of the lines from first to last, of which the last is about it. The rest of it is not on the screen.
func cutOff(l *screen.Layout, first, last int) *screen.Dialog {
	d := l.Typing(first, last, screen.Shape{Name: "cut_off", State: screen.Question, Why: reason.OptionsUnseen}, "")
	d.Doubt(reason.RowsCutOff)
	if row := l.Lines[last].Text; strings.HasSuffix(row, "?") {
		d.AskAs(row)
	}
	return d
}
