package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/cmd/internal/control"
	"nod/deploy"
	"nod/internal/text/elapsed"
	"nod/internal/words"
)

// hooks reports for each agent that has been used here whether it calls nod, and when it last did. Nothing
// here is Broken: without hooks nod only hears a little later.
func (e *examination) hooks(ctx context.Context) []Finding {
	const check = "hooks"
	at, err := deploy.Here(ctx)
	if err != nil {
		return []Finding{{check, Note, err.Error(), "set HOME"}}
	}
	used := deploy.HooksInUse(at)
	if len(used) == 0 {
		return []Finding{{check, Note, "no agent that has hooks keeps its settings here yet", "after its first start: `nod hooks install`"}}
	}
	var found []Finding
	for _, h := range used {
		found = append(found, e.hook(check, h))
		for _, why := range h.Unasked() {
			found = append(found, Finding{check, Note, h.Agent + ": " + strings.TrimSuffix(words.Why(why), "."), "change it there, unless you want it so"})
		}
	}
	return found
}

func (e *examination) hook(check string, h deploy.Hook) Finding {
	state, err := h.State(e.Program)
	install := "`nod hooks install " + h.Agent + "`"
	switch {
	case err != nil:
		return Finding{check, Note, h.Agent + " has none: " + err.Error(), "nod works without them, a little later; then " + install}
	case state == deploy.NotInstalled:
		return Finding{check, Note, h.Agent + " does not tell nod when it waits, so nod finds out at its next look", install}
	case state == deploy.Outdated:
		return Finding{check, Note, h.Agent + " calls another nod than this one, or on other events", install}
	}
	if h.Older != "" {
		return Finding{check, Note, h.Agent + " calls nod, " + h.Missing(), "update that one, or end it where it runs, then " + install}
	}
	if !e.running.up() {
		return ok(check, "%s calls nod", h.Agent)
	}
	now := time.Now()
	if last, heard := e.running.health.Hooks.Last[h.Agent]; heard {
		return ok(check, "%s calls nod, last %s ago", h.Agent, elapsed.Short(now.Sub(last)))
	}
	up := time.Duration(e.running.health.UptimeMS) * time.Millisecond
	said := fmt.Sprintf("%s is to call nod, and has not since nod started %s ago", h.Agent, elapsed.Short(up))
	if !e.watches(h.Agent) {
		return ok(check, "%s", said)
	}
	return Finding{check, Note, said, "one that was started before its hooks were installed reads them at its next start"}
}

// watches reports whether the running nod sees an agent with that name.
func (e *examination) watches(agent string) bool {
	return slices.ContainsFunc(e.running.panes, func(p control.Pane) bool { return p.Agent == agent })
}
