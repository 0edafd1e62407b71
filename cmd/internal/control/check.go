package control

import (
	"slices"

	"nod/detect/screen"
)

// Check is nod's reading of a screen, the result of `nod check --json` and pane.check. Fields of a prompt are
// omitted in other states.
type Check struct {
	Agent string       `json:"agent"`
	State screen.State `json:"state"`
	*Prompt
	Why  []string       `json:"why,omitempty"`
	Rows []screen.Drawn `json:"rows,omitempty"` // of the dialog and around it, each with its role
}

// Prompt is the part of a Check about a question.
type Prompt struct {
	Shape       string          `json:"shape"`
	Question    string          `json:"question"`
	Subject     string          `json:"subject"`
	Partial     bool            `json:"partial"`
	Options     []screen.Option `json:"options"`
	Highlighted *int            `json:"highlighted"` // from 0; null if no row is proven to be highlighted
	Approve     []string        `json:"approve"`
	Deny        []string        `json:"deny"`
	Fingerprint string          `json:"fingerprint"`
}

// CheckOf converts a reading to a Check.
func CheckOf(r screen.Reading) Check {
	result := Check{Agent: r.Agent, State: r.State}
	if r.Prompt == nil || !r.State.Asks() {
		return result
	}
	prompt := r.Prompt
	result.Prompt = &Prompt{
		Shape: prompt.Shape, Question: prompt.Question, Subject: prompt.Subject, Partial: prompt.Partial,
		Options: slices.Concat([]screen.Option{}, prompt.Options), Approve: []string{}, Deny: []string{},
		Fingerprint: prompt.Fingerprint,
	}
	if prompt.Highlighted >= 0 {
		result.Highlighted = &prompt.Highlighted
	}
	if r.State == screen.Permission {
		result.Approve = append(result.Approve, prompt.Approve...)
		result.Deny = append(result.Deny, prompt.Deny...)
	}
	return result
}
