package bot_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// months are how many months TestAMonthInAMinute lives through.
const months = 20

// TestAMonthInAMinute lives a month, outside make proofs two days of one, or one where tests are fast, with a storm now and then, outages of hours, clocks that are
// set, the change to summer time, and a laptop that sleeps. Every question that still stands comes to the chat, nothing is typed twice,
// what is over has no buttons, and at the end there are as many goroutines as after the first day and no more memory than the chat itself
// takes.
func TestAMonthInAMinute(t *testing.T) {
	proof := testrun.Prove(t, months, months)
	for _, round := range proof.Rounds() {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			inWorldWith(t, botapi.Options{Token: token, Strict: true}, func(w *world) {
				w.stop()
				time.Sleep(time.Until(time.Date(2000, 3, 10, 6, 0, 0, 0, time.UTC))) // a month with the change to summer time
				w.begin()
				liveAMonth(w, proof.Random(round))
			})
			proof.Passed(t, round)
		})
	}
}

func liveAMonth(w *world, r *rand.Rand) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		w.t.Fatal(err)
	}
	w.lossy = true
	w.with(func(s *bot.Settings) { s.Zone, s.Watchers = zone, []int64{bob} })
	w.mu.Lock()
	for i := 1; i <= 5; i++ {
		w.panes = append(w.panes, sighting(i, screen.Working, nil))
	}
	w.screen = []string{"hello"}
	w.mu.Unlock()
	s := &storm{world: w, Rand: r, chat: ann, open: map[int]int{}}
	var first usage
	days := testrun.Rounds(1, 2)
	if os.Getenv("PROOFS") != "" {
		days = 30
	}
	for day := range days {
		s.day()
		if day == 0 {
			first = used()
		}
	}
	s.wantCalm()
	w.t.Logf("%d days, %d questions", days, s.asks)
	if last := used(); last.goroutines > first.goroutines+2 || last.heap > first.heap+24<<20 {
		w.t.Errorf("after a day %v, after a month %v", first, last)
	}
}

// day is one of the month: some storms, one trouble that lasts, and a night in which all is said that was not.
func (s *storm) day() {
	for range testrun.Rounds(1, 3) {
		for range 12 {
			s.happen()
			time.Sleep(time.Duration(s.IntN(20)) * time.Second)
		}
		s.trouble()
		s.tg.Heal()
		s.sleep(time.Duration(10+s.IntN(60)) * time.Minute)
		s.wantAllTold()
	}
	for i := 1; i <= 5; i++ {
		s.goesOn(i)
	}
	s.sleep(9 * time.Hour)
}

// trouble is something that lasts, with a question in the middle of it.
func (s *storm) trouble() {
	switch s.IntN(6) {
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
	}
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
	for pane, ask := range s.open { // a watcher looks each second, and what was behind an answer is seen at the next look
		p := prompt(fmt.Sprintf("make %d", ask))
		s.see(sighting(pane, screen.Permission, &p))
	}
	s.sleep(time.Minute)
	var all strings.Builder
	for _, m := range s.tg.Messages(ann) {
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
