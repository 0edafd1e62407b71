package deliver

import (
	"context"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/reason"
)

const (
	// settle is how old a prompt must be before a key. Claude Code swallows keys in the first 0.1 s after it
	// drew its prompt (2.1.329: 6 of 7 keys at up to 0.1 s had no effect, all from 0.15 s on had).
	settle = 150 * time.Millisecond
	// stillness is how long nod waits for a still window if the highlight is only a colour.
	stillness = 5 * time.Second
)

// settled waits until a key may be typed into the dialog: it is old, or two looks 150 ms apart agree. If only
// a colour shows what the key would choose, the window must also be still, because tmux can compare text and
// time but no colours.
func (j *job) settled(ctx context.Context, at stand, judge func(*look) (stand, *refusal)) (stand, *refusal) {
	deadline := time.Now().Add(stillness)
	for looks := 1; ; looks++ {
		if (at.old() || looks > 1) && (!at.byColour() || at.still()) {
			return at, nil
		}
		if time.Now().After(deadline) {
			return stand{}, refuse(Unreadable, reason.ColourUnsteady)
		}
		if !sleep(ctx, at.pause()) {
			return stand{}, refuse(Unreadable, reason.ShutsDown)
		}
		var no *refusal
		if at, no = j.ready(ctx, judge); no != nil {
			return stand{}, no
		}
	}
}

// byColour reports whether the next key takes the highlighted answer and only a colour marks it. Escape and
// the keys that move the highlight work wherever it is.
func (at stand) byColour() bool {
	step := at.steps[0]
	moves := !step.Last && step.Opens == ""
	return at.prompt.Colour && !moves && step.Key != "Escape"
}

// old reports whether nothing was drawn in the window for the time that a prompt takes to settle. tmux
// reports whole seconds, so the drawing may have happened up to a second later.
func (s *look) old() bool {
	drawn := s.Pane.Activity
	return !drawn.IsZero() && s.taken.Sub(drawn) >= time.Second+settle
}

// still reports whether the second in which the window last drew was over before the look. Only then does
// later output always change the activity time that the guard compares.
func (s *look) still() bool {
	drawn := s.Pane.Activity
	return !drawn.IsZero() && s.taken.Unix() > drawn.Unix()
}

// pause is how long to wait before the next look at the dialog.
func (at stand) pause() time.Duration {
	if !at.byColour() {
		return settle
	}
	next := at.taken.Truncate(time.Second).Add(time.Second)
	return max(settle, time.Until(next)+10*time.Millisecond)
}

// guard requires the same rows and, for a coloured highlight, a silent window. firm requires silence wherever
// possible: tmux compares a row only with the first one that reads the same, so a row with an equal one above
// it is protected by silence alone.
func (at stand) guard(firm bool) tmux.Guard {
	g := at.look.guard(at.prompt.First, at.prompt.Last)
	if at.byColour() || firm && at.still() {
		g.Still = at.Pane.Activity.Unix()
	}
	return g
}
