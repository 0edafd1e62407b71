package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestANoticeIsOneWhileItsCallBlinks: Claude Code draws the mark of a call that waits every other moment, and is asked about once.
func TestANoticeIsOneWhileItsCallBlinks(t *testing.T) {
	for _, ext := range []string{".ansi", ".txt"} {
		shown := capture(t, "claude/2.1.330-auto-cannot-check-80x24"+ext)
		hidden := strings.Replace(shown, "●", " ", 1)
		on, off := Read("claude", screen.Parse(shown)).Prompt, Read("claude", screen.Parse(hidden)).Prompt
		if on == nil || off == nil || on.Fingerprint != off.Fingerprint || !strings.HasPrefix(on.Subject, "Auto mode can't check actions") {
			t.Errorf("%s: %+v\nand then %+v", ext, on, off)
		}
	}
}
