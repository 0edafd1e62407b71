package nudge

import (
	"fmt"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
)

// open makes the nudge of what a look tells: a prompt of some kind, or an agent that is idle or silent. last is
// the pane's nudge before it, if there was one.
func open(id string, kind detect.State, s detect.Sighting, last *Nudge, r Rules, now time.Time) *Nudge {
	n := &Nudge{
		ID: id, Number: 1,
		Pane: s.Pane, Process: s.Process, Agent: s.Agent, Name: s.Name, Project: s.Project, Where: s.Where,
		Kind: kind, Words: s.Words, Blocked: s.Blocked, Exited: s.State == detect.Shell, Since: s.Since.UTC(),
		Tail: s.Tail, By: s.By,
		Detected: now, Expires: now.Add(r.Expiry),
		State: Pending,
	}
	if s.Prompt != nil && kind.Asks() {
		n.Prompt, n.Cadence = *s.Prompt, r.Cadence
	}
	if len(n.Cadence) == 0 {
		n.Cadence = []time.Duration{0}
	}
	if last != nil {
		n.Number = last.Number + 1
		n.Again = again(last, s)
	}
	n.raise(now)
	return n
}

// again opens the nudge that takes the place of an expired one because a human asks for it.
func (n *Nudge) again(id string, r Rules, now time.Time) *Nudge {
	next := open(id, n.Kind, detect.Sighting{
		Pane: n.Pane, Process: n.Process, Agent: n.Agent, Name: n.Name, Project: n.Project, Where: n.Where,
		State: n.Kind, Prompt: &n.Prompt, Tail: n.Tail, By: n.By,
	}, n, r, now)
	next.Again = fmt.Sprintf("Asked again: #%s had expired.", n.ID)
	return next
}

// again says why the prompt of s is asked once more; empty when it is another one than last's.
func again(last *Nudge, s detect.Sighting) string {
	if s.Prompt == nil || last.Prompt.Fingerprint != s.Prompt.Fingerprint || last.Process != s.Process {
		return ""
	}
	switch last.State {
	case Delivered:
		return fmt.Sprintf("The same question once more: #%s was %s.", last.ID, last.decided())
	case Unknown:
		return fmt.Sprintf("#%s was %s, but that may not have reached the agent: the question still stands.", last.ID, last.decided())
	case Refused:
		return fmt.Sprintf("The answer to #%s was not typed, and the question still stands.", last.ID)
	case Recovered:
		return fmt.Sprintf("The question of #%s had left the screen and is back.", last.ID)
	}
	return ""
}

// decided says what was answered, by whom and when: "approved by Ann at 14:02".
func (n *Nudge) decided() string {
	if n.Claim == nil {
		return "answered"
	}
	c := n.Claim
	what := map[detect.Decision]string{detect.Approve: "approved", detect.Deny: "denied"}[c.Decision]
	switch {
	case c.Choice != nil:
		what = fmt.Sprintf("answered with “%s”", c.Choice.Label)
	case c.Text != "":
		what = fmt.Sprintf("told “%s”", inShort(c.Text))
	}
	return fmt.Sprintf("%s by %s at %s", what, c.By.Name, c.At.Local().Format("15:04"))
}

// inShort is the beginning of somebody's words, for a sentence that names them.
func inShort(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= 40 {
		return string(line)
	}
	return string(line[:39]) + "…"
}

// end closes a nudge that waits. Any other one it leaves alone: what is over stays as it ended, and
// what is being typed ends with its outcome. It reports whether it did.
func (n *Nudge) end(as State, now time.Time) bool {
	if n.State != Pending {
		return false
	}
	n.State, n.Ended, n.Asked = as, now, time.Time{}
	n.Standing = as == Expired
	return true
}

// claim takes an answer. Only a nudge that waits can be claimed, so of two answers one is taken.
func (n *Nudge) claim(c Claim) bool {
	if n.State != Pending {
		return false
	}
	n.State, n.Claim, n.Reason, n.Detail = Claimed, &c, "", ""
	return true
}

// begin is the last step before the first key. It fails when the claim no longer holds.
func (n *Nudge) begin() error {
	if n.State != Claimed {
		return fmt.Errorf("nudge %s is %s, not claimed", n.ID, n.State)
	}
	if n.Claim.Unseen && n.Asked.IsZero() {
		return fmt.Errorf("nudge %s: the dialog left the screen after the consent", n.ID)
	}
	n.State = Typing
	return nil
}

// finish takes down what became of the typing. A refusal for now leaves the nudge pending, with the
// reason; it must be told to the one who answered.
func (n *Nudge) finish(r deliver.Result, now time.Time) bool {
	if n.State != Claimed && n.State != Typing {
		return false
	}
	n.Keys, n.Detail, n.Asked = r.Keys, r.Detail, time.Time{}
	switch {
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

// staysOpen reports whether a refusal for that reason leaves n waiting. An idle notice can be replied to again
// for as long as looks at the pane show the agent idle.
func (n *Nudge) staysOpen(reason deliver.Reason) bool {
	switch {
	case n.bidden():
		return false
	case n.Kind == detect.Idle:
		return reason != deliver.IsGone && reason != deliver.InShell
	}
	return reason.ForNow()
}

// askAgain puts a claim that no longer counts back to waiting, and has it told anew with the reason.
func (n *Nudge) askAgain(why string) bool {
	if n.State != Claimed {
		return false
	}
	n.State, n.Claim, n.Asked = Pending, nil, time.Time{}
	n.Again, n.Round = why, n.Round+1
	return true
}

// Fresh claims outlive a restart; older ones rest on a screen that nobody has watched since.
const claimHolds = time.Minute

// errand is what the delivery does with a nudge.
type errand int

const (
	nothing errand = iota
	wait           // a claim of an earlier process, whose pane has not been found again yet
	typeIt
	askIt    // the claim is too old, or rests on consent that a restart has ended
	giveItUp // a key may have been typed
)

// errandOf decides what delivery owes n. mine says that this process took the claim, as opposed to
// one before it that ended in the middle; seen, that it has seen the pane.
func (n *Nudge) errandOf(mine, seen bool, now time.Time) errand {
	switch {
	case n.State == Typing:
		return giveItUp
	case n.State != Claimed:
		return nothing
	case n.Claim.Unseen && !mine, now.Sub(n.Claim.At) >= claimHolds:
		return askIt
	case !mine && !seen:
		return wait
	}
	return typeIt
}

// request is what is to be typed for a claimed nudge.
func (n *Nudge) request() deliver.Request {
	return deliver.Request{
		Nudge: n.ID, Pane: n.Pane, Process: n.Process, Agent: n.Agent,
		Fingerprint: n.Prompt.Fingerprint,
		Decision:    n.Claim.Decision, Choice: n.Claim.Choice, Text: n.Claim.Text,
		LeaveMode: n.Claim.LeaveMode,
	}
}
