package near

import "testing"

func TestTo(t *testing.T) {
	agents := []string{"claude", "codex", "opencode", "pi", "NOD_CADENCE", "json"}
	for name, want := range map[string]string{
		"claud": "claude", "cluade": "claude", "codx": "codex", "jsno": "json", "opncode": "opencode", "NOD_CADANCE": "NOD_CADENCE", "claude": "claude",
		"acme": "", "nope": "", "p": "", "ai": "", "": "", "other": "",
	} {
		if got := To(name, agents); got != want {
			t.Errorf("%q is taken for %q, want %q", name, got, want)
		}
	}
}
