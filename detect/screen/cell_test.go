package screen

import (
	"testing"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// TestStrictWidthsAreTheWidths: the table that is quick to look up tells the same as the rules that it was made of.
func TestStrictWidthsAreTheWidths(t *testing.T) {
	t.Parallel()
	ruled := &runewidth.Condition{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if got, want := cellWidth.RuneWidth(r), ruled.RuneWidth(r); got != want {
			t.Fatalf("%U is %d cells wide, and %d by the rules", r, got, want)
		}
	}
}
