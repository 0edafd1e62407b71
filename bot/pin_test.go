package bot_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// setPins turns NOD_PIN on or off.
func (w *world) setPins(on bool) {
	w.mu.Lock()
	w.pins = on
	w.mu.Unlock()
	w.poke()
}

// pinned are the messages in the bar of a chat, and news the words of Telegram's about a pin that stand there still.
func (w *world) pinned(chat int64) (bar []int, news []botapi.Record) {
	for _, m := range w.tg.Messages(chat) {
		switch {
		case m.PinnedMessage != nil && !m.Deleted:
			news = append(news, m)
		case m.Pinned && !m.Deleted:
			bar = append(bar, m.ID)
		}
	}
	return bar, news
}

// TestWhatWaitsIsPinnedUntilItIsOver: whatever restarts and lost calls come between, the bar holds the first message of each
// question that waits, and nothing else; nobody hears of it, and no word about it stays.
func TestWhatWaitsIsPinnedUntilItIsOver(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 20))
	inWorld(t, func(w *world) {
		w.lossy = true
		w.setPins(true)
		waits := map[int]int{} // the message of what waits in each pane
		for step := range testrun.Rounds(20, 60) {
			pane := 1 + r.IntN(2)
			if r.IntN(3) == 0 {
				w.tg.Fail([]botapi.Fault{
					{Method: "pinChatMessage", DropAfter: true}, {Method: "pinChatMessage", Code: 429, RetryAfter: 1 + r.IntN(20)},
					{Method: "unpinChatMessage", DropBefore: true}, {Method: "unpinChatMessage", DropAfter: true}, {Method: "deleteMessage", Code: 500},
				}[r.IntN(5)])
			}
			asked, waiting := waits[pane]
			switch {
			case !waiting:
				p := prompt(fmt.Sprint("make ", step))
				w.see(sighting(pane, screen.Permission, &p))
				time.Sleep(time.Duration(r.IntN(3)) * time.Second)
			case r.IntN(3) == 0:
				w.ann.ReplyTo(asked, []string{"y", "n"}[r.IntN(2)])
				time.Sleep(5 * time.Second)
				delete(waits, pane)
			case r.IntN(2) == 0:
				for range 2 {
					w.see(sighting(pane, screen.Working, nil))
				}
				delete(waits, pane)
			default:
				time.Sleep(6 * time.Minute) // a reminder moves no pin
			}
			if r.IntN(3) == 0 {
				w.restart()
			}
			time.Sleep(time.Minute)
			if !waiting {
				waits[pane] = w.holding(ann, fmt.Sprint("make ", step)).ID
			}
			bar, news := w.pinned(ann)
			if want := slices.Sorted(maps.Values(waits)); !slices.Equal(bar, want) || len(news) > 0 {
				t.Fatalf("seed %d, step %d: pinned are %d, want %d; %d words about it stay\n%s", seed, step, bar, want, len(news), w.chat())
			}
			w.tg.Heal()
		}
		for _, c := range w.tg.Calls("pinChatMessage") {
			if c.Params["disable_notification"] != "true" {
				t.Errorf("seed %d: a pin in a private chat is not asked for silently", seed)
			}
		}
		w.setPins(false)
		time.Sleep(5 * time.Second)
		if bar, _ := w.pinned(ann); len(bar) > 0 {
			t.Errorf("seed %d: %d stay pinned with NOD_PIN=off", seed, bar)
		}
	})
}

// TestAMessageForSeveralStaysPinnedAsLongAsOneWaits, whichever that is.
func TestAMessageForSeveralStaysPinnedAsLongAsOneWaits(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 21))
	inWorld(t, func(w *world) {
		w.setPins(true)
		_, ids := w.askTogether(3)
		m := w.holding(ann, ids[0])
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		for i, id := range ids {
			if bar, _ := w.pinned(ann); !slices.Equal(bar, []int{m.ID}) {
				t.Fatalf("seed %d: with %d of 3 over pinned are %d, want %d", seed, i, bar, m.ID)
			}
			w.ann.Say([]string{"y ", "n "}[r.IntN(2)] + id)
			time.Sleep(10 * time.Second)
		}
		if bar, _ := w.pinned(ann); len(bar) > 0 || len(w.tg.Calls("pinChatMessage")) != 1 {
			t.Errorf("seed %d: when all are over pinned are %d, after %d calls", seed, bar, len(w.tg.Calls("pinChatMessage")))
		}
	})
}

// TestAPinIsNoAnswer, whoever pins what: nothing is typed, nothing is said, and the word about a person's pin is theirs.
func TestAPinIsNoAnswer(t *testing.T) {
	r := rand.New(rand.NewPCG(rand.Uint64(), 22))
	inWorld(t, func(w *world) {
		w.setPins(true)
		question, mine := w.asksIn(ann, 1, "make x"), w.ann.Say([]string{"/status", "y please", "hello"}[r.IntN(3)])
		time.Sleep(5 * time.Second)
		before := len(w.tg.Calls("sendMessage"))
		for _, m := range []int{mine.ID, question.ID} {
			if err := w.ann.Pin(m); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		w.wantTyped()
		if _, news := w.pinned(ann); len(news) != 2 || len(w.tg.Calls("sendMessage")) != before {
			t.Errorf("%d words about pins are left, want both of Ann's; nod said %d messages more", len(news), len(w.tg.Calls("sendMessage"))-before)
		}
		w.ann.Say("y")
		w.wantTyped(screen.Approve)
	})
}

// TestThePinInTheGroupRingsWhereTheMessageDoes, and the bar is cleared there too.
func TestThePinInTheGroupRingsWhereTheMessageDoes(t *testing.T) {
	inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "Agents", true) }, func(w *world) {
		w.setPins(true)
		loud := w.asksIn(forum, 1, "make loud")
		w.set(func(s *bot.Settings) { s.RingRisky = true })
		quiet := w.asksIn(forum, 2, "make quiet")
		w.asksIn(forum, 3, "rm -rf build")
		var silent []string
		for _, c := range w.tg.Calls("pinChatMessage") {
			silent = append(silent, c.Params["disable_notification"])
		}
		if !slices.Equal(silent, []string{"", "true", ""}) {
			t.Errorf("silent were %q", silent)
		}
		w.ann.In(forum).ReplyTo(loud.ID, "y")
		w.ann.In(forum).ReplyTo(quiet.ID, "y")
		time.Sleep(10 * time.Second)
		if bar, news := w.pinned(forum); len(bar) != 1 || len(news) > 0 {
			t.Errorf("pinned are %d, and %d words about it stay", bar, len(news))
		}
	})
}

// TestAPinThatIsRefusedIsSaidOnce, over restarts too, and changes nothing else.
func TestAPinThatIsRefusedIsSaidOnce(t *testing.T) {
	refusals := []botapi.Fault{
		{Code: 400, Description: "Bad Request: not enough rights to manage pinned messages in the chat"},
		{Code: 403, Description: "Forbidden: CHAT_ADMIN_REQUIRED"}, {Code: 404, Description: "Not Found: method not found"},
	}
	inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "Agents", true) }, func(w *world) {
		f := refusals[rand.IntN(len(refusals))]
		f.Method, f.Times = "pinChatMessage", -1
		w.tg.Fail(f)
		w.setPins(true)
		for i := 1; i <= 4; i++ {
			m := w.asksIn(forum, i, fmt.Sprint("make ", i))
			w.ann.In(forum).ReplyTo(m.ID, "y")
			time.Sleep(5 * time.Second)
			w.restart()
		}
		if n := w.count(forum, "can't be pinned here"); n != 1 {
			t.Errorf("%s: it was said %d times", f.Description, n)
		}
		if n := len(w.typed.all()); n != 4 {
			t.Errorf("%d of 4 answers were typed", n)
		}
		if health := strings.Join(w.bot.Health(), "\n"); health != "" {
			t.Error(health)
		}
		w.tg.Heal()
		m := w.asksIn(forum, 5, "make 5")
		if bar, _ := w.pinned(forum); !slices.Equal(bar, []int{m.ID}) {
			t.Errorf("with the right for it pinned are %d, want %d", bar, m.ID)
		}
	})
}

// TestAPinWhoseAnswerIsLostIsTakenBack: Telegram pins each time and nod never learns it, until the question is over.
func TestAPinWhoseAnswerIsLostIsTakenBack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.lossy = true
		w.setPins(true)
		w.tg.Fail(botapi.Fault{Method: "pinChatMessage", DropAfter: true, Times: -1})
		m := w.asksIn(ann, 1, "make x")
		w.ann.ReplyTo(m.ID, "y")
		time.Sleep(time.Minute)
		w.restart()
		time.Sleep(time.Minute)
		if bar, news := w.pinned(ann); len(bar)+len(news) > 0 {
			t.Errorf("pinned are %d, and %d words about it stay", bar, len(news))
		}
	})
}

// TestTheNewsOfAPinGoesThoughNodEnds right after Telegram failed to take it back.
func TestTheNewsOfAPinGoesThoughNodEnds(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		w.lossy = true
		w.setPins(true)
		w.tg.Fail(botapi.Fault{Method: "deleteMessage", Code: 500, Times: 2})
		p := prompt("make test")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(10 * time.Millisecond)
		w.restart()
		time.Sleep(time.Minute)
		if _, news := w.pinned(ann); len(news) > 0 {
			t.Errorf("%d words about it stay", len(news))
		}
	})
}
