package detect

import (
	"os"
	"time"

	"nod/detect/agents"
	"nod/internal/reason"
)

// policyAge is how long an agent's settings count before they are read again.
const policyAge = time.Minute

// policy says, besides the screen and the events, which calls an agent asks about.
type policy struct {
	args []string // the agent's command line
	settled
}

// settled is what an agent's settings say.
type settled struct {
	agents.Settled
	read time.Time // when they were read
}

// unasked says why the agent makes calls without a prompt. known is the session in its events; nil: none.
func (p *agentPane) unasked(known *session, now time.Time) (why []reason.Why) {
	answers := p.project.path == p.info.Path // the disk below that folder answers
	if answers && now.Sub(p.policy.read) >= policyAge {
		home, _ := os.UserHomeDir() // without one its files are not read
		p.policy.settled = p.files.policy(p.info.ID, p.agent, agents.PolicyFiles(p.agent, home, p.info.Path), now)
	}
	event := ""
	if known != nil {
		event = known.mode
	}
	if mode := agents.Unasked(p.agent, p.policy.args, event, p.policy.Settled, p.mode); !mode.IsZero() {
		why = append(why, mode)
	}
	for _, found := range p.policy.Found {
		if found.Kind == reason.HookMayAsk && p.obeysSilence(known) {
			found.Kind = reason.OnlyHookAsks
		}
		if known == nil || found.Kind != reason.HooksUntrusted { // else its hooks run
			why = append(why, found)
		}
	}
	return why
}

// readMode reads the mode that the last rows of the screen show. Below a question they belong to it, and anybody may have written them.
func (p *agentPane) readMode() {
	p.mode = agents.Mode{}
	if p.reading.Prompt == nil {
		p.mode = agents.ModeShown(p.agent, p.tail)
	}
}

// obeysSilence reports whether the agent is of a version that was proven to draw no dialog where its settings deny what it would ask.
func (p *agentPane) obeysSilence(known *session) bool {
	guard := agents.HooksOf(p.agent).Guard
	return known != nil && guard != nil && guard.Silent.Takes(p.files.version(p.agent, p.asker(), known.version, known.transcript))
}
