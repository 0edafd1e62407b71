package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestClinesButtonsHaveAGround: a message of the model may end in a row that reads as Cline's buttons do, but without their ground.
func TestClinesButtonsHaveAGround(t *testing.T) {
	shown := capture(t, "cline/2.18.0-bash-100x40.ansi")
	printed := strings.ReplaceAll(shown, "\x1b[48;5;153m", "")
	if shown == printed || Read("cline", screen.Parse(shown)).State != screen.Permission {
		t.Fatal("no buttons with a ground")
	}
	if r := Read("cline", screen.Parse(printed)); r.State.Asks() {
		t.Errorf("read as %s: %q", r.State, r.Why)
	}
}
