package picture

import (
	"image/color"
	"strconv"
	"strings"
)

// The default colours of a terminal, and the colour that marks an invisible character.
var (
	ground = color.RGBA{0x16, 0x1b, 0x22, 255}
	ink    = color.RGBA{0xd7, 0xdd, 0xe4, 255}
	alarm  = color.RGBA{0xff, 0x3b, 0x30, 255}
)

// basic are the sixteen numbered colours, the bright ones last.
var basic = [16]color.RGBA{
	{0x48, 0x4f, 0x58, 255}, {0xff, 0x7b, 0x72, 255}, {0x56, 0xc2, 0x6a, 255}, {0xe0, 0xaf, 0x4f, 255},
	{0x62, 0xa8, 0xff, 255}, {0xc8, 0x92, 0xff, 255}, {0x4c, 0xc9, 0xd6, 255}, {0xc9, 0xd1, 0xd9, 255},
	{0x8b, 0x94, 0x9e, 255}, {0xff, 0xa1, 0x98, 255}, {0x7e, 0xe7, 0x87, 255}, {0xf2, 0xcc, 0x60, 255},
	{0x8c, 0xc2, 0xff, 255}, {0xdb, 0xb7, 0xff, 255}, {0x76, 0xe3, 0xea, 255}, {0xff, 0xff, 0xff, 255},
}

// colourOf parses a colour in SGR notation: "34", "102", "5;178", "2;138;190;183". The zero colour is the
// terminal's default. Bold makes one of the eight dark colours bright, as terminals do.
func colourOf(code string, bold bool) color.RGBA {
	var n []int
	for part := range strings.SplitSeq(code, ";") {
		v, err := strconv.Atoi(part)
		if err != nil || v < 0 || v > 255 {
			return color.RGBA{}
		}
		n = append(n, v)
	}
	switch {
	case len(n) == 4 && n[0] == 2:
		return color.RGBA{uint8(n[1]), uint8(n[2]), uint8(n[3]), 255}
	case len(n) == 2 && n[0] == 5:
		return indexed(n[1])
	case len(n) != 1:
		return color.RGBA{}
	case n[0] >= 30 && n[0] <= 37 && bold:
		return basic[n[0]-30+8]
	case n[0] >= 30 && n[0] <= 37:
		return basic[n[0]-30]
	case n[0] >= 40 && n[0] <= 47:
		return basic[n[0]-40]
	case n[0] >= 90 && n[0] <= 97:
		return basic[n[0]-90+8]
	case n[0] >= 100 && n[0] <= 107:
		return basic[n[0]-100+8]
	}
	return color.RGBA{}
}

// indexed returns one of xterm's 256 colours: the basic ones, a cube with six steps a side, and greys.
func indexed(n int) color.RGBA {
	step := func(i int) uint8 {
		if i == 0 {
			return 0
		}
		return uint8(55 + 40*i)
	}
	switch {
	case n < 16:
		return basic[n]
	case n >= 232:
		grey := uint8(8 + 10*(n-232))
		return color.RGBA{grey, grey, grey, 255}
	}
	n -= 16
	return color.RGBA{step(n / 36), step(n / 6 % 6), step(n % 6), 255}
}
