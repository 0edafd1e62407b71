package desk

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/text/redact"
	"nod/nudge"
	"nod/nudge/keeper"
)

// world is what a Feed reads, as a test sets it.
type world struct {
	*Feed
	mu      sync.Mutex
	open    keeper.Open
	panes   []detect.Sighting
	changed chan struct{}
	viewed  []detect.PaneRef
	reads   int // of what waits
}

func newWorld() *world {
	w := &world{changed: make(chan struct{})}
	w.Feed = NewFeed(FeedConfig{
		Open: func(time.Time) (keeper.Open, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reads++
			o := w.open
			o.Nudges = slices.Clone(o.Nudges)
			return o, nil
		},
		Changes: func() <-chan struct{} { w.mu.Lock(); defer w.mu.Unlock(); return w.changed },
		Panes:   func() []detect.Sighting { w.mu.Lock(); defer w.mu.Unlock(); return slices.Clone(w.panes) },
		View:    func(p detect.PaneRef, _ time.Time) { w.viewed = append(w.viewed, p) },
		Style:   func() Style { return Style{Redact: redact.Mask} },
		Health:  func() []string { return nil },
		Log:     slog.New(slog.DiscardHandler),
	})
	return w
}

// set changes what waits.
func (w *world) set(change func()) {
	w.mu.Lock()
	change()
	close(w.changed)
	w.changed = make(chan struct{})
	w.mu.Unlock()
}

// run runs the feed while test runs, on fake time, and sees to it that nothing of it is left.
func run(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		test(t, w)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// hears reads the feed into a list until ctx ends.
type hears struct {
	mu   sync.Mutex
	list []Change
	slow chan struct{} // each change waits for one; nil: none does
}

func (w *world) reader(ctx context.Context, slow chan struct{}) *hears {
	h := &hears{slow: slow}
	go func() {
		_ = w.Watch(ctx, func(c Change) error {
			if h.slow != nil {
				<-h.slow
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.list = append(h.list, c)
			return nil
		})
	}()
	return h
}

// take is what was heard since the last time.
func (h *hears) take() []Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.list
	h.list = nil
	return list
}

// soon lets the feed compute.
func soon() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func paneRef(i int) detect.PaneRef {
	return detect.PaneRef{Server: tmux.Life{Socket: "/tmp/s", PID: 7, Start: 1}, ID: fmt.Sprint("%", i)}
}

// at is a pane whose agent is in a state, with these rows.
func at(i int, state screen.State, rows ...string) detect.Sighting {
	s := detect.Sighting{
		Whereabouts: detect.Whereabouts{Pane: paneRef(i), Process: proc.ID{PID: 100 + i}, Agent: "claude", Project: "api", Where: fmt.Sprintf("main:%d.0", i)},
		State:       state, Since: time.Unix(int64(1000+i), 0),
	}
	for _, row := range rows {
		s.Screen = append(s.Screen, screen.Drawn{Role: screen.Outside, Text: row})
	}
	return s
}

// asking is a permission in a pane.
func asking(i int, subject string, options ...screen.Option) (detect.Sighting, nudge.Nudge) {
	p := &screen.Prompt{
		Content: screen.Content{Agent: "claude", Subject: subject, Options: options}, Fingerprint: fmt.Sprint("f", subject),
		Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"3"}},
	}
	s := at(i, screen.Permission, subject, "Do you want to proceed?")
	s.Prompt = p
	n := nudge.Open(fmt.Sprint("n", i), nudge.Permission{Prompt: p}, s, nil, nudge.Rules{Expiry: time.Hour}, time.Unix(int64(2000+i), 0))
	return s, *n
}

// TestTheFirstLineIsASnapshotAndEachNextOneCounts: what a reader has is always what a snapshot would say.
func TestTheFirstLineIsASnapshotAndEachNextOneCounts(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, n := asking(1, "rm -rf build", screen.Option{Label: "Yes", Scope: screen.Once}, screen.Option{Label: "Yes, always", Scope: screen.Always}, screen.Option{Label: "No", Scope: screen.No})
		w.set(func() {
			w.panes, w.open.Nudges = []detect.Sighting{s, at(2, screen.Working, "busy"), at(3, screen.Shell)}, []nudge.Nudge{n}
		})
		ctx, stop := context.WithCancel(t.Context())
		h := w.reader(ctx, nil)
		soon()
		first := h.take()
		if len(first) != 1 || !first[0].Snapshot || first[0].Seq == 0 || len(first[0].Cards) != 2 || first[0].Health == nil {
			t.Fatalf("%+v", first)
		}
		card := first[0].Cards[0]
		if card.Section != Needs || card.Asks == nil || card.Asks.Nudge != "n1" || card.Asks.Subject != "rm -rf build" || card.Asks.Fingerprint != n.Drawn() ||
			!slices.Contains(card.Asks.Minds, "deletes files") || len(card.Screen) != 2 {
			t.Errorf("%+v %+v", card, card.Asks)
		}
		if o := card.Asks.Options; len(o) != 3 || o[0].Refused != "" || o[1].Refused == "" || o[1].Lasts == "" || o[2].Number != 3 {
			t.Errorf("%+v", o)
		}
		if a := card.Actions; a[0] != (Action{Do: Yes}) || a[1] != (Action{Do: No}) || a[2] != (Action{Do: DenyWords}) || a[len(a)-1] != (Action{Do: Tell}) {
			t.Errorf("%+v", a)
		}

		w.set(func() {
			over := n
			over.State, over.Ended, over.Claim = nudge.Delivered, time.Now(), &nudge.Claim{Said: nudge.Said{Decision: screen.Approve}, By: nudge.Person{Name: "ann"}}
			w.open.Nudges, w.open.Answered = nil, []nudge.Nudge{over}
		})
		soon()
		over := h.take()
		if len(over) != 1 || len(over[0].Cards) != 1 || over[0].Cards[0].Section != Working || over[0].Cards[0].Asks != nil {
			t.Fatalf("what was answered still waits: %+v", over)
		}
		if a := over[0].Answered; len(a) != 1 || a[0].Subject != "rm -rf build" || a[0].Answer != "approved" || a[0].By != "ann" {
			t.Errorf("%+v", a)
		}
		first = over

		w.set(func() {
			w.panes[1], w.open.Nudges = at(2, screen.Idle, "done"), nil
			w.panes[0] = at(1, screen.Working, "on it")
		})
		soon()
		next := h.take()
		if len(next) != 1 || next[0].Snapshot || next[0].Seq != first[0].Seq+1 || len(next[0].Cards) != 2 {
			t.Fatalf("%+v", next)
		}
		w.set(func() { w.panes = w.panes[:1] })
		soon()
		if gone := h.take(); len(gone) != 1 || gone[0].Seq != next[0].Seq+1 || !slices.Equal(gone[0].Gone, []string{paneRef(2).String()}) {
			t.Errorf("%+v", gone)
		}
		soon()
		if more := h.take(); len(more) > 0 {
			t.Errorf("nothing has changed, and %+v is told", more)
		}
		stop()
	})
}

// TestASlowReaderIsNoBrake: who takes nothing keeps nobody waiting, costs a bounded number of changes, and goes on with a snapshot.
func TestASlowReaderIsNoBrake(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, "0")} })
		ctx, stop := context.WithCancel(t.Context())
		slow := make(chan struct{})
		lags, h := w.reader(ctx, slow), w.reader(ctx, nil)
		soon()
		for i := range 3 * kept {
			w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, fmt.Sprint(i))} })
			soon()
		}
		quick := h.take()
		if len(quick) != 3*kept+1 {
			t.Errorf("the quick reader heard %d changes of %d", len(quick), 3*kept+1)
		}
		last := quick[len(quick)-1]
		close(slow)
		soon()
		heard := lags.take()
		now := heard[len(heard)-1]
		if len(heard) > kept+2 || !now.Snapshot || now.Seq != last.Seq || now.Cards[0].Screen[0].Text != last.Cards[0].Screen[0].Text {
			t.Errorf("the slow one heard %d, last %+v, want the snapshot of %d", len(heard), now, last.Seq)
		}
		stop()
	})
}

// TestNobodyReadsNothingIsComputed, and the last who leaves takes along all that was kept.
func TestNobodyReadsNothingIsComputed(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, "0")} })
		w.Saw()
		soon()
		if w.reads != 0 {
			t.Errorf("computed %d times for nobody", w.reads)
		}
		for range 3 {
			ctx, stop := context.WithCancel(t.Context())
			h := w.reader(ctx, nil)
			soon()
			w.Saw()
			if got := h.take(); len(got) != 1 || len(got[0].Cards) != 1 {
				t.Errorf("%+v", got)
			}
			stop()
			soon()
			if w.state != nil || len(w.readers)+len(w.viewed) != 0 {
				t.Errorf("left behind: %+v %v %v", w.state, w.readers, w.viewed)
			}
		}
	})
}

// TestNoMoreThanTenTimesASecond, however much changes.
func TestNoMoreThanTenTimesASecond(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		ctx, stop := context.WithCancel(t.Context())
		w.reader(ctx, nil)
		soon()
		before := w.reads
		for range 600 {
			w.set(func() {})
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if reads := w.reads - before; reads < 50 || reads > 61 {
			t.Errorf("computed %d times in six seconds", reads)
		}
		stop()
	})
}

// TestACardIsMaskedAndShowsWhatIsInvisible, wherever the text stands, with the indents of a diff and without the head that says nothing.
func TestACardIsMaskedAndShowsWhatIsInvisible(t *testing.T) {
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	run(t, func(t *testing.T, w *world) {
		s, n := asking(1, "echo "+secret+" a\u202eb")
		n.Prompt().Diff, n.Prompt().Plan = "@@\n+\t"+secret, "use "+secret
		idle := at(2, screen.Idle, secret, "\u200bdone")
		idle.Words, idle.Edits = "I used "+secret, []detect.Edit{{Path: secret, Diff: "@@\n+" + secret + "\n", Added: 1}}
		wish := nudge.NewWish("w1", s, "say "+secret, nudge.Wisher{Name: secret}, time.Minute, time.Now())
		w.set(func() {
			w.panes, w.open.Nudges, w.open.Wishes = []detect.Sighting{s, idle}, []nudge.Nudge{n}, []nudge.Wish{*wish}
		})
		ctx, stop := context.WithCancel(t.Context())
		h := w.reader(ctx, nil)
		soon()
		got := fmt.Sprintf("%+v", h.take()[0])
		for _, c := range h.list {
			got += fmt.Sprintf("%+v", c)
		}
		w.mu.Lock()
		for _, b := range w.state.cards {
			got += fmt.Sprintf("%+v %+v %+v", b.card, b.card.Asks, b.card.Did)
		}
		w.mu.Unlock()
		if strings.Contains(got, secret[8:]) || strings.ContainsAny(got, "\u202e\u200b") || !strings.Contains(got, "<U+202E>") || !strings.Contains(got, "New:[    ghp_•") || strings.Contains(got, "@@") {
			t.Errorf("%s", got)
		}
		stop()
	})
}

// TestACardSaysEachThingOnce: what the agent says of what it asks is in the subject, below what leads it.
func TestACardSaysEachThingOnce(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, n := asking(1, "make deploy\nIt takes the site down.")
		n.Prompt().Lead = 1
		w.set(func() { w.panes, w.open.Nudges = []detect.Sighting{s}, []nudge.Nudge{n} })
		ctx, stop := context.WithCancel(t.Context())
		w.reader(ctx, nil)
		soon()
		w.mu.Lock()
		for _, b := range w.state.cards {
			if a := b.card.Asks; a == nil || a.Lead != 1 || strings.Count(a.Subject+a.Says, "It takes the site down.") != 1 {
				t.Errorf("the card says %+v", a)
			}
		}
		w.mu.Unlock()
		stop()
	})
}

// TestTheDiffThatAProgramAsksAboutIsOne: a file that is a diff stands taken apart, masked and with its indents. Any other stays as it is, and
// so do the words of an agent's own prompt.
func TestTheDiffThatAProgramAsksAboutIsOne(t *testing.T) {
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	b := builder{style: message.NewStyle("", false, nil, redact.Mask), now: time.Unix(1000, 0)}
	asks := func(file string) *Asks {
		n := nudge.OpenQuestion("k3f", nudge.ProgramQuestion{Text: "Commit\nthis?", File: file, Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "make"}, nudge.Rules{}, b.now)
		c := b.card(input{made: made{Nudge: n}})
		return c.Asks
	}
	diff := asks("--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-\told\n+\tkey " + secret + "\n")
	if diff.Subject != "Commit\nthis?" || len(diff.Diff) != 1 || diff.Diff[0].Name != "x.go" {
		t.Fatalf("it asks about %+v", diff)
	}
	if got := diff.Diff[0].Parts[1]; got.Old[0] != "    old" || !strings.HasPrefix(got.New[0], "    key ghp_•") || strings.Contains(got.New[0], secret) {
		t.Errorf("the lines are %+v", got)
	}
	for _, file := range []string{"", "- a\n+ b\n", "@@ -1,2 +1 @@\n-cut\n"} {
		if plain := asks(file); plain.Diff != nil || !strings.HasSuffix(plain.Subject, strings.TrimRight("this?\n\n"+file, "\n")) {
			t.Errorf("about %q it asks %+v", file, plain)
		}
	}
	s, n := asking(1, "make it\n\n@@ -1 +1 @@\n-a\n+b")
	n.Prompt().Lead = 1
	if c := b.card(input{made: made{Pane: &seen{Whereabouts: s.Whereabouts, State: s.State}, Nudge: &n}}); c.Asks.Diff != nil {
		t.Errorf("an agent's own words are a diff: %+v", c.Asks)
	}
}

// TestWhatExpiredIsAskedAgain: its card has the action that the chat has, and says why no other one answers it.
func TestWhatExpiredIsAskedAgain(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, n := asking(1, "make", screen.Option{Label: "Yes", Scope: screen.Once}, screen.Option{Label: "No", Scope: screen.No})
		n.State, n.Standing, n.Ended = nudge.Expired, true, time.Now()
		w.set(func() { w.panes, w.open.Nudges = []detect.Sighting{s}, []nudge.Nudge{n} })
		h := w.reader(t.Context(), nil)
		soon()
		for _, a := range h.take()[0].Cards[0].Actions {
			takes := a.Do == Again || a.Do == Skip
			if takes != (a.Refused == "") && a.Do != Tell {
				t.Errorf("%s: %q", a.Do, a.Refused)
			}
			if a.Do == Again {
				return
			}
		}
		t.Error("it can't be asked again")
	})
}

// TestASnoozedQuestionIsTheNextReminder, so that whoever reads the feed is told of it once more.
func TestASnoozedQuestionIsTheNextReminder(t *testing.T) {
	_, n := asking(1, "make")
	n.Reminder, n.Round = 2, 1
	var c Card
	builder{now: time.Now(), style: message.NewStyle("", false, nil, redact.Mask)}.ask(&c, &n)
	if c.Asks.Reminder != 3 {
		t.Errorf("it is reminder %d", c.Asks.Reminder)
	}
}

// TestNoMindBeginsWithASign: not every terminal can draw those of messages.
func TestNoMindBeginsWithASign(t *testing.T) {
	_, n := asking(1, "rm -rf /")
	n.Pane.Machine, n.Away = "gpu1", time.Now()
	var c Card
	builder{now: time.Now(), style: message.NewStyle("", false, nil, redact.Mask)}.ask(&c, &n)
	if len(c.Asks.Minds) < 2 || slices.ContainsFunc(c.Asks.Minds, func(m string) bool { return m[0] >= utf8.RuneSelf }) {
		t.Errorf("the card says %q", c.Asks.Minds)
	}
}

// TestASessionInNoPaneStandsElsewhere: it can't be told anything, and two of one agent are two cards.
func TestASessionInNoPaneStandsElsewhere(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		var sessions []detect.Sighting
		for i, state := range []screen.State{screen.Working, screen.Idle} {
			s := at(1+i, state)
			s.Pane, s.Where, s.Session = detect.PaneRef{}, fmt.Sprint("background ", i), fmt.Sprint("s", i)
			sessions = append(sessions, s)
		}
		w.set(func() { w.panes = append(sessions, at(1, screen.Idle, "done")) })
		ctx, stop := context.WithCancel(t.Context())
		h := w.reader(ctx, nil)
		soon()
		in := map[Section]int{}
		for _, c := range h.take()[0].Cards {
			in[c.Section]++
			if c.Section == Elsewhere && (c.Pane != "" || len(c.Actions) > 0 || !strings.HasPrefix(c.Where, "background ")) {
				t.Errorf("%+v", c)
			}
		}
		if in[Elsewhere] != 2 || in[Idle] != 1 || len(in) != 2 {
			t.Errorf("%v", in)
		}
		stop()
	})
}

// TestTwoMachinesHavePanesOfOneName: each has its own card, which names the machine and where an answer goes.
func TestTwoMachinesHavePanesOfOneName(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		here, _ := asking(1, "make one")
		far, n := asking(1, "make two")
		far.Pane.Machine, far.Project = "gpu1", "gpu1:api"
		n.Whereabouts = far.Whereabouts
		w.set(func() { w.panes, w.open.Nudges = []detect.Sighting{here, far}, []nudge.Nudge{n} })
		ctx, stop := context.WithCancel(t.Context())
		h := w.reader(ctx, nil)
		soon()
		var told []string
		for _, c := range h.take()[0].Cards {
			told = append(told, fmt.Sprintf("%s: %s in %s of %s, %t", c.Title, c.Pane, c.Where, c.Server, c.Asks != nil))
		}
		if want := []string{"claude in gpu1:api: %1 in main:1.0 of gpu1:/tmp/s, true", "claude in api: %1 in main:1.0 of /tmp/s, false"}; !slices.Equal(told, want) {
			t.Errorf("the cards are %q", told)
		}
		stop()
	})
}

// TestAPaneThatIsLookedAtIsReadMoreOften.
func TestAPaneThatIsLookedAtIsReadMoreOften(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, "0")} })
		ctx, stop := context.WithCancel(t.Context())
		w.reader(ctx, nil)
		soon()
		w.View(paneRef(1).String())
		w.View("none")
		if !slices.Equal(w.viewed, []detect.PaneRef{paneRef(1)}) {
			t.Errorf("%v", w.viewed)
		}
		stop()
	})
}
