package main

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

func TestTableAlignsAndCuts(t *testing.T) {
	var b strings.Builder
	table(&b, 24, [][]string{{"A", "LONGER", "LAST"}, {"漢字", "x", "the last one is cut here"}, {"a", "", ""}})
	want := "A     LONGER  LAST\n漢字  x       the last …\na\n"
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", b.String(), want)
	}
}

// TestALongNameMovesNoOtherColumnAway: anybody can name a session, at any length.
func TestALongNameMovesNoOtherColumnAway(t *testing.T) {
	var b strings.Builder
	long := strings.Repeat("x", 600) + ":0.0"
	table(&b, 80, [][]string{{"PANE", "ID", "PROJECT"}, {long, "%1", "api"}, {strings.Repeat("漢", 300) + ":1.0", "%2", "api"}})
	for line := range strings.Lines(b.String()) {
		if width := runewidth.StringWidth(strings.TrimSpace(line)); width > 80 {
			t.Errorf("it is %d columns wide: %s", width, line)
		}
	}
	for _, want := range []string{"x…", "x:0.0  %1  api", "漢:1.0  %2  api"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
