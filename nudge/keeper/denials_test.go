package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

func callOf(command string) grant.Call {
	return grant.Call{Session: "s", Folder: "/p", Mode: "auto", Tool: "Bash", Input: `{"command":"` + command + `"}`}
}

// deny has the guard of the agent in a pane deny a command.
func (w *world) deny(command string, budget time.Duration) (keeper.Denied, time.Duration) {
	w.Helper()
	of, wait, ok, err := w.Deny(is("%1", screen.Working), nudge.Blocked{Call: callOf(command), Text: command, Reason: "[Git Destructive]"}, budget)
	if !ok || err != nil {
		w.Fatal(ok, err)
	}
	return of, wait
}

func (w *world) denials(id string) nudge.Denials {
	w.Helper()
	d, found, err := w.DenialsOf(id)
	if !found || err != nil {
		w.Fatal(found, err)
	}
	return d
}

// tapAt is a tap on a button of denied calls, by somebody in their own chat.
func (w *world) tapAt(who nudge.Place, id string) nudge.Answer {
	w.update++
	return nudge.Answer{
		Nudge: id, By: nudge.Person{ID: who, Name: "No. " + string(who)}, Way: nudge.ByButton,
		Ref: nudge.Ref{Place: who, Update: w.update, Message: 100}, Written: time.Now(), Read: time.Now(),
	}
}

func (w *world) allow(of keeper.Denied) {
	w.Helper()
	d := w.denials(of.ID)
	if placed, err := w.AllowDenied(w.tapAt(ann, of.ID), of.Call, d.Fingerprint(of.Call)); err != nil || placed.Reason != "" {
		w.Fatal(placed.Refusal, err)
	}
}

// never is of an agent that nobody at its terminal has stopped.
func never() time.Time { return time.Time{} }

// before is what becomes of a command that the agent is about to run.
func (w *world) before(command string) nudge.Verdicts {
	w.Helper()
	_, what, err := w.Before(is("%1", screen.Working), callOf(command), never)
	if err != nil {
		w.Fatal(err)
	}
	return what
}

// TestDeniedCallsAreToldInOneMessageATurn, which rings while a hook waits and is silent where it only tells.
func TestDeniedCallsAreToldInOneMessageATurn(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		first, wait := w.deny("git push --force", 2*time.Minute)
		notices := w.tell()
		if wait != 2*time.Minute || len(notices) != 1 || notices[0].Kind != nudge.Wanted || notices[0].Silent {
			w.Fatalf("held for %v, told %+v", wait, notices)
		}
		if again, _ := w.deny("git push --force", 2*time.Minute); again != first || w.denials(first.ID).Calls[0].Count != 2 {
			w.Errorf("an equal call is %+v", again)
		}
		for i := range 4 {
			of, _ := w.deny(fmt.Sprint("rm ", i), 2*time.Minute)
			notices := w.tell()
			if of.ID != first.ID || of.Call != i+1 || len(notices) != 1 || notices[0].Kind != nudge.Refresh {
				w.Fatalf("another call is %+v, told %+v", of, notices)
			}
		}
		if of, _ := w.deny("rm 5", 2*time.Minute); of.ID == first.ID {
			w.Error("a sixth call stands in the same message")
		}
		if err := w.EndTurn(is("%1", screen.Working).Whereabouts, time.Time{}); err != nil {
			w.Fatal(err)
		}
		w.tell()
		if of, wait := w.deny("rm 5", 0); wait != 0 || len(kinds(w.untold(), nudge.Wanted)) != 1 || !kinds(w.tell(), nudge.Wanted)[0].Silent || of.ID == first.ID {
			w.Errorf("of a new turn, not held: %v %+v", wait, of)
		}
		w.wantLog("call blocked")
	})
}

// TestAGrantIsGivenToOneOfManyAtOnce, and after a crash to none.
func TestAGrantIsGivenToOneOfManyAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		of, _ := w.deny("make", 0)
		w.allow(of)
		if what := w.before("make "); what != "" {
			w.Errorf("a call that differs by a blank: %q", what)
		}
		var all sync.WaitGroup
		verdicts := make([]nudge.Verdicts, 8)
		for i := range verdicts {
			all.Go(func() { verdicts[i] = w.before("make") })
		}
		all.Wait()
		if n := len(slices.DeleteFunc(verdicts, func(v nudge.Verdicts) bool { return v == "" })); n != 1 {
			w.Errorf("%d of 8 equal calls are let through", n)
		}
		w.restart()
		w.see(is("%1", screen.Working))
		if what := w.before("make"); what != "" {
			w.Error("it is given again after a crash")
		}
		time.Sleep(time.Minute)
		w.tick()
		if state := w.denials(of.ID).Calls[0].Grant.State; state != grant.Unknown {
			w.Errorf("taken before the crash, and not said: %s", state)
		}
	})
}

// TestAHeldHookHearsOfTheTap, and of nothing when nobody decides, when it has gone, or when it was left.
func TestAHeldHookHearsOfTheTap(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(*world, keeper.Denied)
		gone  bool
		retry bool
	}{
		"allowed":  {do: (*world).allow, retry: true},
		"and gone": {do: (*world).allow, gone: true},
		"nobody":   {do: func(*world, keeper.Denied) {}},
		"left":     {do: func(w *world, of keeper.Denied) { _, _ = w.LeaveDenied(w.tapAt(ann, of.ID), of.Call) }},
		"escape": {do: func(w *world, of keeper.Denied) {
			w.allow(of)
			_ = w.Escape(is("%1", screen.Working).Whereabouts, time.Now())
		}},
		"other one": {do: func(w *world, _ keeper.Denied) { other, _ := w.deny("rm 1", 0); w.allow(other) }},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.see(is("%1", screen.Working))
				of, wait := w.deny("make", 2*time.Minute)
				ctx, stop := context.WithTimeout(w.Context(), wait)
				defer stop()
				began := time.Now()
				var over sync.WaitGroup
				over.Go(func() { _ = w.AwaitDecision(ctx, of) })
				time.Sleep(30 * time.Second)
				c.do(w, of)
				over.Wait()
				if retry, err := w.EndHold(of, false, c.gone); retry != c.retry || err != nil {
					w.Errorf("it is to try again: %v, %v", retry, err)
				}
				_, left := w.deny("rm 2", 2*time.Minute)
				if want := 2*time.Minute - time.Since(began); name != "escape" && left != want {
					w.Errorf("%v are left of the budget, want %v", left, want)
				}
				d := w.denials(of.ID)
				if again := d.Again(of.Call) != ""; again != (name == "and gone") {
					w.Errorf("the agent may be told to try again: %v", again)
				}
			})
		})
	}
}

// TestOnlyASupervisorsTapAllows: not a stranger's, one that comes twice, words, or one under another call.
func TestOnlyASupervisorsTapAllows(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		of, _ := w.deny("make", 0)
		other, _ := w.deny("rm 1", 0)
		w.tell()
		d := w.denials(of.ID)
		for name, c := range map[string]struct {
			who         nudge.Place
			fingerprint string
			want        deliver.Reason
		}{
			"a stranger":         {bob, d.Fingerprint(0), deliver.NotOwner},
			"not all of it seen": {ann, "", deliver.NeedsConfirmation},
			"another call":       {ann, d.Fingerprint(other.Call), deliver.Changed},
		} {
			if placed, err := w.AllowDenied(w.tapAt(c.who, of.ID), 0, c.fingerprint); err != nil || placed.Reason != c.want {
				w.Errorf("%s: %q, %v", name, placed.Reason, err)
			}
		}
		for _, way := range []nudge.Way{nudge.ByFresh, nudge.ByReply} {
			a := w.answer(way, screen.Approve)
			a.Nudge, a.ReplyTo = of.ID, d.Copies[0].Message
			if v, err := w.Answer(a); err != nil || v.Kind == nudge.Taken {
				w.Errorf("by %s: %+v, %v", way, v, err)
			}
		}
		if w.before("make") != "" {
			w.Fatal("it is let through")
		}
		tap := w.tapAt(ann, of.ID)
		for i := range 2 {
			if placed, err := w.AllowDenied(tap, 0, d.Fingerprint(0)); err != nil || placed.Repeated != (i == 1) {
				w.Errorf("tap %d: %+v, %v", i, placed, err)
			}
		}
		if w.before("make") != nudge.Lets || w.before("make") != "" || w.before("rm 1") != "" {
			w.Error("one tap does not let one call through")
		}
	})
}

// TestWhatWasLeftStaysDeniedForItsTurn, and is told to the model by the hook before the call.
func TestWhatWasLeftStaysDeniedForItsTurn(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		of, _ := w.deny("make", 0)
		if placed, err := w.LeaveDenied(w.tapAt(ann, of.ID), of.Call); err != nil || placed.Reason != "" {
			w.Fatal(placed.Refusal, err)
		}
		w.restart()
		w.see(is("%1", screen.Working))
		for range 3 {
			if what := w.before("make"); what != nudge.Stops {
				w.Errorf("tried again: %q", what)
			}
		}
		if err := w.EndTurn(is("%1", screen.Working).Whereabouts, time.Time{}); err != nil {
			w.Fatal(err)
		}
		if what := w.before("make"); what != "" {
			w.Errorf("in the next turn: %q", what)
		}
	})
}

// TestTheAgentIsToldToTryAgainInTheOwnersWords, once, and they name the call.
func TestTheAgentIsToldToTryAgainInTheOwnersWords(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		of, _ := w.deny("git push --force", 0)
		if placed, err := w.TellToTryAgain(w.tapAt(ann, of.ID), 0); err != nil || placed.Reason == "" {
			w.Errorf("before it is allowed: %+v, %v", placed, err)
		}
		w.allow(of)
		placed, err := w.TellToTryAgain(w.tapAt(ann, of.ID), 0)
		if err != nil || placed.Reason != "" || !strings.HasSuffix(string(placed.Text), "\ngit push --force") || placed.By.ID != ann {
			w.Errorf("%+v, %v", placed, err)
		}
		if placed, err := w.TellToTryAgain(w.tapAt(ann, of.ID), 0); err != nil || placed.Reason == "" {
			w.Errorf("once more: %+v, %v", placed, err)
		}
	})
}

// TestAHookThatWaitedBeforeACrashWaitsNoMore: a tap after it is for the next try, and the agent may be told.
func TestAHookThatWaitedBeforeACrashWaitsNoMore(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		of, _ := w.deny("make", 2*time.Minute)
		w.restart()
		w.deliver()
		w.see(is("%1", screen.Working))
		w.allow(of)
		if d := w.denials(of.ID); d.Rings(time.Now()) || d.Again(0) == "" {
			w.Errorf("%+v", d.Calls)
		}
	})
}

// TestOutsideTmuxAGrantIsForItsProcess: no pane tells two such agents apart, and nothing can be typed to either.
func TestOutsideTmuxAGrantIsForItsProcess(t *testing.T) {
	inBubble(t, func(w *world) {
		one := detect.Sighting{Whereabouts: detect.Whereabouts{Agent: "claude", Process: proc.ID{PID: 7, Start: 1}}}
		other := one
		other.Process.Start++
		of, wait, ok, err := w.Deny(one, nudge.Blocked{Call: callOf("make"), Text: "make"}, 2*time.Minute)
		if wait != 2*time.Minute || !ok || err != nil {
			w.Fatal(wait, ok, err)
		}
		if _, err := w.EndHold(of, false, true); err != nil {
			w.Fatal(err)
		}
		if err := errors.Join(w.Escape(other.Whereabouts, time.Now()), w.EndTurn(other.Whereabouts, time.Time{})); err != nil {
			w.Fatal(err)
		}
		w.allow(of)
		if d := w.denials(of.ID); d.TurnOver || d.Again(0) != "" {
			w.Errorf("%+v", d)
		}
		for _, c := range []struct {
			at   detect.Sighting
			want nudge.Verdicts
		}{{other, ""}, {is("%1", screen.Working), ""}, {one, nudge.Lets}, {one, ""}} {
			if _, what, err := w.Before(c.at, callOf("make"), never); what != c.want || err != nil {
				w.Errorf("a call of %+v: %q, %v", c.at.Whereabouts, what, err)
			}
		}
	})
}

// TestDeniedCallsEndWithTheirAgent: whatever was allowed and not taken is void, also where another agent is in the pane.
func TestDeniedCallsEndWithTheirAgent(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Supervisors = []nudge.Place{ann, bob}
		w.see(is("%1", screen.Working))
		of, _ := w.deny("make", 0)
		w.tell()
		w.allow(of)
		other := is("%1", screen.Working)
		other.Process.PID++
		if _, what, err := w.Before(other, callOf("make"), never); what != "" || err != nil {
			w.Errorf("another agent's call: %q, %v", what, err)
		}
		w.see(is("%1", screen.Shell))
		if what := w.before("make"); what != "" {
			w.Errorf("after the agent has exited: %q", what)
		}
		if list := kinds(w.tell(), nudge.Close); len(list) < 2 || !list[0].Newest {
			w.Errorf("told %+v", list)
		}
		if left := w.untold(); len(left) > 0 {
			w.Errorf("and again %+v", left)
		}
	})
}

// TestDeniedCallsEndWithTheirAgentOutsideTmux: no look tells that it has exited.
func TestDeniedCallsEndWithTheirAgentOutsideTmux(t *testing.T) {
	inBubble(t, func(w *world) {
		one := detect.Sighting{Whereabouts: detect.Whereabouts{Agent: "claude", Process: proc.ID{PID: 7, Start: 1}}}
		of, _, _, err := w.Deny(one, nudge.Blocked{Call: callOf("make"), Text: "make"}, 0)
		if err != nil {
			w.Fatal(err)
		}
		w.tell()
		w.allow(of)
		w.exited = proc.ID{PID: 7, Start: 2}
		if w.tick(); !w.denials(of.ID).Ended.IsZero() {
			w.Error("another process of that number has exited, and it is over")
		}
		w.exited = one.Process
		if w.tick(); w.denials(of.ID).Detail.Kind != reason.AgentExited {
			w.Errorf("its agent has exited, and it stands at %+v", w.denials(of.ID))
		}
		if _, what, err := w.Before(one, callOf("make"), never); what != "" || err != nil {
			w.Errorf("after that a call of it: %q, %v", what, err)
		}
	})
}

// TestNoCallRunsThatNoHumanAllowedOnDisk is the pure test of that name with records, restarts and calls that race.
func TestNoCallRunsThatNoHumanAllowedOnDisk(t *testing.T) {
	proof := testrun.Prove(t, 3_000, 25)
	for _, round := range proof.Rounds() {
		inBubble(t, func(w *world) {
			r := proof.Random(round)
			w.see(is("%1", screen.Working))
			allowed, ran := map[string][]time.Time{}, map[string]int{}
			commands := []string{"a", "b", "a "}
			var rows []keeper.Denied
			for range 25 {
				command := commands[r.IntN(len(commands))]
				switch r.IntN(8) {
				case 0, 1:
					of, _ := w.deny(command, time.Minute)
					rows = append(rows, of)
				case 2, 3:
					if len(rows) == 0 {
						continue
					}
					of := rows[r.IntN(len(rows))]
					d := w.denials(of.ID)
					placed, err := w.AllowDenied(w.tapAt(ann, of.ID), of.Call, d.Fingerprint(r.IntN(len(d.Calls))))
					if err != nil {
						w.Fatal(err)
					}
					if placed.Reason == "" {
						allowed[d.Calls[of.Call].Text] = append(allowed[d.Calls[of.Call].Text], time.Now())
					}
				case 4, 5:
					n := 1 + r.IntN(3)
					let := make([]bool, n)
					var all sync.WaitGroup
					for i := range n {
						all.Go(func() { let[i] = w.before(command) == nudge.Lets })
					}
					all.Wait()
					for _, yes := range let {
						if !yes {
							continue
						}
						ran[command]++
						fresh := slices.DeleteFunc(slices.Clone(allowed[command]), func(at time.Time) bool { return time.Since(at) >= grant.Lasts })
						if len(fresh) == 0 || ran[command] > len(allowed[command]) {
							w.Fatalf("round %d: %q runs, allowed at %v, ran %d times", round, command, allowed[command], ran[command])
						}
					}
				case 6:
					time.Sleep(time.Duration(r.IntN(500)) * time.Second)
					w.tick()
				case 7:
					w.restart()
					w.see(is("%1", screen.Working))
				}
				synctest.Wait()
			}
		})
		proof.Passed(round)
	}
}

// TestEscapeEndsWhatWasAllowedInATurnBefore: a grant is kept for the next try for minutes, but not over the head of who is there.
func TestEscapeEndsWhatWasAllowedInATurnBefore(t *testing.T) {
	for name, escape := range map[string]bool{"Escape": true, "nobody there": false} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.see(is("%1", screen.Working))
				at := is("%1", screen.Working)
				of, _ := w.deny("make", 0)
				open, _ := w.deny("rm 1", 0)
				w.allow(of)
				err := w.EndTurn(at.Whereabouts, time.Time{})
				w.deny("rm 2", 2*time.Minute)
				if escape {
					err = errors.Join(err, w.Escape(at.Whereabouts, time.Now()))
				}
				if err != nil {
					w.Fatal(err)
				}
				if d := w.denials(open.ID); d.Open(open.Call) == escape {
					w.Errorf("somebody may still decide about the other call: %v", !escape)
				}
				if _, what, err := w.Before(at, callOf("make"), never); (what == nudge.Lets) == escape || err != nil {
					w.Errorf("the call that was allowed: %q, %v", what, err)
				}
			})
		})
	}
}

// TestEscapeAfterTheTapEndsIt: the hook that was held has told the agent to try again, and the person at the terminal stops it before it does.
// Nod hears of that by a look, or by what the next hook names. What was denied later, and a no that nod has typed, are no such thing.
func TestEscapeAfterTheTapEndsIt(t *testing.T) {
	for name, c := range map[string]struct {
		look, turn, hook bool
		early            time.Duration // before the denial
		refused          bool
	}{
		"by a look": {look: true}, "by the next instruction": {turn: true}, "by the call": {hook: true},
		"before the denial, by a look": {look: true, early: time.Minute}, "before the denial, by the call": {hook: true, early: time.Minute},
		"before the denial, by the next instruction": {turn: true, early: time.Minute},
		"a no of nod's, by a look":                   {look: true, refused: true}, "a no of nod's, by the call": {hook: true, refused: true},
		"nobody": {},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				at := is("%1", screen.Working)
				w.see(at)
				time.Sleep(time.Hour)
				of, _ := w.deny("make", 2*time.Minute)
				left, _ := w.deny("rm 1", 0)
				w.allow(of)
				if retry, err := w.EndHold(of, false, false); !retry || err != nil {
					w.Fatal(retry, err)
				}
				if c.refused {
					w.answered("rm 2", screen.Deny)
				}
				time.Sleep(time.Second)
				escaped := time.Now().Add(-c.early)
				if c.early > 0 {
					escaped = escaped.Add(-time.Second)
				}
				time.Sleep(time.Second)
				idle := is("%1", screen.Idle)
				if c.look {
					idle.Escaped = escaped
				}
				w.see(idle)
				if c.turn {
					if err := w.EndTurn(at.Whereabouts, escaped); err != nil {
						w.Fatal(err)
					}
				}
				_, what, err := w.Before(at, callOf("make"), func() time.Time {
					if c.hook {
						return escaped
					}
					return time.Time{}
				})
				ends := (c.look || c.turn || c.hook) && c.early == 0 && !c.refused
				if (what == nudge.Lets) == ends || err != nil {
					w.Errorf("the call: %q, %v", what, err)
				}
				if d := w.denials(of.ID); d.Open(left.Call) == ends {
					w.Errorf("there are buttons for the other: %v", !ends)
				}
			})
		})
	}
}

// TestHooksSideBySideSpendTheBudgetOfATurnTogether: those of sub-agents may be held at once, and none longer than the first.
func TestHooksSideBySideSpendTheBudgetOfATurnTogether(t *testing.T) {
	for range 50 {
		inBubble(t, func(w *world) {
			const budget = 2 * time.Minute
			w.see(is("%1", screen.Working))
			began := time.Now()
			for i := range 8 {
				_, wait := w.deny(fmt.Sprint("make ", i), budget)
				if left := budget - time.Since(began); wait < 0 || wait > left || left == budget && wait != budget {
					w.Fatalf("call %d may be held for %v, and %v are left", i, wait, left)
				}
				time.Sleep(time.Duration(rand.IntN(14)) * time.Second)
			}
		})
	}
}
