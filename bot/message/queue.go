package message

import (
	"fmt"
	"time"

	"nod/internal/text/elapsed"
	"nod/internal/words"
	"nod/nudge"
)

// Queue lists the open nudges, in the order of the queue. Each has a button that shows it; another button
// skips the first. Denied calls come below them and are decided under their own message.
func Queue(open []nudge.Nudge, denied []nudge.Denials, chat int64, seal Sealer, style Style, now time.Time) Outgoing {
	blocked := deniedLines(denied, style, now)
	if len(open)+len(blocked) == 0 {
		return Outgoing{Page: Sentence("Nothing waits for you.").Page, Keys: Keys{}}
	}
	out := Outgoing{Keys: Keys{}}
	if len(open) > 0 {
		out.Page.Bold(Waits(open)).Line()
		out.Page.List(QueueLines(open, style, now))
	}
	if len(blocked) > 0 {
		if len(open) > 0 {
			out.Page.Line().Line()
		}
		out.Page.Bold("Blocked, and nobody was asked").Line()
		out.Page.List(blocked)
	}
	var row []button
	for _, n := range OfferedIn(open) {
		if row = append(row, seal.Button("👁 #"+n.ID, VerbShow, n.ID, chat)); len(row) == 3 {
			out.Keys, row = append(out.Keys, row), nil
		}
	}
	if len(row) > 0 {
		out.Keys = append(out.Keys, row)
	}
	if len(open) > 1 && !style.Watches {
		out.Keys = append(out.Keys, []button{seal.Button("⏭ Skip #"+open[0].ID, VerbSkip, open[0].ID, chat)})
	}
	for _, n := range open {
		if n.TakesYesNo() && !style.Watches {
			out.Page.Line().Line().Text("Name one to answer it, as in y " + n.ID + ".")
			break
		}
	}
	return out
}

// deniedLines returns the denied calls that somebody may still decide about.
func deniedLines(denied []nudge.Denials, style Style, now time.Time) (lines []string) {
	for _, d := range denied {
		for i, c := range d.Calls {
			if !d.Open(i) {
				continue
			}
			what := "a call"
			if !style.Minimal {
				what = Cut(OneLine(style.Redact(c.Text)), headRoom)
			}
			lines = append(lines, fmt.Sprintf("🚧 #%s %s: %s · for %s", d.ID, style.Title(d.Agent, d.Name, d.Project), what, elapsed.Short(now.Sub(c.At))))
		}
	}
	return lines
}

// Waits returns how many of the open nudges wait for an answer, and how many agents are done.
func Waits(open []nudge.Nudge) string {
	asking, done := 0, 0
	for _, n := range open {
		switch {
		case n.Asks():
			asking++
		case n.TakesInstruction():
			done++
		}
	}
	return words.Waits(asking, done, len(open)-asking-done)
}

// QueueLines returns a line for each open nudge, in the given order.
func QueueLines(open []nudge.Nudge, style Style, now time.Time) []string {
	var lines []string
	for _, n := range open {
		line := fmt.Sprintf("#%s %s · for %s", n.ID, Of(n, style).Short(), elapsed.Short(now.Sub(n.Detected)))
		if n.Asks() {
			line = fmt.Sprintf("#%s %s · waits for %s", n.ID, Of(n, style).Short(), elapsed.Short(now.Sub(n.Detected)))
		}
		if n.Stuck() {
			line += " (stuck)"
		}
		if n.Snoozed.After(now) {
			line += " (snoozed for " + elapsed.Short(n.Snoozed.Sub(now)) + " more)"
		}
		if !n.Skipped.IsZero() {
			line += " (skipped)"
		}
		lines = append(lines, line)
	}
	return lines
}
