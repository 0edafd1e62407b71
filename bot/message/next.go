package message

import (
	"fmt"
	"slices"
	"time"

	"nod/internal/reason"
	"nod/internal/text/elapsed"
	"nod/internal/words"
	"nod/nudge"
)

// Next lists an agent's queue. Its buttons drop an instruction or move one up. A wish has its buttons under
// its own message.
func Next(list []nudge.Placed, wishes []nudge.Wish, title string, chat int64, seal Sealer, style Style, now time.Time) Outgoing {
	if len(list)+len(wishes) == 0 {
		return Outgoing{Page: Sentence("Nothing is queued for " + title + ". While it is at work, /tell adds to its queue.").Page, Keys: Keys{}}
	}
	out := Outgoing{Keys: Keys{}}
	out.Page.Bold("Next for " + title).Line()
	var lines []string
	limited := slices.ContainsFunc(list, func(i nudge.Placed) bool {
		return i.Held.Kind == reason.LimitHolds || i.Held.Kind == reason.GoesAfterLimit
	})
	for _, i := range list {
		text := "“" + Cut(OneLine(style.Redact(i.Line())), lineRoom) + "”"
		if style.Minimal {
			text = "#" + i.ID
		}
		if i.Position == 0 {
			lines = append(lines, "▶ "+text+" · at work for "+elapsed.Short(now.Sub(i.Sent)))
			out.Keys = append(out.Keys, []button{seal.Button("✖ Don't wait for ▶", VerbDrop, i.ID, chat)})
			continue
		}
		if i.AfterLimit {
			text += " · goes on after the limit"
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i.Position, text))
		if !i.Held.IsZero() {
			lines = append(lines, "    held: "+Cut(OneLine(style.Redact(words.Why(i.Held))), lineRoom))
		}
		if i.Position > MaxNext {
			continue
		}
		row := []button{seal.Button(fmt.Sprintf("✖ Drop %d", i.Position), VerbDrop, i.ID, chat)}
		if i.Position > 1 {
			row = append(row, seal.Button(fmt.Sprintf("⬆ Move %d up", i.Position), VerbUp, i.ID, chat))
		}
		if limited && !i.AfterLimit {
			row = append(row, seal.Button(fmt.Sprintf("⏰ %d after the limit", i.Position), VerbOutlast, i.ID, chat))
		}
		out.Keys = append(out.Keys, row)
	}
	for _, w := range wishes {
		text := "“" + Cut(OneLine(style.Redact(w.Text)), lineRoom) + "”"
		if style.Minimal {
			text = "#" + w.ID
		}
		lines = append(lines, "🙏 "+text+" · a wish, waiting for a tap on Send")
	}
	out.Page.List(lines)
	return out
}

// PlaceWords returns an instruction's position in the queue, as a sentence.
func PlaceWords(p nudge.Placed) string {
	if p.Position == 1 {
		return "Queued: it is next."
	}
	return fmt.Sprintf("Queued: number %d.", p.Position)
}

// MaxNext is how many waiting instructions of a pane have buttons.
const MaxNext = 10
