package keeper

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/store"
)

// Denied identifies a denied call: the id of its message and its index there.
type Denied struct {
	ID   string
	Call int
}

func (tx *tx) putDenials(d *nudge.Denials) {
	if !d.Ended.IsZero() && d.Ended.Equal(tx.Now()) && len(d.Calls) > 0 {
		tx.Note(d.Event(nudge.CallsOver, 0, nudge.Event{Act: nudge.Act{Reason: string(d.Detail.Kind)}}))
	}
	tx.PutDenials(d)
	tx.panes, tx.wrote = append(tx.panes, d.Pane), true
}

// Deny records that the guard of the agent in a look denied a call. The call's hook may wait for wait, taken
// from the rest of the turn's budget; 0: it may not. ok is false if nobody watches that pane, or if too many calls of that turn were denied. An agent
// outside tmux has no pane, so at itself is the look.
func (k *Keeper) Deny(at detect.Sighting, b nudge.Blocked, budget time.Duration) (of Denied, wait time.Duration, ok bool, err error) {
	err = k.update(func(tx *tx) error {
		s, seen := k.lastLook(at.Pane)
		if at.Pane.ID == "" {
			s, seen = at, true
		}
		if ok = seen && s.Process == at.Process; !ok {
			return nil
		}
		d := messageFor(tx, s, b.Call.Sum())
		if ok = d != nil; !ok {
			return nil
		}
		of.ID = d.ID
		open := false
		if of.Call, open = d.Deny(b, tx.Now()); open {
			if until := hold(tx, s.Whereabouts, budget); !until.IsZero() {
				d.Hold(of.Call, until)
				wait = until.Sub(tx.Now())
			}
		}
		tx.putDenials(d)
		tx.Note(d.Event(nudge.CallBlocked, of.Call, nudge.Event{Act: nudge.Act{By: "hook", Reason: b.Reason}}))
		return nil
	})
	return of, wait, ok, err
}

// maxDeniedMessages is how many messages the denied calls of a turn have at most: an agent that goes on trying would fill chats and disk, and all
// of them are read for each message that nod sends.
const maxDeniedMessages = 10

// messageFor returns the message of the agent's turn for a denied call: the one that shows the call already,
// otherwise the newest with room, otherwise a new one. nil: there are too many already, and the newest says so.
func messageFor(tx *tx, s detect.Sighting, sum string) *nudge.Denials {
	var found, newest *nudge.Denials
	messages := 0
	for _, d := range tx.Denials() {
		if !d.Of(s.Whereabouts) || d.TurnOver || !d.Ended.IsZero() {
			continue
		}
		if d.Shows(sum) {
			return d
		}
		messages++
		if newest == nil || d.Made.After(newest.Made) {
			newest = d
		}
		if d.Takes(s) && (found == nil || d.Made.After(found.Made)) {
			found = d
		}
	}
	switch {
	case found != nil:
		return found
	case messages < maxDeniedMessages:
		return nudge.NewDenials(unusedID(tx), s, tx.Now())
	case newest.PassOver():
		tx.putDenials(newest)
	}
	return nil
}

// AwaitDecision blocks until somebody has decided about a call, or ctx ends.
func (k *Keeper) AwaitDecision(ctx context.Context, of Denied) error {
	return k.until(ctx, func() (over bool, err error) {
		err = k.cfg.Store.View(func(tx *store.Tx) error {
			d := tx.DenialsOf(of.ID)
			over = d == nil || !d.Open(of.Call)
			return nil
		})
		return over, err
	})
}

// EndHold records that the hook of a call stops waiting. says reports whether somebody has allowed the call
// meanwhile, so that the hook must tell the agent to try again or, if the hook lets the call run itself
// (lets), let it run. gone: the hook can no longer do either.
func (k *Keeper) EndHold(of Denied, lets, gone bool) (says bool, err error) {
	err = k.update(func(tx *tx) error {
		d := tx.DenialsOf(of.ID)
		if d == nil {
			return nil
		}
		release(tx, d.Whereabouts, d.Calls[of.Call].Held)
		says = d.EndHold(of.Call, lets, gone, tx.Now())
		tx.putDenials(d)
		return nil
	})
	return says && err == nil, err
}

// Before decides about a call that the agent in a look is about to make. Lets: its grant is taken, which is
// on disk, and no other call gets it. Stops: a supervisor left it denied. Empty: nod has no say. escaped
// returns when the person at the terminal last stopped the agent; zero: never. It is called only if such a
// call was denied before.
func (k *Keeper) Before(at detect.Sighting, call grant.Call, escaped func() time.Time) (of Denied, what nudge.Verdicts, err error) {
	sum, known := call.Sum(), false
	err = k.cfg.Store.View(func(tx *store.Tx) error { // most calls were never denied, and a commit costs two syncs
		known = slices.ContainsFunc(tx.Denials(), func(d *nudge.Denials) bool { return d.Of(at.Whereabouts) && d.Shows(sum) })
		return nil
	})
	if err != nil || !known {
		return Denied{}, "", err
	}
	stopped := escaped()
	err = k.update(func(tx *tx) error {
		escape(tx, at.Whereabouts, stopped)
		for _, d := range tx.Denials() {
			if !d.Of(at.Whereabouts) {
				continue
			}
			if of.Call, what = d.Before(sum, tx.Now()); what == "" {
				continue
			}
			of.ID = d.ID
			kind := nudge.CallLet
			if what == nudge.Stops {
				kind = nudge.CallStopped
			}
			tx.putDenials(d)
			tx.Note(d.Event(kind, of.Call, nudge.Event{Act: nudge.Act{By: d.Calls[of.Call].By.Name}}))
			return nil
		}
		return nil
	})
	if err != nil {
		return Denied{}, "", err
	}
	return of, what, nil
}

// Decided returns the sums of calls on another machine that a supervisor has decided about. The hooks there
// ask about no other calls.
func (k *Keeper) Decided(machine string) (sums []string) {
	err := k.cfg.Store.View(func(tx *store.Tx) error {
		for _, d := range tx.Denials() {
			if d.Pane.Machine == machine {
				sums = append(sums, d.Decided()...)
			}
		}
		return nil
	})
	if err != nil {
		k.cfg.Log.Error("can't read which denied calls somebody has decided about", "machine", machine, "error", err)
	}
	return sums
}

// SaidSo records the answer of a call's hook: the call was let through or, if asks is not empty, the agent
// must ask about the call that asks identifies.
func (k *Keeper) SaidSo(of Denied, asks string) error {
	return k.update(func(tx *tx) error {
		if d := tx.DenialsOf(of.ID); d != nil {
			d.Said(of.Call, asks)
			tx.putDenials(d)
		}
		return nil
	})
}

// EndTurn records that somebody has given an agent another instruction. escaped is when the person at its
// terminal last stopped it; zero: never.
func (k *Keeper) EndTurn(w detect.Whereabouts, escaped time.Time) error {
	return k.update(func(tx *tx) error {
		escape(tx, w, escaped)
		overHolds(tx, func(h *nudge.Holds) {
			if h.Of(w) {
				h.Begin(tx.Now())
			}
		})
		endDenials(tx, func(d *nudge.Denials) bool { return d.Of(w) && d.EndTurn(tx.Now()) })
		return nil
	})
}

// Escape records that the person at the terminal stopped an agent at that time.
func (k *Keeper) Escape(w detect.Whereabouts, at time.Time) error {
	return k.update(func(tx *tx) error {
		escape(tx, w, at)
		return nil
	})
}

// escape ends the denied calls from before the person at the terminal stopped an agent; zero: nobody did. A
// "no" that nod typed looks the same to the agent, so it does not count.
func escape(tx *tx, w detect.Whereabouts, at time.Time) {
	if at.IsZero() {
		return
	}
	for n := range tx.Of(w.Pane) {
		if n.RefusedBefore(at) {
			return
		}
		if n.Detected.Before(at.Add(-time.Hour)) {
			break
		}
	}
	endDenials(tx, func(d *nudge.Denials) bool { return d.Of(w) && d.Escape(at, tx.Now()) })
}

// endDenials writes the denied calls for which change reports a change.
func endDenials(tx *tx, change func(*nudge.Denials) bool) {
	for _, d := range tx.Denials() {
		if change(d) {
			tx.putDenials(d)
		}
	}
}

// AllowDenied allows one call of the message that a.Nudge names, once. fingerprint identifies the call that
// the button's message shows; it must be that very call.
func (k *Keeper) AllowDenied(a nudge.Answer, call int, fingerprint string) (nudge.Placed, error) {
	placed, err := k.onDenials(a, func(tx *tx, d *nudge.Denials, placed *nudge.Placed) {
		if placed.Reason, placed.Refusal = d.Allow(call, fingerprint, a.By, tx.Now()); placed.Reason == "" {
			k.passOn(tx, a, d, call, placed)
		}
		if placed.Reason == "" {
			tx.Note(d.Event(nudge.CallAllowed, call, nudge.Event{Act: nudge.Act{By: a.By.Name, Way: string(a.Way)}, SentTo: nudge.SentTo{Chat: a.Place, Message: a.Message}}))
		}
	})
	k.wakeQueue()
	return placed, err
}

// LeaveDenied keeps a call denied for the rest of its turn.
func (k *Keeper) LeaveDenied(a nudge.Answer, call int) (nudge.Placed, error) {
	return k.onDenials(a, func(tx *tx, d *nudge.Denials, placed *nudge.Placed) {
		if placed.Reason, placed.Refusal = d.Leave(call, a.By); placed.Reason == "" {
			tx.Note(d.Event(nudge.CallLeft, call, nudge.Event{Act: nudge.Act{By: a.By.Name, Way: string(a.Way)}, SentTo: nudge.SentTo{Chat: a.Place, Message: a.Message}}))
		}
	})
}

// TellToTryAgain queues an instruction that tells the agent to try an allowed call again.
func (k *Keeper) TellToTryAgain(a nudge.Answer, call int) (nudge.Placed, error) {
	placed, err := k.onDenials(a, func(tx *tx, d *nudge.Denials, placed *nudge.Placed) {
		a.Nudge, a.Text = "", d.Again(call)
		if a.Text == "" {
			placed.Reason, placed.Refusal = deliver.Answered, reason.Why{Kind: reason.WordsQueued}
			return
		}
		*placed = k.place(tx, unusedID(tx), d.Pane, a, nudge.InstructionTimeout, d.ID+"/again/"+strconv.Itoa(call))
		if placed.Reason == "" {
			d.Saying(call)
		}
	})
	k.wakeQueue()
	return placed, err
}

// onDenials calls do with the message of denied calls that a.Nudge names, if the answer's author may decide,
// and returns the message as it is afterwards.
func (k *Keeper) onDenials(a nudge.Answer, do func(*tx, *nudge.Denials, *nudge.Placed)) (placed nudge.Placed, err error) {
	err = k.update(func(tx *tx) error {
		d := tx.DenialsOf(a.Nudge)
		switch {
		case handleOnce(tx, a):
			placed.Repeated = true
		case !k.cfg.Rules().MayAnswer(a):
			placed.Reason, placed.Refusal = deliver.NotOwner, reason.Why{Kind: reason.OnlySupervisors}
		case d == nil:
			placed.Reason, placed.Refusal = deliver.NotFound, reason.Why{Kind: reason.DenialForgotten}
		default:
			if s, seen := k.lastLook(d.Pane); seen {
				d.Depart(s, tx.Now())
			}
			d.Pass(tx.Now())
			d.Copies.Adopt(a.Ref)
			do(tx, d, &placed)
			tx.putDenials(d)
			placed.Denials = d
		}
		return nil
	})
	return placed, err
}

// Denials returns the messages of denied calls that somebody may still decide about, oldest first.
func (k *Keeper) Denials() (list []nudge.Denials, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		for _, d := range tx.Denials() {
			if d.Waits() {
				list = append(list, *d)
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b nudge.Denials) int { return a.Made.Compare(b.Made) })
	return list, err
}

// AllDenials returns the messages of denied calls of the last 30 days, over or not.
func (k *Keeper) AllDenials() (list []nudge.Denials, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		for _, d := range tx.AllDenials() {
			list = append(list, *d)
		}
		return nil
	})
	return list, err
}

// DenialsOf returns the denied calls with that id, over or not, and whether there are any.
func (k *Keeper) DenialsOf(id string) (found nudge.Denials, ok bool, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		if d := tx.DenialsOf(id); d != nil {
			found, ok = *d, true
		}
		return nil
	})
	return found, ok, err
}

// toldDenials records that a notice about denied calls was carried out. was is the state that it showed.
func (k *Keeper) toldDenials(r nudge.Receipt, was nudge.Denials) error {
	err := k.update(func(tx *tx) error {
		tx.arrived(was.ID, r.Notice.Place)
		if d := tx.DenialsOf(was.ID); d != nil {
			d.Informed(r, was.Drawn)
			tx.putDenials(d)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record a message about the denied calls %s: %w", was.ID, err)
	}
	return nil
}
