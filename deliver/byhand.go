package deliver

import (
	"context"
	"strings"

	"nod/internal/reason"
)

// byHand types the keys that a human named, one at a time. It recognises nothing on the screen: the pane must
// only be the same pane and take keys.
func (j *job) byHand(ctx context.Context) Result {
	whatever := func(s *look) (stand, *refusal) { return stand{look: s}, nil }
	for _, key := range j.r.Keys {
		at, no := j.ready(ctx, whatever)
		if no != nil {
			return j.cut(j.refused(no), no.why)
		}
		if err := j.press(ctx, at.look, at.look.guard(0, -1), key); err != nil {
			res := j.failed(err)
			return j.cut(res, res.Detail)
		}
		ctx = context.WithoutCancel(ctx)
	}
	return j.delivered(reason.TypedByHand)
}

// cut reports that only some of the keys were typed. Unlike keys that move a highlight, they may have
// answered anything.
func (j *job) cut(res Result, why reason.Why) Result {
	if res.Outcome != Refused || len(j.typed) == 0 {
		return res
	}
	cause := j.about(why)
	return j.unknown(reason.Why{Kind: reason.StoppedByHand, What: strings.Join(j.typed, " "), Because: &cause})
}
