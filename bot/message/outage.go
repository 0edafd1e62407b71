package message

import (
	"fmt"
	"strings"
	"time"

	"nod/nudge"
)

// outageNames is how many of the open nudges are named.
const outageNames = 5

// Outage says how long Telegram was unreachable and which nudges are still open.
func Outage(open []nudge.Nudge, from, to time.Time, style Style) Outgoing {
	var out Outgoing
	out.Page.Text("📡 nod could not reach Telegram from ").At(from, to, style.Zone).Text(" to ").At(to, to, style.Zone).Text(". ")
	if len(open) == 0 {
		out.Page.Text("Nothing is open.")
		return out
	}
	var names []string
	for _, n := range open[:min(len(open), outageNames)] {
		names = append(names, fmt.Sprintf("#%s %s", n.ID, Of(n, style).Short()))
	}
	if more := len(open) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more: /queue", more))
	}
	list := strings.Join(names, "; ")
	if !strings.HasSuffix(list, "?") && !strings.HasSuffix(list, "…") {
		list += "."
	}
	out.Page.Text("Still open: " + list)
	return out
}
