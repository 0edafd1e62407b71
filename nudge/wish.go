package nudge

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// WishState is the state of a wish.
type WishState string

// The states of a wish. All but the first are ends.
const (
	Wished      WishState = "wish"    // it waits for a supervisor
	WishSent    WishState = "sent"    // it is an instruction of the supervisor who sent it
	WishDropped WishState = "dropped" // a human dropped it, or its agent took it back
	WishExpired WishState = "expired"
	WishVoid    WishState = "void" // its addressee has left the pane
)

const (
	maxWishes = 5    // per pane
	maxWish   = 4000 // characters
	wishLasts = 8 * time.Hour
	// spokenLasts is how long the words of a voice message wait: the speaker is sitting there.
	spokenLasts = 10 * time.Minute
)

// Wish is a text that an agent, or an unidentified caller, wants to be the next instruction of an agent. Only
// a supervisor can send or drop it, under its full text. Times are UTC.
type Wish struct {
	ID string // also of the instruction that it becomes
	Addressee
	Text    string      // of a file: its description
	File    *SharedFile `json:",omitempty"` // the file to bring to the chat, if the wish is for one; then nothing is typed
	From    Wisher
	Made    time.Time
	Due     time.Time     // when it expires
	Timeout time.Duration // of the instruction

	State  WishState
	Ended  time.Time
	Detail reason.Why `json:",omitzero"` // how it ended
	By     Person     // who sent or dropped it; zero: nobody
	Copies Messages
}

// SharedFile is a file to bring to the chat, as it was when that was asked.
type SharedFile struct {
	Path string // absolute
	Size int
	Sum  string // of its content; a file with another sum is not sent
}

// Wisher is the author of a wish.
type Wisher struct {
	Name  string  // for people: "the agent itself"
	Agent proc.ID `json:",omitzero"` // zero: unidentified
	// Spoken: a supervisor spoke the wish, and a program of theirs wrote it down.
	Spoken bool `json:",omitempty"`
}

// RefuseWish returns why text can't be wished for the agent in a look, with so many wishes waiting already;
// empty: it can.
func RefuseWish(text string, s detect.Sighting, waiting int) (deliver.Reason, reason.Why) {
	if n := utf8.RuneCountInString(text); n > maxWish {
		return deliver.Wish, reason.Why{Kind: reason.TextTooLong, What: fmt.Sprintf("%d characters of at most %d", n, maxWish)}
	}
	if waiting >= maxWishes {
		return deliver.Wish, reason.Why{Kind: reason.WishesFull, What: strconv.Itoa(waiting), Where: s.Where}
	}
	return RefuseQueued(text, s, 0)
}

// NewWish makes a wish for the agent in a look.
func NewWish(id string, s detect.Sighting, text string, from Wisher, timeout time.Duration, now time.Time) *Wish {
	lasts := wishLasts
	if from.Spoken {
		lasts = spokenLasts
	}
	return &Wish{
		ID: id, Addressee: addresseeOf(s), Text: text, From: from, Timeout: timeout,
		State: Wished, Made: now, Due: now.Add(lasts),
	}
}

// Fingerprint identifies the words of w, so that a supervisor sends what they saw.
func (w *Wish) Fingerprint() string {
	sum := sha256.Sum256([]byte(w.Text))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// RefuseSend returns why somebody who was shown the words with that fingerprint can't send w; empty: they
// can. An empty fingerprint: the message does not show all words.
func (w *Wish) RefuseSend(fingerprint string) (deliver.Reason, reason.Why) {
	switch {
	case w.State == WishExpired:
		return deliver.Expired, w.over()
	case w.State != Wished:
		return deliver.Answered, w.over()
	case fingerprint == "":
		return deliver.NeedsConfirmation, reason.Why{Kind: reason.WishUnseen, Nudge: w.ID}
	case fingerprint != w.Fingerprint():
		return deliver.Changed, reason.Why{Kind: reason.WishChanged, Nudge: w.ID}
	}
	return "", reason.Why{}
}

func (w *Wish) over() reason.Why {
	how := w.Detail
	return reason.Why{Kind: reason.WishOver, Nudge: w.ID, Because: &how}
}

// RefuseAnswer returns the verdict that no answer in words sends w.
func (w *Wish) RefuseAnswer() Verdict {
	detail := reason.Why{Kind: reason.WishTakesTap, Nudge: w.ID}
	if w.From.Spoken {
		detail.Kind = reason.VoiceTakesTap
	}
	if w.State != Wished {
		detail = w.over()
	}
	return Verdict{Kind: Rejected, Reason: deliver.Wish, Detail: detail}
}

// Send makes w an instruction of by.
func (w *Wish) Send(by Person, now time.Time) {
	w.end(WishSent, reason.Why{Kind: reason.WishSentBy, By: by.Name}, now)
	w.By = by
}

// Drop drops w. It returns why not if w is over already.
func (w *Wish) Drop(by Person, now time.Time) (over reason.Why) {
	if w.State != Wished {
		return w.over()
	}
	w.end(WishDropped, reason.Why{Kind: reason.WishDroppedBy, By: by.Name}, now)
	w.By = by
	return reason.Why{}
}

// takenBackFor is how long a wish that its author took back still counts as waiting. So a loop can fill
// neither chats nor the disk.
const takenBackFor = 10 * time.Minute

// Counts reports whether w takes one of the places for wishes of its pane.
func (w *Wish) Counts(now time.Time) bool {
	takenBack := w.State == WishDropped && w.By == (Person{Name: w.From.Name})
	return w.State == Wished || takenBack && now.Sub(w.Ended) < takenBackFor
}

// Expire ends w if its time is up, and reports whether it did.
func (w *Wish) Expire(now time.Time) bool {
	if w.State != Wished || now.Before(w.Due) {
		return false
	}
	lasted := "8 hours"
	if w.From.Spoken {
		lasted = "10 minutes"
	}
	w.end(WishExpired, reason.Why{Kind: reason.WishUnsent, What: lasted}, now)
	return true
}

// Leave ends w if a look shows that its addressee has left the pane. It reports whether it did.
func (w *Wish) Leave(s detect.Sighting, now time.Time) bool {
	why := w.otherAgent(s)
	if w.State != Wished || s.Pane != w.Pane || why.IsZero() {
		return false
	}
	w.end(WishVoid, why, now)
	return true
}

func (w *Wish) end(as WishState, detail reason.Why, now time.Time) {
	w.State, w.Detail, w.Ended = as, detail, now
}

// Shift moves the expiry of w by a step of the clock.
func (w *Wish) Shift(by time.Duration) { w.Due = w.Due.Add(by) }

// Live reports whether something may still have to be done or said about w.
func (w *Wish) Live() bool { return w.State == Wished || w.Copies.open() }

// Forget drops the message records of w if w ended before the given time, because nobody can be told there
// any more. It reports whether w was that old.
func (w *Wish) Forget(before time.Time) bool {
	old := w.State != Wished && w.Ended.Before(before)
	if old {
		w.Copies = nil
	}
	return old
}

// Lacks reports whether w still has to be sent to the place.
func (w *Wish) Lacks(place Place) bool {
	return w.State == Wished && w.Copies.lack(place)
}

// Notices returns the changes that the places still need for w.
func (w *Wish) Notices(r Rules, silent bool) (list []Notice) {
	for _, c := range w.Copies {
		if !c.Closed && (w.State != Wished || !r.Reaches(c.Place)) {
			list = append(list, Notice{Kind: Close, Place: c.Place, Of: w, Copy: Copy{Ref: c.Ref}, Newest: w.State != Wished && !c.Asks})
		}
	}
	for _, place := range r.Places() {
		if w.Lacks(place) {
			list = append(list, Notice{Kind: Wanted, Place: place, Of: w, Silent: silent})
		}
	}
	return list
}

// Told records that a notice about w was carried out.
func (w *Wish) Told(r Receipt) { w.Copies.told(r, w.Made, 0) }

// Shows reports whether a message is about w.
func (w *Wish) Shows(r Ref) bool { return w.Copies.Show(r) }

// Asking returns the messages of w that the fresh answer a may have been meant for. A y never sends a wish,
// and a y meant for a wish must not answer another question.
func (w *Wish) Asking(a Answer) []OtherMessage {
	if w.State != Wished && (w.By.ID == a.By.ID || a.wroteAtLatest().Sub(w.Ended) >= justOver) {
		return nil
	}
	return w.Copies.asking(a)
}

// Event fills in the fields that all events about w have.
func (w *Wish) Event(kind string, e Event) Event {
	e.Kind = kind
	e.Involved = Involved{Instruction: w.ID, Pane: w.Pane.ID, Server: w.Pane.Server.Socket, Agent: w.Agent}
	return e
}

// EndedEvent returns the event of w's end.
func (w *Wish) EndedEvent() Event {
	return w.Event(WishEnded, Event{Act: Act{By: w.By.Name}, State: string(w.State), After: w.Ended.Sub(w.Made).Round(time.Second).String()})
}
