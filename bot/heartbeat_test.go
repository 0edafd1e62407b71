package bot_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nod/bot"
	"nod/internal/botapi"
)

// stuck is a network that nothing comes back from, not even when the request is cancelled.
type stuck struct {
	http.RoundTripper
	from time.Time
	free chan struct{}
}

func (s *stuck) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.from.IsZero() && time.Now().After(s.from) {
		<-s.free
	}
	return s.RoundTripper.RoundTrip(r)
}

// TestAPollLoopThatStandsStillIsSeen, and one that goes on while Telegram can't be had is none.
func TestAPollLoopThatStandsStillIsSeen(t *testing.T) {
	inWorld(t, func(w *world) {
		alive := func(while string, want bool) {
			t.Helper()
			if got := w.bot.Alive(time.Now()); got != want {
				t.Errorf("%s: alive is %v", while, got)
			}
		}
		for range 20 {
			time.Sleep(30 * time.Second)
			alive("long polls", true)
		}
		w.tg.Fail(botapi.Fault{Code: 502})
		for range 20 {
			time.Sleep(30 * time.Second)
			alive("an outage", true)
		}
		w.tg.Heal()
		w.tg.Revoke()
		for range 60 {
			time.Sleep(30 * time.Second)
			alive("a rejected token", true)
		}
	})
	path := filepath.Join(t.TempDir(), "nod.db")
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, path: path, token: token, tg: botapi.New(botapi.Options{Token: token})}
		w.settings = bot.Settings{Supervisors: []int64{ann}, Zone: time.UTC}
		client, hangUp := w.tg.Pipe()
		network := &stuck{RoundTripper: client.Transport, from: time.Now().Add(time.Minute), free: make(chan struct{})}
		client.Transport = network
		w.http = client
		w.begin()
		time.Sleep(time.Minute)
		if !w.bot.Alive(time.Now()) {
			t.Error("it does not turn, and nothing is wrong")
		}
		time.Sleep(3 * time.Minute)
		if w.bot.Alive(time.Now()) {
			t.Error("a poll hangs for two minutes and more, and it counts as turning")
		}
		close(network.free)
		w.stop()
		hangUp()
		synctest.Wait()
	})
}
