// Package picture draws a terminal's screen as a PNG: its characters, wide ones too, its colours, and its
// boxes without gaps, whatever fonts the machine has.
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

// The size of the picture. An app shows a photo of about this width unscaled, and shrinks a larger one.
const (
	goodWidth = 1280
	slimmest  = 7  // pixels of a cell
	widest    = 14 // pixels of a cell
	maxRows   = 120
	maxCells  = 500 // columns
	margin    = 10
	ratio     = 15 // of the sides: Telegram refuses 20 and more
)

// errMasked means that masking changed the number or length of rows.
var errMasked = errors.New("masking changed the rows")

// Draw returns the picture of rows from a terminal that is that many columns wide; 0: as wide as the rows.
// mask hides secrets in the text and keeps each character's position.
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

// fewColours returns the picture with a palette, if 256 colours are enough: it is encoded in a fraction of
// the time.
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

// paper returns an empty picture with at least that size, in a shape that can be sent.
func paper(width, height int) *image.RGBA {
	width, height = max(width, height/ratio), max(height, width/ratio)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.NewUniform(ground), image.Point{}, draw.Src)
	return img
}

// masked returns the rows' masked text. It is masked as one text, because a secret may be wrapped over two
// rows.
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

// cell is the content of one column: a character with its marks, whether it takes two columns, and whether
// something invisible is there. The column after a wide character is empty.
type cell struct {
	char   rune
	marks  string
	wide   bool
	hidden bool
}

// CellsOf puts a row's masked text into its columns. The mask of a wide character takes both columns. before:
// something without a column comes before the first.
func CellsOf(row screen.Row, text string) (cells []cell, before bool) {
	shown, all := []rune(text), []rune(row.Text)
	last := -1 // the cell of the last character
	for i, r := range all {
		switch width := screen.CellsOf(r); {
		case width == 0 && last < 0:
			before = true
		case width == 0 && shown[i] != r: // it is masked like the character that it belongs to
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

// hides reports whether a character is invisible and could make a command look like another one. No-break
// spaces are allowed, because layouts use them.
func hides(r rune) bool { return visible.Hidden(r) && r != '\u00a0' }

// chooses reports whether r is a variation selector, which chooses whether the character before it is drawn
// as an emoji. After a character that can be an emoji it hides nothing.
func chooses(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }

func pictorial(r rune) bool {
	return unicode.Is(unicode.So, r) || r > 0xff && unicode.In(r, unicode.Sm, unicode.Po) || r == 'ℹ' || r == '〰'
}

// enclosingKey turns the digit before it into a keycap.
const enclosingKey = '\u20e3'

// painter draws cells.
type painter struct {
	img  *image.RGBA
	face *face
}

// row draws one row of cells, and their background up to the last column. A vertical line marks something
// invisible, before the row or in a cell.
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
	// The background of a column may cover a wide character from the column before, so wide ones are drawn
	// last.
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

// cell draws a character with its marks.
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

// char draws a character and reports whether all of its marks are visible.
func (p *painter) char(c cell, style screen.Style, left, top, width int, fore color.RGBA) (whole bool) {
	if p.box(c.char, left, top, width, p.face.height, fore) {
		return c.marks == ""
	}
	g := p.face.glyph(c.char, c.marks, style.Bold, width)
	draw.DrawMask(p.img, g.mask.Bounds().Add(image.Pt(left, top)), image.NewUniform(fore), image.Point{}, g.mask, g.mask.Bounds().Min, draw.Over)
	return g.whole
}

// colours returns the colours of a cell's character and background.
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
