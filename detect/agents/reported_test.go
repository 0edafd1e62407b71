package agents

import (
	"math/rand/v2"
	"slices"
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

// TestADialogThatNobodyReportedIsTold: an agent that nobody here has run may draw other dialogs than those that other projects published.
// They are told as an unknown agent's are, with no other keys.
func TestADialogThatNobodyReportedIsTold(t *testing.T) {
	for name, shown := range map[string]string{
		"letters in a sentence": " rm -rf build\n\n Press y to approve, n to deny\n",
		"buttons in boxes":      " Run rm -rf build?\n\n ┌─────────┐ ┌────────┐\n │ Approve │ │  Deny  │\n └─────────┘ └────────┘\n",
		"between angles":        " Run rm -rf build?\n\n ‹ Yes ›   No\n",
	} {
		want := Read("nobody", screen.Parse(shown))
		if want.Prompt == nil || !want.State.Asks() {
			t.Fatalf("%s: an unknown agent's is not told", name)
		}
		for _, agent := range []string{"cursor", "kiro-cli", "goose", "amp", "droid"} {
			got := Read(agent, screen.Parse(shown))
			if got.Prompt == nil || got.State != want.State || got.Prompt.Subject != want.Prompt.Subject || !slices.Equal(got.Prompt.Approve, want.Prompt.Approve) || !slices.Equal(got.Prompt.Deny, want.Prompt.Deny) {
				t.Errorf("%s of %s is read as %s, %+v", name, agent, got.State, got.Prompt)
			}
		}
	}
}
