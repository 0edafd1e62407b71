package bot_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
)

const forum = int64(-1001234567890)

// inTopics runs f with a nod that gives each pane a topic, in chats that have them.
func inTopics(t *testing.T, f func(w *world)) {
	t.Helper()
	inWorldWith(t, botapi.Options{Token: token, Topics: true}, func(w *world) {
		w.set(func(s *bot.Settings) { s.Topics = true })
		f(w)
	})
}

// asksIn lets the agent in pane n ask, and gives the message in a chat that came of it.
func (w *world) asksIn(chat int64, n int, subject string) botapi.Record {
	w.t.Helper()
	p := prompt(subject)
	w.see(sighting(n, screen.Permission, &p))
	time.Sleep(5 * time.Second)
	return w.holding(chat, subject)
}

// holding is the newest message of the bot in a chat that holds text.
func (w *world) holding(chat int64, text string) botapi.Record {
	w.t.Helper()
	var found botapi.Record
	for _, m := range w.tg.Messages(chat) {
		if m.From.IsBot && !m.Deleted && strings.Contains(m.Text, text) {
			found = m
		}
	}
	if found.ID == 0 {
		w.t.Fatalf("no message in %d holds %q; the chat:\n%s", chat, text, w.chat())
	}
	return found
}

// count is how many messages of the bot in a chat hold text.
func (w *world) count(chat int64, text string) (n int) {
	for _, m := range w.tg.Messages(chat) {
		if m.From.IsBot && strings.Contains(m.Text, text) {
			n++
		}
	}
	return n
}

func wantThread(t *testing.T, m botapi.Record, want int) {
	t.Helper()
	if m.ThreadID != want {
		t.Errorf("message %d is in topic %d, want %d:\n%s", m.ID, m.ThreadID, want, m.Text)
	}
}

func TestEachPaneHasATopicNamedAfterAgentAndProjectThatLastsOverRestarts(t *testing.T) {
	inTopics(t, func(w *world) {
		one, two := w.asksIn(ann, 1, "touch one"), w.asksIn(ann, 2, "touch two")
		if one.ThreadID == 0 || two.ThreadID == 0 || one.ThreadID == two.ThreadID {
			t.Fatalf("the topics are %d and %d", one.ThreadID, two.ThreadID)
		}
		wantThread(t, one, w.tg.Topic(ann, "claude in api1"))
		wantThread(t, two, w.tg.Topic(ann, "claude in api2"))
		w.restart()
		time.Sleep(6 * time.Minute)
		reminder := w.holding(ann, "touch one")
		if reminder.ID == one.ID || reminder.ReplyID != one.ID {
			t.Errorf("the reminder %d replies to %d, want %d", reminder.ID, reminder.ReplyID, one.ID)
		}
		wantThread(t, reminder, one.ThreadID)
		w.ann.ReplyTo(one.ID, "yeah sure")
		time.Sleep(5 * time.Second)
		said := w.tg.Messages(ann)
		wantThread(t, said[len(said)-1], one.ThreadID)
		w.ann.ReplyTo(two.ID, "n")
		w.wantTyped(screen.Deny)
		if n := len(w.tg.Calls("createForumTopic")); n != 2 {
			t.Errorf("%d topics were made, want 2", n)
		}
	})
}

// What several agents need at the same moment is in the topic of each, and rings once; the next question rings again.
func TestSeveralTopicsAtTheSameMomentRingOnce(t *testing.T) {
	inTopics(t, func(w *world) {
		w.seeTogether(8, func(i int) string { return fmt.Sprint("make ", i) })
		time.Sleep(time.Minute)
		topics, rung := map[int]bool{}, 0
		for i := 1; i <= 8; i++ {
			m := w.holding(ann, fmt.Sprint("make ", i))
			topics[m.ThreadID] = true
			if !m.Silent {
				rung++
			}
		}
		if len(topics) != 8 || rung != 1 {
			t.Errorf("%d topics, and %d messages with a sound", len(topics), rung)
		}
		if m := w.asksIn(ann, 9, "touch nine"); m.Silent {
			t.Error("the next question is silent")
		}
	})
}

func TestABareYInATopicNeverMeansAnotherPanesQuestion(t *testing.T) {
	inTopics(t, func(w *world) {
		one := w.asksIn(ann, 1, "touch one")
		w.asksIn(ann, 2, "touch two")
		here := w.ann.InTopic(one.ThreadID)
		here.Say("y")
		w.wantTyped(screen.Approve)
		if got := w.typed.all()[0].Pane.ID; got != "%1" {
			t.Fatalf("typed into %s", got)
		}
		w.leave(1)
		time.Sleep(2 * time.Minute)
		here.Say("y")
		w.wantTyped(screen.Approve)
		wantThread(t, w.holding(ann, "Nothing is waiting"), one.ThreadID)
	})
}

func TestAYInATopicThatWasReplacedNeverMeansAnotherPanesQuestion(t *testing.T) {
	inTopics(t, func(w *world) {
		one := w.asksIn(ann, 1, "touch one")
		w.leave(1)
		time.Sleep(10 * time.Minute)
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: http.StatusBadRequest, Description: "Bad Request: message thread not found"})
		again := w.asksIn(ann, 1, "touch again")
		if again.ThreadID == one.ThreadID || again.ThreadID == 0 {
			t.Fatalf("the topic is %d, and was %d", again.ThreadID, one.ThreadID)
		}
		w.asksIn(ann, 2, "touch two")
		time.Sleep(2 * time.Minute)
		w.ann.InTopic(one.ThreadID).Say("y")
		w.wantTyped()
		wantText(t, w.holding(ann, "Which one"), "Which one")
	})
}

func TestAThreadNeverTellsWhichQuestionIsMeant(t *testing.T) {
	inTopics(t, func(w *world) {
		w.asksIn(ann, 1, "touch one")
		time.Sleep(2 * time.Minute)
		w.asksIn(ann, 2, "touch two")
		time.Sleep(2 * time.Minute)
		w.ann.Say("y") // it opens a topic of its own
		w.wantTyped(screen.Approve)
		if got := w.typed.all()[0].Pane.ID; got != "%2" {
			t.Errorf("typed into %s, want the newest question's", got)
		}
	})
}

func TestPlainTextInATopicIsTheNextInstruction(t *testing.T) {
	inTopics(t, func(w *world) {
		one := w.asksIn(ann, 1, "touch one")
		here := w.ann.InTopic(one.ThreadID)
		here.Say("run the tests")
		w.wantTold()
		wantThread(t, w.holding(ann, "is there: reply"), one.ThreadID)
		w.leave(1)
		w.see(sighting(1, screen.Idle, nil))
		time.Sleep(5 * time.Second)
		here.Say("run the tests")
		w.wantTold("run the tests")
		w.ann.Say("run them all")
		w.wantTold("run the tests")
	})
}

func TestAnotherAgentInThePaneHasATopicOfItsOwn(t *testing.T) {
	inTopics(t, func(w *world) {
		one := w.asksIn(ann, 1, "touch one")
		w.leave(1)
		p := prompt("touch other")
		other := sighting(1, screen.Permission, &p)
		other.Agent, other.Project, other.Process.PID = "codex", "web", 900
		w.mu.Lock()
		w.panes = []detect.Sighting{other}
		w.mu.Unlock()
		w.see(other)
		time.Sleep(time.Minute)
		asked := w.holding(ann, "touch other")
		if asked.ThreadID == 0 || asked.ThreadID == one.ThreadID {
			t.Fatalf("its question is in topic %d, and the first agent's in %d", asked.ThreadID, one.ThreadID)
		}
		there := w.ann.InTopic(one.ThreadID)
		there.Say("y")
		w.wantTyped()
		w.leave(1)
		other.State, other.Prompt, other.At = screen.Idle, nil, time.Now()
		w.see(other)
		time.Sleep(time.Minute)
		there.Say("run the tests")
		w.wantTold()
		said := w.holding(ann, "runs in that pane now")
		wantThread(t, said, one.ThreadID)
		wantText(t, said, "claude in api1", "codex in web", "its own topic")
		w.ann.InTopic(asked.ThreadID).Say("run the tests")
		w.wantTold("run the tests")
	})
}

// TestTheNextSessionOfAProjectGoesOnInItsTopic, where the pane of the last one is gone. Two sessions have two.
func TestTheNextSessionOfAProjectGoesOnInItsTopic(t *testing.T) {
	inTopics(t, func(w *world) {
		session := func(n int, subject string) detect.Sighting {
			p := prompt(subject)
			s := sighting(n, screen.Permission, &p)
			s.Project = "api"
			return s
		}
		runs := func(panes ...detect.Sighting) {
			w.mu.Lock()
			w.panes = panes
			w.mu.Unlock()
			for _, s := range panes {
				w.see(s)
			}
			time.Sleep(5 * time.Second)
		}
		one, two := session(1, "touch one"), session(2, "touch two")
		runs(one, two)
		first, second := w.holding(ann, "touch one").ThreadID, w.holding(ann, "touch two").ThreadID
		if first == 0 || second == 0 || first == second {
			t.Fatalf("two sessions that run have the topics %d and %d", first, second)
		}
		runs(two)
		three := session(3, "touch three")
		runs(two, three)
		wantThread(t, w.holding(ann, "touch three"), first)
		w.ann.InTopic(first).Say("y")
		time.Sleep(5 * time.Second)
		if all := w.typed.all(); len(all) != 1 || all[0].Pane != three.Pane {
			t.Errorf("typed %+v", all)
		}
		// Of another tmux server nothing is known.
		four := session(4, "touch four")
		four.Pane.Server.Socket = "/tmp/other"
		runs(three, four)
		if m := w.holding(ann, "touch four"); m.ThreadID == 0 || m.ThreadID == first || m.ThreadID == second {
			t.Errorf("its topic is %d", m.ThreadID)
		}
	})
}

// A number means a topic of its own chat alone: a person's topic in the group may bear that of a pane's in a private chat.
// What became of an answer is in the topic in which it was given, also where nod was restarted in between.
func TestAnOutcomeAfterARestartStandsInItsTopic(t *testing.T) {
	inTopics(t, func(w *world) {
		one := w.asksIn(ann, 1, "touch one")
		w.leave(1)
		w.see(sighting(1, screen.Idle, nil))
		time.Sleep(5 * time.Second)
		w.typed.takes = time.Minute
		w.ann.InTopic(one.ThreadID).Say("run the tests")
		time.Sleep(3 * time.Second)
		w.restart()
		time.Sleep(5 * time.Second)
		said := w.holding(ann, "Perhaps not submitted")
		wantThread(t, said, one.ThreadID)
	})
}

func TestATopicOfAnotherChatIsNoPanes(t *testing.T) {
	inTopics(t, func(w *world) {
		one := w.asksIn(ann, 1, "touch one")
		w.leave(1)
		w.see(sighting(1, screen.Idle, nil))
		w.tg.Forum(forum, "work", true)
		w.set(func(s *bot.Settings) { s.Chat = forum })
		w.ann.In(forum).InTopic(one.ThreadID).Say("run the tests")
		w.wantTold()
		w.ann.InTopic(one.ThreadID).Say("run them")
		w.wantTold("run them")
	})
}

func TestWithoutTopicsMessagesComeToTheChatAndThatIsSaidOnce(t *testing.T) {
	for name, o := range map[string]botapi.Options{
		"threaded mode is off":        {Token: token},
		"the server is older than it": {Token: token, Topics: true, Version: 902},
	} {
		t.Run(name, func(t *testing.T) {
			inWorldWith(t, o, func(w *world) {
				w.set(func(s *bot.Settings) { s.Topics = true })
				one := w.asksIn(ann, 1, "touch one")
				wantThread(t, one, 0)
				wantThread(t, w.asksIn(ann, 2, "touch two"), 0)
				w.sleepHours(3)
				w.restart()
				wantThread(t, w.asksIn(ann, 3, "touch three"), 0)
				if n := w.count(ann, "Topics can't be used here"); n != 1 {
					t.Errorf("it is said %d times, want once", n)
				}
				wantText(t, w.holding(ann, "Topics can't be used here"), "Threaded Mode", "@BotFather")
				if health := strings.Join(w.bot.Health(), "\n"); !strings.Contains(health, "Topics can't be used here") {
					t.Errorf("the health says %q", health)
				}
				w.tap(one, "Approve")
				w.wantTyped(screen.Approve)
			})
		})
	}
}

func TestALostTopicIsMadeAnew(t *testing.T) {
	for name, lose := range map[string]func(*botapi.Server, int64, int){
		"deleted": (*botapi.Server).DeleteTopic, "closed": (*botapi.Server).CloseTopic,
	} {
		t.Run(name, func(t *testing.T) {
			inTopics(t, func(w *world) {
				one := w.asksIn(ann, 1, "touch one")
				lose(w.tg, ann, one.ThreadID)
				time.Sleep(6 * time.Minute)
				reminder := w.holding(ann, "touch one")
				if reminder.ThreadID == one.ThreadID || reminder.ThreadID == 0 {
					t.Fatalf("the reminder is in topic %d, the lost one was %d", reminder.ThreadID, one.ThreadID)
				}
				w.ann.InTopic(reminder.ThreadID).Say("n")
				w.wantTyped(screen.Deny)
			})
		})
	}
}

func TestWhereNoTopicLastsMessagesComeToTheChat(t *testing.T) {
	inTopics(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Times: 2, Code: http.StatusBadRequest, Description: "Bad Request: message thread not found"})
		one := w.asksIn(ann, 1, "touch one")
		wantThread(t, one, 0)
		wantText(t, w.holding(ann, "Topics can't be used here"), "again within an hour")
		w.tap(one, "Deny")
		w.wantTyped(screen.Deny)
		w.sleepHours(2)
		two := w.asksIn(ann, 2, "touch two")
		wantThread(t, two, w.tg.Topic(ann, "claude in api2"))
		if len(w.bot.Health()) != 0 {
			t.Errorf("the health says %q", w.bot.Health())
		}
	})
}

func TestATopicThatHasToWaitHoldsTheMessageAndLosesNone(t *testing.T) {
	for name, fault := range map[string]botapi.Fault{
		"rate limit": {Code: http.StatusTooManyRequests, RetryAfter: 20},
		"outage":     {HTML: http.StatusBadGateway, Times: 3},
		"cut off":    {DropBefore: true},
	} {
		t.Run(name, func(t *testing.T) {
			inTopics(t, func(w *world) {
				fault.Method = "createForumTopic"
				w.tg.Fail(fault)
				p := prompt("touch one")
				w.see(sighting(1, screen.Permission, &p))
				time.Sleep(time.Minute)
				wantThread(t, w.holding(ann, "touch one"), w.tg.Topic(ann, "claude in api1"))
				if n := w.count(ann, "touch one"); n != 1 {
					t.Errorf("it was told %d times", n)
				}
			})
		})
	}
}
