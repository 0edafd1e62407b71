package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
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

// TestALongQuestionIsBrokenBetweenWords, and the answer is typed one blank behind it.
func TestALongQuestionIsBrokenBetweenWords(t *testing.T) {
	person, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()
	defer terminal.Close()
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 20}); err != nil {
		t.Fatal(err)
	}
	if _, err := person.WriteString("3\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := New(terminal, terminal, false).Ask(t.Context(), "Which row does it begin with? "); got != "3" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	const want = "Which row does it\r\nbegin with? "
	var shown strings.Builder
	for part := make([]byte, 100); shown.Len() < len("3\r\n"+want); { // the echo of the answer may come alone
		n, err := person.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(part[:n])
	}
	if !strings.Contains(shown.String(), want) {
		t.Errorf("%q; want %q", &shown, want)
	}
}
