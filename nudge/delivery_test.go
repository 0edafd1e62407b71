package nudge_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

// claimed opens a nudge and has Ann approve it, with nobody there to type.
func (d *desk) claimed(p *detect.Prompt) nudge.Nudge {
	d.Helper()
	n := d.see(shows("%1", p))
	d.tell()
	d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
	return d.wantState(n.ID, nudge.Claimed)
}

func TestYoungClaimGoesOnAfterARestart(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.claimed(permission("make"))
		time.Sleep(50 * time.Second)
		d.restart()
		d.deliver()
		time.Sleep(5 * time.Second)
		d.wantState(n.ID, nudge.Claimed) // until the watcher has found the pane again
		d.see(shows("%1", permission("make")))
		time.Sleep(2 * time.Second)
		d.wantState(n.ID, nudge.Delivered)
		if len(d.typist.began) != 1 {
			d.Errorf("typed %v", d.typist.began)
		}
		d.wantLog("1 pending nudge(s) still in flight")
	})
}

func TestOldClaimIsAskedAgain(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.claimed(permission("make"))
		first := d.find(n.ID).Copies[0].Message
		time.Sleep(time.Minute)
		d.restart()
		d.deliver()
		again := d.wantState(n.ID, nudge.Pending)
		if len(d.typist.asked) != 0 || !strings.Contains(again.Again, "approved by Ann") {
			d.Errorf("typed %v, says %q", d.typist.asked, again.Again)
		}
		sent := kinds(d.tell(), nudge.Send)
		if len(sent) != 1 || sent[0].ReplyTo != first {
			d.Errorf("sent %+v", sent)
		}
		d.give(d.replyTo(n.ID, detect.Deny), nudge.Taken)
		d.wantState(n.ID, nudge.Delivered)
	})
}

// TestClaimOfALostPaneIsAskedAgain: the pane of a young claim is not found again in time.
func TestClaimOfALostPaneIsAskedAgain(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.claimed(permission("make"))
		d.restart()
		d.deliver()
		time.Sleep(59 * time.Second)
		d.wantState(n.ID, nudge.Claimed)
		time.Sleep(2 * time.Second)
		d.wantState(n.ID, nudge.Pending)
		if len(d.typist.asked) != 0 {
			d.Errorf("typed %v", d.typist.asked)
		}
	})
}

func TestClaimOnConsentIsAskedAgainAfterARestart(t *testing.T) {
	inBubble(t, func(d *desk) {
		p := permission("make")
		p.Partial = true
		n := d.see(shows("%1", p))
		d.tell()
		d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
		a := d.answer(nudge.ByButton, detect.Approve)
		a.Nudge, a.Unseen = n.ID, true
		d.give(a, nudge.Taken)
		d.restart()
		d.deliver()
		d.wantState(n.ID, nudge.Pending)
		if len(d.typist.asked) != 0 {
			d.Errorf("typed %v", d.typist.asked)
		}
		a = d.answer(nudge.ByButton, detect.Approve)
		a.Nudge, a.Unseen = n.ID, true
		d.give(a, nudge.AskUnseen)
	})
}

func TestTypingAfterCrashIsUnknown(t *testing.T) {
	inBubble(t, func(d *desk) {
		// nod dies after the note that it types, before it learns of the outcome.
		hang := make(chan struct{})
		defer close(hang)
		ctx, cancel := context.WithCancel(d.Context())
		defer cancel()
		d.typist.typing = func() { <-hang }
		go d.Run(ctx)
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		d.wantState(n.ID, nudge.Typing)
		d.restart()
		d.typist = &typist{}
		d.Keeper = d.keeper()
		d.deliver()
		over := d.wantState(n.ID, nudge.Unknown)
		if len(d.typist.asked) != 0 {
			d.Errorf("typed again: %v", d.typist.asked)
		}
		if !strings.Contains(over.Detail, "may or may not") {
			d.Errorf("says %q", over.Detail)
		}
		if len(kinds(d.tell(), nudge.Reply)) != 1 {
			d.Error("who answered was not told")
		}
		time.Sleep(2 * time.Second)
		again := d.see(shows("%1", permission("make")))
		if again.ID == n.ID || !strings.Contains(again.Again, n.ID) {
			d.Errorf("the prompt still stands: #%s says %q", again.ID, again.Again)
		}
	})
}

func TestRefusals(t *testing.T) {
	for reason, want := range map[deliver.Reason]nudge.State{
		deliver.CopyMode: nudge.Pending, deliver.Synchronized: nudge.Pending, deliver.Unreadable: nudge.Pending,
		deliver.Changed: nudge.Refused, deliver.InShell: nudge.Refused, deliver.IsGone: nudge.Refused, deliver.NoKey: nudge.Refused,
	} {
		t.Run(string(reason), func(t *testing.T) {
			inBubble(t, func(d *desk) {
				d.typist.result = func(context.Context, deliver.Request) deliver.Result {
					return deliver.Result{Outcome: deliver.Refused, Reason: reason, Detail: "because"}
				}
				d.deliver()
				n := d.see(shows("%1", permission("make")))
				d.tell()
				d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
				over := d.wantState(n.ID, want)
				if over.Reason != reason || over.Detail != "because" {
					d.Errorf("says %s: %s", over.Reason, over.Detail)
				}
				reply := kinds(d.tell(), nudge.Reply)
				if len(reply) != 1 || reply[0].Nudge.Reason != reason {
					d.Errorf("told %+v", reply)
				}
				d.wantLog("msg=refused nudge=" + n.ID + " reason=" + string(reason))
				if want != nudge.Pending {
					return
				}
				d.typist.result = nil
				a := d.answer(nudge.ByButton, detect.Approve)
				a.Nudge, a.LeaveMode = n.ID, true
				d.give(a, nudge.Taken)
				d.wantState(n.ID, nudge.Delivered)
				if !d.typist.asked[1].LeaveMode {
					d.Error("leaving copy mode was not passed on")
				}
			})
		})
	}
}

func TestRefusedPromptIsAskedAgain(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.typist.result = func(context.Context, deliver.Request) deliver.Result {
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, Detail: "it changed"}
		}
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		time.Sleep(2 * time.Second)
		next := d.see(shows("%1", permission("rm -rf /")))
		if next.ID == n.ID || next.Again != "" {
			d.Errorf("#%s says %q", next.ID, next.Again)
		}
	})
}

// TestSlowPaneHoldsUpNoOther types into a pane that hangs, and into another meanwhile.
func TestSlowPaneHoldsUpNoOther(t *testing.T) {
	inBubble(t, func(d *desk) {
		hang := make(chan struct{})
		d.typist.result = func(_ context.Context, r deliver.Request) deliver.Result {
			if r.Pane.ID == "%1" {
				<-hang
			}
			return deliver.Result{}
		}
		d.deliver()
		slow, quick := d.see(shows("%1", permission("make"))), d.see(shows("%2", permission("go test")))
		d.tell()
		d.give(d.replyTo(slow.ID, detect.Approve), nudge.Taken)
		d.give(d.replyTo(quick.ID, detect.Approve), nudge.Taken)
		d.wantState(quick.ID, nudge.Delivered)
		d.wantState(slow.ID, nudge.Claimed)
		close(hang)
		synctest.Wait()
		d.wantState(slow.ID, nudge.Delivered)
	})
}

func TestAwait(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.typist.result = func(context.Context, deliver.Request) deliver.Result {
			time.Sleep(3 * time.Second)
			return deliver.Result{}
		}
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		d.give(nudge.Answer{Decision: detect.Approve, Nudge: n.ID, Way: nudge.ByCommand}, nudge.Taken)
		ctx, cancel := context.WithTimeout(d.Context(), time.Second)
		defer cancel()
		if _, err := d.Await(ctx, n.ID); err != context.DeadlineExceeded {
			d.Errorf("got %v", err)
		}
		over, err := d.Await(d.Context(), n.ID)
		if err != nil || over.State != nudge.Delivered {
			d.Errorf("got %s, %v", over.State, err)
		}
		if _, err := d.Await(d.Context(), "z9z"); err == nil {
			d.Error("waited for a nudge that is not there")
		}
		if notices := d.tell(); len(kinds(notices, nudge.Reply)) != 0 {
			d.Error("the command line waits for itself, and a chat was told")
		}
	})
}

// TestStopKeepsTheClaim: nod is stopped before the first key; the next start types.
func TestStopKeepsTheClaim(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.typist.result = func(ctx context.Context, _ deliver.Request) deliver.Result {
			<-ctx.Done()
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable}
		}
		d.deliver()
		n := d.claimed(permission("make"))
		d.restart()
		d.wantState(n.ID, nudge.Claimed)
		d.typist.result = nil
		d.see(shows("%1", permission("make")))
		d.deliver()
		d.wantState(n.ID, nudge.Delivered)
	})
}
