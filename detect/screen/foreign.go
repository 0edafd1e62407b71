package screen

import (
	"slices"

	"nod/internal/reason"
)

// Foreign is r as a dialog of another program in the agent's terminal, which may have drawn it. None of its keys is proven.
func (r Reading) Foreign(program, agent string) Reading {
	p := *r.Prompt
	p.Agent, p.Shape = program, program+".prompt"
	p.Ways = Ways{AtTerminal: len(p.Options) > 0, Why: reason.Why{Kind: reason.OtherProgram, Agent: agent, What: program}}
	p.Field = Field{}
	p.Options = slices.Clone(p.Options)
	for i := range p.Options {
		p.Options[i].Key = ""
	}
	p.Fingerprint = fingerprint(&p.Content)
	r.Agent, r.State, r.Prompt, r.Composer = program, Question, &p, nil
	r.Why = append([]string{"in the terminal of " + agent + ", " + program + " can draw and read keys too: it may have drawn this"}, r.Why...)
	return r
}

// Program is the program in the agent's terminal that may have drawn the prompt; empty: the agent itself did.
func (w *Ways) Program() string {
	if w.Why.Kind != reason.OtherProgram {
		return ""
	}
	return w.Why.What
}
