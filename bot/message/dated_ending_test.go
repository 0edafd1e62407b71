package message

import (
	"strings"
	"testing"
	"time"

	"nod/nudge"
)

// TestAnEndingsTimeIsTheReaders: an app shows it by its own clock; the text is true without that.
func TestAnEndingsTimeIsTheReaders(t *testing.T) {
	for _, c := range []struct {
		now    time.Time
		text   string
		format string
	}{
		{noon.Add(time.Hour), "Closed at 14:33 UTC, but", `format="t"`},
		{noon.Add(48 * time.Hour), "Closed at 14:33 UTC on 20 Nov, but", `format="dt"`},
	} {
		r := Of(goldenNudge(func(n *nudge.Nudge) { n.State, n.Ended = nudge.Recovered, noon.Add(time.Minute) }), goldenStyle())
		out := r.Over(goldenChat, goldenSeal, c.now)
		if !strings.Contains(out.Page.Plain, c.text) || !strings.Contains(out.Page.HTML, c.format) {
			t.Errorf("%s\n%s", out.Page.Plain, out.Page.HTML)
		}
	}
}
