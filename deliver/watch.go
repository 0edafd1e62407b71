package deliver

import (
	"context"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
)

// effectTime is how long nod watches for the effect of a key.
const effectTime = 5 * time.Second

// watch watches the pane after the key that answers. Delivered needs two looks in a row without any of the
// answered prompts, because a single one may have met a half-drawn screen. said: the answer gave words with
// it.
func (j *job) watch(ctx context.Context, answered map[string]bool, said bool) Result {
	deadline := time.Now().Add(effectTime)
	var shown *screen.Prompt
	var trouble reason.Why
	gone := 0
	for pause := firstPause; ; pause = nextPause(pause) {
		sleep(ctx, min(pause, time.Until(deadline)))
		s, no := j.look(ctx)
		switch {
		case no != nil && no.reason == Gone:
			return j.unknownAfter(reason.ThenLost, no)
		case no != nil:
			gone, shown, trouble = 0, nil, no.why
		case s.Pane.Dead:
			return j.unknown(reason.Why{Kind: reason.ThenEnded})
		case s.reading.State == screen.Overlay:
			// An overlay with keys of its own counts too, such as Kilo's "Reject permission": nothing is
			// answered yet.
			gone, shown, trouble = 0, s.reading.Prompt, reason.Why{Kind: reason.ScreenCovered}
		default:
			shown, trouble = s.reading.Prompt, reason.Why{}
			if shown != nil && answered[shown.Fingerprint] {
				gone = 0
			} else {
				gone++
			}
		}
		if gone == 2 {
			res := j.delivered(reason.PromptGone)
			res.Said, res.After = said, shown
			return res
		}
		if !time.Now().Before(deadline) {
			return j.unseen(shown, trouble)
		}
	}
}

// unseen ends a job whose key showed no effect in time.
func (j *job) unseen(shown *screen.Prompt, trouble reason.Why) Result {
	var res Result
	switch {
	case shown == nil && !trouble.IsZero():
		res = j.unknownAfter(reason.EffectUnseen, &refusal{why: trouble})
	case shown != nil:
		res = j.unknown(reason.Why{Kind: reason.PromptStands})
	default:
		res = j.unknown(reason.Why{Kind: reason.EffectUnsure})
	}
	res.After = shown
	return res
}
