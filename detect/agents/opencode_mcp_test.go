package agents

import (
	"strings"
	"testing"
)

// TestOpencodeAsksAboutOneOfTwoCalls: of two calls of one tool, the panel names neither; the colour of its row tells which is asked
// about, and where there are no colours nothing does.
func TestOpencodeAsksAboutOneOfTwoCalls(t *testing.T) {
	for file, asked := range map[string]string{"multi-mcp": "evil.ran", "multi-mcp+enter-only": "fine.ran"} {
		file = "opencode/1.18.33-" + file + "-100x40"
		p := prompt(t, "opencode", capture(t, file+".ansi"))
		if p.Partial || strings.Count(p.Subject, ".ran]") != 1 || !strings.Contains(p.Subject, asked) {
			t.Errorf("%s: partial %v, subject %q", file, p.Partial, p.Subject)
		}
		if p := prompt(t, "opencode", capture(t, file+".txt")); !p.Partial {
			t.Errorf("%s without colours: subject %q", file, p.Subject)
		}
		bold := strings.ReplaceAll(capture(t, file+".ansi"), "\x1b[38;5;215m⚙", "\x1b[1;38;5;215m⚙")
		if p := prompt(t, "opencode", bold); !p.Partial {
			t.Errorf("%s in bold: subject %q", file, p.Subject)
		}
	}
}
