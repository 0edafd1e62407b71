package keeper_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// TestOutsideTmuxAGrantIsForItsProcess: no pane distinguishes two such agents, and nothing can be typed into
// either.
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

// TestDeniedCallsEndWithTheirAgent: a permission that was not used is void, even if another agent is now in
// the pane.
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

// TestDeniedCallsEndWithTheirAgentOutsideTmux: no look reports its exit.
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
			w.Errorf("its agent has exited, and it is at %+v", w.denials(of.ID))
		}
		if _, what, err := w.Before(one, callOf("make"), never); what != "" || err != nil {
			w.Errorf("after that a call of it: %q, %v", what, err)
		}
	})
}

// TestNoCallRunsThatNoHumanAllowedOnDisk is the pure test of the same name with records, restarts and calls
// that race.
func TestNoCallRunsThatNoHumanAllowedOnDisk(t *testing.T) {
	proof := testrun.Prove(t, 3_000, 20)
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
		proof.Passed(t, round)
	}
}

// TestEscapeEndsWhatWasAllowedInATurnBefore: a grant waits for the next try for minutes, but the person at
// the terminal can cancel it.
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

// TestEscapeAfterTheTapEndsIt: a waiting hook has told the agent to try again, and the person at the terminal
// stops the agent first. Nod learns of that from a look, or from the next hook. Later denials, and a no that
// nod typed, do not count as such a stop.
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

// TestHooksSideBySideSpendTheBudgetOfATurnTogether: hooks of sub-agents may wait at the same time, but none
// longer than the first.
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
