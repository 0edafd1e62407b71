package agents

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nod/detect/screen"
)

// drawnTargets are the permissions drawn by hand that can be approved without consent: those of agents that can't be run here
// among them.
func drawnTargets() []target {
	var all []target
	for _, u := range everyUnseen() {
		c := canvasOf(strings.TrimPrefix(u.shown, "\n"))
		p := Read(u.agent, screen.Parse(c.String())).Prompt
		if p == nil || len(p.Approve) == 0 || p.Partial || strings.Contains(u.name, "over other text") {
			continue // beside a box over other text stands the conversation
		}
		tg := target{agent: u.agent, file: u.name, drawn: c, prompt: p, top: p.First, first: p.Last}
		for i := p.Last; i > p.First; i-- {
			if strings.Contains(rowText(c[i]), p.Options[0].Label) {
				tg.first = i
			}
		}
		for _, row := range c {
			tg.width = max(tg.width, len(row))
		}
		if tg.first > tg.top {
			all = append(all, tg)
		}
	}
	return all
}

// TestApproveNeverUnseenOfReportedAgents is TestApproveNeverUnseen of dialogs that no capture shows.
func TestApproveNeverUnseenOfReportedAgents(t *testing.T) {
	drawn := drawnTargets()
	neverUnseen(t, attacker{rand.New(rand.NewPCG(7, 8)), append(drawn, targets(t)...)}, drawn, 100, 2000)
}
