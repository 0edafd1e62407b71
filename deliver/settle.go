package deliver

import (
	"context"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/reason"
)

const (
	// settle is how old a prompt must be before a key. Claude Code swallows keys in the first 0.1 s
	// after it drew its prompt (2.1.329: 6 of 7 keys at up to 0.1 s had no effect, all from 0.15 s on had).
	settle = 150 * time.Millisecond
	// stillness is how long nod waits for a window to hold still where the highlight is a colour.
	stillness = 5 * time.Second
)

// settled waits until the dialog may be trusted with a key: it is old, or two looks 150 ms apart
// agree; and where only a colour tells what the key would choose, the window holds still, since tmux
// can compare text and time but no colours.
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

// byColour reports whether the next key takes the highlighted answer and a colour alone marks it.
// Escape and the keys that move the highlight do not depend on where it stands.
func (at stand) byColour() bool {
	step := at.steps[0]
	moves := !step.Last && step.Opens == ""
	return at.prompt.Colour && !moves && step.Key != "Escape"
}

// old reports whether nothing was drawn in the window for as long as a prompt takes to settle. tmux tells whole seconds: it was drawn
// before the next one began.
func (s *look) old() bool {
	drawn := s.Pane.Activity
	return !drawn.IsZero() && s.taken.Sub(drawn) >= time.Second+settle
}

// still reports whether the second in which the window last drew was over before the look: only
// then does any later output change the activity that the guard compares.
func (s *look) still() bool {
	drawn := s.Pane.Activity
	return !drawn.IsZero() && s.taken.Unix() > drawn.Unix()
}

// pause is how long to wait before the dialog is looked at again.
func (at stand) pause() time.Duration {
	if !at.byColour() {
		return settle
	}
	next := at.taken.Truncate(time.Second).Add(time.Second)
	return max(settle, time.Until(next)+10*time.Millisecond)
}

// guard holds the dialog to its rows, and a coloured highlight to its window's silence. firm asks for
// that silence wherever it can be had: tmux compares a row only with the first one that reads the same, so a row
// with a twin above it is compared by silence alone.
func (at stand) guard(firm bool) tmux.Guard {
	g := at.look.guard(at.prompt.First, at.prompt.Last)
	if at.byColour() || firm && at.still() {
		g.Still = at.Pane.Activity.Unix()
	}
	return g
}
