package bot

import (
	"fmt"
	"slices"

	"nod/detect"
	"nod/internal/reason"
	"nod/internal/words"
)

// Unasked tells everybody of an agent that runs anything without asking, once per process. Other agents that
// do not ask are only listed in /status, because they do nothing that nobody has allowed.
func (b *Bot) Unasked(s detect.Sighting) {
	at := slices.IndexFunc(s.Unasked, func(why reason.Why) bool { return why.Kind == reason.RunsUnasked })
	if at < 0 {
		return
	}
	agent := fmt.Sprintf("%d-%d", s.Process.PID, s.Process.Start)
	if !s.Pane.Here() {
		agent = s.Pane.Machine + "/" + agent
	}
	if _, known := b.unasked.LoadOrStore(agent, true); known {
		return
	}
	known, err := b.memory().Unasked()
	if err == nil && slices.Contains(known, agent) {
		return
	}
	if err := b.memory().AddUnasked(agent); err != nil {
		b.cfg.Log.Error("can't record that people know of an agent that does not ask", "error", err)
	}
	style := b.style()
	b.Announce(fmt.Sprintf("⚠ %s (%s), %s", style.Title(s.Agent, s.Name, s.Project), style.Where(s.Where), words.Why(s.Unasked[at])))
}
