package keeper_test

import (
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/nudge"
)

// TestReplyIsFoundByRecordBeforeAnyButton: nod's record of the message counts, whatever its buttons claim.
func TestReplyIsFoundByRecordBeforeAnyButton(t *testing.T) {
	inBubble(t, func(w *world) {
		older, newer := w.two(time.Minute)
		a := w.replyTo(older.ID, screen.Approve)
		a.Shown = []nudge.Shown{{Nudge: newer.ID, Own: true, Subject: newer.SubjectHash()}}
		if v := w.give(a, nudge.Taken); v.Nudge.ID != older.ID {
			w.Errorf("it means #%s", v.Nudge.ID)
		}
		w.wantState(newer.ID, nudge.Pending)
	})
}

// TestReplyToAMessageOnNoRecord is judged by its buttons only.
func TestReplyToAMessageOnNoRecord(t *testing.T) {
	for _, c := range []struct {
		name    string
		shown   func(older, newer nudge.Nudge) []nudge.Shown
		several bool // nod has recorded that the message is about several nudges
		want    nudge.VerdictKind
		reason  deliver.Reason
		among   int
	}{
		{"one", func(older, _ nudge.Nudge) []nudge.Shown { return []nudge.Shown{{Nudge: older.ID}, {Nudge: older.ID}} }, false, nudge.Taken, "", 0},
		{"two", func(older, newer nudge.Nudge) []nudge.Shown {
			return []nudge.Shown{{Nudge: older.ID}, {Nudge: newer.ID}}
		}, false, nudge.WhichOne, deliver.Ambiguous, 2},
		{"one of a list", func(older, _ nudge.Nudge) []nudge.Shown { return []nudge.Shown{{Nudge: older.ID}} }, true, nudge.WhichOne, deliver.Ambiguous, 2},
		{"one that is on no record", func(_, _ nudge.Nudge) []nudge.Shown { return []nudge.Shown{{Nudge: "z9z"}} }, false, nudge.Rejected, deliver.NotFound, 0},
		{"none", func(_, _ nudge.Nudge) []nudge.Shown { return nil }, false, nudge.Rejected, deliver.NotFound, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				older, newer := w.two(time.Minute)
				a := w.answer(nudge.ByReply, screen.Approve)
				a.ReplyTo, a.Shown = 4711, c.shown(older, newer)
				if c.several {
					a.ReplyTo = w.told(nudge.Notice{Kind: nudge.Several, Place: ann})
				}
				v := w.give(a, c.want)
				if v.Reason != c.reason || len(v.Among) != c.among || c.want == nudge.Taken && v.Nudge.ID != older.ID {
					w.Errorf("#%s, %s, among %d", v.Nudge.ID, v.Reason, len(v.Among))
				}
				about, found, err := w.About(nudge.Ref{Place: ann, Message: a.ReplyTo}, a.Shown)
				if err != nil || found != (c.want == nudge.Taken) || found && about.ID != older.ID {
					w.Errorf("it is about #%s, %t, %v", about.ID, found, err)
				}
			})
		})
	}
}

// TestApprovalOfWhatWasNeverSentThere: somebody who names a nudge without a message in their chat has not
// seen it.
func TestApprovalOfWhatWasNeverSentThere(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		a := w.answer(nudge.ByFresh, screen.Approve)
		a.Nudge = n.ID
		w.give(a, nudge.AskUnseen)
		a = w.answer(nudge.ByFresh, screen.Deny)
		a.Nudge = n.ID
		w.give(a, nudge.Taken)
	})
}
