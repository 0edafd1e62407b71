package nudge

import (
	"fmt"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Open makes the nudge that a look opens. last is the pane's nudge before it; nil: none.
func Open(id string, about About, s detect.Sighting, last *Nudge, r Rules, now time.Time) *Nudge {
	n := &Nudge{
		ID: id, Number: 1, Whereabouts: s.Whereabouts, About: about, Tail: s.Tail, Above: s.Above, By: s.By,
		Telling:   Telling{Detected: now, Expires: now.Add(r.Expiry)},
		Answering: Answering{State: Pending},
	}
	if n.Asks() {
		n.Cadence = r.Cadence
	}
	if len(n.Cadence) == 0 {
		n.Cadence = []time.Duration{0}
	}
	if last != nil {
		n.Number = last.Number + 1
		n.Again = again(last, s)
		n.Thread = n.thread(last, s, now)
	}
	n.raise(now)
	return n
}

// byTell is Nudge.By for words to an agent that are no reply to a notice.
const byTell = "tell"

// OpenInstruction makes the nudge for words to an agent that no notice asked for, from the last look at its
// pane. It has no reminders: only the author hears of it.
func OpenInstruction(id string, s detect.Sighting, last *Nudge, now time.Time) *Nudge {
	turn := turnOf(s)
	turn.Words = ""
	n := Open(id, turn, s, last, Rules{}, now)
	n.By, n.Tail, n.Above, n.Again = byTell, nil, nil, reason.Why{}
	n.Cadence, n.Reminder, n.Raised = nil, 0, time.Time{}
	return n
}

// instruction reports whether words for the agent opened n.
func (n *Nudge) instruction() bool { return n.By == byTell }

// AskAgain opens the nudge that replaces n, an expired one whose question is still on the screen, because a
// human asks for it. The error is a sentence for the human: the question is gone, or was asked again already.
func (n *Nudge) AskAgain(id string, r Rules, now time.Time) (*Nudge, error) {
	if !n.Standing {
		return nil, fmt.Errorf("the question of #%s is gone, or was asked again already", n.ID)
	}
	n.Standing = false
	n.retell()
	next := Open(id, n.About, detect.Sighting{
		Whereabouts: n.Whereabouts, State: n.Kind(), Prompt: n.Prompt(), Tail: n.Tail, Above: n.Above, By: n.By,
	}, n, r, now)
	next.Again = n.why(reason.HadExpired)
	return next, nil
}

// again returns why the prompt of s is asked once more; zero: it is not last's prompt.
func again(last *Nudge, s detect.Sighting) reason.Why {
	if !last.asksAs(s) {
		return reason.Why{}
	}
	if last.drawnOtherwise(s.Prompt) {
		return last.why(reason.LooksLike)
	}
	switch last.State {
	case Delivered:
		return last.whySince(reason.OnceMore, 0)
	case Unknown:
		return last.whySince(reason.MayNotHaveReached, 0)
	case Refused:
		return last.why(reason.AnswerNotTyped)
	case Recovered:
		return last.why(reason.LeftAndBack)
	}
	return reason.Why{}
}

// decided returns the answer and who gave it.
func (n *Nudge) decided() reason.Why {
	c := n.Claim
	if c == nil {
		return reason.Why{Kind: reason.Answered}
	}
	switch {
	case n.ticks(c.Choice):
		return reason.Why{Kind: reason.Ticked, What: n.Prompt().Options[c.Choice.Index].Name(), By: c.By.Name}
	case c.Choice != nil:
		return reason.Why{Kind: reason.Chosen, What: c.Choice.Label, By: c.By.Name}
	case c.Text != "":
		return reason.Why{Kind: reason.Told, What: inShort(c.Text), By: c.By.Name}
	case c.Decision == screen.Approve:
		return reason.Why{Kind: reason.Approved, By: c.By.Name}
	case c.Decision == screen.Send:
		return reason.Why{Kind: reason.ListSent, By: c.By.Name}
	case c.Decision == screen.Dismiss:
		return reason.Why{Kind: reason.Dismissed, By: c.By.Name}
	}
	return reason.Why{Kind: reason.Denied, By: c.By.Name}
}

// CanRepeat reports whether the words of n's last answer, identified by its stamp, were refused because of
// copy mode and may be given once more.
func (n *Nudge) CanRepeat(stamp string) bool {
	return n.Claim != nil && n.Claim.Text != "" && n.Claim.Stamp() == stamp && n.Reason == deliver.CopyMode
}

// RefusedWords reports whether n's last answer, identified by its stamp, was an instruction that the agent
// could not take yet, so that it may be queued. An answer to a question is no instruction.
func (n *Nudge) RefusedWords(stamp string) bool {
	c := n.Claim
	if !n.TakesInstruction() || c == nil || c.Text == "" || c.Stamp() != stamp || n.State != Refused && n.State != Pending {
		return false
	}
	return n.Reason == deliver.Working || n.Reason == deliver.AwaitingDecision
}

// inShort returns the beginning of somebody's words, for a sentence that quotes them.
func inShort(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= 40 {
		return string(line)
	}
	return string(line[:39]) + "…"
}

// end closes a pending nudge and reports whether it did. An ended nudge stays as it ended, and a nudge that
// is being typed ends with its outcome.
func (n *Nudge) end(as State, now time.Time) bool {
	if n.State != Pending {
		return false
	}
	n.State, n.Ended, n.Asked, n.Detail = as, now, time.Time{}, reason.Why{} // that of a refusal after which it waited on is not how it ended
	n.Standing = as == Expired && n.Program() == nil
	return true
}

// claim records an answer as taken. Only a pending nudge can be claimed, so of two answers one is taken.
func (n *Nudge) claim(c Claim) bool {
	if n.State != Pending {
		return false
	}
	n.State, n.Claim, n.Reason, n.Detail = Claimed, &c, "", reason.Why{}
	return true
}

// Begin is the last step before the first key for the answer that was claimed at the given time. It fails if
// that claim no longer counts.
func (n *Nudge) Begin(claimed time.Time) error {
	if n.State != Claimed || !n.Claim.At.Equal(claimed) {
		return fmt.Errorf("the answer to nudge %s no longer holds: it is %s", n.ID, n.State)
	}
	if n.Claim.Unseen && n.Asked.IsZero() {
		return fmt.Errorf("nudge %s: the dialog left the screen after the consent", n.ID)
	}
	n.State = Typing
	return nil
}

// Finish records the result of the typing and reports whether n waited for it. A temporary refusal leaves the
// nudge pending, with the reason, which must be sent to whoever answered.
func (n *Nudge) Finish(r deliver.Result, now time.Time) bool {
	if n.State != Claimed && n.State != Typing {
		return false
	}
	n.Keys, n.Door, n.Detail, n.Asked = r.Keys, r.Door, r.Detail, time.Time{}
	switch {
	case n.listStays(r):
		n.keepList(r, now)
	case r.Outcome == deliver.Delivered:
		n.State, n.Ended = Delivered, now
	case r.Outcome == deliver.Refused && n.staysOpen(r.Reason):
		n.State, n.Reason, n.Effect = Pending, r.Reason, nil
	case r.Outcome == deliver.Refused:
		n.State, n.Reason, n.Effect, n.Ended = Refused, r.Reason, nil, now
	default:
		n.State, n.Ended = Unknown, now
	}
	return true
}

// staysOpen reports whether n stays pending after a refusal for that reason. An idle notice can be replied to
// as long as looks show the agent idle.
func (n *Nudge) staysOpen(reason deliver.Reason) bool {
	switch {
	case n.instruction():
		return false
	case n.TakesInstruction():
		return reason != deliver.Gone && reason != deliver.Shell
	}
	return reason.ForNow()
}

// askAgain makes a claimed nudge pending again, because its claim no longer counts, and has it sent again
// with the reason.
func (n *Nudge) askAgain(why reason.Why) bool {
	if n.State != Claimed {
		return false
	}
	n.State, n.Claim, n.Asked = Pending, nil, time.Time{}
	n.Again, n.Round = why, n.Round+1
	return true
}
