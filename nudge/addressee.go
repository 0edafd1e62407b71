package nudge

import (
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Addressee is the only agent that a text may go to.
type Addressee struct {
	detect.Whereabouts
	Session string // the agent's own session, if its events report one
}

// addresseeOf returns the agent in a look.
func addresseeOf(s detect.Sighting) Addressee { return Addressee{s.Whereabouts, s.Session} }

// otherAgent returns why the look does not show the addressee; zero: it does.
func (to Addressee) otherAgent(s detect.Sighting) reason.Why {
	switch {
	case s.State == screen.Gone:
		return reason.Why{Kind: reason.PaneLeft}
	case s.State == screen.Shell:
		return reason.Why{Kind: reason.AgentExited, Agent: to.Agent}
	case s.Process != to.Process, s.Agent != to.Agent:
		return reason.Why{Kind: reason.OtherAgentThere}
	}
	return reason.Why{}
}

// otherSession returns the reason that the agent is in another session; zero: the session is the same, or
// unknown.
func (to Addressee) otherSession(s detect.Sighting) reason.Why {
	if to.Session == "" || s.Session == "" || to.Session == s.Session {
		return reason.Why{}
	}
	return reason.Why{Kind: reason.OtherSession, Agent: to.Agent}
}
