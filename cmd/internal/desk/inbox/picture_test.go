package inbox

import (
	"flag"
	"os"
	"testing"
	"testing/synctest"

	"nod/bot/picture"
	"nod/cmd/internal/desk"
	"nod/detect/screen"
)

var drawn = flag.String("picture", "", "draw the inbox into this file")

// TestPicture draws the inbox for README: with an edit and its diff.
func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const columns = 120
		cards := sample()
		cards[1].Agent = in("codex in shop", "main:2.0", "%2")
		cards[2].Asks = &desk.Asks{
			Nudge: "q9z", Fingerprint: "f3", Kind: "permission", Verb: "Edit file", Subject: "server/cart/total.go", Lead: 1, Stuck: true, Question: "Do you want to make this edit?",
			Says: "An item counts once, however many of it are bought. I multiply, and add what sending it costs.",
			Diff: []desk.File{{Parts: []desk.Part{
				{Head: "@@ -14,6 +14,7 @@"}, {Same: []string{"func Total(items []Item) Money {", "    var sum Money"}},
				{Old: []string{"    for _, i := range items {", "        sum += i.Price"}, New: []string{"    for _, item := range items {", "        sum += item.Price.Times(item.Count)"}},
				{Same: []string{"    }"}}, {New: []string{"    sum += shipping(items)"}}, {Same: []string{"    return sum"}},
			}}},
		}
		cards[2].Rank, cards[2].Actions = -1, can(desk.Yes, desk.No, desk.DenyWords, desk.Skip, desk.Snooze, desk.Tell)
		m := begun(t, columns, 30, changed(snapshot(cards...)), press("home"))
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
