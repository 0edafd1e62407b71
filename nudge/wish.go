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

// WishState is where a wish stands.
type WishState string

// The states of a wish. All but the first are ends.
const (
	Wished      WishState = "wish"    // it waits for a supervisor
	WishSent    WishState = "sent"    // it is the instruction of the supervisor who sent it
	WishDropped WishState = "dropped" // a human dropped it, or the agent that had it took it back
	WishExpired WishState = "expired"
	WishVoid    WishState = "void" // its addressee has left the pane
)

const (
	maxWishes = 5    // how many may wait for one pane
	maxWish   = 4000 // characters
	wishLasts = 8 * time.Hour
	// spokenLasts is how long the words of a voice message wait: whoever spoke sits there.
	spokenLasts = 10 * time.Minute
)

// Wish is text that an agent, or a caller that nod can't place, wants to be the next instruction of an agent. A supervisor sends
// or drops it under its very words; nothing else makes it an instruction. Times are UTC.
type Wish struct {
	ID string // of the instruction too that it becomes
	Addressee
	Text    string      // of a file: what is said of it
	File    *SharedFile `json:",omitempty"` // what is to be brought to the chat, where that is wished; nothing is typed then
	From    Wisher
	Made    time.Time
	Due     time.Time     // when it expires
	Timeout time.Duration // of the instruction

	State  WishState
	Ended  time.Time
	Detail reason.Why `json:",omitzero"` // how it ended
	By     Person     // who sent or dropped it; zero: nobody did
	Copies Messages
}

// SharedFile is a file that is to be brought to the chat, as it was when that was asked.
type SharedFile struct {
	Path string // absolute
	Size int
	Sum  string // of its content: another one is not sent
}

// Wisher is who has a wish.
type Wisher struct {
	Name  string  // for people: "the agent itself"
	Agent proc.ID `json:",omitzero"` // zero: nod can't place it
	// Spoken says that a supervisor has spoken it, and a program of theirs wrote it down.
	Spoken bool `json:",omitempty"`
}

// RefuseWish says why text can't be wished for the agent that a look shows, for which so many wait already; empty: it can.
func RefuseWish(text string, s detect.Sighting, waiting int) (deliver.Reason, reason.Why) {
	if n := utf8.RuneCountInString(text); n > maxWish {
		return deliver.Wish, reason.Why{Kind: reason.TextTooLong, What: fmt.Sprintf("%d characters of at most %d", n, maxWish)}
	}
	if waiting >= maxWishes {
		return deliver.Wish, reason.Why{Kind: reason.WishesFull, What: strconv.Itoa(waiting), Where: s.Where}
	}
	return RefuseQueued(text, s, 0)
}

// NewWish makes the wish for the agent that a look shows.
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

// Fingerprint names the words of w, for who sends what they saw.
func (w *Wish) Fingerprint() string {
	sum := sha256.Sum256([]byte(w.Text))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// RefuseSend says why w can't be sent by somebody who was shown the words of that fingerprint; empty: it can. An empty
// fingerprint is of a message that does not show all of them.
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

// RefuseAnswer says that no answer in words sends w.
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

// Send makes w an instruction of by's.
func (w *Wish) Send(by Person, now time.Time) {
	w.end(WishSent, reason.Why{Kind: reason.WishSentBy, By: by.Name}, now)
	w.By = by
}

// Drop ends w. It says why not where it is over.
func (w *Wish) Drop(by Person, now time.Time) (over reason.Why) {
	if w.State != Wished {
		return w.over()
	}
	w.end(WishDropped, reason.Why{Kind: reason.WishDroppedBy, By: by.Name}, now)
	w.By = by
	return reason.Why{}
}

// Expire ends w where its time is over, and reports whether it was.
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

// Leave ends w where a look shows that its addressee has left the pane, and reports whether it did.
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

// Shift moves the end of w by as much as the clock was set.
func (w *Wish) Shift(by time.Duration) { w.Due = w.Due.Add(by) }

// Live reports whether something may still have to be done or said about w.
func (w *Wish) Live() bool { return w.State == Wished || w.Copies.open() }

// Forget has the messages of w forgotten where it ended before a time: nobody is there who could be told.
func (w *Wish) Forget(before time.Time) bool {
	old := w.State != Wished && w.Ended.Before(before)
	if old {
		w.Copies = nil
	}
	return old
}

// Lacks reports whether a place still has to be told of w.
func (w *Wish) Lacks(place Place) bool {
	return w.State == Wished && w.Copies.lack(place)
}

// Notices are what the places should show of w and do not yet.
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

// Told takes down that a notice about w was carried out.
func (w *Wish) Told(r Receipt) { w.Copies.told(r, 0) }

// Shows reports whether a message is about w.
func (w *Wish) Shows(r Ref) bool { return w.Copies.Show(r) }

// Asking gives the messages of w that a fresh answer may have been meant for: no y sends a wish, and none that was meant for
// one may be taken for another question's.
func (w *Wish) Asking(a Answer) []OtherMessage {
	if w.State != Wished && (w.By.ID == a.By.ID || a.wroteAtLatest().Sub(w.Ended) >= justOver) {
		return nil
	}
	return w.Copies.asking()
}

// Event fills in what every event about w says.
func (w *Wish) Event(kind string, e Event) Event {
	e.Kind = kind
	e.Involved = Involved{Instruction: w.ID, Pane: w.Pane.ID, Server: w.Pane.Server.Socket, Agent: w.Agent}
	return e
}

// EndedEvent is the event of w's end.
func (w *Wish) EndedEvent() Event {
	return w.Event(WishEnded, Event{Act: Act{By: w.By.Name}, State: string(w.State), After: w.Ended.Sub(w.Made).Round(time.Second).String()})
}
