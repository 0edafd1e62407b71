package detect

import (
	"fmt"
	"testing"
	"time"
)

// TestAGuestIsWatchedForAWhile: a server that the settings do not name is watched until its time is over, and no longer.
func TestAGuestIsWatchedForAWhile(t *testing.T) {
	named, guest := newStage(t), newStage(t)
	guest.socket, guest.life.Socket = "/tmp/guest", "/tmp/guest"
	guest.add("%1", "claude", ask(t, "ls"))
	settingsNameTheFirst := func(w *Watcher) {
		all := w.cfg.Settings()
		all.Servers = all.Servers[:1]
		w.cfg.Settings = func() WatchSettings { return all }
	}
	watchWith(t, []*stage{named, guest}, settingsNameTheFirst, func(w *Watcher, a *audience) {
		poll(3)
		expect(t, a, "uninvited", "")
		if !w.WatchFor(guest.socket, time.Now().Add(time.Minute)) {
			t.Fatal("there is room for a guest")
		}
		poll(1)
		later()
		expect(t, a, "invited", "%1:working %1:permission(ls)")
		if w.Server(guest.socket) == nil {
			t.Error("nod may not type there")
		}
		time.Sleep(time.Minute)
		poll(2)
		if w.Server(guest.socket) != nil {
			t.Error("nod types there after its time")
		}
	})
}

func TestGuestsAreFew(t *testing.T) {
	w := NewWatcher(WatchConfig{})
	for i := range maxGuests + 1 {
		if w.WatchFor(fmt.Sprintf("/tmp/%d", i), time.Now().Add(time.Minute)) != (i < maxGuests) {
			t.Errorf("guest %d", i)
		}
	}
}
