package deliver

import (
	"context"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
)

// watchTick watches the pane after the key that ticks a box. Delivered needs two looks in a row with the same
// list and only that box changed.
func (j *job) watchTick(ctx context.Context, list *screen.Prompt) Result {
	deadline := time.Now().Add(effectTime)
	var shown *screen.Prompt
	proven := 0
	for pause := firstPause; ; pause = nextPause(pause) {
		sleep(ctx, min(pause, time.Until(deadline)))
		s, no := j.look(ctx)
		if no != nil && no.reason == Gone {
			return j.unknownAfter(reason.ThenLost, no)
		}
		shown = promptOf(s)
		if shown != nil && list.OneTick(shown, j.r.Choice.Index) {
			proven++
		} else {
			proven = 0
		}
		if proven == 2 {
			res := j.delivered(reason.BoxShowsIt)
			res.After = shown
			return res
		}
		if !time.Now().Before(deadline) {
			break
		}
	}
	kind := reason.TickUnproven
	if list.SameList(shown) && list.Ticks() == shown.Ticks() {
		kind = reason.ListUnchanged
	}
	res := j.unknown(reason.Why{Kind: kind})
	res.After = shown
	return res
}
