package screen

import (
	"strings"
	"testing"
)

// TestAQuestionInTheRowOfItsOptionsIsShown: no y approves it unseen.
func TestAQuestionInTheRowOfItsOptionsIsShown(t *testing.T) {
	d := Lay(Parse("● I will do it.\n\n  Confirm\n\n  Overwrite it? Yes (y)   No (n)\n\n  enter confirm · esc cancel")).AnyDialog()
	if d == nil {
		t.Fatal("no dialog")
	}
	p := Reading{}.Asking(d).Prompt
	if len(p.Approve) == 0 || !strings.Contains(p.Subject, "Overwrite it?") {
		t.Errorf("%q is approved by %q", p.Subject, p.Approve)
	}
}
