package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestATextFieldTellsWhatStandsInIt: words go into one that is empty, and no others.
func TestATextFieldTellsWhatStandsInIt(t *testing.T) {
	fields := 0
	for _, l := range labels(t) {
		p := asRead(t, l.Agent, l.File).Prompt
		if p == nil || !p.TextField || len(p.Options) > 0 || p.Shape == "cursor.skip_reason" {
			continue
		}
		fields++
		if strings.Contains(l.File, "+typed") != (p.Typed != "") {
			t.Errorf("%s: %q is in its field", l.File, p.Typed)
		}
		for _, draft := range []string{"! rm -rf build", "/clear", "x"} {
			typed := strings.NewReplacer("Type your answer...", draft, "Type your answer", draft).Replace(capture(t, l.File))
			if now := Read(l.Agent, screen.Parse(typed)).Prompt; now != nil && now.TextField && now.Typed == "" {
				t.Errorf("%s: %q in its field is not told", l.File, draft)
			}
		}
	}
	if fields < 4 {
		t.Errorf("only %d fields were found", fields)
	}
}
