package bot

import (
	"fmt"
	"nod/nudge"
	"strings"
	"time"
)

// outageNames is how many of the nudges that are still open are named.
const outageNames = 5

func outageMessage(open []nudge.Nudge, from, to time.Time, style style) outgoing {
	var out outgoing
	out.page.text(fmt.Sprintf("📡 Telegram was out of reach from %s to %s. ", clock(from, to, style.zone), clock(to, to, style.zone)))
	if len(open) == 0 {
		out.page.text("Nothing is open.")
		return out
	}
	var names []string
	for _, n := range open[:min(len(open), outageNames)] {
		names = append(names, fmt.Sprintf("#%s %s", n.ID, newRenderer(n, style).short()))
	}
	if more := len(open) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more: /queue", more))
	}
	list := strings.Join(names, "; ")
	if !strings.HasSuffix(list, "?") && !strings.HasSuffix(list, "…") {
		list += "."
	}
	out.page.text("Still open: " + list)
	return out
}
