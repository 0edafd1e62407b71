package detect

import (
	"fmt"
	"os"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// policyAge is how long what an agent's settings say counts before they are read again.
const policyAge = time.Minute

// policy is what tells, besides the screen and its events, which calls an agent asks about.
type policy struct {
	args    []string // the agent's command line
	settled agents.Settled
	read    time.Time // when its settings were read last
}

// policyOf is that of the process among these.
func policyOf(id proc.ID, foreground []proc.Process) policy {
	for _, p := range foreground {
		if p.ID == id {
			return policy{args: p.Args}
		}
	}
	return policy{}
}

// unasked says why calls of the agent do not come as prompts. known is the session that its events told of; nil: none did.
func (p *agentPane) unasked(known *session, now time.Time) (why []reason.Why) {
	answers := p.project.path == p.info.Path // the disk below that folder does
	if answers && now.Sub(p.policy.read) >= policyAge {
		p.policy.read = now
		home, _ := os.UserHomeDir() // without one its files are not read
		p.policy.settled = p.files.policy(p.info.ID, p.agent, agents.PolicyFiles(p.agent, home, p.info.Path))
	}
	event := ""
	if known != nil {
		event = known.mode
	}
	foot := p.tail
	if p.reading.Prompt != nil {
		foot = nil // the last rows are of what it asks, which anybody may have written
	}
	if mode := agents.Unasked(p.agent, p.policy.args, event, p.policy.settled, foot); !mode.IsZero() {
		why = append(why, mode)
	}
	for _, found := range p.policy.settled.Found {
		if found.Kind == reason.HookMayAsk && p.obeysSilence(known) {
			found.Kind = reason.OnlyHookAsks
		}
		if known == nil || found.Kind != reason.HooksUntrusted { // else its hooks run
			why = append(why, found)
		}
	}
	return why
}

// obeysSilence reports whether the agent is of a version that was proven to draw no dialog where its settings deny what it would ask.
func (p *agentPane) obeysSilence(known *session) bool {
	hooks := agents.HooksOf(p.agent)
	if known == nil || hooks.Guard == nil {
		return false
	}
	version := known.version
	if version == "" && known.transcript != "" {
		version = p.files.version(fmt.Sprint(p.info.ID, p.process), known.transcript, hooks.Version)
	}
	return hooks.Guard.Silent.Takes(version)
}
