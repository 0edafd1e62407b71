package picture

import (
	"image/color"
	"math"
)

// arms lists the strength of the lines to the left, up, right and down of U+2500 to U+257F, according to the
// characters' names: 0 none, 1 light, 2 heavy, 3 double.
const arms = "" +
	"1010 2020 0101 0202 1010 2020 0101 0202 " + // ─━│┃┄┅┆┇
	"1010 2020 0101 0202 0011 0021 0012 0022 " + // ┈┉┊┋┌┍┎┏
	"1001 2001 1002 2002 0110 0120 0210 0220 " + // ┐┑┒┓└┕┖┗
	"1100 2100 1200 2200 0111 0121 0211 0112 " + // ┘┙┚┛├┝┞┟
	"0212 0221 0122 0222 1101 2101 1201 1102 " + // ┠┡┢┣┤┥┦┧
	"1202 2201 2102 2202 1011 2011 1021 2021 " + // ┨┩┪┫┬┭┮┯
	"1012 2012 1022 2022 1110 2110 1120 2120 " + // ┰┱┲┳┴┵┶┷
	"1210 2210 1220 2220 1111 2111 1121 2121 " + // ┸┹┺┻┼┽┾┿
	"1211 1112 1212 2211 1221 2112 1122 2221 " + // ╀╁╂╃╄╅╆╇
	"2122 2212 1222 2222 1010 2020 0101 0202 " + // ╈╉╊╋╌╍╎╏
	"3030 0303 0031 0013 0033 3001 1003 3003 " + // ═║╒╓╔╕╖╗
	"0130 0310 0330 3100 1300 3300 0131 0313 " + // ╘╙╚╛╜╝╞╟
	"0333 3101 1303 3303 3031 1013 3033 3130 " + // ╠╡╢╣╤╥╦╧
	"1310 3330 3131 1313 3333 0011 1001 1100 " + // ╨╩╪╫╬╭╮╯
	"0110 0000 0000 0000 1000 0100 0010 0001 " + // ╰╱╲╳╴╵╶╷
	"2000 0200 0020 0002 1020 0102 2010 0201 " //   ╸╹╺╻╼╽╾╿

// box draws a line or block character so that it meets its neighbours. It reports whether char is one.
func (p *painter) box(char rune, left, top, width, height int, c color.RGBA) bool {
	switch {
	case char >= 0x256d && char <= 0x2570:
		p.arc(char, left, top, width, height, c)
	case char >= 0x2571 && char <= 0x2573:
		p.diagonals(char, left, top, width, height, c)
	case char >= 0x2500 && char <= 0x257f:
		p.lines(arms[(char-0x2500)*5:], dashed(char), left, top, width, height, c)
	case char >= 0x2580 && char <= 0x259f:
		p.block(char, left, top, width, height, c)
	default:
		return false
	}
	return true
}

// dashed returns into how many strokes a line is cut.
func dashed(char rune) int {
	switch {
	case char >= 0x2504 && char <= 0x2507:
		return 3
	case char >= 0x2508 && char <= 0x250b:
		return 4
	case char >= 0x254c && char <= 0x254f:
		return 2
	}
	return 1
}

// lines draws the four arms of a character.
func (p *painter) lines(strong string, strokes, left, top, width, height int, c color.RGBA) {
	light := max(1, width/7)
	midX, midY := left+(width-light)/2, top+(height-light)/2
	right, bottom := left+width, top+height
	for i, arm := range []struct{ from, to int }{{left, midX + light}, {top, midY + light}, {midX, right}, {midY, bottom}} {
		thick, shifts := light, []int{0}
		switch strong[i] {
		case '0':
			continue
		case '2':
			thick, shifts = 2*light+1, []int{-(light + 1) / 2}
		case '3':
			shifts = []int{-light, light}
		}
		for _, shift := range shifts {
			for stroke := range strokes {
				long := arm.to - arm.from
				from, to := arm.from+long*stroke/strokes, arm.from+long*(stroke+1)/strokes
				if strokes > 1 {
					to -= max(1, long/strokes/3)
				}
				if i%2 == 0 {
					p.fill(from, midY+shift, to-from, thick, c)
				} else {
					p.fill(midX+shift, from, thick, to-from, c)
				}
			}
		}
	}
}

// arc draws a rounded corner with light lines, whose two arms meet in a quarter circle.
func (p *painter) arc(char rune, left, top, width, height int, c color.RGBA) {
	light := max(1, width/7)
	midX, midY := float64(left)+float64((width-light)/2)+float64(light)/2, float64(top)+float64((height-light)/2)+float64(light)/2
	radius := float64(width) / 2
	towardX, towardY := 1.0, 1.0 // the directions of the arms: right, down
	if char == 0x256e || char == 0x256f {
		towardX = -1
	}
	if char == 0x256f || char == 0x2570 {
		towardY = -1
	}
	centreX, centreY := midX+towardX*radius, midY+towardY*radius
	p.stroke(left, top, width, height, float64(light), c, func(x, y float64) float64 {
		inX, inY := (x-centreX)*towardX < 0, (y-centreY)*towardY < 0
		switch {
		case inX && inY:
			return math.Abs(math.Hypot(x-centreX, y-centreY) - radius)
		case inY: // beside the circle: the horizontal arm
			return math.Abs(y - midY)
		case inX:
			return math.Abs(x - midX)
		}
		return math.Inf(1)
	})
}

// diagonals draws one or both diagonals of a cell.
func (p *painter) diagonals(char rune, left, top, width, height int, c color.RGBA) {
	w, h := float64(width), float64(height)
	p.stroke(left, top, width, height, float64(max(1, width/7)), c, func(x, y float64) float64 {
		x, y = x-float64(left), y-float64(top)
		falls, rises := math.Abs(x*h-y*w)/math.Hypot(w, h), math.Abs((w-x)*h-y*w)/math.Hypot(w, h)
		switch char {
		case 0x2571:
			return rises
		case 0x2572:
			return falls
		}
		return min(falls, rises)
	})
}

// stroke draws a line with the given thickness along the points whose distance away is 0.
func (p *painter) stroke(left, top, width, height int, thick float64, c color.RGBA, away func(x, y float64) float64) {
	for y := top; y < top+height; y++ {
		for x := left; x < left+width; x++ {
			if cover := min(1, thick/2+0.5-away(float64(x)+0.5, float64(y)+0.5)); cover > 0 {
				p.blend(x, y, c, cover)
			}
		}
	}
}

// blend covers a pixel with a colour, in the proportion cover.
func (p *painter) blend(x, y int, c color.RGBA, cover float64) {
	was := p.img.RGBAAt(x, y)
	over := func(a, b uint8) uint8 { return uint8(float64(a)*cover + float64(b)*(1-cover)) }
	p.img.SetRGBA(x, y, color.RGBA{over(c.R, was.R), over(c.G, was.G), over(c.B, was.B), 255})
}

// block draws a character that fills a part of its cell.
func (p *painter) block(char rune, left, top, width, height int, c color.RGBA) {
	eighths := func(of, n int) int { return (of*n + 4) / 8 }
	switch {
	case char == 0x2580: // the upper half
		p.fill(left, top, width, eighths(height, 4), c)
	case char <= 0x2588: // from below, an eighth more each
		part := eighths(height, int(char-0x2580))
		p.fill(left, top+height-part, width, part, c)
	case char <= 0x258f: // from the left, an eighth less each
		p.fill(left, top, max(1, eighths(width, int(0x2590-char))), height, c)
	case char == 0x2590: // the right half
		p.fill(left+width-eighths(width, 4), top, eighths(width, 4), height, c)
	case char <= 0x2593: // light, medium and dark shade
		for y := top; y < top+height; y++ {
			for x := left; x < left+width; x++ {
				p.blend(x, y, c, float64(char-0x2590)/4)
			}
		}
	case char == 0x2594:
		p.fill(left, top, width, max(1, height/8), c)
	case char == 0x2595:
		part := max(1, width/8)
		p.fill(left+width-part, top, part, height, c)
	default:
		p.quarters(quartered[char-0x2596], left, top, width, height, c)
	}
}

// quartered lists the quarters of a cell that U+2596 to U+259F fill: upper left 1, upper right 2, lower left
// 4, lower right 8.
var quartered = [10]int{4, 8, 1, 1 | 4 | 8, 1 | 8, 1 | 2 | 4, 1 | 2 | 8, 2, 2 | 4, 2 | 4 | 8}

func (p *painter) quarters(which, left, top, width, height int, c color.RGBA) {
	halfX, halfY := width/2, height/2
	for i := range 4 {
		if which&(1<<i) == 0 {
			continue
		}
		x, y, w, h := left, top, halfX, halfY
		if i%2 == 1 {
			x, w = left+halfX, width-halfX
		}
		if i >= 2 {
			y, h = top+halfY, height-halfY
		}
		p.fill(x, y, w, h, c)
	}
}
