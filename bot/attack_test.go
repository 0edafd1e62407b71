package bot_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
	"nod/nudge"
)

// TestAForgedAnswerIsNone draws updates that are answers but for what was taken from them: other people, anonymous ones, bots,
// forwards, edits, other chats and kinds of updates, sealed data with a letter changed. None counts, in a private chat or in
// a group with topics; the answer itself does, once, however often it comes.
func TestAForgedAnswerIsNone(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(5, 40)) {
		r := rand.New(rand.NewPCG(seed, 4))
		inWorld(t, func(w *world) {
			chat := ann
			w.set(func(s *bot.Settings) { s.Watchers = []int64{bob} })
			if r.IntN(2) == 0 {
				chat = forum
				w.tg.Forum(forum, "work", true)
				w.set(func(s *bot.Settings) { s.Chat, s.Topics = forum, r.IntN(2) == 0 })
			}
			p := prompt("make test")
			w.see(sighting(1, screen.Permission, &p))
			time.Sleep(20 * time.Second)
			m := w.holding(chat, "make test")
			id := idOf(t, m)
			var all []forged
			var updates []string
			for i := range 25 {
				_, good := goodAnswer(r, m, id, i)
				f := forge(r, good)
				all, updates = append(all, f), append(updates, w.encoded(f.update))
			}
			w.hostile(updates...)
			n, _, err := w.keeper.Find(id)
			if err != nil || n.State != nudge.Pending || len(w.typed.all()) != 0 {
				for _, f := range all {
					t.Log(f.why, f.update)
				}
				t.Fatalf("seed %d: the question is %s, %d typed", seed, n.State, len(w.typed.all()))
			}
			name, good := goodAnswer(r, m, id, 99)
			w.hostile(w.encoded(good), w.encoded(clone(good)))
			w.hostile(w.encoded(good))
			if got := len(w.typed.all()); got != 1 {
				t.Fatalf("seed %d: the answer itself (%s) was typed %d times: %v", seed, name, got, good)
			}
			if strings.Contains(w.log.String(), "panic") {
				t.Errorf("seed %d: an update made the bot panic", seed)
			}
		})
	}
}

// In a group people speak with one another: words outside of nod's topics, or in reply to anybody but nod, were they a forward of
// nod's own message, are none to it.
func TestWordsBetweenPeopleAreNoAnswers(t *testing.T) {
	for seed := range uint64(testrun.Rounds(4, 30)) {
		r := rand.New(rand.NewPCG(seed, 5))
		inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "work", true) }, func(w *world) {
			m := w.asksIn(forum, 1, "make test")
			before := len(w.botSaid())
			at := object{"id": forum, "type": "supergroup", "is_forum": true}
			keyboard, err := json.Marshal(m.Markup)
			if err != nil {
				t.Fatal(err)
			}
			var updates []string
			for i := range 20 {
				message := object{"message_id": 5000 + i, "date": time.Now().Unix(), "from": person(ann), "chat": at, "text": []string{"y", "n", "1", "Y ", "yes", "run the tests"}[r.IntN(6)]}
				switch r.IntN(4) { // or a file, or a voice message
				case 0:
					message["document"] = object{"file_id": "f", "file_size": 3, "file_name": "a.txt"}
				case 1:
					message["voice"] = object{"file_id": "f", "file_size": 3, "duration": 2}
				}
				if r.IntN(2) == 0 {
					message["message_thread_id"], message["is_topic_message"] = m.ThreadID+1+r.IntN(9), true // a person's own topic
				}
				to := object{"message_id": 4000 + r.IntN(9), "date": 1, "chat": at, "text": m.Text, "reply_markup": json.RawMessage(keyboard)}
				switch r.IntN(4) {
				case 0: // it replies to nothing
					to = nil
				case 1:
					to["from"], to["forward_origin"] = person(eve), object{"type": "user", "sender_user": object{"id": 700001, "is_bot": true}}
				case 2:
					to["from"], to["sender_chat"], to["is_automatic_forward"] = impostors["Telegram's own messages"], object{"id": -100, "type": "channel"}, true
				case 3:
					to["from"] = object{"id": 9, "is_bot": true, "first_name": "nod"}
				}
				if to != nil {
					message["reply_to_message"] = to
				}
				updates = append(updates, w.encoded(object{"message": message}))
			}
			w.hostile(updates...)
			w.wantTyped()
			w.wantTold()
			if n := w.count(forum, "Nothing was typed"); n != 0 || len(w.botSaid()) != before {
				t.Errorf("seed %d: nod meddles %d times", seed, n)
			}
		})
	}
}

// another is a second nod of the same bot, with panes and a database of its own.
func (w *world) another(f func(o *world)) {
	w.t.Helper()
	o := &world{t: w.t, tg: w.tg, token: w.token, ann: w.ann, path: filepath.Join(w.t.TempDir(), "other.db")}
	o.settings = w.now()
	client, hangUp := w.tg.Pipe()
	o.http = client
	o.begin()
	defer func() { o.stop(); hangUp() }()
	time.Sleep(2 * time.Second)
	f(o)
}

// Of two nods that poll one bot either may get what was written, and neither knows the other's questions: a bare answer to the
// question of one was taken for that of the other.
func TestABareAnswerIsNotTakenWhileAnotherProgramPolls(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(2, 10)) {
		r := rand.New(rand.NewPCG(seed, 3))
		inWorld(t, func(w *world) {
			w.another(func(o *world) {
				time.Sleep(time.Duration(r.IntN(120)) * time.Second)
				p, q := prompt("make mine"), prompt("make other")
				w.see(sighting(1, screen.Permission, &p))
				time.Sleep(time.Duration(40+r.IntN(60)) * time.Second)
				o.see(sighting(2, screen.Permission, &q))
				time.Sleep(time.Duration(12+r.IntN(60)) * time.Second)
				w.ann.Say([]string{"y", "n", "yes"}[r.IntN(3)])
				time.Sleep(time.Minute)
				if mine, theirs := len(w.typed.all()), len(o.typed.all()); mine+theirs > 0 {
					t.Errorf("seed %d: %d and %d typed:\n%s", seed, mine, theirs, w.chat())
				}
				w.holding(ann, "Another program, perhaps a second nod")
			})
			w.sleepHours(r.IntN(7)) // the other's machine sleeps, and its question is in the chat
			w.ann.Say("y")
			w.wantTyped()
			w.restart() // its owner has seen to it
			w.ann.Say("y")
			w.wantTyped(screen.Approve)
		})
	}
}

// A scheduled message says nothing of when it was written: it answers what it replies to or names, and nothing else.
func TestAScheduledAnswerCountsOnlyWhereItNamesItsQuestion(t *testing.T) {
	for name, want := range map[string]int{"fresh": 0, "topic": 0, "named": 1, "reply": 1} {
		inWorld(t, func(w *world) {
			chat := ann
			if name == "topic" {
				chat = forum
				w.tg.Forum(forum, "work", true)
				w.set(func(s *bot.Settings) { s.Chat, s.Topics = forum, true })
			}
			m := w.asksIn(chat, 1, "make test")
			time.Sleep(20 * time.Second)
			r, got, u := rand.New(rand.NewPCG(1, 6)), "", object(nil)
			for got != name {
				got, u = goodAnswer(r, m, idOf(t, m), 1)
			}
			u["message"].(object)["is_from_offline"] = true
			w.hostile(w.encoded(u))
			if n := len(w.typed.all()); n != want {
				t.Errorf("%s: %d typed, want %d", name, n, want)
			}
			if want == 0 {
				w.holding(chat, "as a scheduled message is")
			}
		})
	}
}

// Ids of updates that no Telegram gives neither lose an answer nor bring one twice, in whatever order they come.
func TestStrangeUpdateIDsLoseNothing(t *testing.T) {
	for seed := range uint64(testrun.Rounds(3, 20)) {
		r := rand.New(rand.NewPCG(seed, 7))
		inWorld(t, func(w *world) {
			m := w.ask(1, prompt("make test"))
			time.Sleep(15 * time.Second)
			ids := []string{"9223372036854775807", "-5", "0", "1e3", "99999999999999999999999", "2147483647", "4294967296", `"7"`, "null", "1.5", "9223372036854775806"}
			for range 3 {
				var batch []string
				for range 1 + r.IntN(5) {
					batch = append(batch, fmt.Sprintf(`{"update_id":%s,"message":{"message_id":%d,"date":1,"text":"hello","from":{"id":666},"chat":{"id":666,"type":"private"}}}`, ids[r.IntN(len(ids))], r.IntN(99)))
				}
				w.tg.Fail(botapi.Fault{Method: "getUpdates", Garbage: `{"ok":true,"result":[` + strings.Join(batch, ",") + `]}`})
				time.Sleep(time.Minute)
				if offset, err := w.store.Memory().Offset(); err != nil || offset < 0 {
					t.Errorf("seed %d: the offset is %d, %v after %q", seed, offset, err, batch)
				}
			}
			w.ann.ReplyTo(m.ID, "y")
			time.Sleep(2 * time.Minute)
			w.wantTyped(screen.Approve)
		})
	}
}

// Who is not heard leaves nothing on disk, however much they write.
func TestStrangersCostNoDisk(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Group(forum, "work")
		w.set(func(s *bot.Settings) { s.Chat = forum })
		r := rand.New(rand.NewPCG(1, 8))
		first := w.hostileID + 1
		var updates []string
		for i := range 90 {
			from, at := person(1_000_000+int64(r.IntN(5000))), object{"id": forum, "type": "supergroup"}
			message := object{"message_id": 3000 + i, "date": time.Now().Unix(), "from": from, "chat": at, "text": "y"}
			updates = append(updates, w.encoded([]object{
				{"message": message}, {"edited_message": message}, {"callback_query": object{"id": "1", "from": from, "message": message, "data": "a:k3f:x"}},
			}[r.IntN(3)]))
		}
		w.hostile(updates...)
		for id := first; id <= w.hostileID; id++ {
			if noted, err := w.store.Memory().Handled(id); noted || err != nil {
				t.Fatalf("update %d is noted: %v", id, err)
			}
		}
	})
}

// mute is a Telegram that takes nothing for a group, in words of one kind, until it is over.
type mute struct {
	to    http.RoundTripper
	words string
	over  atomic.Bool
}

func (s *mute) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.over.Load() || r.Body == nil {
		return s.to.RoundTrip(r)
	}
	p, err := peek(r)
	if err != nil {
		return nil, err
	}
	if p.Get("chat_id") != fmt.Sprint(forum) {
		return s.to.RoundTrip(r)
	}
	said := fmt.Sprintf(`{"ok":false,"error_code":400,"description":%q}`, "Bad Request: "+s.words)
	return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(said)), Request: r}, nil
}

// A group in which the bot may not write, or whose General topic is closed, is a group in which nobody hears of anything: its
// supervisors are told in their own chats, once, and what waits comes when the group takes it.
func TestAGroupThatTakesNothingIsSaidToItsSupervisors(t *testing.T) {
	t.Parallel()
	all := []string{"TOPIC_CLOSED", "not enough rights to send text messages to the chat", "CHAT_WRITE_FORBIDDEN", "CHAT_RESTRICTED", "have no rights to send a message", "TOPIC_HIDDEN"}
	for seed := range uint64(testrun.Rounds(3, 20)) {
		r := rand.New(rand.NewPCG(seed, 11))
		inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "work", r.IntN(2) == 0) }, func(w *world) {
			w.stop()
			m := &mute{to: w.http.Transport, words: all[r.IntN(len(all))]}
			w.http = &http.Client{Transport: m}
			w.begin()
			time.Sleep(2 * time.Second)
			for i := range 1 + r.IntN(3) {
				p := prompt(fmt.Sprint("make test", i+1))
				w.see(sighting(i+1, screen.Permission, &p))
			}
			w.sleep(time.Duration(1+r.IntN(60)) * time.Minute)
			wantText(t, w.holding(ann, "takes no message"), fmt.Sprint(forum), "/queue")
			if n := w.count(ann, "takes no message"); n != 1 {
				t.Errorf("seed %d: it is said %d times", seed, n)
			}
			m.over.Store(true)
			w.sleep(10 * time.Minute)
			w.holding(forum, "make test1")
			if h := strings.Join(w.bot.Health(), "\n"); strings.Contains(h, "refused a message") {
				t.Errorf("seed %d: the health says %q", seed, h)
			}
		})
	}
}

// A notice that asked something is taken back when its agent is done once more. A yes in reply to it comes as one that replies to
// nothing, and was taken for the permission of another agent.
func TestAReplyToWhatWasTakenBackApprovesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(8, 60)) {
		r := rand.New(rand.NewPCG(seed, 12))
		wait := func(seconds int) { time.Sleep(time.Duration(1+r.IntN(seconds)) * time.Second) }
		inWorld(t, func(w *world) {
			if r.IntN(2) == 0 {
				w.ask(2, prompt("rm -rf build"))
				wait(300)
			}
			w.done(1, "Shall I commit?")
			asked := w.holding(ann, "Shall I commit?") // a reminder may have come behind it
			wait(300)
			if len(w.botSaid()) == 2 {
				w.ask(2, prompt("rm -rf build"))
				wait(300)
			}
			w.see(sighting(1, screen.Working, nil))
			wait(600)
			w.done(1, "All tests pass.")
			wait(40)
			w.ann.ReplyTo(asked.ID, []string{"y", "yes", "n"}[r.IntN(3)])
			w.wantTyped()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		})
	}
}
