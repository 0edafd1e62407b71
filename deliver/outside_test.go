package deliver

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// outsider is a hook of an agent outside tmux that waits for an answer to the nudge k3f.
type outsider struct {
	*waiting
	typed int // how often Typed was called
}

func newOutsider(t *testing.T) (*outsider, *Typist) {
	p, o := newPane(t, "claude", "claude-bash"), &outsider{waiting: &waiting{doors: &door.Doors{}, e: permission("touch a"), printed: make(chan string, 1)}}
	o.e.Pane = ""
	o.token = o.doors.OpenOutside(o.e, detect.SenderOf([]proc.Process{hook, processes["claude"]}), "k3f", time.Now())
	ctx, cancel := context.WithCancel(t.Context())
	o.hangUp = func() { cancel(); synctest.Wait() }
	go func() {
		defer close(o.printed)
		if text, err := o.doors.Wait(ctx, o.token, o.e.Caller); err == nil {
			o.printed <- text
			o.doors.Printed(o.token, o.e.Caller)
		}
	}()
	synctest.Wait()
	typist := p.typistAt(o.doors)
	typist.cfg.Typed = func(detect.PaneRef) { o.typed++ }
	return o, typist
}

// fromOutside returns a decision about the outsider's call.
func fromOutside(d screen.Decision) Request {
	return Request{Nudge: "k3f", Process: processes["claude"].ID, Agent: "claude", Fingerprint: "f", Decision: d}
}

// TestAHookOutsideGetsOnlyANotedDecision: an option that was chosen is none, and neither is one that can't be recorded, or that comes
// as nod stops. A door that shuts meanwhile takes none.
func TestAHookOutsideGetsOnlyANotedDecision(t *testing.T) {
	for name, c := range map[string]struct {
		change func(o *outsider, r *Request, stop context.CancelFunc)
		begin  func(o *outsider) error
		reason Reason
	}{
		"an option": {change: func(_ *outsider, r *Request, _ context.CancelFunc) {
			r.Decision, r.Choice = "", &Choice{0, "Yes, and don't ask again"}
		}, reason: Gone},
		"while nod stops":  {change: func(_ *outsider, _ *Request, stop context.CancelFunc) { stop() }, reason: Unreadable},
		"the disk is full": {begin: func(*outsider) error { return errors.New("the disk is full") }, reason: Unreadable},
		"its hook ends":    {begin: func(o *outsider) error { o.hangUp(); return nil }, reason: Gone},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, typist := newOutsider(t)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				r := fromOutside(screen.Approve)
				if c.change != nil {
					c.change(o, &r, stop)
				}
				res := typist.Type(ctx, r, func() error {
					if c.begin != nil {
						return c.begin(o)
					}
					return nil
				})
				if res.Outcome != Refused || res.Reason != c.reason || res.Door {
					t.Errorf("%+v", res)
				}
				o.hangUp()
				if text, ok := <-o.printed; ok {
					t.Errorf("printed %q", text)
				}
			})
		})
	}
}

// TestAHookOutsideSaysTheWords, and no pane hears of what was typed.
func TestAHookOutsideSaysTheWords(t *testing.T) {
	for _, words := range []string{"", "use the cache"} {
		synctest.Test(t, func(t *testing.T) {
			o, typist := newOutsider(t)
			r := fromOutside(screen.Deny)
			r.Because = Say(words)
			res := typist.Type(t.Context(), r, func() error { return nil })
			if res.Outcome != Delivered || !res.Door || res.Said != (words != "") || o.typed > 0 {
				t.Errorf("%q: %+v, typed %d", words, res, o.typed)
			}
			o.hangUp()
		})
	}
}

// TestNoHookNoAnswerOutside.
func TestNoHookNoAnswerOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		var began begins
		check(t, p, p.typist().Type(t.Context(), fromOutside(screen.Approve), began.begin), began, want{outcome: Refused, reason: Gone})
	})
}
