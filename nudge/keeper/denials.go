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

// Denied names a call that an agent's guard denied: its message, and which of that one's calls it is.
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

// Deny takes in that the guard of the agent that a look showed denied a call. Its hook may be held for wait, out of what
// is left of the turn's budget; 0: it may not. There is no such call where ok is false: nobody watches that pane. An agent outside tmux is
// in none.
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

// messageFor gives the message of the agent's turn that a denied call belongs to: the one that shows it already, the newest, where
// that has room, or a new one.
func messageFor(tx *tx, s detect.Sighting, sum string) *nudge.Denials {
	var found *nudge.Denials
	for _, d := range tx.Denials() {
		if !d.Of(s.Whereabouts) || d.TurnOver || !d.Ended.IsZero() {
			continue
		}
		if d.Shows(sum) {
			return d
		}
		if d.Takes(s) && (found == nil || d.Made.After(found.Made)) {
			found = d
		}
	}
	if found == nil {
		found = nudge.NewDenials(unusedID(tx), s, tx.Now())
	}
	return found
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

// EndHold takes in that the hook of a call is not held any more, and reports whether it is to tell the agent to try again, or, where it lets
// the call run itself, whether it is to do that: somebody has allowed the call meanwhile. gone says that the hook can't tell anything any
// more.
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

// Before decides about a call that the agent that a look showed is about to make. Lets: its grant is taken, which is on disk, and nobody else
// gets it. Stops: a supervisor left it denied. Empty: it is no business of nod's. Escaped tells when the person at the terminal has stopped
// the agent last, zero: never; it is asked where something was decided.
func (k *Keeper) Before(at detect.Sighting, call grant.Call, escaped func() time.Time) (of Denied, what nudge.Verdicts, err error) {
	sum, known := call.Sum(), false
	err = k.cfg.Store.View(func(tx *store.Tx) error { // most calls are none of these, and a commit costs two syncs
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

// Decided names the calls of agents on another machine that may be allowed or left denied there yet, for hooks there ask about no other.
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

// SaidSo takes in that the hook of a call has said that it is let through, or, where asks names it, that the agent is to ask about it.
func (k *Keeper) SaidSo(of Denied, asks string) error {
	return k.update(func(tx *tx) error {
		if d := tx.DenialsOf(of.ID); d != nil {
			d.Said(of.Call, asks)
			tx.putDenials(d)
		}
		return nil
	})
}

// EndTurn takes in that somebody has given an agent another instruction, and when the person at its terminal has stopped it last; zero: never.
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

// Escape takes in that the person at the terminal has stopped an agent at that time.
func (k *Keeper) Escape(w detect.Whereabouts, at time.Time) error {
	return k.update(func(tx *tx) error {
		escape(tx, w, at)
		return nil
	})
}

// escape ends what was denied before the person at the terminal has stopped an agent; zero: nobody has. A no that nod has typed looks so too.
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

// endDenials writes the denied calls that change says it has changed.
func endDenials(tx *tx, change func(*nudge.Denials) bool) {
	for _, d := range tx.Denials() {
		if change(d) {
			tx.putDenials(d)
		}
	}
}

// AllowDenied lets one call of the message that a.Nudge names through, once, if the button's message shows that very call:
// fingerprint names what it shows.
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

// LeaveDenied has a call stay denied for the rest of its turn.
func (k *Keeper) LeaveDenied(a nudge.Answer, call int) (nudge.Placed, error) {
	return k.onDenials(a, func(tx *tx, d *nudge.Denials, placed *nudge.Placed) {
		if placed.Reason, placed.Refusal = d.Leave(call, a.By); placed.Reason == "" {
			tx.Note(d.Event(nudge.CallLeft, call, nudge.Event{Act: nudge.Act{By: a.By.Name, Way: string(a.Way)}, SentTo: nudge.SentTo{Chat: a.Place, Message: a.Message}}))
		}
	})
}

// TellToTryAgain gives the agent the supervisor's words to try a call again that they have allowed, as any instruction.
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

// onDenials does something about the calls of the message that a.Nudge names, for whoever may, and gives them as they are then.
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

// Denials gives the messages of denied calls about which somebody may still decide, the oldest first.
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

// AllDenials gives the messages of denied calls of the last 30 days, over or not.
func (k *Keeper) AllDenials() (list []nudge.Denials, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		for _, d := range tx.AllDenials() {
			list = append(list, *d)
		}
		return nil
	})
	return list, err
}

// DenialsOf gives those of that id, over or not, and whether there are any.
func (k *Keeper) DenialsOf(id string) (found nudge.Denials, ok bool, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		if d := tx.DenialsOf(id); d != nil {
			found, ok = *d, true
		}
		return nil
	})
	return found, ok, err
}

// toldDenials takes down that a notice about denied calls was carried out, which was made when they were so.
func (k *Keeper) toldDenials(r nudge.Receipt, was nudge.Denials) error {
	err := k.update(func(tx *tx) error {
		if d := tx.DenialsOf(was.ID); d != nil {
			d.Informed(r, was.Drawn)
			tx.putDenials(d)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note what was told of the denied calls %s: %w", was.ID, err)
	}
	k.mu.Lock()
	delete(k.sending, sending{was.ID, r.Notice.Place})
	k.announce()
	k.mu.Unlock()
	return nil
}
