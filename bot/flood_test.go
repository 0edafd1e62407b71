package bot_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/botapi"
)

// flood lets agents outside tmux ask three times a second for so long, each time something else.
func (w *world) flood(long time.Duration) (events int) {
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(time.Second / 3) {
		w.bot.Outside(outside(fmt.Sprintf("make %d", events)))
		events++
	}
	return events
}

// toldAfter is how long after begin Telegram took a message of the bot's that holds text; negative: it did not.
func (w *world) toldAfter(begin time.Time, text string) time.Duration {
	for _, c := range w.tg.Calls("sendMessage") {
		if c.Err == nil && !c.At.Before(begin) && strings.Contains(c.Params["text"], text) {
			return c.At.Sub(begin)
		}
	}
	return -1
}

func (w *world) wantToldWithin(begin time.Time, text string, most time.Duration) {
	w.t.Helper()
	if after := w.toldAfter(begin, text); after < 0 || after > most {
		w.t.Errorf("%q was told after %v, want at most %v", text, after, most)
	}
}

func TestPromptIsToldDuringAFloodFromOutside(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Flood: true}, func(w *world) {
		w.flood(20 * time.Second)
		begin := time.Now()
		p := prompt("rm -rf build")
		w.see(sighting(1, screen.Permission, &p))
		w.flood(time.Minute)
		w.wantToldWithin(begin, "rm -rf build", 3*time.Second)
	})
}

func TestAnswersAreExplainedDuringAFloodFromOutside(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Flood: true}, func(w *world) {
		w.ask(1, prompt("make one"))
		w.ask(2, prompt("make two"))
		w.flood(time.Minute)
		begin := time.Now()
		w.ann.Say("y")
		w.flood(time.Minute)
		w.wantToldWithin(begin, "Which one is meant?", 5*time.Second)
		w.wantTyped()
	})
}

// What comes in from outside tmux is bounded in rate, in number and in bytes, and what is left out is counted.
func TestFloodFromOutsideIsBoundedAndCounted(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Flood: true}, func(w *world) {
		begin := time.Now()
		events := w.flood(2 * time.Minute)
		time.Sleep(2 * time.Minute)
		told, leftOut, lines := 0, 0, 0
		for _, c := range w.tg.Calls("sendMessage") {
			if c.At.Before(begin) || c.Err != nil {
				continue
			}
			if strings.Contains(c.Params["text"], "asks outside tmux") {
				told++
			}
			for line := range strings.Lines(c.Params["text"]) {
				if n, rest, ok := strings.Cut(line, " "); ok && strings.Contains(rest, "left out") {
					count := 0
					if _, err := fmt.Sscan(n, &count); err != nil {
						t.Fatalf("no count in %q", line)
					}
					leftOut, lines = leftOut+count, lines+1
				}
			}
		}
		if told > 20 || told == 0 || lines > told+1 || told+leftOut != events {
			t.Errorf("of %d events %d were told, and %d were said to be left out in %d lines", events, told, leftOut, lines)
		}
	})
}

func TestLargeEventsFromOutsideAreNotKept(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", DropBefore: true, Times: -1}) // so that all of them wait
		masked := 0
		w.mu.Lock()
		w.settings.Redact = func(text string) string { masked = max(masked, len(text)); return text }
		w.mu.Unlock()
		before := heap()
		for i := range 3 {
			e := outside(fmt.Sprint(i) + strings.Repeat("x", 7<<20))
			e.Session, e.Cwd = fmt.Sprint(i, strings.Repeat("s", 1<<20)), strings.Repeat("c", 1<<20)
			w.bot.Outside(e)
			time.Sleep(2 * time.Second)
		}
		if grown := heap() - before; grown > 10<<20 {
			t.Errorf("%d MB are kept", grown>>20)
		}
		if masked > 1<<20 {
			t.Errorf("%d bytes went through the masking at once", masked)
		}
	})
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // what a sync.Pool holds survives one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A secret is masked though the text is cut first.
func TestCutFromOutsideLeavesNoHalfSecret(t *testing.T) {
	inWorld(t, func(w *world) {
		secret := "hunter2hunter2hunter2"
		w.mu.Lock()
		w.settings.Redact = func(text string) string { return strings.ReplaceAll(text, secret, "•••") }
		w.mu.Unlock()
		for i := range 30 {
			e := outside(strings.Repeat("x", 975+i) + " " + secret + strings.Repeat(" y", 10))
			e.Session = fmt.Sprint(i)
			w.bot.Outside(e)
			time.Sleep(20 * time.Second)
			if strings.Contains(w.chat(), "hunter") {
				t.Fatalf("with %d characters before it a part of the secret is told", 975+i)
			}
		}
	})
}
