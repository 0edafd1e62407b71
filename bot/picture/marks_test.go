package picture

import (
	"image"
	"image/draw"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"nod/detect/screen"
)

// shown is the picture of one row, drawn past the screen's parser, which need not take what is drawn here.
func shown(t *testing.T, text string) image.Image {
	t.Helper()
	f, err := faceFor(widest)
	if err != nil {
		t.Fatal(err)
	}
	row := screen.Row{Text: text}
	cells, before := CellsOf(row, text)
	img := paper(6*f.width+2*margin, f.height+2*margin)
	draw.Draw(img, img.Bounds(), image.NewUniform(ground), image.Point{}, draw.Src)
	p := painter{img: img, face: f}
	p.row(cells, before, row, 6, margin)
	return img
}

// anyOf draws a character of a table.
func anyOf(r *rand.Rand, tables ...*unicode.RangeTable) rune {
	for {
		c := rune(r.IntN(0x20000))
		if r.IntN(2) == 0 {
			c = rune(r.IntN(0x2000)) // where most of the marks are
		}
		if unicode.In(c, tables...) {
			return c
		}
	}
}

// TestNoMarkIsLost draws letters with marks that have no column of their own, in any script. Each shows: as the one letter
// that they make up, as a mark on the letter, or as a sign that something is there.
func TestNoMarkIsLost(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		base := string(anyOf(r, unicode.L, unicode.N, unicode.So, unicode.Sm, unicode.Po))
		if r.IntN(3) == 0 {
			all := []rune("aeiounAEIOUNcsz0 ─か한") // most of what people type
			base = string(all[r.IntN(len(all))])
		}
		mark := string(anyOf(r, unicode.Mn, unicode.Me))
		if m := []rune(mark)[0]; screen.CellsOf(m) != 0 || chooses(m) {
			continue
		}
		alone, marked := shown(t, base), shown(t, base+mark)
		if same(alone, marked) && !alarmed(alone) {
			t.Errorf("seed %d: %q looks like %q", seed, base+mark, base)
		}
		if same(shown(t, base+mark+mark), marked) && !alarmed(marked) {
			t.Errorf("seed %d: the second mark of %q is lost", seed, base+mark+mark)
		}
		if one := norm.NFC.String(base + mark); len([]rune(one)) == 1 && !same(marked, shown(t, one)) && !same(shown(t, one), hollowed(t, one)) {
			t.Errorf("seed %d: %q does not look like %q", seed, base+mark, one)
		}
	}
	if same(shown(t, "e\u0301"), shown(t, "e\u0300")) || !same(shown(t, "e\u0301"), shown(t, "é")) {
		t.Error("an acute e is none")
	}
}

// alarmed reports the sign that something is there which shows nothing.
func alarmed(img image.Image) bool {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if img.At(x, y) == alarm {
				return true
			}
		}
	}
	return false
}

// hollowed is a character as the box that stands for one which no font has.
func hollowed(t *testing.T, text string) image.Image {
	t.Helper()
	return shown(t, strings.Repeat("\U0010fffd", len([]rune(text))))
}

// TestNothingIsLostInSilence draws random characters of all Unicode, wide ones, those without a width, and sequences of emoji:
// each one shows something, wherever it stands.
func TestNothingIsLostInSilence(t *testing.T) {
	hidden := []rune{0x200b, 0x200d, 0x2060, 0xfeff, 0x202e, 0x00ad, 0x180e, 0x3000, 0x115f, 0x2800, 0xe0041, 0xe0100, 0x1160, 0xfe0f}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		before := []string{"", "a", "漢", "👩", "1", "é"}[r.IntN(6)]
		c := anyOf(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
		if r.IntN(2) == 0 {
			c = hidden[r.IntN(len(hidden))]
		}
		if before == "👩" && c == 0xfe0f {
			continue // it asks for the emoji, which it is
		}
		if same(shown(t, before), shown(t, before+string(c))) {
			t.Errorf("seed %d: %U behind %q shows nothing", seed, c, before)
		}
		if after := shown(t, string(c)+"x"); same(after, shown(t, "x")) {
			t.Errorf("seed %d: %U before a letter shows nothing", seed, c)
		}
	}
	for _, sequence := range []string{"👩\u200d💻", "👍🏽", "🇩🇪", "1\u20e3", "🏳\ufe0f\u200d🌈", "❤\ufe0f", "👨\u200d👩\u200d👧"} {
		all := []rune(sequence)
		for i := range all {
			if without := string(all[:i]) + string(all[i+1:]); all[i] != 0xfe0f && same(shown(t, sequence), shown(t, without)) {
				t.Errorf("%q looks like %q", sequence, without)
			}
		}
	}
}

// TestWhatTheEdgeCutsIsSaid draws rows wider than any picture.
func TestWhatTheEdgeCutsIsSaid(t *testing.T) {
	whole, cut := strings.Repeat("x", maxCells), strings.Repeat("x", maxCells)+"; rm -rf build"
	if same(drawn(t, whole, 0, asIs), drawn(t, cut, 0, asIs)) {
		t.Error("what is behind the edge is lost")
	}
}
