package main

import (
	"strings"
	"testing"
)

func TestTableAlignsAndCuts(t *testing.T) {
	var b strings.Builder
	table(&b, 24, [][]string{{"A", "LONGER", "LAST"}, {"漢字", "x", "the last one is cut here"}, {"a", "", ""}})
	want := "A     LONGER  LAST\n漢字  x       the last …\na\n"
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", b.String(), want)
	}
}
