package tmux_test

import (
	"testing"

	"nod/internal/host/tmux"
)

func TestTooOld(t *testing.T) {
	for version, old := range map[string]bool{
		"1.8": true, "2.9a": true, "3.0": true, "3.1c": true,
		"3.2": false, "3.2a": false, "3.3a": false, "3.10": false, "4.0": false, "next-3.6": false,
		"master": false, "openbsd-7.5": false, "": false,
	} {
		if tmux.TooOld(version) != old {
			t.Errorf("TooOld(%q) is %v", version, !old)
		}
	}
}
