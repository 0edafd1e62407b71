package deliver

import (
	"context"
	"time"

	"nod/detect/screen"
)

// effectTime is how long nod watches for the effect of a key.
const effectTime = 5 * time.Second

// watch looks at the pane after the key that answers. Delivered needs two looks in a row that show
// none of the answered prompts: one alone may have met a screen half drawn. said tells that the answer gave words with it.
func (j *job) watch(ctx context.Context, answered map[string]bool, said bool) Result {
	deadline := time.Now().Add(effectTime)
	var stands *screen.Prompt
	trouble := ""
	gone := 0
	for pause := firstPause; ; pause = nextPause(pause) {
		sleep(ctx, min(pause, time.Until(deadline)))
		s, no := j.look(ctx)
		switch {
		case no != nil && no.reason == Gone:
			return j.unknown("%s; then %s Nothing shows that it was taken.", j.gave(), no.detail)
		case no != nil:
			gone, stands, trouble = 0, nil, no.detail
		case s.Pane.Dead:
			return j.unknown("%s; then the program in pane %s ended. "+
				"Nothing shows that it was taken.", j.gave(), j.r.Pane.ID)
		case s.reading.State == screen.Overlay:
			// Also one with keys of its own, such as Kilo's "Reject permission": nothing is answered yet.
			gone, stands, trouble = 0, s.reading.Prompt, "something covers the screen."
		default:
			stands, trouble = s.reading.Prompt, ""
			if stands != nil && answered[stands.Fingerprint] {
				gone = 0
			} else {
				gone++
			}
		}
		if gone == 2 {
			return Result{Outcome: Delivered, Detail: j.gave() + " and the prompt has gone.", Keys: j.typed, Door: j.door, Said: said, After: stands}
		}
		if !time.Now().Before(deadline) {
			return j.unseen(stands, trouble)
		}
	}
}

// unseen ends a job whose key showed no effect in time.
func (j *job) unseen(stands *screen.Prompt, trouble string) Result {
	var res Result
	switch {
	case stands == nil && trouble != "":
		res = j.unknown("%s, but nod could not see what came of it: "+
			"%s Look at pane %s.", j.gave(), trouble, j.r.Pane.ID)
	case stands != nil:
		res = j.unknown("%s, and the prompt still stands. Look at pane %s, "+
			"or answer the prompt once more.", j.gave(), j.r.Pane.ID)
	default:
		res = j.unknown("%s, "+
			"but the screen did not hold still long enough to tell what came of it. Look at pane %s.", j.gave(), j.r.Pane.ID)
	}
	res.After = stands
	return res
}
