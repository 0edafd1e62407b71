package nudge

import (
	"fmt"
	"time"

	"nod/deliver"
	"nod/detect"
)

// lately is how far back an ended nudge can still matter to the meaning of a fresh answer: it is read
// at most tooLate after it was written, and asks about the minute before.
const lately = tooLate + justOver + time.Minute

// settling is how long a fresh answer waits for the bot to report messages that it is just sending:
// a person can answer faster than Telegram's receipt comes back.
const settling = time.Second

// Answer takes one answer and says what becomes of it. In one transaction it notes the update and
// the message, finds the nudge that is meant and claims it, so that an answer acts once however
// often it arrives. The error is one of the book; then nothing was noted and the answer may come
// again.
func (k *Keeper) Answer(a Answer) (Verdict, error) {
	if a.Way == ByFresh && a.Nudge == "" {
		k.awaitReceipts(a.Chat)
	}
	var v Verdict
	err := k.update(func(tx *Tx) error {
		var err error
		v, err = k.judge(tx, a)
		return err
	})
	if err != nil {
		return Verdict{}, err
	}
	if v.Kind == Taken {
		k.wakeDelivery()
	}
	return v, nil
}

// judge gives the verdict on an answer, and puts what it changes.
func (k *Keeper) judge(tx *Tx, a Answer) (Verdict, error) {
	if v, err := k.hear(tx, a); err != nil || v.Kind != "" {
		return v, err
	}
	n, v, err := k.resolve(tx, a)
	if err != nil || n == nil {
		return v, err
	}
	return k.decide(tx, n, a), nil
}

// hear notes an answer that is heard for the first time. The verdict is empty unless it ends there.
func (k *Keeper) hear(tx *Tx, a Answer) (Verdict, error) {
	if repeated, err := hearOnce(tx, a); err != nil || repeated {
		return Verdict{Kind: Repeated}, err
	}
	if a.Way != ByCommand && !k.rules().supervises(a.By.ID) {
		return Verdict{Kind: Rejected, Reason: deliver.NotOwner, Detail: "Only a supervisor may answer."}, nil
	}
	return Verdict{}, nil
}

// decide gives the verdict on an answer that means n, and puts what it changes.
func (k *Keeper) decide(tx *Tx, n *Nudge, a Answer) Verdict {
	known := a.ReplyTo == 0 || !n.adopt(a.Chat, a.ReplyTo)
	v := n.admit(a)
	tx.Note(n.event(answerReceived, Event{By: a.By.Name, Way: string(a.Way), Decision: a.said(), Text: a.Text, Chat: a.Chat, Message: a.Message}))
	switch v.Kind {
	case Taken:
		if a.Unseen && n.Asked.IsZero() {
			n.Asked = tx.Now()
		}
		n.claim(a.claim(tx.Now()))
		k.own(n.ID)
	case AskUnseen:
		n.Asked = tx.Now()
	case Rejected:
		tx.Note(n.event(refusedAnswer, Event{By: a.By.Name, Reason: string(v.Reason)}))
	}
	if v.Kind == Taken || v.Kind == AskUnseen || !known {
		tx.Put(n)
		v.Nudge = *n
	}
	return v
}

// hearOnce notes the update and the message of an answer, and reports whether either acted before.
// A button's message carries many taps, so there only the update counts.
func hearOnce(tx *Tx, a Answer) (repeated bool, err error) {
	var heard []Heard
	if a.Update != 0 {
		heard = append(heard, Heard{Update: a.Update})
	}
	if a.Message != 0 && (a.Way == ByFresh || a.Way == ByReply) {
		heard = append(heard, Heard{Chat: a.Chat, Message: a.Message})
	}
	for _, h := range heard {
		if repeated, err := tx.Handled(h); err != nil || repeated {
			return repeated, err
		}
		tx.Handle(h)
	}
	return false, nil
}

// resolve finds the one nudge that an answer means. Where there is none, the verdict says so.
func (k *Keeper) resolve(tx *Tx, a Answer) (*Nudge, Verdict, error) {
	var replied *Nudge
	var err error
	if a.ReplyTo != 0 {
		if replied, err = tx.ByMessage(a.Chat, a.ReplyTo); err != nil {
			return nil, Verdict{}, err
		}
	}
	switch {
	case a.Nudge != "":
		return resolveNamed(tx, a, replied)
	case replied != nil:
		return replied, Verdict{}, nil
	case a.ReplyTo != 0:
		return k.resolveSeveral(tx, a)
	}
	return k.resolveFresh(tx, a)
}

// resolveNamed: the answer names its nudge, and may stand under a message, which must not be
// another one's.
func resolveNamed(tx *Tx, a Answer, replied *Nudge) (*Nudge, Verdict, error) {
	n, err := tx.Nudge(a.Nudge)
	if err != nil {
		return nil, Verdict{}, err
	}
	if n == nil {
		return nil, Verdict{Kind: Rejected, Reason: deliver.NotFound, Detail: fmt.Sprintf("There is no nudge #%s.", a.Nudge)}, nil
	}
	if replied != nil && replied.ID != n.ID {
		v := n.reject(deliver.Ambiguous, fmt.Sprintf("You named #%s in reply to a message of #%s: reply to the one that you mean.", n.ID, replied.ID))
		return nil, v, nil
	}
	return n, Verdict{}, nil
}

// resolveSeveral: a reply to a message that shows several nudges asks which; any other message is
// none of ours.
func (k *Keeper) resolveSeveral(tx *Tx, a Answer) (*Nudge, Verdict, error) {
	desk, err := tx.Desk()
	if err != nil {
		return nil, Verdict{}, err
	}
	for _, s := range desk.Spoke {
		if s.Chat == a.Chat && s.Message == a.ReplyTo && s.Several {
			pending, err := pendingPermissions(tx)
			return nil, which(pending), err
		}
	}
	return nil, Verdict{Kind: Rejected, Reason: deliver.NotFound, Detail: "That message belongs to no nudge that is on record: reply to a newer one."}, nil
}

func pendingPermissions(tx *Tx) ([]*Nudge, error) {
	live, err := tx.Live()
	var pending []*Nudge
	for _, n := range live {
		if n.State == Pending && n.Kind == detect.Permission {
			pending = append(pending, n)
		}
	}
	return pending, err
}

// resolveFresh finds what a message that answers nothing in particular means.
func (k *Keeper) resolveFresh(tx *Tx, a Answer) (*Nudge, Verdict, error) {
	nudges, err := tx.Live()
	if err != nil {
		return nil, Verdict{}, err
	}
	ended, err := tx.Ended(a.Read.Add(-lately))
	if err != nil {
		return nil, Verdict{}, err
	}
	for _, n := range ended {
		if !n.Live() {
			nudges = append(nudges, n)
		}
	}
	desk, err := tx.Desk()
	if err != nil {
		return nil, Verdict{}, err
	}
	among, sure := meant(a, nudges, desk.Spoke, k.onTheWay(a.Chat))
	if sure {
		return among[0], Verdict{}, nil
	}
	return nil, which(among), nil
}

// which asks for the one that is meant.
func which(among []*Nudge) Verdict {
	if len(among) == 0 {
		return Verdict{Kind: NothingDue, Detail: "Nothing waits for a yes or no right now."}
	}
	v := Verdict{Kind: WhichOne, Reason: deliver.Ambiguous, Detail: "Which one do you mean?"}
	for _, n := range among {
		v.Among = append(v.Among, *n)
	}
	return v
}

// onTheWay reports whether a message may have reached the chat that nod does not know of: the bot was
// asked to send it and has not said what became of it.
func (k *Keeper) onTheWay(chat int64) func(*Nudge) bool {
	return func(n *Nudge) bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return n.lacks(chat) && k.sending[sending{n.ID, chat}]
	}
}

// awaitReceipts waits a moment while messages to the chat are being sent.
func (k *Keeper) awaitReceipts(chat int64) {
	enough := time.After(settling)
	for k.sendsTo(chat) {
		select {
		case <-k.next():
		case <-enough:
			return
		}
	}
}

func (k *Keeper) sendsTo(chat int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for s := range k.sending {
		if s.chat == chat {
			return true
		}
	}
	return false
}

// claim is the claim that an answer makes.
func (a Answer) claim(now time.Time) Claim {
	return Claim{
		Decision: a.Decision, Choice: a.Choice, Text: a.Text, By: a.By, Way: a.Way,
		At: now, Written: a.Written.UTC(), Update: a.Update, Chat: a.Chat, Message: a.Message,
		Unseen: a.Unseen, LeaveMode: a.LeaveMode,
		Told: a.Chat == 0, // the command line waits for the outcome itself
	}
}

// said is the answer in a word, for the audit trail.
func (a Answer) said() string {
	switch {
	case a.Choice != nil:
		return a.Choice.Label
	case a.Text != "":
		return "tell"
	}
	return string(a.Decision)
}
