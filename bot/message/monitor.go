package message

import (
	"fmt"
	"strings"

	"nod/internal/text/plural"
	"nod/nudge"
)

// Monitor shows what a monitor found, and its end.
func Monitor(n nudge.MonitorNews, style Style) Outgoing {
	var out Outgoing
	p := &out.Page
	name := Cut(OneLine(style.Redact(n.Monitor)), NameRoom)
	if style.Host != "" {
		name = style.Host + ": " + name
	}
	switch {
	case n.Ended != "":
		p.Text("🏁 ").Bold(name).Text(" has ended: " + Cut(OneLine(style.Redact(n.Ended)), SentenceRoom))
	default:
		p.Text("📟 ").Bold(name)
	}
	if n.Count > 0 {
		p.Line().Text(plural.Of(n.Count, "line matches", "lines match"))
		if n.Count > len(n.Lines) {
			p.Text(fmt.Sprintf(", the last %d", len(n.Lines)))
		}
		p.Text(":")
	}
	lines := ScreenLines(n.Lines, style)
	if style.Minimal || len(lines) == 0 {
		return out
	}
	shown, _ := LastLines(lines, MaxText-p.Size()-64)
	p.Line().Pre(strings.Join(shown, "\n"))
	return out
}
