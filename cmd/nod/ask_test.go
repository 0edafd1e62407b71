package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"nod/internal/settings"
)

// TestAskTakesWhatItIsAboutFromStandardInput: whoever is asked sees it, and the program gets the answer.
func TestAskTakesWhatItIsAboutFromStandardInput(t *testing.T) {
	h := newHumans(t)
	var out strings.Builder
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), settings.Environment{"NOD_SOCKET": h.socket}, []string{"ask", "May it run?", "--file", "-"},
			streams{strings.NewReader("{\n  \"command\": \"make\"\n}\n"), &out, io.Discard})
	}()
	q := h.question()
	if want := "May it run?\n\n{\n  \"command\": \"make\"\n}"; q.Prompt.Subject != want || q.Prompt.Lead != 1 {
		t.Errorf("asked %q, of which %d lines lead; want %q", q.Prompt.Subject, q.Prompt.Lead, want)
	}
	h.answer(q.ID, "y")
	if code := <-ended; code != 0 || out.String() != "yes\n" {
		t.Errorf("exit %d, printed %q", code, &out)
	}
}

// TestAskIsInterruptedWhileItReads: standard input may stay open for ever.
func TestAskIsInterruptedWhileItReads(t *testing.T) {
	h := newHumans(t)
	in, open := io.Pipe()
	defer open.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var said strings.Builder
	ended := make(chan int)
	go func() {
		ended <- run(ctx, settings.Environment{"NOD_SOCKET": h.socket}, []string{"ask", "May it run?", "--file", "-"}, streams{in, io.Discard, &said})
	}()
	if _, err := open.Write([]byte("{")); err != nil { // it reads
		t.Fatal(err)
	}
	cancel()
	if code := <-ended; code != exitFailed || !strings.Contains(said.String(), "nothing was asked") {
		t.Errorf("exit %d, said %q", code, &said)
	}
	if open, err := h.List(true); err != nil || len(open) > 0 {
		t.Errorf("somebody was asked: %+v, %v", open, err)
	}
}
