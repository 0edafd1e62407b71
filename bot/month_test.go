package bot_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/bot"
	"nod/bot/message"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
	"nod/nudge"
)

// months are how many months TestAMonthInAMinute lives through.
const months = 20

// TestAMonthInAMinute lives a month, or one day where tests are fast, with a storm now and then, outages of hours, a disk that is full, clocks
// that are set, the change to summer time, and a laptop that sleeps. Every question that still stands comes to the chat, those that had to
// wait in their order, nothing is typed twice, what is over has no buttons, Telegram's limits are kept but for what it takes to learn them,
// and at the end there are as many goroutines as after a week and no more memory than the chat itself takes.
func TestAMonthInAMinute(t *testing.T) {
	proof := testrun.Prove(t, months, months)
	for _, round := range proof.Rounds() {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			r := proof.Random(round)
			topics, strict := r.IntN(2) == 0, r.IntN(2) == 0
			inWorldWith(t, botapi.Options{Token: token, Strict: strict, Flood: !strict, Topics: topics}, func(w *world) {
				w.stop()
				time.Sleep(time.Until(beginning()))
				w.begin()
				liveAMonth(w, r, topics, strict)
			})
			proof.Passed(t, round)
		})
	}
}

// daysOf is how many days of a month are lived.
func daysOf() int {
	if testrun.Proving() {
		return 30
	}
	return testrun.Rounds(1, 30)
}

// firstWeek is after how many days Telegram's emulator remembers as many calls as it ever does.
const firstWeek = 7

// beginning is when a month begins, so that the clocks change to summer time in it, or in the night of the one day.
func beginning() time.Time {
	if daysOf() < 30 {
		return time.Date(2000, 3, 25, 18, 0, 0, 0, time.UTC)
	}
	return time.Date(2000, 3, 10, 6, 0, 0, 0, time.UTC)
}

func liveAMonth(w *world, r *rand.Rand, topics, strict bool) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		w.t.Fatal(err)
	}
	w.lossy = true
	w.with(func(s *bot.Settings) { s.Zone, s.Watchers, s.Topics = zone, []int64{bob}, topics })
	w.mu.Lock()
	for i := 1; i <= 5; i++ {
		w.panes = append(w.panes, sighting(i, screen.Working, nil))
	}
	w.screen = []string{"hello"}
	w.mu.Unlock()
	s := &storm{world: w, Rand: r, chat: ann, topics: topics, strict: strict, open: map[int]int{}}
	if topics && r.IntN(2) == 0 {
		s.inForum()
	}
	var first usage
	days := daysOf()
	for day := range days {
		s.day()
		if day == min(days-1, firstWeek) {
			first = used()
		}
	}
	s.askSome() // what was said to be wrong with a chat is over once a message has come
	s.ann.In(ann).Say("/help")
	s.sleep(time.Minute)
	s.allGoOn()
	s.wantCalm()
	last := used()
	w.t.Logf("%d days, %d questions; after a week %v, at the end %v", days, s.asks, first, last)
	if last.goroutines > first.goroutines+2 || last.heap > first.heap+6<<20 {
		w.t.Errorf("after a week %v, after a month %v", first, last)
	}
}

// day is one of the month: some storms, one trouble that lasts, and a night in which all is said that was not.
func (s *storm) day() {
	for range min(3, daysOf()) {
		for range 12 {
			s.happen()
			time.Sleep(time.Duration(s.IntN(20)) * time.Second)
		}
		s.tg.Heal()
		s.sleep(10 * time.Minute)
		asked := s.asks
		ordered := s.trouble()
		s.tg.Heal()
		s.sleep(time.Duration(10+s.IntN(60)) * time.Minute)
		s.wantAllTold()
		if ordered {
			s.wantInOrder(asked+1, s.asks)
		}
		s.wantWithinLimits()
	}
	s.allGoOn()
	s.sleep(9 * time.Hour)
}

// allGoOn has no agent ask any more.
func (s *storm) allGoOn() {
	for i := 1; i <= 5; i++ {
		s.goesOn(i)
	}
	s.sleep(time.Minute)
}

// trouble is something that lasts, with questions in the middle of it. It reports whether they keep their order: a message that Telegram answers
// with an error comes after the others.
func (s *storm) trouble() (ordered bool) {
	kind := s.IntN(6)
	switch kind {
	case 0: // the network is gone for hours
		s.tg.Fail(botapi.Fault{DropBefore: true, Times: -1})
		s.askSome()
		s.sleep(time.Duration(s.IntN(5*60)) * time.Minute)
	case 1: // Telegram is broken
		s.tg.Fail(botapi.Fault{HTML: 502, Times: -1})
		s.askSome()
		s.sleep(time.Duration(s.IntN(120)) * time.Minute)
	case 2: // somebody sets the clock, forth or back
		s.askSome()
		s.setClock(time.Duration(s.IntN(7200)-3600) * time.Second)
		s.sleep(10 * time.Minute)
	case 3: // the laptop sleeps: no tick comes, and no call gets through
		s.askSome()
		s.suspend(14 * time.Hour)
	case 4:
		s.askSome()
		s.restart()
	case 5: // the disk is full
		if !testrun.Logs() {
			s.fullDisk()
		}
	}
	return kind != 1
}

// fullDisk has the disk take nothing for a while, in which agents ask and people answer. A watcher looks again, and Telegram brings an answer
// again that could not be kept, a tap for two minutes alone.
func (s *storm) fullDisk() {
	s.askSome()
	time.Sleep(10 * time.Second)
	s.typed.then()
	room := testrun.FillDisk(s.t)
	s.setFull(true)
	waits := s.waiting()
	answered := map[string]func(){}
	for _, m := range s.botSaid() {
		id, waiting := waits[m.ID]
		if _, ok := m.Button("✅ Approve"); !ok || !waiting || m.Deleted || answered[id] != nil {
			continue
		}
		tap := func() { _, _ = s.ann.Tap(m.ID, "✅ Approve") }
		if s.IntN(2) == 0 {
			tap()
			answered[id] = tap
		} else {
			s.ann.ReplyTo(m.ID, "n")
			answered[id] = func() {}
		}
	}
	s.askSome()
	lasts := time.Duration(1+s.IntN(60)) * time.Minute
	s.sleep(lasts)
	room()
	s.setFull(false)
	if lasts > 2*time.Minute {
		for _, again := range answered {
			again()
		}
	}
	s.sleep(5 * time.Minute)
	for id := range answered {
		if n, found, err := s.keeper.Find(id); err != nil || !found || n.State == nudge.Pending {
			s.t.Errorf("#%s was answered on a full disk for %v, and is %s: %v", id, lasts, n.State, err)
		}
	}
}

// waiting are the questions that wait in the chat, by their messages.
func (s *storm) waiting() map[int]string {
	s.t.Helper()
	list, err := s.keeper.List(false)
	if err != nil {
		s.t.Fatal(err)
	}
	waits := map[int]string{}
	for _, n := range list {
		for _, c := range n.Copies {
			if n.State == nudge.Pending && message.ChatOf(c.Place) == s.chat {
				waits[c.Message] = n.ID
			}
		}
	}
	return waits
}

func (s *storm) setFull(full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = full
}

// setClock sets the wall clock. That it is set forth is that it ran on while the clock that nobody sets stood, and that it is set back that
// the other ran on alone.
func (s *storm) setClock(by time.Duration) {
	s.mu.Lock()
	s.up -= by
	s.mu.Unlock()
	if by > 0 {
		s.sleep(by)
	}
}

// suspend has the machine sleep: both clocks go on, and nothing else does.
func (s *storm) suspend(long time.Duration) {
	s.setAsleep(true)
	s.tg.Fail(botapi.Fault{DropBefore: true, Times: -1})
	s.sleep(long)
	s.tg.Heal()
	s.setAsleep(false)
}

func (s *storm) setAsleep(asleep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asleep = asleep
}

// wantAllTold fails where a question that stands was never in the chat.
func (s *storm) wantAllTold() {
	s.t.Helper()
	// A watcher looks each second, and what was behind an answer is seen at the next look.
	for _, pane := range slices.SortedFunc(maps.Keys(s.open), func(a, b int) int { return s.open[a] - s.open[b] }) {
		p := prompt(fmt.Sprintf("make %d", s.open[pane]))
		s.see(sighting(pane, screen.Permission, &p))
		time.Sleep(time.Millisecond)
	}
	s.sleep(time.Minute)
	var all strings.Builder
	for _, m := range s.tg.Messages(s.chat) {
		all.WriteString(m.Text + "\n")
		for _, b := range m.Before {
			all.WriteString(b.Text + "\n")
		}
	}
	for _, ask := range s.open {
		if !regexp.MustCompile(fmt.Sprintf(`make %d\b`, ask)).MatchString(all.String()) {
			s.t.Errorf("question %d stands and was never told", ask)
		}
	}
}

// wantInOrder fails where of the questions that waited for the end of a trouble one was told before another that was asked sooner.
func (s *storm) wantInOrder(from, to int) {
	s.t.Helper()
	var all strings.Builder
	for _, m := range s.tg.Messages(s.chat) {
		if len(m.Before) > 0 {
			all.WriteString(m.Before[0].Text + "\n")
		} else if m.From.IsBot {
			all.WriteString(m.Text + "\n")
		}
	}
	last := 0
	for ask := from; ask <= to; ask++ {
		at := regexp.MustCompile(fmt.Sprintf(`make %d\b`, ask)).FindStringIndex(all.String())
		if at != nil && at[0] < last {
			s.t.Errorf("question %d was told before the one that was asked sooner", ask)
		}
		if at != nil {
			last = at[0]
		}
	}
}

// wantWithinLimits fails where Telegram refused calls because they were too many. Where it allows fewer than it says, nod has to learn that.
func (s *storm) wantWithinLimits() {
	s.t.Helper()
	calls, refused := 0, 0
	for _, c := range s.tg.Calls("") {
		if c.Method != "getUpdates" {
			calls++
		}
		if c.Err != nil && c.Err.Code == http.StatusTooManyRequests {
			refused++
		}
	}
	if !s.strict && refused > 0 || s.strict && calls > 100 && refused > calls/3 {
		s.t.Errorf("of %d calls %d were too many", calls, refused)
	}
}

// usage is what nod and the emulator hold.
type usage struct {
	goroutines int
	heap       uint64
}

func (u usage) String() string {
	return fmt.Sprintf("%d goroutines and %d MB", u.goroutines, u.heap>>20)
}

func used() usage {
	synctest.Wait()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{runtime.NumGoroutine(), m.HeapAlloc}
}
