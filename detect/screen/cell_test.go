package screen

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// TestWidthsAreThoseOfRunewidth: the table of widths is that of the package, which keeps two megabytes of memory to look them up.
func TestWidthsAreThoseOfRunewidth(t *testing.T) {
	ruled := &runewidth.Condition{}
	if *update {
		writeWidths(t, ruled)
		return
	}
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		if got, want := CellsOf(r), ruled.RuneWidth(r); got != want && (r < 0x7f || r > 0x9f) {
			t.Fatalf("%U is %d cells wide, and %d by the rules", r, got, want)
		}
	}
}

func writeWidths(t *testing.T, ruled *runewidth.Condition) {
	var b strings.Builder
	b.WriteString("package screen\n\n// Written by go test ./detect/screen -update. DO NOT EDIT.\n\n" +
		"// widthsFrom are the characters from which on characters are another number of cells wide, which is in the two lowest bits.\n" +
		"var widthsFrom = [...]uint32{")
	n, before := 0, -1
	for r := rune(0); r <= unicode.MaxRune; r++ {
		is := ruled.RuneWidth(r)
		if is == before {
			continue
		}
		if before = is; n%16 == 0 {
			b.WriteString("\n\t")
		} else {
			b.WriteString(" ")
		}
		n++
		fmt.Fprintf(&b, "%#x,", uint32(r)<<2|uint32(is))
	}
	b.WriteString("\n}\n")
	if err := os.WriteFile("widths.go", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
