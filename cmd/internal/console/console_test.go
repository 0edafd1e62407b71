package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestOnlyATypedYesIsInsistedOn: neither Enter nor a yes given in advance counts.
func TestOnlyATypedYesIsInsistedOn(t *testing.T) {
	for typed, want := range map[string]bool{"y\n": true, "YES\n": true, "\n": false, "n\n": false, "perhaps\nyes": true} {
		if got, err := New(strings.NewReader(typed), io.Discard, true).Insist(t.Context(), "Really?"); got != want || err != nil {
			t.Errorf("%q: %v, %v", typed, got, err)
		}
	}
	if yes, err := New(strings.NewReader(""), io.Discard, true).Insist(t.Context(), "Really?"); yes || !errors.Is(err, ErrClosed) {
		t.Errorf("no input: %v, %v", yes, err)
	}
}

// TestAQuestionEndsWithItsContext, even though the read of a terminal goes on.
func TestAQuestionEndsWithItsContext(t *testing.T) {
	in, open := io.Pipe()
	defer open.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(in, io.Discard, false).Ask(ctx, "Who? "); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestOnlyATimeThatGoesOnIsShown: a step that can't be counted shows no time, which would seem to stand still.
func TestOnlyATimeThatGoesOnIsShown(t *testing.T) {
	var out strings.Builder
	c := &Console{out: &out, terminal: true}
	c.Progress("Asking…", 0)
	c.Progress("Waiting…", 3*time.Second)
	if got, want := out.String(), "\r\x1b[KAsking…\r\x1b[KWaiting… 3s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
