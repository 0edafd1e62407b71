package bot_test

import (
	"testing"

	"nod/detect"
)

func TestButtonApproves(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("touch /tmp/x && rm -rf build"))
		wantText(t, m, "⚠ claude in api1: touch /tmp/x && rm -rf build\nmain:1.0 · claude.tool_confirmation · #",
			"(0s ago) · reminder 1 of 6", "Reply y or n.")
		w.tap(m, "Approve")
		w.wantTyped(detect.Approve)
		end := w.message(m.ID)
		wantText(t, end, "Approved by Ann at ")
		wantNoButtons(t, end)
	})
}
