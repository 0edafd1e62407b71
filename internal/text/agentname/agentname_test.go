package agentname

import (
	"strings"
	"testing"
)

func TestIs(t *testing.T) {
	for name, want := range map[string]bool{
		"claude": true, "gpt-5": true, strings.Repeat("a", 32): true,
		"": false, "nod": false, "Claude": false, "5-gpt": false, "a b": false, "a\n": false, "é": false, strings.Repeat("a", 33): false,
	} {
		if Is(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
