package message

import (
	"fmt"
	"time"

	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
	"nod/nudge"
)

// Queue lists what waits, in the queue's own order. Its buttons show one nudge each, and put the
// first behind the others.
func Queue(open []nudge.Nudge, chat int64, seal Sealer, style Style, now time.Time) Outgoing {
	if len(open) == 0 {
		return Outgoing{Page: Sentence("Nothing waits for you.").Page, Keys: Keys{}}
	}
	var out Outgoing
	out.Page.Bold(plural.Of(len(open), "agent waits", "agents wait")).Line()
	out.Page.List(QueueLines(open, style, now))
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

func QueueLines(open []nudge.Nudge, style Style, now time.Time) []string {
	var lines []string
	for _, n := range open {
		line := fmt.Sprintf("#%s %s · waits for %s", n.ID, Of(n, style).Short(), elapsed.Short(now.Sub(n.Detected)))
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
