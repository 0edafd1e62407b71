package main

import (
	"errors"
	"strings"
	"testing"
)

// TestTheWayToAPaneIsOneWordOfAShell: a session may have any name, and the hint is wrapped at the terminal's edge.
func TestTheWayToAPaneIsOneWordOfAShell(t *testing.T) {
	t.Setenv("TMUX", "")
	for where, want := range map[string]string{"main:0.0": "'main:0.0'", "it's $(id):0.0": "'%7'", "-t:0.0": "'%7'", "a\nb:0.0": "'%7'"} {
		var f *failure
		err := goTo(t.Context(), target{what: "#k3f", pane: "%7", where: where, server: "/run/s"})
		if !errors.As(err, &f) || !strings.HasSuffix(f.hint, " attach -t "+want) {
			t.Errorf("%q: %v, %q", where, err, f.hint)
		}
	}
}
