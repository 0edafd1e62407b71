package bot

import (
	"fmt"
	"strings"

	"nod/internal/text/plural"
	"nod/nudge"
)

// monitorMessage tells what a monitor found, and that it ended.
func monitorMessage(n nudge.MonitorNews, style style) outgoing {
	var out outgoing
	p := &out.page
	name := cut(oneLine(n.Monitor), nameRoom)
	if style.host != "" {
		name = style.host + ": " + name
	}
	switch {
	case n.Ended != "":
		p.text("🏁 ").bold(name).text(" has ended: " + cut(oneLine(style.redact(n.Ended)), sentenceRoom))
	default:
		p.text("📟 ").bold(name)
	}
	if n.Count > 0 {
		p.line().text(plural.Of(n.Count, "line matches", "lines match"))
		if n.Count > len(n.Lines) {
			p.text(fmt.Sprintf(", the last %d", len(n.Lines)))
		}
		p.text(":")
	}
	lines := screenLines(n.Lines, style)
	if style.minimal || len(lines) == 0 {
		return out
	}
	shown, _ := lastLines(lines, maxText-p.size()-64)
	p.line().pre(strings.Join(shown, "\n"))
	return out
}
