package keeper_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/grant"
)

// asksOnce is the dialog in which an agent asks about the call with that name, because an earlier hook told
// it to ask.
func asksOnce(call string) *screen.Prompt {
	p := permission("git push --force")
	p.Exact, p.Source, p.Options, p.Deny = call, screen.FromEvent, []screen.Option{p.Options[0], p.Options[3]}, []string{"2"}
	return p
}

// letAsk has a call denied and then allowed, and its agent told to ask about it: in the same turn or, if
// late, in the next.
func (w *world) letAsk(late bool) (id string) {
	w.Helper()
	w.see(is("%1", screen.Working))
	of, _ := w.deny("git push --force", 0)
	w.tell()
	w.allow(of)
	if late { // it was told to try again
		if err := w.EndTurn(is("%1", screen.Working).Whereabouts, time.Time{}); err != nil {
			w.Fatal(err)
		}
	}
	of, what, err := w.Before(is("%1", screen.Working), callOf("git push --force"), never)
	if what != nudge.Lets || err != nil {
		w.Fatal(what, err)
	}
	if err := w.SaidSo(of, "c1"); err != nil {
		w.Fatal(err)
	}
	if got := w.denials(of.ID).Calls[0].Grant.State; got != grant.Asked {
		w.Fatalf("it is %s", got)
	}
	w.tick()
	w.tell()
	return of.ID
}

// TestATapAnswersTheDialogOfThatVeryCall, once and without another question. The next dialog is a question
// again.
func TestATapAnswersTheDialogOfThatVeryCall(t *testing.T) {
	for _, late := range []bool{false, true} {
		inBubble(t, func(w *world) { answersOnce(w, late) })
	}
}

func answersOnce(w *world, late bool) {
	id := w.letAsk(late)
	w.deliver()
	w.typist.after = deliver.Result{Outcome: deliver.Delivered, Door: true}
	first := w.see(shows("%1", asksOnce("c1")))
	synctest.Wait()
	if first = w.find(first.ID); first.State != nudge.Delivered || first.Claim.By.Name != "No. "+string(ann) || first.Claim.Way != nudge.ByGrant {
		w.Errorf("it is %s, %+v", first.State, first.Claim)
	}
	if got := w.denials(id).Calls[0].Grant.State; got != grant.Used {
		w.Errorf("the grant is %s", got)
	}
	if list := kinds(w.tell(), nudge.Send); len(list) > 0 {
		w.Errorf("told %+v", list)
	}
	time.Sleep(time.Second)
	w.see(is("%1", screen.Working))
	w.see(is("%1", screen.Working))
	if again := w.see(shows("%1", asksOnce("c1"))); again.ID == first.ID || again.State != nudge.Pending || len(w.typist.asked) != 1 {
		w.Errorf("the second dialog is %s", again.State)
	}
}

// TestAnotherDialogIsANewQuestion: a dialog about another call, with an option that lasts, seen in part, of
// another agent, too late, or after Escape.
func TestAnotherDialogIsANewQuestion(t *testing.T) {
	for name, change := range map[string]func(w *world, s *detect.Sighting){
		"another call":        func(_ *world, s *detect.Sighting) { s.Prompt.Exact = "c2" },
		"a call of no name":   func(_ *world, s *detect.Sighting) { s.Prompt.Exact = "" },
		"a yes that lasts":    func(_ *world, s *detect.Sighting) { s.Prompt.Options = permission("").Options },
		"two yeses":           func(_ *world, s *detect.Sighting) { s.Prompt.Options[1].Scope = screen.Once },
		"no that lasts":       func(_ *world, s *detect.Sighting) { s.Prompt.Options[1].Scope = screen.NoAlways },
		"more below":          func(_ *world, s *detect.Sighting) { s.Prompt.More = true },
		"the screen's words":  func(_ *world, s *detect.Sighting) { s.Prompt.Source = "" },
		"a part of it":        func(_ *world, s *detect.Sighting) { s.Prompt.Partial = true },
		"a question":          func(_ *world, s *detect.Sighting) { s.State = screen.Question },
		"another pane":        func(_ *world, s *detect.Sighting) { s.Pane = pane("%2") },
		"another process":     func(_ *world, s *detect.Sighting) { s.Process.PID++ },
		"no key that says so": func(_ *world, s *detect.Sighting) { s.Prompt.Approve = nil },
		"late":                func(_ *world, _ *detect.Sighting) { time.Sleep(15 * time.Second) },
		"after Escape": func(w *world, _ *detect.Sighting) {
			if err := w.Escape(is("%1", screen.Working).Whereabouts, time.Now()); err != nil {
				w.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.letAsk(false)
				w.deliver()
				s := shows("%1", asksOnce("c1"))
				change(w, &s)
				n := w.see(s)
				synctest.Wait()
				if n = w.find(n.ID); n.State != nudge.Pending || len(w.typist.asked) > 0 {
					w.Errorf("it is %s, and typed are %+v", n.State, w.typist.asked)
				}
				if list := kinds(w.tell(), nudge.Send); len(list) != 1 {
					w.Errorf("told %+v", list)
				}
			})
		})
	}
}

// TestADialogThatTakesNoAnswerIsTold: the permission stays valid for one run, and the human hears why it was
// not typed.
func TestADialogThatTakesNoAnswerIsTold(t *testing.T) {
	inBubble(t, func(w *world) {
		w.letAsk(false)
		w.deliver()
		w.typist.result = func(context.Context, deliver.Request) deliver.Result {
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode, Detail: reason.Why{Kind: reason.InCopyMode}}
		}
		n := w.see(shows("%1", asksOnce("c1")))
		synctest.Wait()
		if n = w.find(n.ID); n.State != nudge.Pending || n.Reason != deliver.CopyMode {
			w.Errorf("it is %s, %s", n.State, n.Reason)
		}
		if list := kinds(w.tell(), nudge.Send); len(list) != 1 {
			w.Errorf("told %+v", list)
		}
	})
}
