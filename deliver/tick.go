package deliver

import (
	"context"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
)

// watchTick looks at the pane after the key that ticks a box. Delivered needs two looks in a row that show the same list,
// with that box changed and no other.
func (j *job) watchTick(ctx context.Context, list *screen.Prompt) Result {
	deadline := time.Now().Add(effectTime)
	var stands *screen.Prompt
	proven := 0
	for pause := firstPause; ; pause = nextPause(pause) {
		sleep(ctx, min(pause, time.Until(deadline)))
		s, no := j.look(ctx)
		if no != nil && no.reason == Gone {
			return j.unknownAfter(reason.ThenLost, no)
		}
		stands = promptOf(s)
		if stands != nil && list.OneTick(stands, j.r.Choice.Index) {
			proven++
		} else {
			proven = 0
		}
		if proven == 2 {
			res := j.delivered(reason.BoxShowsIt)
			res.After = stands
			return res
		}
		if !time.Now().Before(deadline) {
			break
		}
	}
	kind := reason.TickUnproven
	if list.SameList(stands) && list.Ticks() == stands.Ticks() {
		kind = reason.ListUnchanged
	}
	res := j.unknown(reason.Why{Kind: kind})
	res.After = stands
	return res
}
