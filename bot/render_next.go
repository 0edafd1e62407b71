package bot

import (
	"fmt"
	"nod/internal/text/elapsed"
	"nod/nudge"
	"time"
)

// nextMessage lists what waits for an agent. Its buttons drop one, or move one up.
func nextMessage(list []nudge.Placed, title string, chat int64, seal sealer, style style, now time.Time) outgoing {
	if len(list) == 0 {
		return outgoing{page: sentence("Nothing is queued for " + title + ". /tell queues while it is at work.").page, keys: keys{}}
	}
	out := outgoing{keys: keys{}}
	out.page.bold("Next for " + title).line()
	var lines []string
	for _, i := range list {
		text := "“" + cut(oneLine(style.redact(i.Line())), lineRoom) + "”"
		if style.minimal {
			text = "#" + i.ID
		}
		if i.Position == 0 {
			lines = append(lines, "▶ "+text+" · at work for "+elapsed.Short(now.Sub(i.Sent)))
			out.keys = append(out.keys, []button{seal.button("✖ Do not wait for ▶", verbDrop, i.ID, chat)})
			continue
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i.Position, text))
		if i.Held != "" {
			lines = append(lines, "    held: "+cut(oneLine(style.redact(i.Held)), lineRoom))
		}
		if i.Position > maxNext {
			continue
		}
		row := []button{seal.button(fmt.Sprintf("✖ Drop %d", i.Position), verbDrop, i.ID, chat)}
		if i.Position > 1 {
			row = append(row, seal.button(fmt.Sprintf("⬆ Move %d up", i.Position), verbUp, i.ID, chat))
		}
		out.keys = append(out.keys, row)
	}
	out.page.list(lines)
	return out
}

// placeWords says where in the queue an instruction stands.
func placeWords(p nudge.Placed) string {
	if p.Position == 1 {
		return "Queued: it is next."
	}
	return fmt.Sprintf("Queued: number %d.", p.Position)
}

// maxNext is how many of the instructions that wait for a pane have buttons.
const maxNext = 10
