package nudge

import (
	"slices"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// This file is about calls of agents that take a human's word about a denied one in another way than by their hooks.

// Taking is how an agent takes a human's word that a call which its guard denied may be made.
type Taking string

// The ways. All but ByHook let nothing run by themselves: the agent's guard, or the human, decides once more.
const (
	ByHook  Taking = ""      // its hooks take it, and the call runs
	OnList  Taking = "list"  // the call is marked in the agent's own list, and reviewed again when it is tried again
	ByWords Taking = "words" // it is told to make the very call again, and then asks a question of its own
	// ByServer: its own server is told, and has the call reviewed again when it is tried again.
	ByServer Taking = "server"
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
	b := Blocked{Call: callOf(c), Verb: c.Verb, Text: c.Text, Reason: c.Reason, Taking: OnList, Review: c.Review}
	switch {
	case c.Review != "":
		b.Taking = ByServer
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

// Known gives the calls that a look shows to be denied, those whole that the messages know whole: a server tells of a call once.
func Known(list []*Denials, seen detect.DeniedCalls) detect.DeniedCalls {
	seen.Calls = slices.Clone(seen.Calls)
	for i, shown := range seen.Calls {
		if whole, ok := knownAs(list, shown); ok && shown.Review == "" {
			seen.Calls[i] = whole
		}
	}
	return seen
}

// knownAs is the one call that one on the screen is, of those that a server told of.
func knownAs(list []*Denials, shown detect.DeniedCall) (found detect.DeniedCall, ok bool) {
	for _, d := range list {
		for _, c := range d.Calls {
			known := detect.DeniedCall{Verb: c.Verb, Text: c.Text, Folder: c.Folder, Reason: c.Reason, Review: c.Review}
			switch {
			case c.Taking != ByServer || d.TurnOver || c.Cut() || !known.Shows(shown):
			case ok && (known.Text != found.Text || known.Folder != found.Folder):
				return shown, false
			default:
				found, ok = known, true
			}
		}
	}
	return found, ok
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
	return grant.Call{Session: c.Session, Folder: c.Folder, Tool: c.Verb, Input: c.Text}
}

// Begin takes the grant of a call for the keys that mark it in the agent's list, and reports whether there is one.
func (d *Denials) Begin(call int, now time.Time) bool {
	ok := d.Ended.IsZero() && d.Calls[call].Grant.Take(now)
	d.Drawn++
	return ok
}

// TakeReview takes the grant of a call that the agent's own server is to be told of, if one waits, and gives what that is told.
func (d *Denials) TakeReview(now time.Time) (call int, review string, ok bool) {
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Taking == ByServer && d.Ended.IsZero() && c.Grant.Take(now) {
			d.Drawn++
			return i, c.Review, true
		}
	}
	return 0, "", false
}

// Promises reports whether the grant of a call may still be taken.
func (d *Denials) Promises(call int) bool {
	return d.Ended.IsZero() && d.Calls[call].Grant.State == grant.Open
}

// Finish takes in what became of these keys, or of what the server was told.
func (d *Denials) Finish(call int, r deliver.Result, now time.Time) {
	c := &d.Calls[call]
	switch {
	case c.Grant.State != grant.Taken:
		return
	case r.Outcome == deliver.Delivered:
		c.Grant.Say()
	case r.Outcome == deliver.Refused && len(r.Keys) == 0 && c.Taking == OnList:
		c.Grant.State = grant.Open // it is tried again
	case r.Outcome == deliver.Refused:
		c.Grant, c.Flaw = grant.Grant{}, r.Detail
	default:
		c.Grant.End(grant.Unknown)
	}
	d.Drawn++
}

// Answers gives the supervisor's word about a call of d to the dialog in which the agent asks about it, once: n's, if that shows the very
// call, whole, and offers a yes that is for once, a no, and nothing else.
func (d *Denials) Answers(n *Nudge, now time.Time) (a Answer, ok bool) {
	p := n.Prompt()
	_, permission := n.About.(Permission)
	if !permission || n.State != Pending || !d.Ended.IsZero() || d.Pane.ID == "" || !d.Of(n.Whereabouts) || p.Exact == "" ||
		p.Source != screen.FromEvent || p.Partial || !onceOrNo(p.Options) || p.More {
		return a, false
	}
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Asks == p.Exact && c.Grant.Answer(now) {
			d.Drawn++
			return Answer{By: c.By, Way: ByGrant, Written: now, Read: now, Nudge: n.ID, Said: Said{Decision: screen.Approve}}, true
		}
	}
	return a, false
}

// onceOrNo reports whether options are one yes that is for once, and one no.
func onceOrNo(options []screen.Option) bool {
	return len(options) == 2 && (options[0].Scope == screen.Once && options[1].Scope == screen.No ||
		options[0].Scope == screen.No && options[1].Scope == screen.Once)
}

// Withdraw takes back a supervisor's word about a call that could not be passed on.
func (d *Denials) Withdraw(call int) {
	c := &d.Calls[call]
	c.Grant, c.By, c.Told = grant.Grant{}, Person{}, false
	d.Drawn++
}
