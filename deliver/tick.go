package deliver

import (
	"context"
	"time"

	"nod/detect/screen"
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
			return j.unknown("%s; then %s Nothing shows that it was taken.", j.gave(), no.detail)
		}
		stands = promptOf(s)
		if stands != nil && list.OneTick(stands, j.r.Choice.Index) {
			proven++
		} else {
			proven = 0
		}
		if proven == 2 {
			return Result{Outcome: Delivered, Detail: j.gave() + " and the box shows it.", Keys: j.typed, After: stands}
		}
		if !time.Now().Before(deadline) {
			break
		}
	}
	res := j.unknown("%s, and the list does not show that this box alone has changed. Look at pane %s.", j.gave(), j.r.Pane.ID)
	if list.SameList(stands) && list.Ticks() == stands.Ticks() {
		res.Detail = j.gave() + ", and the list stands as it was. Tap it again, or answer in pane " + j.r.Pane.ID + "."
	}
	res.After = stands
	return res
}
