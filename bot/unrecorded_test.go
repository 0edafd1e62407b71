package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// TestAMessageThatCantBeRecordedIsSentOnce: nothing more is sent until the disk has room, and then no message twice.
func TestAMessageThatCantBeRecordedIsSentOnce(t *testing.T) {
	if !testrun.Apart(t) { // the disk is full for the whole process
		return
	}
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Delay: 5 * time.Second})
		p := prompt("make test")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(2 * time.Second)
		w.tg.Heal()
		room := testrun.FillDisk(t)
		w.mu.Lock()
		w.full = true
		w.mu.Unlock()
		told := func() (n int) {
			for _, m := range w.botSaid() {
				if strings.Contains(m.Text, "make test") {
					n++
				}
			}
			return n
		}
		time.Sleep(2 * time.Minute)
		if n := told(); n != 1 {
			t.Errorf("on a full disk it was sent %d times", n)
		}
		wantHealth(t, w, "nothing more is sent")
		room()
		w.mu.Lock()
		w.full = false
		w.mu.Unlock()
		time.Sleep(time.Minute)
		if n := told(); n != 1 {
			t.Errorf("with room again it was sent %d times", n)
		}
		wantHealth(t, w)
		w.ann.ReplyTo(w.last().ID, "y")
		time.Sleep(time.Second)
		w.wantTyped(screen.Approve)
	})
}
