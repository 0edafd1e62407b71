package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod/detect/screen"
)

func asIs(text string) string { return text }

// hide is a mask that keeps each character's place.
func hide(secret string) func(string) string {
	marks := strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return '•'
	}, secret)
	return func(text string) string { return strings.ReplaceAll(text, secret, marks) }
}

func drawn(t *testing.T, capture string, columns int, mask func(string) string) image.Image {
	t.Helper()
	data, err := Draw(screen.Parse(capture).Rows, columns, mask)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func same(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return true
}

// demo is a screen with colours, a box, wide characters, blocks and what no font has.
const demo = "\x1b[1;36m╭─ 漢字 ────────╮\x1b[0m\n" +
	"\x1b[36m│\x1b[0m rm -rf \x1b[31mbuild\x1b[0m  \x1b[36m│\x1b[0m\n" +
	"\x1b[36m├────────┬──────┤\x1b[0m\n" +
	"\x1b[36m│\x1b[0m 한글 ok\x1b[36m│\x1b[0m\x1b[42;30m yes  \x1b[0m\x1b[36m│\x1b[0m\n" +
	"\x1b[36m╰────────┴──────╯\x1b[0m\n" +
	"╔══╦══╗ ┏━┓ ▁▃▅▇█ ░▒▓\n\x1b[38;5;208m❯\x1b[0m \x1b[7m1. Yes\x1b[0m ✓ ● ⠋ \x1b[2mdim\x1b[0m 🚀 \x1b[38;2;255;0;128mpink\x1b[0m"

func TestTheSecretIsInNoPicture(t *testing.T) {
	plain := drawn(t, "token \x1b[31mgh\x1b[32mp_abc\ndef\x1b[0m end", 40, hide("ghp_abc\ndef"))
	other := drawn(t, "token \x1b[31mxx\x1b[32mxxxxx\nyyy\x1b[0m end", 40, hide("xxxxxxx\nyyy"))
	if !same(plain, other) {
		t.Error("two secrets of one length make two pictures")
	}
}

func hideRow(text string) string { return strings.ReplaceAll(text, "漢字", "••") }

// A mark over a wide character takes both of its columns, so what follows stays where it was.
func TestMaskedWideCharactersKeepTheirColumns(t *testing.T) {
	a, b := drawn(t, "漢字|end", 20, hideRow), drawn(t, "\u3042\u3044|end", 20, func(s string) string { return strings.ReplaceAll(s, "\u3042\u3044", "••") })
	if !same(a, b) {
		t.Error("the pictures differ")
	}
}

func TestAMaskThatMovesRowsDrawsNothing(t *testing.T) {
	for _, mask := range []func(string) string{
		func(string) string { return "short" }, func(s string) string { return s + "\nmore" }, func(s string) string { return strings.Replace(s, "one", "•", 1) },
	} {
		if _, err := Draw(screen.Parse("one\ntwo").Rows, 10, mask); err == nil {
			t.Error("it was drawn")
		}
	}
}

// Lines go from edge to edge of their cells, so that boxes have no gaps.
func TestBoxesHaveNoGaps(t *testing.T) {
	img := drawn(t, "┌──┐\n│  │\n└──┘", 4, asIs)
	f, err := faceFor(widest)
	if err != nil {
		t.Fatal(err)
	}
	is := func(x, y int) bool { r, _, _, _ := img.At(x, y).RGBA(); return uint8(r>>8) == ink.R }
	midX, midY := margin+(f.width-2)/2, margin+(f.height-2)/2
	for x := midX; x < midX+3*f.width; x++ {
		if !is(x, midY) || !is(x, midY+2*f.height) {
			t.Fatalf("a gap at %d", x)
		}
	}
	for y := midY; y < midY+2*f.height; y++ {
		if !is(midX, y) || !is(midX+3*f.width, y) {
			t.Fatalf("a gap at row %d", y)
		}
	}
}

func TestEveryCharacterShowsSomething(t *testing.T) {
	empty := drawn(t, " ", 2, asIs)
	for _, r := range "a─│╭╯┼═╬╱▀▄█▌▐░▘▟✓✗❯●○⏺⠋…漢字かなカナ한글，（🚀é中" {
		if same(empty, drawn(t, string(r), 2, asIs)) {
			t.Errorf("%c shows nothing", r)
		}
	}
}

func TestColours(t *testing.T) {
	for code, want := range map[string]color.RGBA{
		"": {}, "31": basic[1], "97": basic[15], "44": basic[4], "105": basic[13], "5;9": basic[9], "5;16": {0, 0, 0, 255},
		"5;231": {255, 255, 255, 255}, "5;244": {128, 128, 128, 255}, "2;1;2;3": {1, 2, 3, 255}, "2;1;2": {}, "5;999": {}, "x": {}, "39": {},
	} {
		if got := colourOf(code, false); got != want {
			t.Errorf("%q is %v, want %v", code, got, want)
		}
	}
}

// Telegram refuses a picture of which one side is twenty times the other, or both are over 10,000.
func TestEveryPictureCanBeSent(t *testing.T) {
	for _, c := range []string{"", "x", strings.Repeat("x", 2000), strings.Repeat("x\n", 2000), strings.Repeat(strings.Repeat("漢", 400)+"\n", 300)} {
		b := drawn(t, c, 0, asIs).Bounds()
		if long, short := max(b.Dx(), b.Dy()), min(b.Dx(), b.Dy()); long >= 20*short || long+short > 10_000 {
			t.Errorf("%d by %d", b.Dx(), b.Dy())
		}
	}
}

func FuzzDraw(f *testing.F) {
	f.Add(demo, 20)
	f.Add("a\u200b\x1b[48;5;1m   \x1b[0m\u0301", 3)
	f.Fuzz(func(t *testing.T, capture string, columns int) {
		if len(capture) > 2000 {
			t.Skip()
		}
		if _, err := Draw(screen.Parse(capture).Rows, columns%200, asIs); err != nil {
			t.Error(err)
		}
	})
}

// TestShow writes the demo's picture where PICTURE says, to be looked at.
func TestShow(t *testing.T) {
	path := os.Getenv("PICTURE")
	if path == "" {
		t.Skip("PICTURE names no file")
	}
	capture := demo
	if from := os.Getenv("CAPTURE"); from != "" {
		data, err := os.ReadFile(filepath.Clean(from))
		if err != nil {
			t.Fatal(err)
		}
		capture = string(data)
	}
	data, err := Draw(screen.Parse(capture).Rows, 0, asIs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// full is a pane of 200 columns and 60 rows, all of it in use.
func full() string {
	row := "\x1b[31m│\x1b[0m " + strings.Repeat("func \x1b[38;5;208mmain\x1b[0m() { return 漢字 } ", 6) + "\x1b[32m" + strings.Repeat("x", 8) + "│\x1b[0m"
	return strings.Repeat(row+"\n", 60)
}

func BenchmarkDraw(b *testing.B) {
	rows := screen.Parse(full()).Rows
	var size int
	for b.Loop() {
		data, err := Draw(rows, 200, asIs)
		if err != nil {
			b.Fatal(err)
		}
		size = len(data)
	}
	b.ReportMetric(float64(size), "bytes")
}

func BenchmarkDrawAgent(b *testing.B) {
	rows := screen.Parse(strings.Repeat(demo+"\n", 4)).Rows
	for b.Loop() {
		if _, err := Draw(rows, 80, asIs); err != nil {
			b.Fatal(err)
		}
	}
}
