package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// with has Bob in the chat as well, as what change makes him.
func (w *world) with(change func(*bot.Settings)) *botapi.Person {
	w.t.Helper()
	bobby := w.tg.Person(bob, "Bob")
	bobby.Start()
	w.set(change)
	time.Sleep(3 * time.Second)
	return bobby
}

func lastOf(p *botapi.Person) (last botapi.Record) {
	time.Sleep(5 * time.Second)
	for _, m := range p.Messages() {
		if m.From.IsBot {
			last = m
		}
	}
	return last
}

func watchedBy(s *bot.Settings)    { s.Watchers = []int64{bob} }
func supervisedBy(s *bot.Settings) { s.Supervisors = []int64{ann, bob} }

// Everybody is told, the first answer wins, and every copy says whose it was.
func TestTheFirstAnswerWinsAndEveryCopySaysWhose(t *testing.T) {
	inWorld(t, func(w *world) {
		bobby := w.with(supervisedBy)
		m := w.ask(1, prompt("make test"))
		his := lastOf(bobby)
		wantText(t, his, "⚠ claude in api1: make test")
		bobby.ReplyTo(his.ID, "n")
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Deny)
		for _, copied := range []botapi.Record{w.message(m.ID), must(bobby.Message(his.ID))} {
			wantText(t, copied, "Denied by Bob at")
			wantNoButtons(t, copied)
		}
		wantText(t, w.last(), "already denied by Bob")
	})
}

func must(m botapi.Record, _ bool) botapi.Record { return m }

// A watcher is told all of it, has no button that answers, and no word of theirs types anything.
func TestAWatcherIsToldAndCantAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		bobby := w.with(watchedBy)
		m := w.ask(1, prompt("make test"))
		his := lastOf(bobby)
		wantText(t, his, "⚠ claude in api1: make test", "A supervisor answers it; you can only watch.")
		if rows := rowsOf(his); len(rows) != 1 || rows[0] != "🔎 Screen" {
			t.Errorf("the buttons are %q", rows)
		}
		id := idOf(t, m)
		for _, said := range []string{"y", "n", "y " + id, "allow", "/tell api1 stop", "/mute", "/unmute", "/quiet off", "/next api1"} {
			bobby.Say(said)
			wantText(t, lastOf(bobby), "only supervisors may answer")
			bobby.ReplyTo(his.ID, said)
			wantText(t, lastOf(bobby), "only supervisors may answer")
		}
		// The data of Ann's buttons opens nothing in his chat.
		for _, row := range m.Markup.Rows {
			for _, b := range row {
				bobby.TapData(his.ID, b.Data)
			}
		}
		w.wantTyped()
		if until, _ := w.keeper.Muted(time.Now()); !until.IsZero() {
			t.Error("a watcher has muted the messages")
		}
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Approve)
		now := must(bobby.Message(his.ID))
		wantText(t, now, "Approved by Ann at")
		wantNoButtons(t, now)
	})
}

func TestAWatcherMayLook(t *testing.T) {
	inWorld(t, func(w *world) {
		bobby := w.with(watchedBy)
		w.mu.Lock()
		w.panes, w.screen = []detect.Sighting{sighting(1, screen.Working, nil)}, []string{"first"}
		w.mu.Unlock()
		bobby.Say("/status")
		wantText(t, lastOf(bobby), "1 agent")
		bobby.Say("/screen")
		shot := lastOf(bobby)
		w.image(shot)
		bobby.TapData(shot.ID, shot.Markup.Rows[0][0].Data)
		time.Sleep(5 * time.Second)
		if n := len(w.tg.Calls("editMessageMedia")); n != 1 {
			t.Errorf("%d refreshes", n)
		}
		w.ask(1, prompt("make test"))
		bobby.Say("/queue")
		for _, row := range rowsOf(lastOf(bobby)) {
			if strings.Contains(row, "Skip") {
				t.Errorf("the queue has the buttons %q", row)
			}
		}
		if list := lastOf(bobby); list.Markup == nil {
			t.Error("the queue has lost its buttons")
		}
	})
}

// What a watcher edits is no answer whatever it says, so nobody tells them how to give one.
func TestAWatchersEditIsNotExplained(t *testing.T) {
	inWorld(t, func(w *world) {
		bobby := w.with(watchedBy)
		w.ask(1, prompt("make test"))
		said := bobby.Say("hello")
		before := lastOf(bobby)
		bobby.Edit(said.ID, "y")
		if now := lastOf(bobby); now.ID != before.ID {
			t.Errorf("they are told %q", now.Text)
		}
		w.wantTyped()
	})
}

// A supervisor who becomes a watcher loses the buttons at once, and what is left of them in an app does nothing.
func TestASupervisorWhoOnlyWatchesNowCantAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		bobby := w.with(supervisedBy)
		w.ask(1, prompt("make test"))
		his := lastOf(bobby)
		data := his.Markup.Rows[0][0].Data
		w.set(func(s *bot.Settings) { s.Supervisors, s.Watchers = []int64{ann}, []int64{bob} })
		time.Sleep(10 * time.Second)
		wantNoButtons(t, must(bobby.Message(his.ID)))
		tap := bobby.TapData(his.ID, data)
		w.toastOf(tap, "You are told, but only supervisors may answer. Nothing was typed.")
		bobby.ReplyTo(his.ID, "y")
		w.wantTyped()
		if now := lastOf(bobby); now.ID == his.ID {
			t.Error("he is not told any more")
		}
	})
}

func TestSeveralAtOnceForAWatcher(t *testing.T) {
	inWorld(t, func(w *world) {
		bobby := w.with(watchedBy)
		_, ids := w.askTogether(3)
		his := lastOf(bobby)
		if rows := rowsOf(his); len(rows) != 3 || rows[0] != "👁 #"+ids[0] {
			t.Errorf("the buttons are %q", rows)
		}
		bobby.ReplyTo(his.ID, "y "+ids[0])
		w.wantTyped()
		bobby.TapData(his.ID, his.Markup.Rows[1][0].Data)
		wantText(t, lastOf(bobby), "make 2", "A supervisor answers it")
		w.leave(1)
		w.leave(2)
		w.leave(3)
		wantNoButtons(t, must(bobby.Message(his.ID)))
	})
}

// Nobody but supervisors has nod do anything in the group, were it to look: what one taps there all see.
func TestAWatchersTapInAGroupDoesNothing(t *testing.T) {
	inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "work", true) }, func(w *world) {
		w.watched("hello")
		w.set(func(s *bot.Settings) { s.Watchers, s.Preview = []int64{bob}, "minimal" })
		p := prompt("touch one")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(5 * time.Second)
		m := w.holding(forum, "claude in api1")
		theirs := w.tg.Person(bob, "Bob").In(forum)
		for _, button := range slices.Concat(m.Markup.Rows...) {
			theirs.TapData(m.ID, button.Data)
			time.Sleep(5 * time.Second)
		}
		if now := w.holding(forum, "claude in api1"); now.Text != m.Text || w.count(forum, "touch one") != 0 {
			t.Errorf("the group sees now:\n%s", now.Text)
		}
	})
}
