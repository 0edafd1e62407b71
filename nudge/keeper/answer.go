package keeper

import (
	"time"

	"nod/deliver"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// receiptsWait is how long a fresh answer waits for the bot to report the messages that it is sending: a
// person can answer before the receipt comes back.
const receiptsWait = time.Second

// Answer takes one answer and returns its verdict. One transaction records the update and the message, finds
// the nudge that is meant and claims it, so an answer acts once however often it arrives. An error comes from
// the store: nothing was recorded and the answer may come again.
func (k *Keeper) Answer(a nudge.Answer) (nudge.Verdict, error) {
	if a.Way == nudge.ByFresh && a.Nudge == "" {
		k.awaitReceipts(a.Place)
	}
	return k.take(a, k.resolve)
}

// resolver finds the one nudge that an answer means. If there is none, the verdict says so. It may change the
// answer to the part that counts.
type resolver func(*tx, *nudge.Answer) (*nudge.Nudge, nudge.Verdict)

// take decides on an answer in one transaction.
func (k *Keeper) take(a nudge.Answer, meant resolver) (v nudge.Verdict, err error) {
	err = k.update(func(tx *tx) error {
		v = k.judge(tx, a, meant)
		return nil
	})
	switch {
	case err != nil && v.Kind == nudge.Taken:
		k.disown(v.Nudge.ID)
		return nudge.Verdict{}, err
	case err != nil:
		return nudge.Verdict{}, err
	case v.Kind == nudge.Taken:
		k.wakeDelivery()
	}
	return v, nil
}

// judge returns the verdict on an answer and writes the changes.
func (k *Keeper) judge(tx *tx, a nudge.Answer, meant resolver) nudge.Verdict {
	if handleOnce(tx, a) {
		return nudge.Verdict{Kind: nudge.Repeated}
	}
	if !k.cfg.Rules().MayAnswer(a) {
		return nudge.Verdict{Kind: nudge.Rejected, Reason: deliver.NotOwner, Detail: reason.Why{Kind: reason.OnlySupervisors}}
	}
	n, v := meant(tx, &a)
	if v.Kind == "" { // there is one
		a, v = n.Read(a)
	}
	if n == nil || v.Kind == nudge.NoAnswer {
		return v
	}
	return k.decide(tx, n, a, v)
}

// decide returns the verdict on an answer to n, or v if that is one already, and writes the changes.
func (k *Keeper) decide(tx *tx, n *nudge.Nudge, a nudge.Answer, v nudge.Verdict) nudge.Verdict {
	k.endUnwatchedConsent(tx, n)
	changed, before := false, n.State
	if v.Kind == "" {
		v, changed = n.Decide(a, tx.Now())
	}
	v.Said = a.Said
	tx.Note(a.ReceivedEvent(n))
	if !before.Over() && n.State.Over() {
		tx.Note(n.EndedEvent(tx.Now()))
	}
	switch v.Kind {
	case nudge.Taken:
		if n.State.Over() {
			break // a program's question has its answer already
		}
		k.mu.Lock()
		k.own[n.ID] = true
		k.mu.Unlock()
	case nudge.Rejected:
		tx.Note(n.Event(nudge.AnswerRefused, nudge.Event{Act: nudge.Act{By: a.By.Name, Reason: string(v.Reason)}}))
	}
	if changed {
		tx.Put(n)
	}
	return v
}

// handleOnce records the update and the message of an answer, and reports whether either acted before. The
// message of a button can be tapped often, so only the update counts for taps.
func handleOnce(tx *tx, a nudge.Answer) (repeated bool) {
	var came []nudge.Ref
	if a.Update != 0 {
		came = append(came, nudge.Ref{Update: a.Update})
	}
	if a.Message != 0 && (a.Way == nudge.ByFresh || a.Way == nudge.ByReply) {
		came = append(came, nudge.Ref{Place: a.Place, Message: a.Message})
	}
	for _, r := range came {
		if tx.Handled(r) {
			return true
		}
		tx.Handle(r)
	}
	return false
}

// resolve finds the one nudge that an answer means.
func (k *Keeper) resolve(tx *tx, a *nudge.Answer) (*nudge.Nudge, nudge.Verdict) {
	switch {
	case a.Way == nudge.ByReply:
		return resolveReply(tx, a)
	case a.Repeat != "":
		return k.resolveRepeat(tx, a)
	case a.Nudge != "":
		return resolveNamed(tx, a.Nudge)
	}
	return k.resolveFresh(tx, a)
}

func notFound(why reason.Why) nudge.Verdict {
	return nudge.Verdict{Kind: nudge.Rejected, Reason: deliver.NotFound, Detail: why}
}

// resolveNamed finds the nudge named by a button, the command line or `y k3f`.
func resolveNamed(tx *tx, id string) (*nudge.Nudge, nudge.Verdict) {
	n := tx.Nudge(id)
	if n == nil {
		if w := tx.Wish(id); w != nil {
			return nil, w.RefuseAnswer()
		}
		if d := tx.DenialsOf(id); d != nil {
			return nil, d.RefuseAnswer()
		}
		return nil, notFound(reason.Why{Kind: reason.NoSuchNudge, Nudge: id})
	}
	return n, nudge.Verdict{}
}

// resolveReply finds the nudge of the message that is replied to, unless the words name one.
func resolveReply(tx *tx, a *nudge.Answer) (*nudge.Nudge, nudge.Verdict) {
	under := nudge.Ref{Place: a.Place, Message: a.ReplyTo}
	if w := wishAt(tx, under, a.Shown); w != nil {
		return nil, w.RefuseAnswer()
	}
	if d := denialsAt(tx, under, a.Shown); d != nil {
		return nil, d.RefuseAnswer()
	}
	about, several := aboutWhich(tx, under, a.Shown)
	switch {
	case len(about) == 1 && !several:
		return about[0], named(tx, a, about[0])
	case a.Decision == "":
		return nil, nudge.Verdict{Kind: nudge.NoAnswer}
	case a.Nudge != "":
		return resolveNamed(tx, a.Nudge)
	case len(about) > 1:
		return nil, which(yesOrNo(about, tx.Now()))
	case several:
		return nil, which(yesOrNo(tx.Live(), tx.Now()))
	case len(a.Shown) > 0:
		return nil, notFound(reason.Why{Kind: reason.QuestionForgotten})
	}
	return nil, notFound(reason.Why{Kind: reason.NotAQuestion})
}

// named handles an id in the words of a reply to n. In an instruction the id may be just a word, as in "a
// test".
func named(tx *tx, a *nudge.Answer, n *nudge.Nudge) nudge.Verdict {
	if a.Nudge == "" || a.Nudge == n.ID {
		return nudge.Verdict{}
	}
	if n.TakesInstruction() && tx.Nudge(a.Nudge) == nil {
		a.Nudge, a.Decision = "", ""
		return nudge.Verdict{}
	}
	return nudge.Verdict{
		Kind: nudge.Rejected, Nudge: *n, Reason: deliver.Ambiguous,
		Detail: reason.Why{Kind: reason.NamesAnother, Nudge: n.ID, What: a.Nudge},
	}
}

// aboutWhich returns the nudges that a message is about: by nod's record of the message, otherwise by its
// buttons. several reports whether it is about more than one, known or not.
func aboutWhich(tx *tx, r nudge.Ref, shown []nudge.Shown) (about []*nudge.Nudge, several bool) {
	if n := tx.ByMessage(r); n != nil {
		return []*nudge.Nudge{n}, false
	}
	for _, o := range tx.OtherMessages() {
		several = several || o.Several && o.Place == r.Place && o.Message == r.Message
	}
	seen := map[string]bool{}
	add := func(n *nudge.Nudge) {
		if n != nil && !seen[n.ID] {
			seen[n.ID] = true
			about = append(about, n)
		}
	}
	for _, n := range tx.Live() {
		if n.GroupedIn(r) {
			several = true
			add(n)
		}
	}
	for _, s := range shown {
		add(tx.Nudge(s.Nudge))
	}
	return about, several
}

// About returns the nudge of a message that is about exactly one. shown is what its buttons say.
func (k *Keeper) About(r nudge.Ref, shown []nudge.Shown) (n nudge.Nudge, found bool, err error) {
	err = k.cfg.Store.View(func(stx *store.Tx) error {
		if about, several := aboutWhich(&tx{Tx: stx}, r, shown); len(about) == 1 && !several {
			n, found = *about[0], true
		}
		return nil
	})
	return n, found, err
}

// resolveRepeat gives the words of an earlier answer once more, if they are the last words that the pane's
// agent was given. If no nudge can take an instruction any more, it is handled like Tell. An answer to a
// question is only for that question.
func (k *Keeper) resolveRepeat(tx *tx, a *nudge.Answer) (*nudge.Nudge, nudge.Verdict) {
	n := tx.Nudge(a.Nudge)
	if n == nil {
		return resolveNamed(tx, a.Nudge)
	}
	if a.Repeat == nudge.Failed && n.CanResend() && tx.Last(n.Pane).ID == n.ID {
		a.Text = n.About.(nudge.TurnEnded).Resend // CanResend says that it is one
		return n, nudge.Verdict{}
	}
	if tx.Last(n.Pane).ID != n.ID || !n.CanRepeat(a.Repeat) {
		return nil, nudge.Verdict{Kind: nudge.Rejected, Nudge: *n, Reason: deliver.Answered, Detail: reason.Why{Kind: reason.OldWords}}
	}
	if a.Text = n.Claim.Text; n.State.Over() && n.TakesInstruction() {
		return k.addressed(tx, n.Pane)
	}
	return n, nudge.Verdict{}
}

// yesOrNo returns the nudges that a yes or no could mean, snoozed ones last.
func yesOrNo(nudges []*nudge.Nudge, now time.Time) []*nudge.Nudge {
	var awake, asleep []*nudge.Nudge
	for _, n := range nudges {
		switch {
		case n.State != nudge.Pending || !n.TakesYesNo():
		case n.Snoozes(now):
			asleep = append(asleep, n)
		default:
			awake = append(awake, n)
		}
	}
	return append(awake, asleep...)
}

// resolveFresh finds the nudge that a message without reply means.
func (k *Keeper) resolveFresh(tx *tx, a *nudge.Answer) (*nudge.Nudge, nudge.Verdict) {
	nudges := tx.Live()
	for _, n := range tx.Ended(a.Read.Add(-nudge.Lately)) {
		if !n.Live() {
			nudges = append(nudges, n)
		}
	}
	m := nudge.Meant(*a, nudge.Scene{Nudges: nudges, Asking: append(tx.OtherMessages(), k.askingForTaps(tx, *a)...), OnTheWay: k.onTheWay(a.Place)})
	switch {
	case a.Decision == "" && len(m.Among) == 0:
		return nil, nudge.Verdict{Kind: nudge.NoAnswer}
	case m.Nudge == nil:
		v := which(m.Among)
		v.Doubt = m.Doubt
		return nil, v
	case a.Decision == "":
		a.Choice, a.Text, a.Ticks = &deliver.Choice{Index: m.Option}, "", m.Ticks
	}
	return m.Nudge, nudge.Verdict{}
}

// which asks which nudge is meant.
func which(among []*nudge.Nudge) nudge.Verdict {
	if len(among) == 0 {
		return nudge.Verdict{Kind: nudge.NothingDue, Detail: reason.Why{Kind: reason.NothingToAnswer}}
	}
	v := nudge.Verdict{Kind: nudge.WhichOne, Reason: deliver.Ambiguous, Detail: reason.Why{Kind: reason.WhichOne}}
	for _, n := range among {
		v.Among = append(v.Among, *n)
	}
	return v
}

// onTheWay reports whether the place may have a message that nod does not know of: the bot was asked to send
// it and has not reported yet.
func (k *Keeper) onTheWay(place nudge.Place) func(*nudge.Nudge) bool {
	return func(n *nudge.Nudge) bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		_, asked := k.sending[sending{n.ID, place}]
		return asked && (n.Lacks(place) || n.State.Over())
	}
}

// awaitReceipts waits a moment while messages to the place are being sent.
func (k *Keeper) awaitReceipts(place nudge.Place) {
	enough := time.After(receiptsWait)
	for k.sendsTo(place) {
		select {
		case <-k.Changes():
		case <-enough:
			return
		}
	}
}

func (k *Keeper) sendsTo(place nudge.Place) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for s, needed := range k.sending {
		if needed && s.place == place {
			return true
		}
	}
	return false
}
