package bot

import (
	"fmt"
	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
	"nod/nudge"
	"time"
)

// queueMessage lists what waits, in the queue's own order. Its buttons show one nudge each, and put the
// first behind the others.
func queueMessage(open []nudge.Nudge, chat int64, seal sealer, style style, now time.Time) outgoing {
	if len(open) == 0 {
		return outgoing{page: sentence("Nothing waits for you.").page, keys: keys{}}
	}
	var out outgoing
	out.page.bold(plural.Of(len(open), "agent waits", "agents wait")).line()
	out.page.list(queueLines(open, style, now))
	var row []button
	for _, n := range offeredIn(open) {
		if row = append(row, seal.button("👁 #"+n.ID, verbShow, n.ID, chat)); len(row) == 3 {
			out.keys, row = append(out.keys, row), nil
		}
	}
	if len(row) > 0 {
		out.keys = append(out.keys, row)
	}
	if len(open) > 1 && !style.watches {
		out.keys = append(out.keys, []button{seal.button("⏭ Skip #"+open[0].ID, verbSkip, open[0].ID, chat)})
	}
	for _, n := range open {
		if n.TakesYesNo() && !style.watches {
			out.page.line().line().text("Name one to answer it, as in y " + n.ID + ".")
			break
		}
	}
	return out
}

func queueLines(open []nudge.Nudge, style style, now time.Time) []string {
	var lines []string
	for _, n := range open {
		line := fmt.Sprintf("#%s %s · waits for %s", n.ID, newRenderer(n, style).short(), elapsed.Short(now.Sub(n.Detected)))
		if n.Stuck() {
			line += " (stuck)"
		}
		if n.Snoozed.After(now) {
			line += " (snoozed until " + clock(n.Snoozed, now, style.zone) + ")"
		}
		if !n.Skipped.IsZero() {
			line += " (skipped)"
		}
		lines = append(lines, line)
	}
	return lines
}
