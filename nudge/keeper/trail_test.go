package keeper_test

import (
	"cmp"

	"nod/nudge"
	"nod/store"
)

// wantTrail checks that the audit trail has every beginning, step and end that the records have.
func (w *world) wantTrail() {
	w.Helper()
	lines, err := w.store.After(0, 1<<20)
	if err != nil {
		w.Fatal(err)
	}
	noted, last := map[[2]string]int{}, map[[2]string]nudge.Event{}
	for _, l := range lines {
		of := [2]string{l.Kind, cmp.Or(l.Nudge, l.Instruction)}
		ends := l.Kind == nudge.NudgeEnded || l.Kind == nudge.InstructionEnded || l.Kind == nudge.WishEnded || l.Kind == nudge.CallsOver
		if ends && noted[of] > 0 && last[of].State == l.State && !last[of].At.Equal(l.At) {
			w.Errorf("the trail has the end of %s as %s twice", of[1], l.State)
		}
		noted[of], last[of] = noted[of]+1, l.Event
	}
	want := func(is bool, kind, id string, n int) {
		if got := noted[[2]string{kind, id}]; is && got < n {
			w.Errorf("the trail has %q of %s %d times, want %d", kind, id, got, n)
		}
	}
	never := func(is bool, kind, id string) {
		if is && noted[[2]string{kind, id}] > 0 {
			w.Errorf("the trail has %q of %s", kind, id)
		}
	}
	err = w.store.View(func(tx *store.Tx) error {
		for _, n := range tx.All() {
			if ended := last[[2]string{nudge.NudgeEnded, n.ID}]; n.State.Over() && ended.State != string(n.State) {
				w.Errorf("the trail has the end of %s as %q, and it is %s", n.ID, ended.State, n.State)
			}
			opened := noted[[2]string{nudge.PromptDetected, n.ID}] + noted[[2]string{nudge.AgentIdle, n.ID}] + noted[[2]string{nudge.AgentSilent, n.ID}]
			if opened != 1 && n.By != "tell" && len(lines) > 0 { // else it has outlived what is kept of the trail
				w.Errorf("the trail has the beginning of %s %d times", n.ID, opened)
			}
			want(n.Effect != nil, nudge.ToolEnded, n.ID, 1)
			want(n.Claim != nil, nudge.AnswerReceived, n.ID, 1)
			want(n.State == nudge.Delivered && len(n.Keys) > 0, nudge.KeyTyped, n.ID, 1)
			want(n.State == nudge.Delivered && n.Door, nudge.HandedOver, n.ID, 1)
		}
		for _, i := range tx.AllInstructions() {
			want(true, nudge.InstructionQueued, i.ID, 1)
			want(!i.Sent.IsZero(), nudge.InstructionSent, i.ID, 1)
			want(!i.Typed.IsZero(), nudge.KeyTyped, i.ID, 1)
			want(i.State == nudge.TimeoutWaiting, nudge.InstructionLate, i.ID, 1)
			never(i.State == nudge.Queued || i.State == nudge.Sent, nudge.InstructionLate, i.ID)
			if ended := last[[2]string{nudge.InstructionEnded, i.ID}]; i.State.Over() && ended.State != string(i.State) {
				w.Errorf("the trail has the end of %s as %q, and it is %s", i.ID, ended.State, i.State)
			}
		}
		for _, v := range tx.AllWishes() {
			want(true, nudge.WishMade, v.ID, 1)
			want(v.State != nudge.Wished, nudge.WishEnded, v.ID, 1)
			never(v.State == nudge.Wished, nudge.WishEnded, v.ID)
		}
		for _, d := range tx.AllDenials() {
			want(true, nudge.CallBlocked, d.ID, len(d.Calls))
			want(!d.Ended.IsZero(), nudge.CallsOver, d.ID, 1)
			never(d.Ended.IsZero(), nudge.CallsOver, d.ID)
			for _, c := range d.Calls {
				want(c.Left, nudge.CallLeft, d.ID, 1)
				want(c.Grant.State != "", nudge.CallAllowed, d.ID, 1)
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}
