package keeper_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

// claimed opens a nudge that Ann approves, while nobody types.
func (w *world) claimed(p *screen.Prompt) nudge.Nudge {
	w.Helper()
	n := w.see(shows("%1", p))
	w.tell()
	w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
	return w.wantState(n.ID, nudge.Claimed)
}

func TestYoungClaimGoesOnAfterARestart(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		time.Sleep(50 * time.Second)
		w.restart()
		w.deliver()
		time.Sleep(5 * time.Second)
		w.wantState(n.ID, nudge.Claimed) // until the watcher has found the pane again
		w.see(shows("%1", permission("make")))
		time.Sleep(2 * time.Second)
		w.wantState(n.ID, nudge.Delivered)
		if len(w.typist.began) != 1 {
			w.Errorf("typed %v", w.typist.began)
		}
		w.wantLog("1 pending nudge(s) still in flight")
	})
}

func TestOldClaimIsAskedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		first := w.find(n.ID).Copies[0].Message
		time.Sleep(time.Minute)
		w.restart()
		w.deliver()
		again := w.wantState(n.ID, nudge.Pending)
		if len(w.typist.asked) != 0 || !strings.Contains(words.Why(again.Again), "approved by Ann") {
			w.Errorf("typed %v, says %q", w.typist.asked, words.Why(again.Again))
		}
		sent := kinds(w.tell(), nudge.Send)
		if len(sent) != 1 || sent[0].Of.(nudge.OfNudge).ReplyTo != first {
			w.Errorf("sent %+v", sent)
		}
		w.give(w.replyTo(n.ID, screen.Deny), nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
	})
}

// TestClaimOfALostPaneIsAskedAgain: the pane of a recent claim is not found again in time.
func TestClaimOfALostPaneIsAskedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		w.restart()
		w.deliver()
		time.Sleep(59 * time.Second)
		w.wantState(n.ID, nudge.Claimed)
		time.Sleep(2 * time.Second)
		w.wantState(n.ID, nudge.Pending)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
}

func TestClaimOnConsentIsAskedAgainAfterARestart(t *testing.T) {
	inBubble(t, func(w *world) {
		p := permission("make")
		p.Partial = true
		n := w.see(shows("%1", p))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
		a := w.answer(nudge.ByButton, screen.Approve)
		a.Nudge, a.Unseen = n.ID, true
		w.give(a, nudge.Taken)
		w.restart()
		w.deliver()
		w.wantState(n.ID, nudge.Pending)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
		a = w.answer(nudge.ByButton, screen.Approve)
		a.Nudge, a.Unseen = n.ID, true
		w.give(a, nudge.AskUnseen)
	})
}

func TestTypingAfterCrashIsUnknown(t *testing.T) {
	inBubble(t, func(w *world) {
		w.hangAtTheKey()
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		w.wantState(n.ID, nudge.Typing)
		w.restartHung()
		over := w.wantState(n.ID, nudge.Unknown)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed again: %v", w.typist.asked)
		}
		if !strings.Contains(words.Why(over.Detail), "may or may not") {
			w.Errorf("says %q", words.Why(over.Detail))
		}
		if len(kinds(w.tell(), nudge.Reply)) != 1 {
			w.Error("who answered was not told")
		}
		time.Sleep(2 * time.Second)
		again := w.see(shows("%1", permission("make")))
		if again.ID == n.ID || !strings.Contains(words.Why(again.Again), n.ID) {
			w.Errorf("the prompt still stands: #%s says %q", again.ID, words.Why(again.Again))
		}
	})
}

func TestRefusals(t *testing.T) {
	for code, want := range map[deliver.Reason]nudge.State{
		deliver.CopyMode: nudge.Pending, deliver.Synchronized: nudge.Pending, deliver.Unreadable: nudge.Pending,
		deliver.Changed: nudge.Refused, deliver.Shell: nudge.Refused, deliver.Gone: nudge.Refused, deliver.NoKey: nudge.Refused,
	} {
		t.Run(string(code), func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.typist.result = func(context.Context, deliver.Request) deliver.Result {
					return deliver.Result{Outcome: deliver.Refused, Reason: code, Detail: reason.Why{Said: "because"}}
				}
				w.deliver()
				n := w.see(shows("%1", permission("make")))
				w.tell()
				w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
				over := w.wantState(n.ID, want)
				if over.Reason != code || words.Why(over.Detail) != "because" {
					w.Errorf("says %s: %s", over.Reason, words.Why(over.Detail))
				}
				reply := kinds(w.tell(), nudge.Reply)
				if len(reply) != 1 || reply[0].Nudge().Reason != code {
					w.Errorf("told %+v", reply)
				}
				w.wantLog("msg=refused nudge=" + n.ID + " reason=" + string(code))
				if want != nudge.Pending {
					return
				}
				w.typist.result = nil
				a := w.answer(nudge.ByButton, screen.Approve)
				a.Nudge, a.LeaveMode = n.ID, true
				w.give(a, nudge.Taken)
				w.wantState(n.ID, nudge.Delivered)
				if !w.typist.asked[1].LeaveMode {
					w.Error("leaving copy mode was not passed on")
				}
			})
		})
	}
}

func TestRefusedPromptIsAskedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		w.typist.result = func(context.Context, deliver.Request) deliver.Result {
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, Detail: reason.Why{Said: "it changed"}}
		}
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		time.Sleep(2 * time.Second)
		next := w.see(shows("%1", permission("rm -rf /")))
		if next.ID == n.ID || !next.Again.IsZero() {
			w.Errorf("#%s says %q", next.ID, words.Why(next.Again))
		}
	})
}

// TestSlowPaneHoldsUpNoOther types into a pane that hangs, and into another one meanwhile.
func TestSlowPaneHoldsUpNoOther(t *testing.T) {
	inBubble(t, func(w *world) {
		hang := make(chan struct{})
		w.typist.result = func(_ context.Context, r deliver.Request) deliver.Result {
			if r.Pane.ID == "%1" {
				<-hang
			}
			return deliver.Result{}
		}
		w.deliver()
		slow, quick := w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("go test")))
		w.tell()
		w.give(w.replyTo(slow.ID, screen.Approve), nudge.Taken)
		w.give(w.replyTo(quick.ID, screen.Approve), nudge.Taken)
		w.wantState(quick.ID, nudge.Delivered)
		w.wantState(slow.ID, nudge.Claimed)
		close(hang)
		synctest.Wait()
		w.wantState(slow.ID, nudge.Delivered)
	})
}

func TestAwait(t *testing.T) {
	inBubble(t, func(w *world) {
		w.typist.result = func(context.Context, deliver.Request) deliver.Result {
			time.Sleep(3 * time.Second)
			return deliver.Result{}
		}
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		w.give(nudge.Answer{Said: nudge.Said{Decision: screen.Approve}, Nudge: n.ID, Way: nudge.ByCommand}, nudge.Taken)
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		if _, err := w.Await(ctx, n.ID); err != context.DeadlineExceeded {
			w.Errorf("got %v", err)
		}
		over, err := w.Await(w.Context(), n.ID)
		if err != nil || over.State != nudge.Delivered {
			w.Errorf("got %s, %v", over.State, err)
		}
		if _, err := w.Await(w.Context(), "z9z"); err == nil {
			w.Error("waited for a nudge that is not there")
		}
		if notices := w.tell(); len(kinds(notices, nudge.Reply)) != 0 {
			w.Error("the command line waits for itself, and a chat was told")
		}
	})
}

// TestStopKeepsTheClaim: nod is stopped before the first key, and types after the next start.
func TestStopKeepsTheClaim(t *testing.T) {
	inBubble(t, func(w *world) {
		w.typist.result = func(ctx context.Context, _ deliver.Request) deliver.Result {
			<-ctx.Done()
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable}
		}
		w.deliver()
		n := w.claimed(permission("make"))
		w.restart()
		w.wantState(n.ID, nudge.Claimed)
		w.typist.result = nil
		w.see(shows("%1", permission("make")))
		w.deliver()
		w.wantState(n.ID, nudge.Delivered)
	})
}
