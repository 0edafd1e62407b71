package keeper_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// denied is a look at an idle agent that shows these commands of a turn as denied.
func denied(agent, turn string, commands ...string) detect.Sighting {
	s := is("%1", screen.Idle)
	s.Agent, s.At = agent, time.Now()
	s.Denied = detect.DeniedCalls{Turn: turn, All: true}
	for _, c := range commands {
		s.Denied.Calls = append(s.Denied.Calls, detect.DeniedCall{Text: c, Reason: "not asked for"})
	}
	return s
}

// TestATurnWithoutDeniedCallsEndsTheOneBefore, whatever was denied in that turn.
func TestATurnWithoutDeniedCallsEndsTheOneBefore(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(denied("codex", "t1", "touch a"))
		if d := w.one(); d.TurnOver {
			t.Error("its turn is over at once")
		}
		id := w.one().ID
		w.see(denied("codex", "t2"))
		if d := w.denials(id); !d.TurnOver {
			t.Error("its turn goes on")
		}
	})
}

// TestACallDeniedInATurnThatNothingNamesIsTold: a screen may show no human input.
func TestACallDeniedInATurnThatNothingNamesIsTold(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(denied("codex", "", "touch a"))
		w.wantMessages("without a turn", "touch a")
	})
}

// messages returns the messages of denied calls, as "command count" in the order of the calls.
func (w *world) messages() (all []string) {
	w.Helper()
	list, err := w.Denials()
	if err != nil {
		w.Fatal(err)
	}
	for _, d := range list {
		var calls []string
		for _, c := range d.Calls {
			calls = append(calls, strings.Repeat(c.Text+" ", c.Count))
		}
		all = append(all, strings.TrimSpace(strings.Join(calls, "| ")))
	}
	return all
}

func (w *world) wantMessages(when string, want ...string) {
	w.Helper()
	if got := w.messages(); !slices.Equal(got, want) {
		w.Errorf("%s: %q, want %q", when, got, want)
	}
}

// TestCallsThatAScreenShowsAsDeniedAreToldOnce, in one message per turn, however often they are seen, even
// after a restart.
func TestCallsThatAScreenShowsAsDeniedAreToldOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(denied("codex", "t1"))
		w.wantMessages("nothing is denied")
		w.see(denied("codex", "t1", "a"))
		w.see(denied("codex", "t1", "a", "b", "a"))
		w.wantMessages("two of them", "a a | b")
		if n := w.tell(); len(n) != 1 || !n[0].Silent {
			w.Errorf("told %+v", n)
		}
		w.restart()
		w.see(denied("codex", "t1", "a", "b", "a"))
		w.wantMessages("after a restart", "a a | b")
		scrolled := denied("codex", "", "a")
		scrolled.Denied.All = false
		w.see(scrolled)
		w.wantMessages("most of it scrolled away", "a a | b")
		time.Sleep(time.Second)
		w.see(denied("codex", "t2"))
		w.see(denied("codex", "t2", "a"))
		w.wantMessages("the next turn", "a a | b", "a")
		time.Sleep(time.Second)
		w.see(denied("codex", "t2"))
		w.see(denied("codex", "t2", "a"))
		w.wantMessages("a turn with the same words", "a a | b", "a", "a")
	})
}

// TestWhatATranscriptToldIsNotToldOnceMoreByTheScreen: a nod that has just started knows no transcript, and
// the screen describes the turn in other words and shows less of its calls.
func TestWhatATranscriptToldIsNotToldOnceMoreByTheScreen(t *testing.T) {
	inBubble(t, func(w *world) {
		told := denied("codex", "01a21a8e-a281", "touch a b c", "ls")
		told.Denied.Calls[0].Folder = "/p"
		w.see(told)
		w.wantMessages("by the transcript", "touch a b c | ls")
		w.restart()
		shown := denied("codex", "› make it", "touch a...", "ls")
		w.see(shown)
		shown.Denied.Turn, shown.Denied.All = "", false
		w.see(shown)
		w.wantMessages("by the screen", "touch a b c | ls")
		w.see(told)
		w.wantMessages("by the transcript again", "touch a b c | ls")
		w.see(denied("codex", "› make it", "touch a...", "ls", "touch d"))
		if n := len(w.messages()); n != 2 {
			w.Errorf("one more: %q", w.messages())
		}
		next := denied("codex", "› and this", "rm x")
		next.Worked = true
		w.see(next)
		if all := w.messages(); !slices.Contains(all, "rm x") {
			w.Errorf("in the next turn: %q", all)
		}
	})
}

// TestWhatIsOverIsNotToldOnceMore: a person has stopped the agent, or nobody has decided, and the screen
// shows the denied calls long after their message ended.
func TestWhatIsOverIsNotToldOnceMore(t *testing.T) {
	for name, wait := range map[string]time.Duration{"Escape": 0, "nobody decides": 9 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				look := denied("codex", "t1", "a", "b")
				w.see(look)
				w.wantMessages("denied", "a | b")
				of := keeper.Denied{ID: w.one().ID, Call: 1}
				w.allow(of)
				w.tell()
				if wait == 0 {
					look.Escaped = time.Now()
				}
				time.Sleep(wait)
				for range 3 {
					time.Sleep(time.Minute)
					look.At = time.Now()
					w.see(look)
					w.tick()
					w.tell()
				}
				w.wantMessages("afterwards")
				if d := w.denials(of.ID); d.Again(of.Call) != "" {
					w.Error("the agent may still be told to try again")
				}
				w.see(denied("codex", "t2", "a"))
				w.wantMessages("the next turn", "a")
			})
		})
	}
}

// TestADeniedCallIsMarkedOnce: after the tap it is marked in the idle agent's own list, and the owner's words
// follow only then.
func TestADeniedCallIsMarkedOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.typist.after = deliver.Result{Outcome: deliver.Delivered, Keys: []string{"Enter", "Enter"}}
		working := denied("codex", "t1", "touch a")
		working.State = screen.Working
		w.see(working)
		id := w.one().ID
		w.allow(keeper.Denied{ID: id})
		if d := w.denials(id); len(w.typist.asked) > 0 || d.Again(0) != "" {
			w.Fatalf("typed %+v", w.typist.asked)
		}
		w.see(denied("codex", "t1", "touch a"))
		w.deliver()
		if r := w.typist.asked; len(r) != 1 || r[0].Granted != "touch a" || r[0].Instruction != "/approve" {
			w.Fatalf("typed %+v", r)
		}
		if d := w.denials(id).Calls[0]; d.Grant.State != grant.Used {
			w.Errorf("%+v", d)
		}
		again := w.tapAt(ann, id)
		if placed, err := w.TellToTryAgain(again, 0); err != nil || placed.Reason != "" {
			w.Fatal(placed.Refusal, err)
		}
		w.deliver()
		if r := w.typist.asked; len(r) != 2 || r[1].Granted != "" || !strings.HasPrefix(string(r[1].Instruction), "Try this call again") {
			w.Errorf("typed %+v", r)
		}
	})
}

// one returns the only message of denied calls.
func (w *world) one() nudge.Denials {
	w.Helper()
	list, err := w.Denials()
	if err != nil || len(list) != 1 {
		w.Fatal(list, err)
	}
	return list[0]
}

// TestAMarkThatFails allows nothing, and the message says why. A mark with an unknown end is never tried
// again.
func TestAMarkThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		after deliver.Result
		want  grant.State
		open  bool
		typed int
	}{
		"not in the list": {deliver.Result{Outcome: deliver.Refused, Reason: deliver.NoKey, Keys: []string{"Enter", "Escape"}}, "", false, 1},
		"nobody saw it":   {deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Keys: []string{"Enter"}}, grant.Unknown, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				c.after.Detail.Kind = "denial_unlisted"
				w.typist.after = c.after
				w.see(denied("codex", "t1", "touch a"))
				id := w.one().ID
				w.allow(keeper.Denied{ID: id})
				w.deliver()
				time.Sleep(time.Minute)
				w.deliver()
				d := w.denials(id)
				if d.Calls[0].Grant.State != c.want || d.Open(0) != c.open || len(w.typist.began) != c.typed || d.Again(0) != "" {
					w.Errorf("%+v, open %v, typed %d times", d.Calls[0], d.Open(0), len(w.typist.began))
				}
			})
		})
	}
}

// TestAMarkThatIsLate: after ten minutes nothing is typed.
func TestAMarkThatIsLate(t *testing.T) {
	inBubble(t, func(w *world) {
		working := denied("codex", "t1", "touch a")
		working.State = screen.Working
		w.see(working)
		id := w.one().ID
		w.allow(keeper.Denied{ID: id})
		time.Sleep(grant.Lasts)
		w.tick()
		w.see(denied("codex", "t1", "touch a"))
		w.deliver()
		if len(w.typist.asked) > 0 || w.denials(id).Calls[0].Grant.State != grant.Expired {
			w.Errorf("typed %+v, %+v", w.typist.asked, w.denials(id).Calls[0])
		}
	})
}

// TestTheAgentIsToldToRepeatTheCall if a repeated call asks: the tap alone allows nothing.
func TestTheAgentIsToldToRepeatTheCall(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(denied("qwen", "t1", "git push"))
		id := w.one().ID
		w.allow(keeper.Denied{ID: id})
		w.deliver()
		if r := w.typist.asked; len(r) != 1 || r[0].Granted != "" || string(r[0].Instruction) != "Repeat this call exactly, without changing its arguments: I want to decide about it.\ngit push" {
			w.Fatalf("typed %+v", r)
		}
		if _, what, err := w.Before(denied("qwen", "t1"), callOf("git push"), never); what != "" || err != nil {
			w.Errorf("a call of it %s, %v", what, err)
		}
	})
}

// TestTheListThatNodOpensIsNotTold, but a list that a person opened is.
func TestTheListThatNodOpensIsNotTold(t *testing.T) {
	inBubble(t, func(w *world) {
		list := asks("%1", permission("Auto-review Denials"))
		list.Agent, list.Prompt.Shape = "codex", "codex.denials"
		w.see(denied("codex", "t1", "touch a"))
		before, during := 0, 0
		w.typist.typing = func() { before = len(w.all()); w.see(list); during = len(w.all()) }
		w.typist.after = deliver.Result{Outcome: deliver.Delivered, Keys: []string{"Enter"}}
		w.allow(keeper.Denied{ID: w.one().ID})
		w.deliver()
		if len(w.typist.began) != 1 || during != before {
			w.Errorf("typed %d times; told %+v", len(w.typist.began), w.all())
		}
		w.see(denied("codex", "t1", "touch a"))
		if n := w.see(list); n.Prompt() == nil || n.Prompt().Shape != "codex.denials" {
			w.Errorf("told %+v", n)
		}
	})
}

// TestNoCallIsMarkedThatNobodyAllowed, and none twice, in any order of looks, taps, crashes and pauses.
func TestNoCallIsMarkedThatNobodyAllowed(t *testing.T) {
	seed, all := rand.Uint64(), 0
	t.Logf("seed %d", seed)
	for round := range uint64(testrun.Rounds(20, 300)) {
		r := rand.New(rand.NewPCG(seed, round))
		inBubble(t, func(w *world) {
			allowed, marked := map[string]int{}, map[string]int{}
			w.typist.typing = func() { // just after the first key
				w.typist.mu.Lock()
				defer w.typist.mu.Unlock()
				if r := w.typist.asked[len(w.typist.asked)-1]; r.Granted != "" {
					marked[r.Granted]++
				}
			}
			w.typist.after = deliver.Result{Outcome: deliver.Delivered, Keys: []string{"Enter"}}
			turn, shown := 'a', []string{}
			for range 40 {
				switch r.IntN(8) {
				case 0:
					turn++
					shown = nil
				case 1, 2:
					shown = append(shown, string([]rune{'x', rune('0' + r.IntN(3))}))
				case 3, 4:
					if list, _ := w.Denials(); len(list) > 0 {
						d := list[r.IntN(len(list))]
						call := r.IntN(len(d.Calls))
						if placed, err := w.AllowDenied(w.tapAt(ann, d.ID), call, d.Fingerprint(call)); err == nil && placed.Reason == "" {
							allowed[d.Calls[call].Text]++
						}
					}
				case 5:
					w.restart()
				case 6:
					time.Sleep(time.Duration(r.IntN(900)) * time.Second)
					w.tick()
				case 7:
					w.deliver()
				}
				s := denied("codex", string(turn), shown...)
				if r.IntN(2) == 0 {
					s.State = screen.Working
				}
				w.see(s)
			}
			w.deliver()
			for command, n := range marked {
				if all += n; n > allowed[command] {
					w.Errorf("%s was marked %d times and allowed %d times", command, n, allowed[command])
				}
			}
		})
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if all < testrun.Rounds(5, 100) {
		t.Errorf("%d calls were marked, so this proves little", all)
	}
}
