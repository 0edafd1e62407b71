package agents

import (
	"strings"
	"testing"
)

// TestEveryAgentSaysWhatToKnow: docs/agents.md is made of it.
func TestEveryAgentSaysWhatToKnow(t *testing.T) {
	for _, name := range Names() {
		p := ProfileOf(name)
		if n := strings.Count(p.About, ". ") + 1; n != 2 || !strings.HasSuffix(p.About, ".") {
			t.Errorf("%s: %d sentences, want 2: %s", name, n, p.About)
		}
		if !strings.HasSuffix(p.Yes, ".") || p.AnsweredBy == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if p := ProfileOf("nobody"); p != (Profile{}) {
		t.Errorf("something is known of nobody: %+v", p)
	}
}
