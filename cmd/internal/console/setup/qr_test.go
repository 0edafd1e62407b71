package setup

import (
	"strings"
	"testing"

	"rsc.io/qr"
)

// TestDrawQR reads the drawing back, module by module.
func TestDrawQR(t *testing.T) {
	const link = "https://t.me/a_bot_with_a_long_name_bot?start=KJSp4dqhTWhzb8xpciT6iQ"
	code, err := qr.Encode(link, qr.L)
	if err != nil {
		t.Fatal(err)
	}
	drawn := drawQR(link, 80)
	rows := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
	if len(rows) > 22 {
		t.Errorf("%d rows do not fit on a terminal of 24", len(rows))
	}
	for y := -margin; y < code.Size+margin; y++ {
		row := strings.TrimSuffix(strings.TrimPrefix(rows[(y+margin)/2], blackOnWhite), plain)
		for x, half := range []rune(row) {
			dark := half == '█' || half == '▀' && (y+margin)%2 == 0 || half == '▄' && (y+margin)%2 == 1
			if dark != code.Black(x-margin, y) {
				t.Fatalf("module %d, %d is wrong", x-margin, y)
			}
		}
	}
	if drawQR(link, 30) != "" {
		t.Error("a code was drawn that does not fit")
	}
}
