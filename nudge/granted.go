package nudge

import (
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// This file is about calls of agents that take a human's word about a denied one in another way than by their hooks.

// Taking is how an agent takes a human's word that a call which its guard denied may be made.
type Taking string

// The ways. OnList and ByWords let nothing run by themselves: the agent's guard, or the human, decides once more.
const (
	ByHook  Taking = ""      // its hooks take it, and the call runs
	OnList  Taking = "list"  // the call is marked in the agent's own list, and reviewed again when it is tried again
	ByWords Taking = "words" // it is told to make the very call again, and then asks a question of its own
)

// Granted names a denied call that an instruction is about.
type Granted struct {
	ID      string // of its message
	Call    int
	Command string
}

func (g *Granted) command() string {
	if g == nil {
		return ""
	}
	return g.Command
}

// BlockedBy makes of a call that a look shows to be denied what is told of it.
func BlockedBy(s detect.Sighting, c detect.DeniedCall) Blocked {
	b := Blocked{Call: callOf(c), Verb: c.Verb, Text: c.Text, Reason: c.Reason, Taking: OnList}
	switch {
	case detect.GrantsOf(s.Agent) == nil:
		b.Taking = ByWords
	case c.Cut:
		b.Flaw = reason.Why{Kind: reason.DenialCut}
	case c.Verb != "" || strings.ContainsAny(c.Text, "\r\n"):
		b.Flaw = reason.Why{Kind: reason.DenialUnlisted}
	}
	return b
}

// ThisTurn gives the messages of denied calls that are of the turn which a look tells of, and ends those of the turns before. A screen tells a
// turn by what somebody said last: where it shows fewer denied calls than were told, they have said it again.
func ThisTurn(list []*Denials, seen detect.DeniedCalls, now time.Time) (turn, changed []*Denials) {
	told := map[string]int{}
	for _, d := range list {
		if !d.TurnOver && (d.Turn == seen.Turn || seen.Turn == "") {
			turn = append(turn, d)
			d.count(told)
		}
	}
	for _, c := range seen.Calls {
		told[callOf(c).Sum()]--
	}
	for _, missing := range told {
		if missing > 0 && seen.All {
			turn = nil
		}
	}
	for _, d := range list {
		if seen.Turn == "" || d.TurnOver || d.Turn == seen.Turn && turn != nil {
			continue
		}
		if d.EndTurn(now) {
			changed = append(changed, d)
		}
	}
	return turn, changed
}

// count adds how often each call was denied.
func (d *Denials) count(told map[string]int) {
	for _, c := range d.Calls {
		told[c.Sum] += c.Count
	}
}

// NewDenied are the calls of a turn that a look shows beyond those that its messages tell.
func NewDenied(turn []*Denials, seen detect.DeniedCalls) (news []detect.DeniedCall) {
	told := map[string]int{}
	for _, d := range turn {
		d.count(told)
	}
	for _, c := range seen.Calls {
		sum := callOf(c).Sum()
		if told[sum]--; told[sum] < 0 {
			news = append(news, c)
		}
	}
	return news
}

func callOf(c detect.DeniedCall) grant.Call {
	return grant.Call{Folder: c.Folder, Tool: c.Verb, Input: c.Text}
}

// Begin takes the grant of a call for the keys that mark it in the agent's list, and reports whether there is one.
func (d *Denials) Begin(call int, now time.Time) bool {
	ok := d.Ended.IsZero() && d.Calls[call].Grant.Take(now)
	d.Drawn++
	return ok
}

// Promises reports whether the grant of a call may still be taken.
func (d *Denials) Promises(call int) bool {
	return d.Ended.IsZero() && d.Calls[call].Grant.State == grant.Open
}

// Finish takes in what became of these keys.
func (d *Denials) Finish(call int, r deliver.Result, now time.Time) {
	c := &d.Calls[call]
	switch {
	case c.Grant.State != grant.Taken:
		return
	case r.Outcome == deliver.Delivered:
		c.Grant.Say()
	case r.Outcome == deliver.Refused && len(r.Keys) == 0:
		c.Grant.State = grant.Open // it is tried again
	case r.Outcome == deliver.Refused:
		c.Grant, c.Flaw = grant.Grant{}, r.Detail
	default:
		c.Grant.End(grant.Unknown)
	}
	d.Drawn++
}

// Withdraw takes back a supervisor's word about a call that could not be passed on.
func (d *Denials) Withdraw(call int) {
	c := &d.Calls[call]
	c.Grant, c.By, c.Told = grant.Grant{}, Person{}, false
	d.Drawn++
}
