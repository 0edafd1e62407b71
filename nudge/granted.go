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

// Calls of agents that don't take a supervisor's decision about a denied call through their hooks.

// Taking is how an agent takes a human's permission for a call that its guard denied.
type Taking string

// The ways. Only with ByHook the call then runs. With all others the agent's guard, or the human, decides
// once more.
const (
	ByHook  Taking = ""      // its hooks take the permission, and the call runs
	OnList  Taking = "list"  // the call is marked in the agent's own list, and reviewed again when it is tried again
	ByWords Taking = "words" // the agent is told to make the very call again, and then asks its own question
	// ByServer: the agent's own server is told, and has the call reviewed again when it is tried again.
	ByServer Taking = "server"
)

// Granted names the denied call that an instruction is about.
type Granted struct {
	ID      string // of the message
	Call    int
	Command string
}

func (g *Granted) command() string {
	if g == nil {
		return ""
	}
	return g.Command
}

// BlockedBy converts a denied call in a look to a Blocked.
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

// ThisTurn returns the messages about denied calls of the turn in a look, and ends the turn of all earlier
// ones. A screen identifies a turn by the last human input. If it shows fewer denied calls than are known,
// the same input was given again, in a new turn.
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

// StillTold reports whether a look at a screen may show no more than a transcript has told, which names turns and
// calls in other words. A watcher that has just started knows of no transcript before the agent's next event.
func StillTold(list []*Denials, seen detect.DeniedCalls) bool {
	told, words := 0, func(turn string) bool { return strings.Contains(turn, " ") } // a transcript's name has none
	for _, d := range list {
		for _, c := range d.Calls {
			if !d.TurnOver && d.Turn != "" && !words(d.Turn) {
				told += c.Count
			}
		}
	}
	return told > 0 && len(seen.Calls) <= told && (seen.Turn == "" || words(seen.Turn))
}

// Known returns the denied calls of a look. A call that is cut off on the screen is replaced by the whole one
// if a server has reported it. A call that the server reports now stays as it is.
func Known(list []*Denials, seen detect.DeniedCalls) detect.DeniedCalls {
	seen.Calls = slices.Clone(seen.Calls)
	for i, shown := range seen.Calls {
		if whole, ok := knownAs(list, shown); ok && shown.Review == "" {
			seen.Calls[i] = whole
		}
	}
	return seen
}

// knownAs returns the one server-reported call that the shown call can be; ok is false if there is none, or
// several.
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

// count adds to told how often each call was denied.
func (d *Denials) count(told map[string]int) {
	for _, c := range d.Calls {
		told[c.Sum] += c.Count
	}
}

// NewDenied returns the denied calls in a look that no message of the turn shows yet.
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

// Begin takes the grant of a call for the keys that mark it in the agent's list. It reports whether there was
// a grant to take.
func (d *Denials) Begin(call int, now time.Time) bool {
	ok := d.Ended.IsZero() && d.Calls[call].Grant.Take(now)
	d.Drawn++
	return ok
}

// TakeReview takes an open grant of a call that the agent's own server must be told about. It returns the
// call and the text for the server; ok is false if there is none.
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

// Finish records the result of the keys of Begin, or of the message to the server.
func (d *Denials) Finish(call int, r deliver.Result, now time.Time) {
	c := &d.Calls[call]
	switch {
	case c.Grant.State != grant.Taken:
		return
	case r.Outcome == deliver.Delivered:
		c.Grant.Say()
	case r.Outcome == deliver.Refused && len(r.Keys) == 0 && c.Taking == OnList:
		c.Grant.State = grant.Open // the keys are tried again
	case r.Outcome == deliver.Refused:
		c.Grant, c.Flaw = grant.Grant{}, r.Detail
	default:
		c.Grant.End(grant.Unknown)
	}
	d.Drawn++
}

// Answers returns the supervisor's approval of a call of d as the answer to the agent's dialog about that
// call, once. The dialog must be n's, show exactly that call in full, and offer one yes for once and one no
// and nothing else.
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

// onceOrNo reports whether the options are exactly one yes for once and one no.
func onceOrNo(options []screen.Option) bool {
	return len(options) == 2 && (options[0].Scope == screen.Once && options[1].Scope == screen.No ||
		options[0].Scope == screen.No && options[1].Scope == screen.Once)
}

// Withdraw removes a supervisor's decision about a call, because it could not be passed on.
func (d *Denials) Withdraw(call int) {
	c := &d.Calls[call]
	c.Grant, c.By, c.Told = grant.Grant{}, Person{}, false
	d.Drawn++
}
