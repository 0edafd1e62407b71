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
)

// face draws characters for cells of one size. It is for one picture at a time.
type face struct {
	width, height int // of a cell
	base          int // from a cell's top to the line that letters stand on
	plain, bold   font.Face
	plainHas      func(rune) bool
	glyphs        map[glyphKey]*image.Alpha
}

type glyphKey struct {
	char  rune
	bold  bool
	width int
}

var parsed = sync.OnceValues(func() (fonts [2]*sfnt.Font, err error) {
	for i, data := range [][]byte{dejavusansmono.TTF, dejavusansmonobold.TTF} {
		if fonts[i], err = opentype.Parse(data); err != nil {
			return fonts, fmt.Errorf("read the built-in font: %w", err)
		}
	}
	return fonts, nil
})

// faceFor makes the face for cells so many pixels wide. A letter of DejaVu Sans Mono is 0.602 of its size wide.
func faceFor(width int) (*face, error) {
	fonts, err := parsed()
	if err != nil {
		return nil, err
	}
	f := &face{width: width, glyphs: map[glyphKey]*image.Alpha{}}
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

// glyph is the shape of a character in a cell of that width. What the font lacks comes from a font of pixels, made
// larger: those are mostly Chinese, Japanese and Korean. What that lacks too is a hollow box.
func (f *face) glyph(char rune, bold bool, width int) *image.Alpha {
	key := glyphKey{char, bold, width}
	if g := f.glyphs[key]; g != nil {
		return g
	}
	g := image.NewAlpha(image.Rect(0, 0, width, f.height))
	if like, ok := likeness[char]; ok {
		char = like
	}
	switch {
	case f.plainHas(char):
		from := f.plain
		if bold {
			from = f.bold
		}
		write(g, from, char, width, f.base)
	case !f.pixels(g, char):
		hollow(g)
	}
	for i, a := range g.Pix {
		g.Pix[i] = a / shade * shade
		if a >= 255-shade/2 {
			g.Pix[i] = 255
		}
	}
	f.glyphs[key] = g
	return g
}

// shade is the step between the shades of a letter's edge: few of them keep the picture's colours few.
const shade = 48

// likeness are characters of agents that no font here has, and what looks like them.
var likeness = map[rune]rune{'⏺': '●', '⏸': '‖', '⏵': '▶', '⬝': '·', '✨': '✦', '⬢': '⬣', '⬡': '⬠'}

// write draws a character in the middle of g, on its line.
func write(g *image.Alpha, from font.Face, char rune, width, base int) {
	advance, _ := from.GlyphAdvance(char)
	left := max(0, (width-advance.Round())/2)
	d := font.Drawer{Dst: g, Src: image.Opaque, Face: from, Dot: fixed.P(left, base)}
	d.DrawString(string(char))
}

// pixels draws a character of the font of pixels as large as fits, and reports whether that has it.
func (f *face) pixels(g *image.Alpha, char rune) bool {
	small := bitmapfont.Face
	_, mask, at, advance, ok := small.Glyph(fixed.P(0, 0), char)
	if !ok || advance == 0 {
		return false
	}
	size := mask.Bounds().Size()
	columns := advance.Round()
	shows := false
	for y := range g.Bounds().Dy() {
		for x := range g.Bounds().Dx() {
			from := image.Pt(x*columns/g.Bounds().Dx(), y*pixelRows/g.Bounds().Dy())
			if from.X >= size.X || from.Y >= size.Y {
				continue
			}
			if _, _, _, a := mask.At(at.X+from.X, at.Y+from.Y).RGBA(); a > 0 {
				g.SetAlpha(x, y, color.Alpha{A: 255})
				shows = true
			}
		}
	}
	return shows
}

// pixelRows is the height of the font of pixels.
const pixelRows = 16

// hollow draws the box that stands for a character that no font has.
func hollow(g *image.Alpha) {
	b := g.Bounds().Inset(2)
	inner := b.Inset(1)
	draw.Draw(g, b, image.Opaque, image.Point{}, draw.Src)
	draw.Draw(g, inner, image.Transparent, image.Point{}, draw.Src)
}
