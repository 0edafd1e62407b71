package bot_test

import (
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/testrun"
)

// TestWhoWritesOnAFullDiskIsTold, once for each message, which counts when there is room. Strangers hear nothing.
func TestWhoWritesOnAFullDiskIsTold(t *testing.T) {
	if testrun.Logs() {
		t.Skip("the log of go test may not be cut off")
	}
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		eve := w.tg.Person(eve, "Eve")
		eve.Start()
		before := len(w.botSaid())
		room := testrun.FillDisk(t)
		w.ann.ReplyTo(m.ID, "n")
		w.ann.Say("what is it?")
		eve.Say("y")
		time.Sleep(30 * time.Second)
		said := w.botSaid()[before:]
		if len(said) != 2 {
			t.Fatalf("two messages got %+v", said)
		}
		for _, m := range said {
			wantText(t, m, "nothing was typed yet", "as soon as nod can write to its disk again")
		}
		for _, m := range eve.Messages() {
			if m.From.IsBot {
				t.Errorf("a stranger got %q", m.Text)
			}
		}
		w.wantTyped()
		room()
		time.Sleep(time.Minute)
		w.wantTyped(screen.Deny)
	})
}
