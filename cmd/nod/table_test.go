package main

import (
	"strings"
	"testing"
	"time"
)

func TestTableAlignsAndCuts(t *testing.T) {
	var b strings.Builder
	table(&b, 24, [][]string{{"A", "LONGER", "LAST"}, {"漢字", "x", "the last one is cut here"}, {"a", "", ""}})
	want := "A     LONGER  LAST\n漢字  x       the last …\na\n"
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", b.String(), want)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 90 * time.Second: "1m", 2 * time.Hour: "2h",
		125 * time.Minute: "2h5m", 26 * time.Hour: "1d", 23*time.Hour + 10*time.Minute: "23h10m",
	} {
		if got := ago(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
