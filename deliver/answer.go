package deliver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/words"
)

const (
	// redraw is how long a screen may take to show what a key did to it, or to finish drawing.
	redraw = time.Second
	// firstPause and longestPause bound the time between two looks; it grows from one to the other.
	firstPause   = 100 * time.Millisecond
	longestPause = time.Second
	// staleTries is how often a guard that did not hold is built anew, before any key.
	staleTries = 5
	// firmTries is how many of these ask for a silent window where the rows alone would do.
	firmTries = 2
)

// stand is a dialog that is proven to be on the screen, and what to press from there.
type stand struct {
	*scene
	prompt *screen.Prompt
	steps  []screen.Step
}

// answer carries out a decision or a choice: one key at a time, each after a look that proves its
// dialog.
func (j *job) answer(ctx context.Context) Result {
	at, no := j.prove(ctx, j.asked)
	if no != nil {
		return j.refused(no)
	}
	answered := map[string]bool{}
	for tries := 1; ; {
		answered[at.prompt.Fingerprint] = true
		step := at.steps[0]
		if step.Words != "" {
			var ended *Result
			if at, ended = j.say(ctx, at); ended != nil {
				return *ended
			}
		}
		switch err := j.press(ctx, at.scene, at.guard(len(j.typed) == 0 && tries <= firmTries), step.Key); {
		case errors.Is(err, tmux.ErrStale) && len(j.typed) == 0:
			// Most often the dialog moved a row. Nothing was typed, so the proof may begin again.
			if tries++; tries > staleTries {
				return j.refused(refuse(Unreadable, "the prompt stands in pane %s, "+
					"but its screen does not hold still. Answer again, or there.", j.r.Pane.ID))
			}
			if at, no = j.prove(ctx, j.asked); no != nil {
				return j.refused(no)
			}
			continue
		case err != nil:
			return j.failed(err)
		}
		ctx = context.WithoutCancel(ctx)
		switch {
		case step.Ticks:
			return j.watchTick(ctx, at.prompt)
		case step.Last:
			return j.watch(ctx, answered, step.Words != "")
		}
		if at, no = j.prove(ctx, j.after(at)); no != nil {
			return j.halted(ctx, step, answered, no)
		}
	}
}

// halted ends a job whose next key could not be proven. A key that moves a highlight answers
// nothing; one that should have opened a dialog may have answered unless its prompt still stands, or that dialog does.
func (j *job) halted(ctx context.Context, step screen.Step, answered map[string]bool, no *refusal) Result {
	if step.Opens == "" {
		return j.refused(no)
	}
	s, unread := j.look(ctx)
	if p := promptOf(s); step.Reviews && p != nil && p.Shape == step.Opens {
		res := j.refused(no)
		res.After = p
		return res
	}
	if unread == nil && j.r.asksAs(s.reading.Prompt) {
		return j.refused(no)
	}
	if step.Ends && unread == nil && s.reading.Prompt == nil && s.reading.State != screen.Overlay {
		return j.watch(ctx, answered, false)
	}
	res := j.unknown("Typed %s, and the dialog that it should open (%s) did not come: %s", step.Key, step.Opens, no.detail)
	if unread == nil {
		res.After = s.reading.Prompt
	}
	return res
}

// promptOf is the prompt that a look shows; nil: none.
func promptOf(s *scene) *screen.Prompt {
	if s == nil {
		return nil
	}
	return s.reading.Prompt
}

// asked demands the very prompt that the human answered, and finds the keys for the answer.
func (j *job) asked(s *scene) (stand, *refusal) {
	p := s.reading.Prompt
	switch {
	case p == nil && s.reading.State == screen.Overlay:
		return stand{}, refuseForNow(Unreadable, "something covers the prompt in pane %s. "+
			"Close it there and answer again.", j.r.Pane.ID)
	case p == nil:
		return stand{}, refuseForNow(Changed, "the prompt is no longer on the screen of pane %s. "+
			"Look there if it was not you who answered it.", j.r.Pane.ID)
	case !j.r.asksAs(p) && p.Ticks() != "":
		return stand{}, refuse(Changed, "other boxes are ticked in pane %s than you were shown, or it is another list. "+
			"Look at its message again.", j.r.Pane.ID)
	case !j.r.asksAs(p):
		return stand{}, refuse(Changed, "pane %s shows another prompt now (%s). "+
			"Answer the message about that one.", j.r.Pane.ID, p.Shape)
	}
	steps, no := j.steps(p)
	return stand{scene: s, prompt: p, steps: steps}, no
}

// steps are the keys that carry the request out from p.
func (j *job) steps(p *screen.Prompt) ([]screen.Step, *refusal) {
	var steps []screen.Step
	what := fmt.Sprintf("no key is known to %s this prompt", j.r.Decision)
	switch c := j.r.Choice; {
	case c == nil:
		steps = p.Steps(j.r.Decision)
		if with := p.Tell(); len(steps) > 0 && with != nil && j.r.reason() != "" {
			steps = with
		}
	case c.Index < 0 || c.Index >= len(p.Options) || p.Options[c.Index].Label != c.Label:
		return nil, refuse(Changed, "the prompt has no option %d %q now. Answer its newest message.", c.Index+1, c.Label)
	case p.Options[c.Index].Tick != screen.NoBox:
		what = fmt.Sprintf("no key is known to tick %q", c.Label)
		steps = p.Tick(c.Index)
	default:
		what = fmt.Sprintf("no key is known to choose %q", c.Label)
		steps = p.Choose(c.Index)
	}
	if len(steps) > 0 {
		return steps, nil
	}
	if !p.Why.IsZero() {
		what = words.Why(p.Why)
	}
	return nil, refuse(NoKey, "%s. Answer it in pane %s.", sentence(what), j.r.Pane.ID)
}

// after demands what the first step of at must have led to: the dialog that it opens, or the same
// prompt with the highlight nearer to the goal.
func (j *job) after(at stand) func(*scene) (stand, *refusal) {
	step, rest := at.steps[0], at.steps[1:]
	if step.Lights > 0 {
		return func(s *scene) (stand, *refusal) {
			next, no := j.asked(s)
			if no == nil && (next.prompt.Highlighted != step.Lights-1 || !next.prompt.Draws(at.prompt.Rows, at.prompt.Width)) {
				no = refuseForNow(Changed, "the highlight in pane %s did not follow the key %s by one row, alone. Answer it there.", j.r.Pane.ID, step.Key)
			}
			next.steps = rest
			return next, no
		}
	}
	if step.Opens == "" {
		return func(s *scene) (stand, *refusal) {
			next, no := j.asked(s)
			if no == nil && len(next.steps) >= len(at.steps) {
				no = refuseForNow(Changed, "the highlight in pane %s did not follow the key. Answer it there.", j.r.Pane.ID)
			}
			return next, no
		}
	}
	return func(s *scene) (stand, *refusal) {
		p := s.reading.Prompt
		if p == nil || p.Shape != step.Opens {
			return stand{}, refuseForNow(Changed, "the pane does not show it. Look at pane %s.", j.r.Pane.ID)
		}
		if step.Reviews {
			if ticked := at.prompt.Ticked(); !p.Lists(ticked) {
				return stand{}, refuseForNow(Changed, "the answers that it would send are not those that were ticked (%s). "+
					"Look at pane %s, or answer its next message.", strings.Join(ticked, ", "), j.r.Pane.ID)
			}
			rest = p.Steps(screen.Send)
		}
		if len(rest) == 0 {
			return stand{}, refuse(NoKey, "no key is known that goes on from there. Answer it in pane %s.", j.r.Pane.ID)
		}
		return stand{scene: s, prompt: p, steps: rest}, nil
	}
}

// prove looks until judge finds what the next key needs, and then until the screen has rested long
// enough. It asks again only where a screen may still be drawing.
func (j *job) prove(ctx context.Context, judge func(*scene) (stand, *refusal)) (stand, *refusal) {
	return j.proveIn(ctx, redraw, judge)
}

// proveIn is prove where a screen may draw for longer than usual.
func (j *job) proveIn(ctx context.Context, drawing time.Duration, judge func(*scene) (stand, *refusal)) (stand, *refusal) {
	deadline := time.Now().Add(drawing)
	for pause := firstPause; ; pause = nextPause(pause) {
		at, no := j.ready(ctx, judge)
		if no == nil {
			at, no = j.rested(ctx, at, judge)
		}
		if no == nil {
			return at, nil
		}
		if !no.passing || !time.Now().Before(deadline) || !sleep(ctx, pause) {
			return stand{}, no
		}
	}
}

// nextPause lets looks come less often the longer nothing changes.
func nextPause(pause time.Duration) time.Duration { return min(pause*3/2, longestPause) }

// sleep waits for d and reports whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
