package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/text/redact"
	"nod/nudge"
)

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

// TestAQuestionStandsOnce: where the subject already shows it, above or below what is asked about, the card has no question of its own.
func TestAQuestionStandsOnce(t *testing.T) {
	b := builder{style: message.NewStyle("", false, nil, nil), now: time.Unix(1000, 0)}
	for subject, want := range map[string]string{
		"make deploy": "Run it on the server now?", "make deploy\nRun it on the server now?": "", "Run it on the server now?\nmake deploy": "",
		"make deploy\nRun it on the\nserver now?\n(it takes a minute)": "", "make deploy # Run it on the server now?": "Run it on the server now?",
	} {
		s, n := asking(1, subject)
		n.Prompt().Question = "Run it on the server now?"
		c := b.card(input{made: made{Pane: &seen{Whereabouts: s.Whereabouts, State: s.State}, Nudge: &n}})
		if c.Asks.Question != want || c.Asks.Subject != subject {
			t.Errorf("%q: it asks %q about %q", subject, c.Asks.Question, c.Asks.Subject)
		}
	}
}

// TestAnAgentsAdviceComesLast: below its words about the call, as in a message.
func TestAnAgentsAdviceComesLast(t *testing.T) {
	b := builder{style: message.NewStyle("", false, nil, nil), now: time.Unix(1000, 0)}
	s, n := asking(1, "make deploy\nTip: there is a mode that asks less\nIt takes the site down.")
	n.Prompt().Lead = 1
	c := b.card(input{made: made{Pane: &seen{Whereabouts: s.Whereabouts, State: s.State}, Nudge: &n}})
	if want := "make deploy\n\nIt takes the site down.\n\nTip: there is a mode that asks less"; c.Asks.Subject != want {
		t.Errorf("it asks about %q, not %q", c.Asks.Subject, want)
	}
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
