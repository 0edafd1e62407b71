package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// inForum runs f with a nod that tells all in one group.
func inForum(t *testing.T, make func(tg *botapi.Server), f func(w *world)) {
	t.Helper()
	inWorld(t, func(w *world) {
		make(w.tg)
		w.set(func(s *bot.Settings) { s.Topics, s.Chat = true, forum })
		f(w)
	})
}

func TestInAForumOnlySupervisorsWordsAndTapsCount(t *testing.T) {
	inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "work", true) }, func(w *world) {
		w.set(func(s *bot.Settings) { s.Watchers = []int64{bob} })
		one := w.asksIn(forum, 1, "touch one")
		wantThread(t, one, w.tg.Topic(forum, "claude in api1"))
		if n := w.count(ann, "touch one"); n != 0 {
			t.Errorf("it was told %d times in a chat of one", n)
		}
		var theirs []int
		for _, id := range []int64{eve, bob} {
			other := w.tg.Person(id, "Other").In(forum)
			if _, err := other.Tap(one.ID, "✅ Approve"); err != nil {
				t.Fatal(err)
			}
			theirs = append(theirs, other.ReplyTo(one.ID, "y").ID, other.InTopic(one.ThreadID).Say("y").ID, other.InTopic(one.ThreadID).Say("run the tests").ID)
		}
		w.wantTyped()
		w.wantTold()
		if n := strings.Count(w.log.String(), "user=666"); n != 1 {
			t.Errorf("the stranger is logged %d times, want once", n)
		}
		here := w.ann.In(forum)
		here.Say("y") // outside of all topics people speak with one another
		hers := here.InTopic(one.ThreadID).ReplyTo(w.tg.Person(eve, "Eve").In(forum).InTopic(one.ThreadID).Say("shall I?").ID, "y")
		w.wantTyped()
		for _, m := range w.tg.Messages(forum) {
			if m.From.IsBot && (m.ReplyID == hers.ID || slices.Contains(theirs, m.ReplyID)) {
				t.Errorf("nod answers what was not meant for it: %s", m.Text)
			}
		}
		if _, err := here.Tap(one.ID, "✅ Approve"); err != nil {
			t.Fatal(err)
		}
		w.wantTyped(screen.Approve)
	})
}

func TestInAForumASupervisorAnswersInTheTopic(t *testing.T) {
	inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "work", true) }, func(w *world) {
		one := w.asksIn(forum, 1, "touch one")
		two := w.asksIn(forum, 2, "touch two")
		here := w.ann.In(forum)
		here.InTopic(one.ThreadID).Say("n")
		w.wantTyped(screen.Deny)
		if got := w.typed.all()[0].Pane.ID; got != "%1" {
			t.Fatalf("typed into %s", got)
		}
		here.ReplyTo(two.ID, "y")
		w.wantTyped(screen.Deny, screen.Approve)
		wantNoButtons(t, w.holding(forum, "touch two"))
		w.leave(2)
		w.see(sighting(2, screen.Idle, nil))
		time.Sleep(5 * time.Second)
		here.InTopic(two.ThreadID).Say("run the tests")
		w.wantTold("run the tests")
	})
}

func TestAGroupWithoutTopicsGetsMessagesAllTheSame(t *testing.T) {
	for name, group := range map[string]struct {
		make   func(*botapi.Server)
		advice string
	}{
		"no forum":      {func(tg *botapi.Server) { tg.Group(forum, "work") }, "turn Topics on"},
		"without right": {func(tg *botapi.Server) { tg.Forum(forum, "work", false) }, "may manage topics"},
	} {
		t.Run(name, func(t *testing.T) {
			inForum(t, group.make, func(w *world) {
				one := w.asksIn(forum, 1, "touch one")
				wantThread(t, one, 0)
				wantThread(t, w.asksIn(forum, 2, "touch two"), 0)
				wantText(t, w.holding(forum, "Topics can't be used here"), group.advice)
				if n := w.count(forum, "Topics can't be used here"); n != 1 {
					t.Errorf("it is said %d times, want once", n)
				}
				w.ann.In(forum).Say("y")
				w.wantTyped()
				w.ann.In(forum).ReplyTo(one.ID, "y")
				w.wantTyped(screen.Approve)
			})
		})
	}
}

// A group gets another id when topics are turned on in it, which nod itself may have advised. Its people hear of it where
// they still can, once.
func TestAGroupThatIsGoneIsSaidToItsSupervisors(t *testing.T) {
	const now = forum - 7
	for name, c := range map[string]struct {
		lose func(w *world)
		says []string
	}{
		"upgraded": {func(w *world) { w.tg.Upgrade(forum, now) }, []string{"its id is -1001234567897 now", "NOD_CHAT"}},
		"put out": {func(w *world) {
			w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"})
		}, []string{"add the bot to it"}},
	} {
		t.Run(name, func(t *testing.T) {
			inForum(t, func(tg *botapi.Server) { tg.Group(forum, "work") }, func(w *world) {
				w.set(func(s *bot.Settings) { s.Topics = false })
				w.asksIn(forum, 1, "touch one")
				c.lose(w)
				p := prompt("touch two")
				w.see(sighting(2, screen.Permission, &p))
				w.sleepHours(3)
				wantText(t, w.holding(ann, "can't be written to"), append(c.says, "nobody gets messages")...)
				if n := w.count(ann, "can't be written to"); n != 1 {
					t.Errorf("it is said %d times, want once", n)
				}
				if name != "upgraded" {
					return
				}
				wantHealth(t, w, "its id is -1001234567897 now")
				w.set(func(s *bot.Settings) { s.Topics, s.Chat = true, now })
				time.Sleep(time.Minute)
				two := w.holding(now, "touch two")
				wantThread(t, two, w.tg.Topic(now, "claude in api2"))
				w.ann.In(now).InTopic(two.ThreadID).Say("y")
				w.wantTyped(screen.Approve)
			})
		})
	}
}

// TestAnAgentsCommandInItsTopicGoesToTheAgent as every other instruction does there, also one that names the bot; nod's own commands stay
// nod's, and what names another bot is for that one.
func TestAnAgentsCommandInItsTopicGoesToTheAgent(t *testing.T) {
	run := func(w *world, chat int64, here *botapi.Person) {
		w.t.Helper()
		one := w.asksIn(chat, 1, "touch one")
		here = here.InTopic(one.ThreadID)
		here.Say("n")
		w.leave(1)
		idle := func() {
			w.see(sighting(1, screen.Working, nil))
			w.see(sighting(1, screen.Idle, nil))
			time.Sleep(5 * time.Second)
		}
		for _, said := range []string{"/compact", "/model@nod_demo_bot opus", "/status", "/clear@other_bot"} {
			idle()
			here.Say(said)
			time.Sleep(5 * time.Second)
		}
		w.wantTold("/compact", "/model opus")
	}
	inTopics(t, func(w *world) { run(w, ann, w.ann) })
	inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "work", true) }, func(w *world) { run(w, forum, w.ann.In(forum)) })
}
