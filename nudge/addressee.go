package nudge

import (
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Addressee is the agent that text is meant for. The text goes to no other.
type Addressee struct {
	detect.Whereabouts
	Session string // the agent's own session, where its events tell it
}

// addresseeOf is the agent that a look shows.
func addresseeOf(s detect.Sighting) Addressee { return Addressee{s.Whereabouts, s.Session} }

// otherAgent is why the agent that a look shows is another one; zero: it is not.
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

// otherSession says that the agent is in another session; zero: it is not, as far as its events tell.
func (to Addressee) otherSession(s detect.Sighting) reason.Why {
	if to.Session == "" || s.Session == "" || to.Session == s.Session {
		return reason.Why{}
	}
	return reason.Why{Kind: reason.OtherSession, Agent: to.Agent}
}
