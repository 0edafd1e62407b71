package keeper_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// told is a look at a screen that shows these commands as denied, as reported by the agent's own server.
func told(turn string, commands ...string) detect.Sighting {
	s := denied("codex", turn, commands...)
	for i := range s.Denied.Calls {
		c := &s.Denied.Calls[i]
		c.Folder, c.Review = "/p", "review of "+c.Text
	}
	return s
}

// outcome is the result of telling a server.
func outcome(o deliver.Outcome) deliver.Result {
	return deliver.Result{Outcome: o, Detail: reason.Why{Kind: reason.DenialUnserved, What: "it has ended"}}
}

// TestADeniedCallIsPassedOnToItsServerOnce, after a tap and not before, whatever the result.
func TestADeniedCallIsPassedOnToItsServerOnce(t *testing.T) {
	for how, want := range map[deliver.Outcome]grant.State{deliver.Delivered: grant.Used, deliver.Unknown: grant.Unknown, deliver.Refused: ""} {
		t.Run(string(how), func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.see(told("t1", "touch a\ntouch b"))
				id := w.one().ID
				w.wantNoReview()
				w.allow(keeper.Denied{ID: id})
				of, review, err := w.NextReview(t.Context())
				if err != nil || of != (keeper.Denied{ID: id}) || review != "review of touch a\ntouch b" {
					t.Fatal(of, review, err)
				}
				if d := w.denials(id).Calls[0]; d.Grant.State != grant.Taken {
					t.Errorf("%+v", d)
				}
				w.wantNoReview()
				if err := w.Reviewed(of, outcome(how)); err != nil {
					t.Fatal(err)
				}
				if noted := w.notedOf(id); noted[len(noted)-1] != nudge.CallReviewed+" by No. 1001" {
					t.Errorf("noted is %q", noted)
				}
				d := w.denials(id)
				if c := d.Calls[0]; c.Grant.State != want || (how == deliver.Refused) != !c.Flaw.IsZero() {
					t.Errorf("%+v", c)
				}
				if says := d.Again(0); (says != "") != (how == deliver.Delivered) {
					t.Errorf("told to try again: %q", says)
				}
				w.wantNoReview()
				w.restart()
				w.wantNoReview()
				if len(w.typist.asked) > 0 {
					t.Errorf("typed %+v", w.typist.asked)
				}
			})
		})
	}
}

func (w *world) wantNoReview() {
	w.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if of, review, err := w.NextReview(ctx); err == nil {
		w.Fatalf("%v is passed on: %s", of, review)
	}
}

// TestAReviewThatACrashCutOffIsUnknown, and is never passed on again.
func TestAReviewThatACrashCutOffIsUnknown(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(told("t1", "touch a"))
		id := w.one().ID
		w.allow(keeper.Denied{ID: id})
		if _, _, err := w.NextReview(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.restart()
		time.Sleep(10 * time.Second)
		w.tick()
		w.wantNoReview()
		if c := w.denials(id).Calls[0]; c.Grant.State != grant.Unknown {
			t.Errorf("%+v", c)
		}
	})
}

// TestACallThatAServerToldOfIsKnownAfterwards: a look that shows less of it shows the same call.
func TestACallThatAServerToldOfIsKnownAfterwards(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(told("t1", "touch a\ntouch b"))
		w.restart()
		cut := denied("codex", "t1", "touch a ...")
		cut.Denied.Calls[0].Cut = true
		w.see(cut)
		w.wantMessages("its first line", "touch a\ntouch b")
		cut = denied("codex", "t1", "touch a ...", "touch c")
		cut.Denied.Calls[0].Cut = true
		w.see(cut)
		w.wantMessages("another one", "touch a\ntouch b | touch c")
		if c := w.one().Calls; c[0].Taking != nudge.ByServer || c[1].Taking != nudge.OnList {
			t.Errorf("%+v", c)
		}
	})
}

// TestNoCallIsPassedOnThatNobodyAllowed, and none twice, in any order of looks, taps, crashes and pauses.
func TestNoCallIsPassedOnThatNobodyAllowed(t *testing.T) {
	seed, all := rand.Uint64(), 0
	t.Logf("seed %d", seed)
	for round := range uint64(testrun.Rounds(20, 200)) {
		r := rand.New(rand.NewPCG(seed, round))
		inBubble(t, func(w *world) {
			allowed, passed := map[string]int{}, map[string]int{}
			turn, shown := 'a', []string{}
			for range 40 {
				switch r.IntN(7) {
				case 0:
					turn, shown = turn+1, nil
				case 1, 2:
					shown = append(shown, string([]rune{'x', rune('0' + r.IntN(3))}))
				case 3:
					if list, _ := w.Denials(); len(list) > 0 {
						d := list[r.IntN(len(list))]
						call := r.IntN(len(d.Calls))
						if placed, err := w.AllowDenied(w.tapAt(ann, d.ID), call, d.Fingerprint(call)); err == nil && placed.Reason == "" {
							allowed["review of "+d.Calls[call].Text]++
						}
					}
				case 4:
					w.restart()
				case 5:
					time.Sleep(time.Duration(r.IntN(900)) * time.Second)
					w.tick()
				default:
					synctest.Wait()
					ctx, stop := context.WithTimeout(context.Background(), time.Second)
					if of, review, err := w.NextReview(ctx); err == nil {
						passed[review]++
						if r.IntN(3) > 0 {
							how := []deliver.Outcome{deliver.Delivered, deliver.Unknown, deliver.Refused}[r.IntN(3)]
							if err := w.Reviewed(of, outcome(how)); err != nil {
								w.Fatal(err)
							}
						}
					}
					stop()
				}
				w.see(told(string(turn), shown...))
			}
			for review, n := range passed {
				if all += n; n > allowed[review] {
					w.Errorf("%s was passed on %d times and allowed %d times", review, n, allowed[review])
				}
			}
		})
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if all < testrun.Rounds(5, 100) {
		t.Errorf("%d reviews were passed on, so this proves little", all)
	}
}
