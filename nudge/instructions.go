package nudge

import (
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Instructions are the instructions of one pane, in the order of sending. Some may be over and not yet
// reported.
type Instructions []*Instruction

// Waiting returns the instructions that are not sent yet.
func (list Instructions) Waiting() (waiting Instructions) {
	for _, i := range list {
		if i.State == Queued {
			waiting = append(waiting, i)
		}
	}
	return waiting
}

// InFlight returns the instruction that the agent has; nil: none.
func (list Instructions) InFlight() *Instruction {
	for _, i := range list {
		if i.State.InFlight() {
			return i
		}
	}
	return nil
}

// Position returns the position of an instruction among those that wait, from 1; 0: it does not wait.
func (list Instructions) Position(id string) int {
	for n, i := range list.Waiting() {
		if i.ID == id {
			return n + 1
		}
	}
	return 0
}

// MoveUp swaps a waiting instruction with the one before it and returns both; false: it is the first, or does
// not wait.
func (list Instructions) MoveUp(id string) (up, down *Instruction, ok bool) {
	waiting, n := list.Waiting(), list.Position(id)
	if n < 2 {
		return nil, nil, false
	}
	up, down = waiting[n-1], waiting[n-2]
	up.Number, down.Number = down.Number, up.Number
	return up, down, true
}

// Progress is the effect of a look on the instructions of its pane.
type Progress struct {
	Changed Instructions
	// Done is the instruction that the look shows to be completed. The caller reports it to people.
	Done *Instruction
	Busy bool // some wait or are in flight
}

// Observe applies one look to the instructions of its pane. Instructions for an agent that is gone are
// dropped, and one message reports all of them.
func (list Instructions) Observe(s detect.Sighting, r Rules, now time.Time) (p Progress) {
	if i := list.InFlight(); i != nil {
		why := i.otherAgent(s)
		switch {
		case !why.IsZero():
			i.end(Interrupted, reason.Why{Kind: reason.LostInFlight, Because: &why}, now)
			i.Untold = r.Supervisors
			p.Changed = append(p.Changed, i)
		case i.completedBy(s, now):
			list.complete(i, s, now)
			p.Changed, p.Done = append(p.Changed, i), i
		case i.Late(r, now):
			p.Changed = append(p.Changed, i)
		}
	}
	p.Changed = append(p.Changed, list.takeSession(s, p.Done != nil)...)
	p.Changed = append(p.Changed, list.drop(s, r, now)...)
	p.Busy = len(list.Waiting()) > 0 || list.InFlight() != nil
	return p
}

func (list Instructions) complete(i *Instruction, s detect.Sighting, now time.Time) {
	i.end(Completed, reason.Why{}, now)
	i.Words, i.Idle = s.Words, s.Since
	if !s.Since.After(i.Sent) {
		i.Words = s.Said // no look saw it at work, so an event's words are from the turn before
	}
	if waiting := list.Waiting(); len(waiting) > 0 {
		i.Next, i.Behind = waiting[0].Line(), len(waiting)
	}
}

// drop cancels the instructions whose agent is gone. The first of them reports all.
func (list Instructions) drop(s detect.Sighting, r Rules, now time.Time) (dropped Instructions) {
	busy := list.InFlight() != nil // then the session may change: the instruction in flight may be one that begins another
	for _, i := range list.Waiting() {
		why := i.otherAgent(s)
		if why.IsZero() && !busy {
			why = i.otherSession(s)
		}
		if why.IsZero() {
			continue
		}
		i.end(Cancelled, why, now)
		if dropped = append(dropped, i); len(dropped) > 1 {
			dropped[0].Also = append(dropped[0].Also, i.Line())
		}
	}
	if len(dropped) > 0 {
		dropped[0].Untold = r.Supervisors
	}
	return dropped
}

// takeSession updates the session of waiting instructions if it was not known yet, or if one of these
// instructions began the new session, as /clear does.
func (list Instructions) takeSession(s detect.Sighting, done bool) (changed Instructions) {
	for _, i := range list.Waiting() {
		if s.Session != "" && i.Session != s.Session && (i.Session == "" || done) {
			i.Session = s.Session
			changed = append(changed, i)
		}
	}
	return changed
}

// TakeWords adds the agent's last words to the completed instruction of that turn, if a later look is the
// first to know them. It returns the instruction; nil: none.
func (list Instructions) TakeWords(s detect.Sighting) *Instruction {
	for _, i := range list {
		if i.State == Completed && i.Words == "" && s.Words != "" && s.State == screen.Idle && i.Idle.Equal(s.Since) && s.Since.After(i.Sent) {
			i.Words = s.Words
			return i
		}
	}
	return nil
}

// Hold is the reason why an instruction is not sent now.
type Hold struct {
	Reason deliver.Reason // empty: nothing holds it
	Detail reason.Why
	Until  time.Time // when to look again if nothing else happens; zero: only another event can end the hold
}

// Hold returns what holds up the first waiting instruction, judging by the last look at the pane (nil: none
// since nod started), the pane's newest nudge and the presence of people. The typist looks for itself once
// more.
func (list Instructions) Hold(s *detect.Sighting, last *Nudge, p detect.Presence, r Rules, now time.Time) Hold {
	waiting := list.Waiting()
	if len(waiting) == 0 {
		return Hold{}
	}
	i := waiting[0]
	switch {
	case s != nil && s.State.Asks(), last != nil && last.asksNow():
		return Hold{Reason: deliver.AwaitingDecision, Detail: reason.Why{Kind: reason.QuestionFirst}}
	case list.InFlight() != nil:
		return Hold{Reason: deliver.Working, Detail: reason.Why{Kind: reason.AtWorkOn, Agent: i.Agent, Nudge: list.InFlight().ID}}
	case s == nil:
		return Hold{Reason: deliver.Unreadable, Detail: reason.Why{Kind: reason.PaneUnseenYet}}
	case !i.otherAgent(*s).IsZero():
		return Hold{Reason: deliver.Changed, Detail: i.otherAgent(*s)}
	case !i.otherSession(*s).IsZero():
		return Hold{Reason: deliver.Changed, Detail: i.otherSession(*s)}
	case s.Project != i.Project:
		return Hold{Reason: deliver.Changed, Detail: reason.Why{Kind: reason.OtherProject, What: s.Project, Where: i.Project}}
	case i.By.ID != "" && !r.Supervises(i.By.ID):
		return Hold{Reason: deliver.NotOwner, Detail: reason.Why{Kind: reason.AuthorLeft, By: i.By.Name}}
	case s.State != screen.Idle:
		return Hold{Reason: deliver.Working, Detail: reason.Why{Kind: reason.AtWork, Agent: i.Agent}}
	case i.stopped(*s, last, now).Reason != "":
		return i.stopped(*s, last, now)
	case last != nil && (last.State == Claimed || last.State == Typing):
		return Hold{Reason: deliver.Working, Detail: last.why(reason.BeingTyped)}
	case r.Attends(p.Here, now):
		return Hold{Reason: deliver.Working, Detail: reason.Why{Kind: reason.SomebodyThere}, Until: p.Here.Add(r.Presence)}
	}
	return Hold{}
}

// asksNow reports whether the question of n waits for an answer.
func (n *Nudge) asksNow() bool { return n.Asks() && (n.State == Pending || n.Standing) }

// Alarm returns when the instruction in flight times out; zero: never.
func (list Instructions) Alarm() time.Time {
	if i := list.InFlight(); i != nil && i.State == Sent && i.Timeout > 0 {
		return i.due()
	}
	return time.Time{}
}
