package nudge

import (
	"cmp"
	"slices"
	"time"

	"nod/detect"
)

// toldIn is the last reminder of this round that a chat has and can still answer; 0: none.
func (n *Nudge) toldIn(chat int64) int {
	reminder := 0
	for _, c := range n.Copies {
		if c.Chat == chat && !c.Unseen && !c.Closed && c.Round == n.Round {
			reminder = max(reminder, c.Reminder)
		}
	}
	return reminder
}

// copyOf finds a message of n; nil where nod knows of none.
func (n *Nudge) copyOf(chat int64, message int) *Copy {
	for i := range n.Copies {
		if c := &n.Copies[i]; c.Chat == chat && c.Message == message {
			return c
		}
	}
	return nil
}

// firstIn is the first message of n in a chat; 0: none.
func (n *Nudge) firstIn(chat int64) int {
	for _, c := range n.Copies {
		if c.Chat == chat && !c.Unseen {
			return c.Message
		}
	}
	return 0
}

// newestIn is the newest message of n in a chat. Message ids of one private chat only grow.
func (n *Nudge) newestIn(chat int64) int {
	newest := 0
	for _, c := range n.Copies {
		if c.Chat == chat && !c.Unseen {
			newest = max(newest, c.Message)
		}
	}
	return newest
}

// lacks reports whether a chat still has to be sent the reminder that n is at.
func (n *Nudge) lacks(chat int64) bool {
	return n.State == Pending && n.toldIn(chat) < n.Reminder
}

// notices are what the chats should show of n and do not yet, holding aside.
func (n *Nudge) notices(r Rules, silent bool) []Notice {
	list := n.closings(r)
	if c := n.Claim; c != nil && !c.Told && n.State != Claimed && n.State != Typing {
		list = append(list, Notice{Kind: Reply, Chat: c.Chat, Nudge: *n, Silent: silent})
	}
	for _, chat := range r.Supervisors {
		if n.lacks(chat) {
			list = append(list, Notice{Kind: Send, Chat: chat, Nudge: *n, ReplyTo: n.firstIn(chat), Silent: silent || n.gentle(r)})
		}
	}
	return list
}

// gentle reports whether n is told without a sound whatever the hour: an agent that has done its work.
func (n *Nudge) gentle(r Rules) bool { return n.Kind == detect.Idle && n.Blocked == "" && !r.Loud }

// closings are the copies whose buttons must go: of a nudge that is over, in a chat that is no
// supervisor's any more, and questions for a consent that no longer holds. Those of an idle notice that was
// replaced are taken back.
func (n *Nudge) closings(r Rules) []Notice {
	var list []Notice
	for _, c := range n.Copies {
		if n.Replaced {
			if !c.Closed {
				list = append(list, Notice{Kind: Clear, Chat: c.Chat, Nudge: *n, Copy: c})
			}
			continue
		}
		lapsed := c.Unseen && n.Asked.IsZero() && n.State == Pending
		if c.Closed || !n.State.Over() && !lapsed && r.supervises(c.Chat) {
			continue
		}
		newest := n.State.Over() && c.Message == n.newestIn(c.Chat)
		list = append(list, Notice{Kind: Close, Chat: c.Chat, Nudge: *n, Copy: c, Newest: newest})
	}
	return list
}

// urgency orders notices: who answered waits for the outcome, then new questions, then buttons that
// do nothing any more, then what was said before.
func (n Notice) urgency() int {
	switch {
	case n.Kind == Reply:
		return 0
	case n.Kind == Send && n.ReplyTo == 0:
		return 1
	case n.Kind == Close, n.Kind == Clear:
		return 2
	}
	return 3
}

func sortNotices(list []Notice) {
	slices.SortStableFunc(list, func(a, b Notice) int {
		return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), a.Nudge.Detected.Compare(b.Nudge.Detected))
	})
}

// received takes down that a notice was carried out. It gives the event to note, if there is one.
func (n *Nudge) received(r Receipt) (Event, bool) {
	c := n.copyOf(r.Notice.Chat, r.Message)
	switch r.Notice.Kind {
	case Send, Consent:
		hidden := r.Hidden || r.Notice.Nudge.Prompt.Subject != n.Prompt.Subject
		if c != nil {
			c.Hidden = hidden
			return Event{}, false
		}
		sent := Copy{
			Chat: r.Notice.Chat, Message: r.Message, Sent: r.Sent.UTC(), Hidden: hidden,
			Reminder: r.Notice.Nudge.Reminder, Round: r.Notice.Nudge.Round, Unseen: r.Notice.Kind == Consent,
		}
		n.Copies = append(n.Copies, sent)
		return n.event(nudgeSent, Event{Chat: sent.Chat, Message: sent.Message, Reminder: sent.Reminder}), !sent.Unseen
	case Close, Clear:
		// What an edit says that began before the last change is out of date already.
		if c := n.copyOf(r.Notice.Chat, r.Notice.Copy.Message); c != nil && r.Notice.Nudge.Edition == n.Edition {
			c.Closed = true
		}
	case Reply:
		if n.Claim != nil && r.Notice.Nudge.Claim != nil && n.Claim.At.Equal(r.Notice.Nudge.Claim.At) {
			n.Claim.Told = true
		}
	}
	return Event{}, false
}

// adopt takes note of a message of n that nod learns of only by the answer to it, its sending having
// been cut off: it closes like the others, and nobody knows what it showed.
func (n *Nudge) adopt(chat int64, message int) bool {
	if message == 0 || n.copyOf(chat, message) != nil {
		return false
	}
	n.Copies = append(n.Copies, Copy{Chat: chat, Message: message, Round: n.Round, Hidden: true})
	return true
}

// detected is the kind of the event with which n begins.
func (n *Nudge) detected() string {
	switch n.Kind {
	case detect.Idle:
		return agentIdle
	case detect.Silent:
		return agentSilent
	}
	return promptDetected
}

// event fills in what every event about n says.
func (n *Nudge) event(kind string, e Event) Event {
	e.Kind, e.Nudge, e.Pane, e.Server = kind, n.ID, n.Pane.ID, n.Pane.Server.Socket
	e.Agent, e.Shape, e.Subject = n.Agent, n.Prompt.Shape, n.Prompt.Subject
	return e
}

// ended is the event of n's end.
func (n *Nudge) ended(now time.Time) Event {
	return n.event(nudgeEnded, Event{State: string(n.State), After: n.Lives(now).Round(time.Second).String(), Reason: string(n.Reason)})
}
