package bot_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// storm is a chat in which anything may happen in any order: agents ask and go on, people answer, tap what they find and
// edit, Telegram fails in each of its ways, topics get lost, and nod is restarted.
type storm struct {
	*world
	*rand.Rand
	chat   int64 // in which Ann is told
	topics bool
	strict bool // Telegram allows one call a second, edits included
	asks   int
	open   map[int]int // panes that ask, and what: the number of asks then
}

// TestWhateverHappensNothingIsTypedTwiceOrKeepsItsButtons lets storms pass. When it is calm again, nod has nothing left to
// complain of, nothing was typed for a nudge after it was delivered, and what is over has no buttons.
func TestWhateverHappensNothingIsTypedTwiceOrKeepsItsButtons(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(3, 12)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			topics := r.IntN(2) == 0
			inWorldWith(t, botapi.Options{Token: token, Topics: topics, Flood: r.IntN(2) == 0}, func(w *world) {
				w.lossy = true
				w.with(func(s *bot.Settings) {
					s.Topics, s.Watchers, s.Preview = topics, []int64{bob}, []string{"full", "full", "minimal"}[r.IntN(3)]
				})
				s := &storm{world: w, Rand: r, chat: ann, topics: topics, open: map[int]int{}}
				if topics && r.IntN(2) == 0 {
					s.inForum()
				}
				w.mu.Lock()
				for i := 1; i <= 5; i++ {
					w.panes = append(w.panes, sighting(i, screen.Working, nil))
				}
				w.screen = []string{"hello"}
				w.mu.Unlock()
				for range 60 {
					s.happen()
					time.Sleep(time.Duration(s.IntN(4000)) * time.Millisecond)
				}
				w.tg.Heal()
				time.Sleep(3 * time.Minute)
				for i := 1; i <= 5; i++ {
					s.goesOn(i)
				}
				time.Sleep(10 * time.Second)
				s.wantCalm()
			})
		})
	}
}

// inForum has all told in a group.
func (s *storm) inForum() {
	s.tg.Forum(forum, "work", true)
	s.set(func(s *bot.Settings) { s.Chat = forum })
	s.chat, s.ann = forum, s.ann.In(forum)
	s.ann.Say("/help")
	time.Sleep(5 * time.Second)
}

func (s *storm) happen() {
	pane := 1 + s.IntN(5)
	said := s.botSaid()
	one := said[s.IntN(len(said))]
	switch s.IntN(20) {
	case 0, 1, 2:
		s.askSome()
	case 3, 4:
		s.goesOn(pane)
	case 5, 6:
		s.tg.Fail(s.fault())
	case 7:
		s.ann.Say([]string{"y", "n", "y please", "/queue", "/status", "/screen main:1.0", "/next api1"}[s.IntN(7)])
	case 8, 9:
		s.ann.ReplyTo(one.ID, []string{"y", "n", "n because", "hello"}[s.IntN(4)])
	case 10, 11, 12:
		if one.Markup != nil {
			row := one.Markup.Rows[s.IntN(len(one.Markup.Rows))]
			s.ann.TapData(one.ID, row[s.IntN(len(row))].Data)
		}
	case 13:
		s.typed.then([]deliver.Result{{Outcome: deliver.Refused, Reason: deliver.CopyMode}, {Outcome: deliver.Unknown}, {Outcome: deliver.Refused, Reason: deliver.Changed}}[s.IntN(3)])
	case 14:
		if s.IntN(3) == 0 {
			s.restart()
		}
	case 15:
		if s.topics && one.ThreadID != 0 && !one.Deleted {
			[]func(int64, int){s.tg.DeleteTopic, s.tg.CloseTopic}[s.IntN(2)](s.chat, one.ThreadID)
		}
	case 16:
		if s.open[pane] == 0 {
			s.see(sighting(pane, screen.Idle, nil))
		}
		s.ann.Say(fmt.Sprintf("/tell api%d run %d", pane, s.IntN(100)))
	case 17:
		all := s.ann.Messages()
		if mine := all[s.IntN(len(all))]; !mine.From.IsBot && !mine.Deleted {
			_ = s.ann.Edit(mine.ID, "n") // what opened a topic can't be edited
		}
	case 18:
		s.ann.Block()
		time.Sleep(time.Duration(s.IntN(20)) * time.Second)
		s.ann.Start()
	}
}

// askSome lets some agents ask at the same moment.
func (s *storm) askSome() {
	for range 1 + s.IntN(5) {
		if pane := 1 + s.IntN(5); s.open[pane] == 0 {
			s.asks++
			s.open[pane] = s.asks
			p := prompt(fmt.Sprintf("make %d", s.asks))
			s.see(sighting(pane, screen.Permission, &p))
			time.Sleep(time.Millisecond) // so that one was first
		}
	}
}

func (s *storm) goesOn(pane int) {
	s.see(sighting(pane, screen.Working, nil))
	s.see(sighting(pane, screen.Working, nil))
	delete(s.open, pane)
}

// fault is one of Telegram's. None hides that something was done: what nod can't know of keeps its buttons.
func (s *storm) fault() botapi.Fault {
	methods := []string{"sendMessage", "editMessageText", "editMessageReplyMarkup", "setMessageReaction", "createForumTopic", "sendPhoto", "editMessageMedia", "answerCallbackQuery", "getUpdates", ""}
	all := []botapi.Fault{
		{Code: 429, RetryAfter: 1 + s.IntN(8)}, {Code: 500}, {HTML: 502}, {DropBefore: true}, {Delay: time.Duration(s.IntN(18)) * time.Second},
		{Method: "editMessageText", DropAfter: true}, {Method: "setMessageReaction", DropAfter: true}, {Method: "createForumTopic", DropAfter: true},
		{Method: "setMessageReaction", Code: 400, Description: "Bad Request: REACTION_INVALID"},
		{Method: "sendMessage", Code: 400, Description: "Bad Request: message thread not found"},
		{Method: "sendMessage", Code: 400, Description: `Bad Request: can't parse entities: Unsupported start tag "tg-time" at byte offset 0`},
		{Method: "sendMessage", Code: 400, Description: "Bad Request: can't parse inline keyboard button: invalid button style specified"},
		{Method: "sendPhoto", Code: 400, Description: "Bad Request: IMAGE_PROCESS_FAILED"},
		{Method: "sendMessage", Code: 400, Description: "Bad Request: ENTITY_BOUNDS_INVALID"},
		{Method: "editMessageText", Code: 400, Description: "Bad Request: ENTITIES_TOO_LONG"},
		{Method: "sendMessage", Code: 400, Description: "Bad Request: BUTTON_DATA_INVALID", Times: 1 + s.IntN(3)},
		{Method: "sendMessage", Code: 400, Description: "Bad Request: message to be replied not found"},
	}
	f := all[s.IntN(len(all))]
	if f.Method == "" {
		f.Method = methods[s.IntN(len(methods))]
	}
	if f.Code != 400 { // the same again without what was refused would be no refusal of Telegram's
		f.Times = 1 + s.IntN(3)
	}
	return f
}

func (s *storm) wantCalm() {
	s.t.Helper()
	for _, chat := range []int64{ann, bob, forum} {
		for _, m := range s.tg.Messages(chat) {
			rows := strings.Join(rowsOf(m), " ")
			offers := strings.Contains(rows, "🔄 Refresh") || strings.Contains(rows, "and tell it") || strings.Contains(rows, "Queue it") // they still do
			if m.From.IsBot && !m.Deleted && m.Markup != nil && !offers {
				s.t.Errorf("message %d in %d has the buttons %s:\n%s", m.ID, chat, rows, m.Text)
			}
		}
	}
	list, err := s.keeper.List(true)
	if err != nil {
		s.t.Fatal(err)
	}
	typed := map[string]int{}
	for i, r := range s.typed.all() {
		if s.typed.outcomes[i] == deliver.Refused {
			continue
		}
		if typed[r.Nudge]++; typed[r.Nudge] > 1 {
			s.t.Errorf("#%s was typed %d times", r.Nudge, typed[r.Nudge])
		}
	}
	for _, n := range list {
		if !n.State.Over() {
			s.t.Errorf("#%s is %s", n.ID, n.State)
		}
		if n.Claim == nil && typed[n.ID] > 0 {
			s.t.Errorf("#%s was typed without an answer", n.ID)
		}
	}
	if strings.Contains(s.log.String(), "panic") {
		s.t.Error("an update made the bot panic")
	}
	for _, h := range s.bot.Health() {
		if !strings.Contains(h, "Topics") {
			s.t.Errorf("the health says %q", h)
		}
	}
}
