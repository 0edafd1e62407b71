package inbox

import (
	"flag"
	"os"
	"testing"
	"testing/synctest"

	"nod/bot/picture"
	"nod/detect/screen"
)

var drawn = flag.String("picture", "", "draw the inbox into this file")

// TestPicture draws the inbox as README shows it: with the edit, of which it has the diff.
func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const columns = 120
		m := begun(t, columns, 30, keys("down", "down")...)
		png, err := picture.Draw(screen.Parse(m.View().Content).Rows, columns, func(text string) string { return text })
		if err != nil || len(png) == 0 {
			t.Fatal(len(png), err)
		}
		if *drawn == "" {
			return
		}
		if err := os.WriteFile(*drawn, png, 0o644); err != nil {
			t.Error(err)
		}
	})
}
