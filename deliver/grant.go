package deliver

import (
	"context"
	"strings"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Marking a call that an agent's guard denied, so that it is tried again. The command for the agent's own
// list of denied calls goes into its empty input box, and Enter is pressed on the row that shows the very
// call in full. If no row does, Escape leaves the list.

// grant marks the call of the request in the agent's list.
func (j *job) grant(ctx context.Context) Result {
	list := agents.GrantsOf(j.r.Agent)
	if list == nil || string(j.r.Instruction) != list.Opens {
		return j.refused(refuse(NoKey, reason.DenialUnlisted))
	}
	_, ended := j.paste(ctx)
	if ended != nil {
		return *ended
	}
	ctx = context.WithoutCancel(ctx)
	first := -1
	typed, no := j.prove(ctx, func(s *look) (stand, *refusal) {
		if first = list.Offered(screen.Parse(s.Capture)); first < 0 {
			return stand{}, refuse(Changed, reason.TextNotInBox).passes()
		}
		return stand{look: s, prompt: &screen.Prompt{}, steps: []screen.Step{{Key: "Enter", Opens: list.Shape}}}, nil
	})
	if no != nil {
		return j.unsubmitted(no.why, nil)
	}
	if err := j.press(ctx, typed.look, typed.look.guard(first, len(typed.rows)-1), "Enter"); err != nil {
		return j.unsubmitted(unread(err).why, nil)
	}
	open, no := j.prove(ctx, func(s *look) (stand, *refusal) {
		if p := s.reading.Prompt; p != nil && p.Shape == list.Shape {
			return stand{look: s, prompt: p, steps: []screen.Step{{Key: "Escape", Last: true}}}, nil
		}
		return stand{}, refuse(Changed, reason.NotShown).passes()
	})
	if no != nil {
		return j.refused(no)
	}
	res := j.refused(refuse(NoKey, reason.DenialUnlisted))
	if row := rowOf(open, list, j.r.Granted); row >= 0 {
		p := open.prompt
		j.r.Fingerprint, j.r.Rows, j.r.Width, j.r.Choice = p.Fingerprint, p.Rows, p.Width, &Choice{Index: row, Label: p.Options[row].Label}
		res = j.answer(ctx)
	}
	if res.Outcome == Refused {
		j.leave(ctx, list)
		res.Keys = j.typed
	}
	return res
}

// rowOf returns the row of a list that shows a command in full, the newest of equal ones; -1: none. The label
// is also compared with the drawn characters, because reading a row may take one blank for another.
func rowOf(at stand, list *agents.Grants, command string) (row int) {
	row = -1
	read, drawn := 0, 0
	for i, o := range at.prompt.Options {
		if said, whole := list.Command(o.Label); !whole || said != command {
			continue
		}
		if read++; row < 0 {
			row = i
		}
	}
	if row < 0 {
		return -1
	}
	for _, line := range at.rows[at.prompt.First:min(at.prompt.Last+1, len(at.rows))] {
		if strings.Contains(line, at.prompt.Options[row].Label) {
			drawn++
		}
	}
	if drawn != read {
		return -1
	}
	return row
}

// pick returns the keys that mark option i of a list, each of which must be seen to move the mark, and the
// key that takes it.
func pick(p *screen.Prompt, i int) (steps []screen.Step) {
	if p.Highlighted < 0 {
		return nil
	}
	for at := p.Highlighted; at != i; {
		key := "Up"
		if at--; at < i {
			key, at = "Down", at+2
		}
		steps = append(steps, screen.Step{Key: key, Lights: at + 1})
	}
	return append(steps, screen.Step{Key: "Enter", Last: true})
}

// leave closes the list that the request has opened, if it is still open.
func (j *job) leave(ctx context.Context, list *agents.Grants) {
	s, no := j.look(ctx)
	if no != nil || j.barred(s) != nil || s.Pane.InMode || s.reading.Prompt == nil || s.reading.Prompt.Shape != list.Shape {
		return
	}
	p := s.reading.Prompt
	_ = j.press(ctx, s, s.guard(p.First, p.Last), "Escape") // if this fails the list stays open, and nod reports it like any dialog
}
