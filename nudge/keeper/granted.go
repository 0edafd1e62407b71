package keeper

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
	"nod/store"
)

// Calls of agents that show on their screens what their guards denied, and take a human's permission as text.

// errNoGrant means that the call's grant no longer counts.
var errNoGrant = errors.New("the call is no longer allowed")

// seeDenied records the denied calls of a turn in a look.
func (k *Keeper) seeDenied(tx *tx, s detect.Sighting) {
	if s.Denied.Turn == "" && len(s.Denied.Calls) == 0 {
		return
	}
	all := slices.DeleteFunc(tx.Denials(), func(d *nudge.Denials) bool { return !d.Of(s.Whereabouts) })
	if !s.Worked && nudge.StillTold(all, s.Denied) {
		return
	}
	s.Denied = nudge.Known(all, s.Denied)
	turn, changed := nudge.ThisTurn(all, s.Denied, tx.Now())
	for _, d := range changed {
		tx.putDenials(d)
	}
	for _, c := range nudge.NewDenied(turn, s.Denied) {
		b := nudge.BlockedBy(s, c)
		d := messageFor(tx, s, b.Call.Sum())
		if d == nil {
			return
		}
		d.Turn = s.Denied.Turn
		call, _ := d.Deny(b, tx.Now())
		tx.putDenials(d)
		tx.Note(d.Event(nudge.CallBlocked, call, nudge.Event{Act: nudge.Act{By: s.By, Reason: b.Reason}}))
	}
}

// passOn queues the instruction that brings an agent a supervisor's permission for a call, if its hooks do
// not take it. If that can't be queued, the permission is withdrawn.
func (k *Keeper) passOn(tx *tx, a nudge.Answer, d *nudge.Denials, call int, placed *nudge.Placed) {
	c := &d.Calls[call]
	switch c.Taking {
	case nudge.ByHook, nudge.ByServer:
		return
	case nudge.ByWords:
		a.Text = d.Again(call)
		d.Saying(call)
	case nudge.OnList:
		list := detect.GrantsOf(d.Agent)
		if list == nil {
			return
		}
		a.Text = list.Opens
	}
	*placed = k.place(tx, unusedID(tx), d.Pane, a, nudge.InstructionTimeout, d.ID+"/grant/"+strconv.Itoa(call))
	if placed.Reason != "" {
		d.Withdraw(call)
		return
	}
	if c.Taking == nudge.OnList {
		i := placed.Instruction
		i.Granted = &nudge.Granted{ID: d.ID, Call: call, Command: c.Text}
		tx.putInstruction(&i)
	}
}

// answerGranted answers the agent's dialog about an allowed call with the supervisor's permission, if n is
// that dialog. It returns the id of n if it did.
func (k *Keeper) answerGranted(tx *tx, n *nudge.Nudge) (claimed string) {
	if n == nil || n.State != nudge.Pending {
		return ""
	}
	for _, d := range tx.Denials() {
		a, ok := d.Answers(n, tx.Now())
		if !ok {
			continue
		}
		if v := k.decide(tx, n, a, nudge.Verdict{}); v.Kind != nudge.Taken {
			return "" // it is a question of its own
		}
		tx.putDenials(d)
		return n.ID
	}
	return ""
}

// granting reports whether the agent's list is on the screen because nod is marking a call in it.
func granting(tx *tx, s detect.Sighting) bool {
	list := detect.GrantsOf(s.Agent)
	if list == nil || s.Prompt == nil || s.Prompt.Shape != list.Shape {
		return false
	}
	i := tx.Instructions(s.Pane).InFlight()
	return i != nil && i.Granted != nil
}

// beginGrant takes the grant of an instruction just before the first key. It fails if there is no grant any
// more.
func beginGrant(tx *tx, i *nudge.Instruction) error {
	if i.Granted == nil {
		return nil
	}
	d := tx.DenialsOf(i.Granted.ID)
	if d == nil || !d.Begin(i.Granted.Call, tx.Now()) {
		return errNoGrant
	}
	tx.putDenials(d)
	return nil
}

// finishGrant records the result of the keys for the grant.
func finishGrant(tx *tx, i *nudge.Instruction, r deliver.Result) {
	if i.Granted == nil {
		return
	}
	if d := tx.DenialsOf(i.Granted.ID); d != nil {
		d.Finish(i.Granted.Call, r, tx.Now())
		tx.putDenials(d)
	}
}

// dropGrants cancels the instructions whose grants can't be taken any more.
func dropGrants(tx *tx, list nudge.Instructions) {
	for _, i := range list.Waiting() {
		if i.Granted == nil {
			continue
		}
		if d := tx.DenialsOf(i.Granted.ID); d == nil || !d.Promises(i.Granted.Call) {
			_ = i.Cancel(nudge.Person{}, tx.Now()) // it can be cancelled: it waits
			tx.putInstruction(i)
			tx.Note(i.EndedEvent())
		}
	}
}

// NextReview blocks until an allowed call can be reported to the agent's own server, and returns the text for
// the server. The call's grant is taken, which is on disk, and no other call gets it.
func (k *Keeper) NextReview(ctx context.Context) (of Denied, review string, err error) {
	err = k.until(ctx, func() (found bool, err error) {
		err = k.cfg.Store.View(func(tx *store.Tx) error { // most changes are about something else, and a commit costs two syncs
			found = slices.ContainsFunc(tx.Denials(), func(d *nudge.Denials) bool {
				_, _, ok := d.TakeReview(tx.Now())
				return ok
			})
			return nil
		})
		if err != nil || !found {
			return false, err
		}
		err = k.update(func(tx *tx) error {
			found = false
			for _, d := range tx.Denials() {
				if of.Call, review, found = d.TakeReview(tx.Now()); found {
					of.ID = d.ID
					tx.putDenials(d)
					return nil
				}
			}
			return nil
		})
		return found, err
	})
	return of, review, err
}

// Reviewed records the result of telling the server.
func (k *Keeper) Reviewed(of Denied, r deliver.Result) error {
	return k.update(func(tx *tx) error {
		if d := tx.DenialsOf(of.ID); d != nil {
			d.Finish(of.Call, r, tx.Now())
			tx.putDenials(d)
			tx.Note(d.Event(nudge.CallReviewed, of.Call, nudge.Event{Act: nudge.Act{By: d.Calls[of.Call].By.Name, Reason: string(r.Outcome)}}))
		}
		return nil
	})
}
