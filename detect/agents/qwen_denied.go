package agents

import (
	"strings"

	"nod/detect/screen"
)

const (
	// qwenBlocked begins what is under a call that auto mode blocked (0.24.4), and qwenAdvice what follows the reason there.
	qwenBlocked = "Blocked by auto mode policy: "
	qwenAdvice  = "Do not try to complete the denied action "
	// qwenCancelled is said, in any of its languages, where Escape stops it. A call that was stopped, or got a no, has another mark.
	qwenCancelled  = "Request cancelled."
	qwenCancelMark = '-'
	// qwenResult is the column of a call's result.
	qwenResult = 4
)

// qwenDeniedOn: the row of a call is further left than its result.
func qwenDeniedOn(l *screen.Layout, box int) (d DeniedCalls) {
	begins, said := turnAbove(l, box, qwenIndent, '>')
	d.Turn, d.All = said, begins >= 0
	for i := begins + 1; i < box; i++ {
		line := &l.Lines[i]
		if line.Kind == screen.Words && line.Col == qwenIndent && (line.First() == qwenCancelMark || line.First() == '●' && strings.HasSuffix(line.Text, " "+qwenCancelled)) {
			d.Stops++
		}
		if line.Col != qwenResult || !strings.HasPrefix(line.Text, qwenBlocked) {
			continue
		}
		head := i - 1
		for head > begins && l.Lines[head].Kind == screen.Words && l.Lines[head].Col != qwenIndent {
			head--
		}
		mark, call, _ := strings.Cut(l.Paragraph(max(head, 0), i-1), " ")
		if head < 0 || l.Lines[head].Col != qwenIndent || mark != "x" {
			continue
		}
		reason, _, _ := strings.Cut(strings.TrimPrefix(l.Paragraph(i, l.ParagraphEnd(i)), qwenBlocked), qwenAdvice)
		c := DeniedCall{Verb: "use", Text: call, Reason: strings.TrimSpace(reason), Cut: true}
		_, input, _ := strings.Cut(call, " ")
		if command := textsIn(input)["command"]; command != "" {
			c.Verb, c.Text = "", command
		}
		d.Calls = append(d.Calls, c)
	}
	return d
}
