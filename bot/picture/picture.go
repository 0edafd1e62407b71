// Package picture draws a terminal's screen as a PNG: its characters, wide ones too, its colours, and its boxes without
// gaps, whatever fonts the machine has.
package picture

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"unicode"

	"nod/detect/screen"
	"nod/internal/text/visible"
)

// The picture's size: an app shows a photo of about so many pixels as it is, and makes a larger one smaller.
const (
	goodWidth = 1280
	slimmest  = 7  // pixels of a cell
	widest    = 14 // pixels of a cell
	maxRows   = 120
	maxCells  = 500 // columns
	margin    = 10
	ratio     = 15 // of the sides: Telegram refuses 20 and more
)

// errMasked says that the rows can't be told after they were masked.
var errMasked = errors.New("what was masked has other rows than the screen")

// Draw gives the picture of rows, the rows of a terminal that is so many columns wide; 0: as wide as they are. mask hides
// what may not leave this machine from their text, and keeps each character's place.
func Draw(rows []screen.Row, columns int, mask func(string) string) ([]byte, error) {
	rows = rows[max(0, len(rows)-maxRows):]
	lines, err := masked(rows, mask)
	if err != nil {
		return nil, err
	}
	cells, hidden := make([][]cell, len(rows)), make([]bool, len(rows))
	for i, row := range rows {
		cells[i], hidden[i] = CellsOf(row, lines[i])
		columns = max(columns, len(cells[i]))
	}
	columns = min(max(columns, 1), maxCells)
	face, err := faceFor(min(max(goodWidth/columns, slimmest), widest))
	if err != nil {
		return nil, fmt.Errorf("draw a screen: %w", err)
	}
	img := paper(columns*face.width+2*margin, len(rows)*face.height+2*margin)
	p := painter{img: img, face: face}
	for i, row := range cells {
		if len(row) > columns {
			row = append(row[:columns-1:columns-1], cell{char: '…', hidden: true})
		}
		p.row(row, hidden[i], rows[i], columns, margin+i*face.height)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, fewColours(img)); err != nil {
		return nil, fmt.Errorf("draw a screen: %w", err)
	}
	return out.Bytes(), nil
}

// fewColours is the same picture with a palette, which is written in a fraction of the time, where 256 colours are enough.
func fewColours(img *image.RGBA) image.Image {
	out := image.NewPaletted(img.Bounds(), nil)
	index := map[uint32]uint8{}
	last, at := uint32(0), uint8(0) // no pixel is 0: all are opaque
	for i := range out.Pix {
		pixel := binary.LittleEndian.Uint32(img.Pix[4*i:])
		if pixel != last {
			n, ok := index[pixel]
			if !ok {
				if len(index) == 256 {
					return img
				}
				n = uint8(len(index))
				index[pixel] = n
				out.Palette = append(out.Palette, color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3]})
			}
			last, at = pixel, n
		}
		out.Pix[i] = at
	}
	return out
}

// paper is an empty picture that holds so many pixels, in a shape that can be sent.
func paper(width, height int) *image.RGBA {
	width, height = max(width, height/ratio), max(height, width/ratio)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.NewUniform(ground), image.Point{}, draw.Src)
	return img
}

// masked gives the rows' text as it may be shown. It is masked as one, for a secret may be wrapped over two rows.
func masked(rows []screen.Row, mask func(string) string) ([]string, error) {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = row.Text
	}
	lines := strings.Split(mask(strings.Join(texts, "\n")), "\n")
	if len(lines) != max(len(rows), 1) {
		return nil, errMasked
	}
	for i, line := range lines[:len(rows)] {
		if len([]rune(line)) != len([]rune(texts[i])) {
			return nil, errMasked
		}
	}
	return lines, nil
}

// cell is what is in one column: a character with the marks on it, that it takes two columns, and that something is
// there which shows nothing. The column behind a wide character has none.
type cell struct {
	char   rune
	marks  string
	wide   bool
	hidden bool
}

// cellsOf puts a row's masked text into its columns. Where a wide character was masked, its mark takes both. before says that
// something which takes no column is before the first.
func CellsOf(row screen.Row, text string) (cells []cell, before bool) {
	shown, all := []rune(text), []rune(row.Text)
	last := -1 // the cell of the last character
	for i, r := range all {
		switch width := screen.CellsOf(r); {
		case width == 0 && last < 0:
			before = true
		case width == 0 && shown[i] != r: // it is masked, as what it belongs to
		case width == 0 && chooses(r):
			keycap := i+1 < len(all) && all[i+1] == enclosingKey
			cells[last].hidden = cells[last].hidden || !pictorial(all[i-1]) && !keycap
		case width == 0 && visible.Hidden(r):
			cells[last].hidden = true
		case width == 0:
			cells[last].marks += string(r)
		default:
			last = len(cells)
			cells = append(cells, cell{char: shown[i], wide: width == 2, hidden: hides(r)})
			if width == 2 {
				cells = append(cells, cell{})
			}
		}
	}
	return cells, before
}

// hides reports a character that shows nothing and could make a command look like another one. No-break blanks stand in
// layouts.
func hides(r rune) bool { return visible.Hidden(r) && r != '\u00a0' }

// chooses reports the variation selectors that say whether the character before them is drawn as an emoji. Behind what can be
// one they hide nothing.
func chooses(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }

func pictorial(r rune) bool {
	return unicode.Is(unicode.So, r) || r > 0xff && unicode.In(r, unicode.Sm, unicode.Po) || r == 'ℹ' || r == '〰'
}

// enclosingKey makes the key of a telephone of the digit before it.
const enclosingKey = '\u20e3'

// painter draws cells.
type painter struct {
	img  *image.RGBA
	face *face
}

// row draws one row of cells, and the ground behind them up to the last column. Where something is there that shows nothing,
// before it or in a cell, there is an upright line.
func (p *painter) row(cells []cell, before bool, look screen.Row, columns, top int) {
	for col := range columns {
		style := look.Style(col)
		fore, back := colours(style)
		left := margin + col*p.face.width
		if back != ground {
			p.fill(left, top, p.face.width, p.face.height, back)
		}
		if col < len(cells) && !cells[col].wide {
			p.cell(cells[col], style, left, top, fore)
		}
	}
	// The ground of a column may lie over a wide character that began in the column before: those are drawn last.
	for col, c := range cells {
		if c.wide {
			fore, _ := colours(look.Style(col))
			p.cell(c, look.Style(col), margin+col*p.face.width, top, fore)
		}
	}
	if before {
		p.fill(margin-3, top, 2, p.face.height, alarm)
	}
}

func (p *painter) fill(left, top, width, height int, c color.RGBA) {
	draw.Draw(p.img, image.Rect(left, top, left+width, top+height), image.NewUniform(c), image.Point{}, draw.Src)
}

// cell draws a character, with what is on it.
func (p *painter) cell(c cell, style screen.Style, left, top int, fore color.RGBA) {
	width := p.face.width
	if c.wide {
		width *= 2
	}
	if c.char > ' ' && c.char != '\u00a0' || c.marks != "" {
		c.hidden = !p.char(c, style, left, top, width, fore) || c.hidden
	}
	if c.hidden {
		p.fill(left+width-2, top, 2, p.face.height, alarm)
	}
}

// char reports whether all of the character's marks show.
func (p *painter) char(c cell, style screen.Style, left, top, width int, fore color.RGBA) (whole bool) {
	if p.box(c.char, left, top, width, p.face.height, fore) {
		return c.marks == ""
	}
	g := p.face.glyph(c.char, c.marks, style.Bold, width)
	draw.DrawMask(p.img, g.mask.Bounds().Add(image.Pt(left, top)), image.NewUniform(fore), image.Point{}, g.mask, g.mask.Bounds().Min, draw.Over)
	return g.whole
}

// colours are those of a cell's character and of the ground behind it.
func colours(s screen.Style) (fore, back color.RGBA) {
	fore, back = cmp.Or(colourOf(s.Fg, s.Bold), ink), cmp.Or(colourOf(s.Bg, false), ground)
	if s.Reverse {
		fore, back = back, fore
	}
	if s.Dim {
		fore = color.RGBA{mix(fore.R, back.R), mix(fore.G, back.G), mix(fore.B, back.B), 255}
	}
	return fore, back
}

func mix(a, b uint8) uint8 { return uint8((3*int(a) + 2*int(b)) / 5) }
