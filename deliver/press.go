package deliver

import (
	"context"
	"errors"
	"fmt"

	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// notBegun is why a request did not begin. No key was or will be typed.
type notBegun struct{ err error }

func (e notBegun) Error() string { return e.err.Error() }

// start records, once, that the request begins.
func (j *job) start() error {
	if j.begun {
		return nil
	}
	if err := j.begin(); err != nil {
		return notBegun{err}
	}
	j.begun = true
	return nil
}

// press types one key into the pane of s, if g still holds.
func (j *job) press(ctx context.Context, s *look, g tmux.Guard, key string) error {
	err := j.typeOnce(ctx, s, func(ctx context.Context) error { return j.keyboard.Press(ctx, g, key) })
	if !safe(err) {
		j.typed = append(j.typed, key)
	}
	return err
}

// typeOnce calls strike, which types, at most once: it is not called again for the same key unless the error
// proves that nothing was typed.
func (j *job) typeOnce(ctx context.Context, s *look, strike func(context.Context) error) error {
	socket := j.r.Pane.Server.Socket
	if ctx.Err() != nil && !j.begun {
		return notBegun{errors.New("it is shutting down")}
	}
	if err := j.start(); err != nil {
		return err
	}
	if j.t.doubted(socket) != s.doubted {
		return fmt.Errorf("the server fell silent after the look: %w", tmux.ErrStale)
	}
	err := strike(context.WithoutCancel(ctx))
	if err != nil && !untouched(err) {
		j.t.doubt(socket)
	}
	return err
}

// safe reports whether err proves that its key was not typed.
func safe(err error) bool {
	var not notBegun
	return errors.As(err, &not) || untouched(err)
}

// failed ends a job whose key failed.
func (j *job) failed(err error) Result {
	var not notBegun
	switch {
	case errors.As(err, &not):
		return j.refused(refuse(Unreadable, reason.TypingUnnoted).naming(not.Error()))
	case !safe(err):
		return j.unknown(reason.Why{Kind: reason.KeyUnsure, Key: j.lastTyped(), What: err.Error()})
	case errors.Is(err, tmux.ErrStale):
		return j.refused(refuse(Changed, reason.ChangedJustNow))
	default:
		return j.refused(unread(err))
	}
}

// lastTyped returns the last typed key; empty: the last was text.
func (j *job) lastTyped() string {
	if len(j.typed) == 0 || j.typed[len(j.typed)-1] == TypedWords {
		return "" // the text
	}
	return j.typed[len(j.typed)-1]
}
