package nudge

import (
	"fmt"

	"nod/detect"
	"nod/detect/screen"
)

// Addressee is the agent that text is meant for. The text goes to no other.
type Addressee struct {
	detect.Whereabouts
	Session string // the agent's own session, where its events tell it
}

// addresseeOf is the agent that a look shows.
func addresseeOf(s detect.Sighting) Addressee { return Addressee{s.Whereabouts, s.Session} }

// otherAgent says why the agent that a look shows is another one; empty: it is not.
func (to Addressee) otherAgent(s detect.Sighting) string {
	switch {
	case s.State == screen.Gone:
		return "The pane is gone, or is not watched any more."
	case s.State == screen.Shell:
		return fmt.Sprintf("%s has exited.", to.Agent)
	case s.Process != to.Process, s.Agent != to.Agent:
		return "Another agent runs in the pane by now."
	}
	return ""
}

// otherSession says that the agent is in another session; empty: it is not, as far as its events tell.
func (to Addressee) otherSession(s detect.Sighting) string {
	if to.Session == "" || s.Session == "" || to.Session == s.Session {
		return ""
	}
	return fmt.Sprintf("%s has begun another session.", to.Agent)
}
