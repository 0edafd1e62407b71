package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"sync"

	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"github.com/hajimehoshi/bitmapfont/v3"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// face draws characters for cells of one size. It is for one picture at a time.
type face struct {
	width, height int // of a cell
	base          int // from a cell's top to the baseline
	plain, bold   font.Face
	plainHas      func(rune) bool
	glyphs        map[glyphKey]glyph
}

type glyphKey struct {
	char  rune
	marks string
	bold  bool
	width int
}

// glyph is the shape of a character with its marks; whole: all marks are visible.
type glyph struct {
	mask  *image.Alpha
	whole bool
}

var parsed = sync.OnceValues(func() (fonts [2]*sfnt.Font, err error) {
	for i, data := range [][]byte{dejavusansmono.TTF, dejavusansmonobold.TTF} {
		if fonts[i], err = opentype.Parse(data); err != nil {
			return fonts, fmt.Errorf("read the built-in font: %w", err)
		}
	}
	return fonts, nil
})

// faceFor makes the face for cells of that width in pixels. A letter of DejaVu Sans Mono is 0.602 of its size
// wide.
func faceFor(width int) (*face, error) {
	fonts, err := parsed()
	if err != nil {
		return nil, err
	}
	f := &face{width: width, glyphs: map[glyphKey]glyph{}}
	options := &opentype.FaceOptions{Size: float64(width) / 0.602, DPI: 72, Hinting: font.HintingFull}
	for i, into := range []*font.Face{&f.plain, &f.bold} {
		if *into, err = opentype.NewFace(fonts[i], options); err != nil {
			return nil, fmt.Errorf("use the built-in font: %w", err)
		}
	}
	m := f.plain.Metrics()
	f.height, f.base = m.Ascent.Ceil()+m.Descent.Ceil(), m.Ascent.Ceil()
	var buffer sfnt.Buffer
	f.plainHas = func(r rune) bool {
		i, err := fonts[0].GlyphIndex(&buffer, r)
		return err == nil && i != 0
	}
	return f, nil
}

// glyph returns the shape of a character with its marks in a cell of that width. Characters that the font
// lacks, mostly Chinese, Japanese and Korean, come from an enlarged pixel font. If that lacks one too, it is
// a hollow box.
func (f *face) glyph(char rune, marks string, bold bool, width int) glyph {
	key := glyphKey{char, marks, bold, width}
	if g, ok := f.glyphs[key]; ok {
		return g
	}
	char, rest := f.composed(char, marks)
	g := glyph{f.character(char, bold, width), true}
	for _, mark := range rest {
		g.whole = f.mark(g.mask, mark, bold) && g.whole
	}
	f.glyphs[key] = g
	return g
}

// composed returns the single Unicode character for a character and its first marks, if a font has it, and
// the remaining marks.
func (f *face) composed(char rune, marks string) (one rune, rest []rune) {
	if marks != "" {
		if all := []rune(norm.NFC.String(string(char) + marks)); f.has(all[0]) {
			return all[0], all[1:]
		}
	}
	return char, []rune(marks)
}

// has reports whether a font has a character.
func (f *face) has(char rune) bool {
	_, _, _, advance, ok := bitmapfont.Face.Glyph(fixed.P(0, 0), char)
	return f.plainHas(char) || ok && advance > 0
}

func (f *face) face(bold bool) font.Face {
	if bold {
		return f.bold
	}
	return f.plain
}

// character returns the shape of a character alone.
func (f *face) character(char rune, bold bool, width int) *image.Alpha {
	g := image.NewAlpha(image.Rect(0, 0, width, f.height))
	if like, ok := likeness[char]; ok {
		char = like
	}
	if f.plainHas(char) {
		write(g, f.face(bold), char, width, f.base)
	} else {
		f.pixels(g, char)
	}
	for i, a := range g.Pix {
		g.Pix[i] = shaded(a)
	}
	if char > ' ' && inked(g).Empty() {
		hollow(g)
	}
	return g
}

// mark draws a mark over a character, higher over a tall one. It reports whether the mark is visible.
func (f *face) mark(g *image.Alpha, mark rune, bold bool) bool {
	if !f.plainHas(mark) {
		return false
	}
	m := image.NewAlpha(g.Bounds())
	write(m, f.face(bold), mark, g.Bounds().Dx(), f.base)
	up, of, on := 0, inked(m), inked(g)
	if above := of.Max.Y <= f.base-f.height/3; above && !on.Empty() {
		up = min(max(of.Max.Y-on.Min.Y, 0), of.Min.Y)
	}
	shows := false
	for i := range g.Pix {
		if from := i + up*g.Stride; from < len(m.Pix) && shaded(m.Pix[from]) > g.Pix[i] {
			g.Pix[i], shows = shaded(m.Pix[from]), true
		}
	}
	return shows
}

// inked returns the part of a shape that has any drawing.
func inked(g *image.Alpha) (r image.Rectangle) {
	for i, a := range g.Pix {
		if a >= shade {
			at := image.Pt(i%g.Stride, i/g.Stride)
			r = r.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
		}
	}
	return r
}

// shaded returns the nearest shade.
func shaded(a uint8) uint8 {
	if a >= 255-shade/2 {
		return 255
	}
	return a / shade * shade
}

// shade is the step between the shades of a letter's edge. Few shades keep the picture's palette small.
const shade = 48

// likeness maps agents' characters that no font here has to similar ones.
var likeness = map[rune]rune{'⏺': '●', '⏸': '‖', '⏵': '▶', '⬝': '·', '✨': '✦', '⬢': '⬣', '⬡': '⬠'}

// write draws a character centred in g, on the baseline.
func write(g *image.Alpha, from font.Face, char rune, width, base int) {
	advance, _ := from.GlyphAdvance(char)
	left := max(0, (width-advance.Round())/2)
	d := font.Drawer{Dst: g, Src: image.Opaque, Face: from, Dot: fixed.P(left, base)}
	d.DrawString(string(char))
}

// pixels draws a character of the pixel font, if it has it, as large as fits.
func (f *face) pixels(g *image.Alpha, char rune) {
	small := bitmapfont.Face
	_, mask, at, advance, ok := small.Glyph(fixed.P(0, 0), char)
	if !ok || advance == 0 {
		return
	}
	size := mask.Bounds().Size()
	columns := advance.Round()
	for y := range g.Bounds().Dy() {
		for x := range g.Bounds().Dx() {
			from := image.Pt(x*columns/g.Bounds().Dx(), y*pixelRows/g.Bounds().Dy())
			if from.X >= size.X || from.Y >= size.Y {
				continue
			}
			if _, _, _, a := mask.At(at.X+from.X, at.Y+from.Y).RGBA(); a > 0 {
				g.SetAlpha(x, y, color.Alpha{A: 255})
			}
		}
	}
}

// pixelRows is the height of the pixel font.
const pixelRows = 16

// hollow draws the box for a character that no font has.
func hollow(g *image.Alpha) {
	b := g.Bounds().Inset(2)
	inner := b.Inset(1)
	draw.Draw(g, b, image.Opaque, image.Point{}, draw.Src)
	draw.Draw(g, inner, image.Transparent, image.Point{}, draw.Src)
}
