package deliver

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

const (
	// redraw is how long a screen may take to show the effect of a key, or to finish drawing.
	redraw = time.Second
	// firstPause and longestPause bound the time between two looks, which grows from the first to the second.
	firstPause   = 100 * time.Millisecond
	longestPause = time.Second
	// staleTries is how often a stale guard is built again before any key.
	staleTries = 5
	// firmTries is how many of these tries require a silent window even if the rows alone would do.
	firmTries = 2
)

// stand is a dialog that is proven to be on the screen, and the keys to press there.
type stand struct {
	*look
	prompt *screen.Prompt
	steps  []screen.Step
}

// answer carries out a decision or a choice, one key at a time. A look proves the dialog before each key.
func (j *job) answer(ctx context.Context) Result {
	at, no := j.prove(ctx, j.asked)
	if no != nil {
		return j.refused(no)
	}
	answered := map[string]bool{}
	for tries := 1; ; {
		answered[at.prompt.Fingerprint] = true
		step := at.steps[0]
		if step.Words != "" || step.Takes > 0 {
			var ended *Result
			if at, ended = j.say(ctx, at); ended != nil {
				return *ended
			}
		}
		switch err := j.press(ctx, at.look, at.guard(len(j.typed) == 0 && tries <= firmTries), step.Key); {
		case errors.Is(err, tmux.ErrStale) && len(j.typed) == 0:
			// Most often the dialog moved by a row. Nothing was typed, so the proof may begin again.
			if tries++; tries > staleTries {
				return j.refused(refuse(Unreadable, reason.ScreenUnsteady))
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

// halted ends a job whose next key could not be proven. A key that moves the highlight answers nothing. A key
// that should have opened a dialog may have answered, unless its prompt or that dialog is still on the
// screen.
func (j *job) halted(ctx context.Context, step screen.Step, answered map[string]bool, no *refusal) Result {
	if step.Opens == "" {
		return j.refused(no)
	}
	s, unread := j.look(ctx)
	p := promptOf(s)
	if step.Reviews && p != nil && p.Shape == step.Opens {
		res := j.refused(no)
		res.After = p
		return res
	}
	if j.r.asksAs(p) {
		return j.refused(no)
	}
	if step.Ends && unread == nil && p == nil && s.reading.State != screen.Overlay {
		return j.watch(ctx, answered, false)
	}
	cause := j.about(no.why)
	res := j.unknown(reason.Why{Kind: reason.DialogMissing, Key: step.Key, What: step.Opens, Because: &cause})
	res.After = p
	return res
}

// promptOf returns the prompt in a look; nil: none.
func promptOf(s *look) *screen.Prompt {
	if s == nil {
		return nil
	}
	return s.reading.Prompt
}

// asked requires the very prompt that the human answered, and finds the keys for the answer.
func (j *job) asked(s *look) (stand, *refusal) {
	p := s.reading.Prompt
	switch {
	case p == nil && s.reading.State == screen.Overlay:
		return stand{}, refuse(Unreadable, reason.PromptCovered).passes()
	case p == nil:
		return stand{}, refuse(Changed, reason.PromptLeft).passes()
	case !j.r.asksAs(p) && p.Ticks() != "":
		return stand{}, refuse(Changed, reason.OtherBoxes)
	case !j.r.asksAs(p):
		return stand{}, refuse(Changed, reason.OtherPrompt)
	}
	steps, no := j.steps(p)
	return stand{look: s, prompt: p, steps: steps}, no
}

// steps returns the keys that carry out the request from p.
func (j *job) steps(p *screen.Prompt) ([]screen.Step, *refusal) {
	var steps []screen.Step
	no := refuse(NoKey, reason.NoKeyDecides).naming(string(j.r.Decision))
	switch c := j.r.Choice; {
	case c == nil:
		steps = p.Steps(j.r.Decision)
		if with := p.Tell(); len(steps) > 0 && with != nil && j.r.Because.proven() != "" {
			steps = with
		}
	case c.Index < 0 || c.Index >= len(p.Options) || p.Options[c.Index].Label != c.Label:
		return nil, refuse(Changed, reason.OptionMissing).naming(fmt.Sprintf("%d %q", c.Index+1, c.Label))
	case j.r.Granted != "":
		steps = pick(p, c.Index)
	case !j.r.Answer.IsZero() && p.Typed != "":
		return nil, refuse(Draft, reason.DraftInField)
	case !j.r.Answer.IsZero() && j.r.Answer.proven() == "":
		return nil, refuse(NoKey, reason.WordsOdd)
	case p.Room > 0 && columns(j.r.Answer.proven()) > p.Room:
		return nil, refuse(NoKey, reason.WordsTooLong)
	case !j.r.Answer.IsZero():
		no = refuse(NoKey, reason.TakesNoWords)
		if p.Writes == c.Index+1 {
			steps = p.Write()
		}
	case p.Options[c.Index].Tick != screen.NoBox:
		no = refuse(NoKey, reason.NoKeyTicks).naming(strconv.Quote(c.Label))
		steps = p.Tick(c.Index)
	default:
		no = refuse(NoKey, reason.NoKeyChooses).naming(strconv.Quote(c.Label))
		steps = p.Choose(c.Index)
	}
	if len(steps) > 0 {
		return steps, nil
	}
	if !p.Why.IsZero() {
		cause := p.Why
		no.why = reason.Why{Kind: reason.NoKeyBecause, Because: &cause}
	}
	return nil, no
}

// after requires the effect of the first step of at: the dialog that it opens, or the same prompt with the
// highlight nearer to the goal.
func (j *job) after(at stand) func(*look) (stand, *refusal) {
	step, rest := at.steps[0], at.steps[1:]
	if step.Lights > 0 {
		return func(s *look) (stand, *refusal) {
			next, no := j.asked(s)
			opened := len(rest) == 0 || rest[0].Takes == 0 || no == nil && next.prompt.TextField
			if no == nil && (!opened || next.prompt.Highlighted != step.Lights-1) {
				no = refuse(Changed, reason.LightAstray).naming(step.Key).passes()
			}
			if no != nil && no.reason == NoKey && len(rest) > 0 && rest[0].Takes > 0 {
				no = no.passes() // the mark is drawn first, and the field a moment later (Gemini 0.61.0)
			}
			next.steps = rest
			return next, no
		}
	}
	if step.Opens == "" {
		return func(s *look) (stand, *refusal) {
			next, no := j.asked(s)
			if no == nil && len(next.steps) >= len(at.steps) {
				no = refuse(Changed, reason.LightStays).passes()
			}
			return next, no
		}
	}
	return func(s *look) (stand, *refusal) {
		p := s.reading.Prompt
		if p == nil || p.Shape != step.Opens {
			return stand{}, refuse(Changed, reason.NotShown).passes()
		}
		if step.Reviews {
			if ticked := at.prompt.Ticked(); !p.Lists(ticked) {
				return stand{}, refuse(Changed, reason.OtherAnswers).naming(strings.Join(ticked, ", ")).passes()
			}
			rest = p.Steps(screen.Send)
		}
		if len(rest) == 0 {
			return stand{}, refuse(NoKey, reason.NoKeyOnward)
		}
		return stand{look: s, prompt: p, steps: rest}, nil
	}
}

// prove looks until judge accepts the screen for the next key, and then until the screen has been still long
// enough. It repeats a look only if the screen may still be drawing.
func (j *job) prove(ctx context.Context, judge func(*look) (stand, *refusal)) (stand, *refusal) {
	return j.proveIn(ctx, redraw, judge)
}

// proveIn is prove with another limit for drawing.
func (j *job) proveIn(ctx context.Context, drawing time.Duration, judge func(*look) (stand, *refusal)) (stand, *refusal) {
	deadline := time.Now().Add(drawing)
	for pause := firstPause; ; pause = nextPause(pause) {
		at, no := j.ready(ctx, judge)
		if no == nil {
			at, no = j.settled(ctx, at, judge)
		}
		if no == nil {
			return at, nil
		}
		if !no.passing || !time.Now().Before(deadline) || !sleep(ctx, pause) {
			return stand{}, no
		}
	}
}

// nextPause makes looks less frequent the longer nothing changes.
func nextPause(pause time.Duration) time.Duration { return min(pause*3/2, longestPause) }

// sleep waits for d. It reports false if ctx ended first.
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
