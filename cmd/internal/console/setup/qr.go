package setup

import (
	"strings"

	"rsc.io/qr"
)

// margin is the width of the light edge that a scanner needs. The standard asks for four modules; two are
// enough for phones, and let the code of a link fit on a terminal of 24 rows.
const margin = 2

// The colours of a code's rows, whatever the terminal's own are.
const (
	blackOnWhite = "\x1b[38;5;16;48;5;231m"
	plain        = "\x1b[0m"
)

// drawQR draws a text as a QR code of half blocks, two modules per character; empty if it does not fit into
// columns.
func drawQR(text string, columns int) string {
	code, err := qr.Encode(text, qr.L)
	if err != nil || code.Size+2*margin > columns {
		return ""
	}
	var b strings.Builder
	for y := -margin; y < code.Size+margin; y += 2 {
		b.WriteString(blackOnWhite)
		for x := -margin; x < code.Size+margin; x++ {
			b.WriteString(halfBlock(code.Black(x, y), code.Black(x, y+1)))
		}
		b.WriteString(plain + "\n")
	}
	return b.String()
}

func halfBlock(above, below bool) string {
	switch {
	case above && below:
		return "█"
	case above:
		return "▀"
	case below:
		return "▄"
	}
	return " "
}
