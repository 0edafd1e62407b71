package keeper_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

func callOf(command string) grant.Call {
	return grant.Call{Session: "s", Folder: "/p", Mode: "auto", Tool: "Bash", Input: `{"command":"` + command + `"}`}
}

// deny records that the guard of a pane's agent denied a command.
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

// never is the stop time of an agent that nobody has stopped.
func never() time.Time { return time.Time{} }

// before returns nod's decision about a command that the agent is about to run.
func (w *world) before(command string) nudge.Verdicts {
	w.Helper()
	_, what, err := w.Before(is("%1", screen.Working), callOf(command), never)
	if err != nil {
		w.Fatal(err)
	}
	return what
}

// TestADenialOfAnotherAgentIsNotRecorded: for a pane that nobody watches, or for a process that is not the
// pane's agent.
func TestADenialOfAnotherAgentIsNotRecorded(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		other := is("%1", screen.Working)
		other.Process.Start++
		for _, at := range []detect.Sighting{is("%2", screen.Working), other} {
			of, wait, ok, err := w.Deny(at, nudge.Blocked{Call: callOf("make"), Text: "make"}, time.Minute)
			if ok || err != nil || wait != 0 || of.ID != "" {
				t.Errorf("%+v, for %v, %t, %v", of, wait, ok, err)
			}
		}
		if all, err := w.AllDenials(); err != nil || len(all) > 0 {
			t.Errorf("recorded %+v, %v", all, err)
		}
	})
}

// TestDeniedCallsAreToldInOneMessageATurn, which rings while a hook waits and is silent otherwise.
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
			w.Error("a sixth call is in the same message")
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

// TestAHeldHookHearsOfTheTap. It hears nothing if nobody decides, if it has gone, or if the call was left
// denied.
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

// TestOnlyASupervisorsTapAllows: not a stranger's tap, a repeated tap, words, or a tap under another call.
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

// TestWhatWasLeftStaysDeniedForItsTurn, and the hook before the call tells that to the model.
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

// TestTheAgentIsToldToTryAgainInTheOwnersWords, once, and the words name the call.
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

// TestAnAgentThatDoesNotTryAgainMayBeTold: in Claude Code 2.1.332 the model decides whether it follows the
// hook's hint.
func TestAnAgentThatDoesNotTryAgainMayBeTold(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		of, _ := w.deny("make", 2*time.Minute)
		w.allow(of)
		if says, err := w.EndHold(of, false, false); !says || err != nil {
			w.Fatal(says, err)
		}
		w.see(is("%1", screen.Working))
		if d := w.denials(of.ID); d.Again(of.Call) != "" {
			w.Error("while it works it may be told to try again")
		}
		w.tell()
		w.see(is("%1", screen.Idle))
		if d := w.denials(of.ID); d.Again(of.Call) == "" || len(kinds(w.untold(), nudge.Refresh)) != 1 {
			w.Errorf("when its turn is over nobody can tell it to try again: %+v", d.Calls[of.Call])
		}
		if placed, err := w.TellToTryAgain(w.tapAt(ann, of.ID), of.Call); err != nil || placed.Reason != "" {
			w.Errorf("%+v, %v", placed, err)
		}
		w.see(is("%1", screen.Idle))
		if d := w.denials(of.ID); d.Again(of.Call) != "" {
			w.Error("it may be told twice")
		}
		if what := w.before("make"); what != nudge.Lets {
			w.Errorf("then its call is %q", what)
		}
	})
}

// TestAHookThatWaitedBeforeACrashWaitsNoMore: a later tap is for the next try, and the agent may be told.
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

// TestDeniedCallsWithoutEnd: an agent that goes on trying in one turn fills neither chats nor the disk, and keeps nobody else's call from being told.
func TestDeniedCallsWithoutEnd(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		w.see(is("%2", screen.Working))
		told := 0
		try := func(at string, n int) bool {
			command := fmt.Sprint("make ", n)
			_, _, ok, err := w.Deny(is(at, screen.Working), nudge.Blocked{Call: callOf(command), Text: command}, 0)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		for n := range 300 {
			time.Sleep(time.Second)
			if try("%1", n) {
				told++
			}
		}
		list, err := w.Denials()
		if err != nil || told < 50 || told == 300 || len(list) != 10 {
			t.Errorf("%d calls are told in %d messages, %v", told, len(list), err)
		}
		var more []time.Time // when the messages were made that say that there are more
		for _, d := range list {
			if d.More {
				more = append(more, d.Made)
			}
		}
		newest := slices.MaxFunc(list, func(a, b nudge.Denials) int { return a.Made.Compare(b.Made) }).Made
		if len(more) != 1 || !more[0].Equal(newest) {
			t.Errorf("that there are more is told in the messages of %v, the newest of which is that of %v", more, newest)
		}
		if !try("%1", 0) || !try("%2", 1) {
			t.Error("a call that was told is not known any more, or another agent's is not told")
		}
		if err := w.EndTurn(is("%1", screen.Working).Whereabouts, never()); err != nil {
			t.Fatal(err)
		}
		if !try("%1", 301) {
			t.Error("the next turn's is not told")
		}
	})
}
