// Package await is the client side of calls that block: it waits for a human's answer, for the decision on an
// agent's call, for the end of an instruction, and for the output of a monitor.
package await

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"nod/cmd/internal/control"
	"nod/detect"
	"nod/internal/rpc"
	"nod/nudge"
)

const (
	// withdrawFor is how long an interrupted caller waits for nod to withdraw its question.
	withdrawFor = 3 * time.Second
	// askAgainEvery is the interval at which a caller that lost its nod looks for it.
	askAgainEvery = time.Second
	// lateBy is how long a caller waits after a question's deadline while nod is not running to end it.
	lateBy = 5 * time.Second
)

// Human answers questions through a running nod.
type Human struct {
	Client *rpc.Client
	Down   func(id string) // called at most once per question, if nod is not running while the caller waits
}

// Ask asks a question and waits until it is over. If ctx ends first, it withdraws the question.
func (h Human) Ask(ctx context.Context, params control.AskParams) (control.AskAnswer, error) {
	if dir, err := os.Getwd(); err == nil && params.Project == "" {
		params.Project = detect.ProjectOf(dir, os.Lstat)
	}
	var asked control.Asked
	// This call is not interrupted: a question whose id is unknown here could not be withdrawn.
	if err := h.Client.Call(context.WithoutCancel(ctx), "ask.create", params, &asked); err != nil {
		return control.AskAnswer{}, err
	}
	answer, err := h.answer(ctx, asked, params.Default)
	if ctx.Err() != nil {
		return control.AskAnswer{}, h.withdraw(ctx, asked)
	}
	return answer, err
}

// answer waits until a question is over, even over restarts of nod.
func (h Human) answer(ctx context.Context, asked control.Asked, byDefault string) (control.AskAnswer, error) {
	for said := false; ; {
		var answer control.AskAnswer
		err := h.Client.Wait(ctx, "ask.wait", control.IDParams{ID: asked.ID}, &answer)
		if nudge.State(answer.State) == nudge.Expired {
			answer.Answer = byDefault // whatever another machine's bot says
		}
		switch fault := (*rpc.Fault)(nil); {
		case err == nil && nudge.State(answer.State).Over(), errors.As(err, &fault):
			return answer, err
		case time.Now().After(asked.Expires.Add(lateBy)):
			return control.AskAnswer{Answer: byDefault, State: string(nudge.Expired)}, nil
		case ctx.Err() == nil && !said:
			said = true
			h.Down(asked.ID)
		}
		select {
		case <-ctx.Done():
			return control.AskAnswer{}, ctx.Err()
		case <-time.After(askAgainEvery):
		}
	}
}

// withdraw withdraws a question because its caller was interrupted, and returns an error that says so.
func (h Human) withdraw(ctx context.Context, asked control.Asked) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawFor)
	defer cancel()
	if err := h.Client.Call(ctx, "ask.cancel", control.CancelParams{ID: asked.ID, Key: asked.Key}, nil); err != nil {
		return fmt.Errorf("interrupted, and the question #%s could not be withdrawn: %w", asked.ID, err)
	}
	return fmt.Errorf("interrupted: the question #%s is withdrawn", asked.ID)
}
