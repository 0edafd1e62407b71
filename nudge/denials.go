package nudge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge/grant"
)

const (
	maxDenials  = 5 // calls of one message; the next one begins another
	denialsLast = 8 * time.Hour
	// maxDenied is how many bytes of a call are kept to be shown. Of a longer one no message shows all.
	maxDenied = 16 << 10
)

// Denials are calls of one turn of an agent that its own guard denied, and of which it asked nobody: those that one message
// shows. A supervisor may allow each of them once. Times are UTC.
type Denials struct {
	ID string
	Addressee
	Calls []Denial
	Turn  string `json:",omitempty"` // names it; empty: the agent's events tell when it is over
	// TurnOver says that somebody has given the agent another instruction since.
	TurnOver bool `json:",omitempty"`
	Made     time.Time
	Due      time.Time // when nobody may decide any more
	Ended    time.Time
	Detail   reason.Why `json:",omitzero"` // how it ended
	Drawn    int        // grows with each change of what a message shows
	Copies   Messages
}

// Denial is one of them. It never becomes another call.
type Denial struct {
	Sum    string // names the call as it is compared
	Tool   string
	Folder string
	Mode   string
	Part   string `json:",omitempty"` // the sub-agent's id
	// The call for people, as detect.Subject tells it, of all that is compared.
	Verb, Text string
	Lead       int
	Reason     string     // the guard's
	Flaw       reason.Why `json:",omitzero"` // why no grant can be made for it; zero: one can
	Count      int        // how often it was denied while nobody had decided
	At         time.Time
	Held       time.Time `json:",omitzero"`  // until when its hook waits, at most
	Review     string    `json:",omitempty"` // what the agent's own server is told
	Settings   bool      `json:",omitempty"` // it was the agent's settings

	Word
}

// Word is what a supervisor said of a denied call, and how that reaches the agent.
type Word struct {
	Taking Taking `json:",omitempty"`
	Left   bool   `json:",omitempty"` // a supervisor left it denied
	Grant  grant.Grant
	By     Person `json:",omitzero"`
	Told   bool   `json:",omitempty"` // the agent was told to try again, by its hook or the supervisor's words
	Asks   string `json:",omitempty"` // names the call whose dialog the grant is for, as screen.Prompt.Exact does
}

// Blocked is a call that an agent's guard denied, as the event of it tells.
type Blocked struct {
	Call   grant.Call // its Input is zero where the call has a flaw
	Verb   string
	Text   string
	Lead   int
	Reason string
	Flaw   reason.Why
	Taking Taking
	Review string
	// Settings says that the agent's settings deny what it would ask a person about: the hook that tells of it lets the call run.
	Settings bool
}

// open reports whether a supervisor may still decide.
func (d *Denial) open() bool { return !d.Left && d.Grant.State == "" && d.Flaw.IsZero() }

// settled reports whether nothing more comes of d but by another tap.
func (d *Denial) settled() bool {
	switch d.Grant.State {
	case grant.Open, grant.Taken, grant.Asked:
		return false
	case "":
		return d.Left || !d.Flaw.IsZero()
	}
	return true
}

// NewDenials begins the message of a turn of the agent that a look shows.
func NewDenials(id string, s detect.Sighting, now time.Time) *Denials {
	return &Denials{ID: id, Addressee: addresseeOf(s), Made: now, Due: now.Add(denialsLast)}
}

// Of reports whether d is of that agent. One outside tmux is known by its process alone.
func (d *Denials) Of(w detect.Whereabouts) bool { return d.Pane == w.Pane && d.Process == w.Process }

// Takes reports whether a call that is denied now belongs into d: it is the message of that agent's turn, and has room.
func (d *Denials) Takes(s detect.Sighting) bool {
	return d.Ended.IsZero() && !d.TurnOver && d.Of(s.Whereabouts) && len(d.Calls) < maxDenials
}

// same finds the call that is still the same one being denied: nobody has decided, it was left, or its grant was not taken yet.
func (d *Denials) same(sum string) int {
	return slices.IndexFunc(d.Calls, func(c Denial) bool {
		return c.Sum == sum && (c.open() || c.Left && !d.TurnOver || c.Grant.State == grant.Open)
	})
}

// Deny takes in that a call was denied, and reports whether somebody may decide about it. An equal one that is denied again is counted.
func (d *Denials) Deny(b Blocked, now time.Time) (call int, open bool) {
	sum := b.Call.Sum()
	call = d.same(sum)
	if call < 0 {
		call = len(d.Calls)
		text, verb := b.Text, b.Verb
		if len(text) > maxDenied {
			text = strings.ToValidUTF8(text[:maxDenied], "")
		}
		d.Calls = append(d.Calls, Denial{
			Sum: sum, Tool: b.Call.Tool, Folder: b.Call.Folder, Mode: b.Call.Mode, Part: b.Call.Part, Verb: verb, Text: text, Lead: b.Lead,
			Reason: b.Reason, Flaw: b.Flaw, At: now, Review: b.Review, Settings: b.Settings, Word: Word{Taking: b.Taking},
		})
	}
	c := &d.Calls[call]
	c.Count++
	d.Drawn++
	return call, c.open()
}

// Hold takes in that the hook of a call is held until then, at most.
func (d *Denials) Hold(call int, until time.Time) { d.Calls[call].Held = until }

// Cut reports whether less of a call is kept than is compared.
func (c Denial) Cut() bool { return len(c.Text) >= maxDenied-4 }

// Fingerprint names a call of d, for who decides what they saw.
func (d *Denials) Fingerprint(call int) string {
	return strconv.Itoa(call) + "." + d.Calls[call].Sum[:16]
}

// Open reports whether somebody may still decide about a call of d.
func (d *Denials) Open(call int) bool { return d.Ended.IsZero() && d.Calls[call].open() }

// Shows reports whether a call that would be made now is one of d's of which something was decided, or may be.
func (d *Denials) Shows(sum string) bool { return d.Ended.IsZero() && d.same(sum) >= 0 }

// EndHold takes in that the hook of a call is not held any more, and reports whether it is to tell the agent to try again, or, where it lets
// the call run itself, whether it is to do that, which takes the grant. gone says that it can't.
func (d *Denials) EndHold(call int, lets, gone bool, now time.Time) (says bool) {
	c := &d.Calls[call]
	says = !gone && d.Ended.IsZero() && c.Grant.State == grant.Open && (!lets || c.Grant.Take(now))
	c.Held, c.Told = time.Time{}, says
	d.Drawn++
	return says
}

// Release takes in that no hook waits any more, as after a crash, and reports whether one did.
func (d *Denials) Release() (held bool) {
	for i := range d.Calls {
		held = held || !d.Calls[i].Held.IsZero()
		d.Calls[i].Held = time.Time{}
	}
	if held {
		d.Drawn++
	}
	return held
}

// Rings reports whether a hook waits for somebody now.
func (d *Denials) Rings(now time.Time) bool {
	return slices.ContainsFunc(d.Calls, func(c Denial) bool { return c.open() && now.Before(c.Held) })
}

// refuse says why nobody can decide about a call of d who was shown the one of that fingerprint; empty: they can.
func (d *Denials) refuse(call int, fingerprint string) (deliver.Reason, reason.Why) {
	switch {
	case !d.Ended.IsZero():
		return deliver.Expired, d.over()
	case call < 0 || call >= len(d.Calls):
		return deliver.NotFound, reason.Why{Kind: reason.DenialForgotten}
	case !d.Calls[call].Flaw.IsZero():
		return deliver.NoKey, d.Calls[call].Flaw
	case !d.Calls[call].open():
		return deliver.Answered, reason.Why{Kind: reason.DenialDecided, By: d.Calls[call].By.Name}
	case fingerprint == "":
		return deliver.NeedsConfirmation, reason.Why{Kind: reason.DenialUnseen}
	case fingerprint != d.Fingerprint(call):
		return deliver.Changed, reason.Why{Kind: reason.DenialChanged}
	}
	return "", reason.Why{}
}

// Allow makes the grant for one call. An empty fingerprint is of a message that does not show all of it.
func (d *Denials) Allow(call int, fingerprint string, by Person, now time.Time) (deliver.Reason, reason.Why) {
	if code, why := d.refuse(call, fingerprint); code != "" {
		return code, why
	}
	c := &d.Calls[call]
	c.Grant, c.By = grant.New(now), by
	c.Told = now.Before(c.Held) // its hook says so
	if c.Taking == ByWords {
		c.Grant.State = grant.Used // its own question follows
	}
	d.Drawn++
	return "", reason.Why{}
}

// Leave has a call stay denied for the rest of its turn.
func (d *Denials) Leave(call int, by Person) (deliver.Reason, reason.Why) {
	fingerprint := ""
	if call >= 0 && call < len(d.Calls) {
		fingerprint = d.Fingerprint(call)
	}
	if code, why := d.refuse(call, fingerprint); code != "" {
		return code, why
	}
	c := &d.Calls[call]
	c.Left, c.By = true, by
	d.Drawn++
	return "", reason.Why{}
}

// Again is what the agent is told to try a call again; empty where its grant is none any more, where it was told, or where nothing can
// be typed: outside tmux.
func (d *Denials) Again(call int) string {
	if call < 0 || call >= len(d.Calls) || d.Calls[call].Told || d.Pane.ID == "" {
		return ""
	}
	c := d.Calls[call]
	ready := grant.Used
	if c.Taking == ByHook {
		ready = grant.Open
	}
	switch {
	case c.Grant.State != ready:
		return ""
	case c.Taking == ByWords && c.Verb == "":
		return "Repeat this call exactly, without changing its arguments: I want to decide about it.\n" + c.Text
	case c.Taking == ByWords:
		return "Repeat exactly the call that was blocked, without changing its arguments: I want to decide about it.\n" + c.Text
	}
	if c.Verb == "" && len(c.Text) < maxInstruction/4 {
		return "Try this call again, exactly as it was, once: I allow it.\n" + c.Text
	}
	return fmt.Sprintf("Try the %s call again that was blocked, exactly as it was, once: I allow it.", c.Tool)
}

// Saying notes that the agent is told to try a call again.
func (d *Denials) Saying(call int) {
	d.Calls[call].Told = true
	d.Drawn++
}

// Before gives what is to become of a call that the agent is about to make: the one that takes its grant, or one that was left
// denied for this turn. None: that is no business of d's.
func (d *Denials) Before(sum string, now time.Time) (call int, what Verdicts) {
	for i := range d.Calls {
		c := &d.Calls[i]
		switch {
		case c.Sum != sum || !d.Ended.IsZero():
		case c.Grant.Take(now):
			d.Drawn++
			return i, Lets
		}
	}
	for i, c := range d.Calls {
		if c.Sum == sum && c.Left && !d.TurnOver && d.Ended.IsZero() {
			return i, Stops
		}
	}
	return -1, ""
}

// Decided are the calls of d of which Before says something.
func (d *Denials) Decided() (sums []string) {
	for _, c := range d.Calls {
		if d.Ended.IsZero() && (c.Grant.State == grant.Open || c.Left && !d.TurnOver) {
			sums = append(sums, c.Sum)
		}
	}
	return sums
}

// Verdicts is what becomes of a call.
type Verdicts string

// What becomes of a call that an agent is about to make.
const (
	Lets  Verdicts = "lets"
	Stops Verdicts = "stops"
)

// Said notes that the hook of a call has said that it is let through, or, where asks names it, that the agent is to ask about it.
func (d *Denials) Said(call int, asks string) {
	if call < 0 || call >= len(d.Calls) {
		return
	}
	c := &d.Calls[call]
	if asks != "" && c.Grant.Ask() {
		c.Asks = asks
		d.Drawn++
	} else if asks == "" && c.Grant.Say() {
		d.Drawn++
	}
}

// EndTurn takes in that the agent has another instruction. Grants that nobody has taken stay.
func (d *Denials) EndTurn(now time.Time) bool {
	changed := !d.TurnOver && d.Ended.IsZero()
	d.TurnOver = true
	return d.settle(now) || changed
}

// settle ends d where its turn is over and nothing more can come of it.
func (d *Denials) settle(now time.Time) bool {
	if !d.Ended.IsZero() || !d.TurnOver || slices.ContainsFunc(d.Calls, func(c Denial) bool { return !c.settled() }) {
		return false
	}
	d.end(reason.Why{Kind: reason.DenialTurn}, now)
	return true
}

// Pass does what time alone does to d, and reports whether that is anything.
func (d *Denials) Pass(now time.Time) (changed bool) {
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Taking != OnList || c.Grant.State == grant.Open { // how keys end their Finish tells
			changed = c.Grant.Pass(now) || changed
		}
	}
	if changed {
		d.Drawn++
	}
	if d.Ended.IsZero() && !now.Before(d.Due) {
		d.end(reason.Why{Kind: reason.DenialUnanswered}, now)
		changed = true
	}
	return d.settle(now) || changed
}

// Depart ends d where a look shows that its agent has left the pane, and reports whether it did.
func (d *Denials) Depart(s detect.Sighting, now time.Time) bool {
	why := d.otherAgent(s)
	if !d.Ended.IsZero() || s.Pane != d.Pane || why.IsZero() {
		return false
	}
	d.end(why, now)
	return true
}

// Orphan ends d where its agent is in no pane, and alive says that it runs no more.
func (d *Denials) Orphan(alive func(detect.Whereabouts) bool, now time.Time) bool {
	if !d.Ended.IsZero() || d.Pane.ID != "" || alive(d.Whereabouts) {
		return false
	}
	d.end(reason.Why{Kind: reason.AgentExited, Agent: d.Agent}, now)
	return true
}

func (d *Denials) end(why reason.Why, now time.Time) {
	for i := range d.Calls {
		d.Calls[i].Grant.End(grant.Void)
	}
	d.Ended, d.Detail = now, why
	d.Drawn++
}

func (d *Denials) over() reason.Why {
	how := d.Detail
	return reason.Why{Kind: reason.DenialOver, Nudge: d.ID, Because: &how}
}

// RefuseAnswer says that no answer in words allows anything.
func (d *Denials) RefuseAnswer() Verdict {
	return Verdict{Kind: Rejected, Reason: deliver.NeedsConfirmation, Detail: reason.Why{Kind: reason.DenialTakesTap, Nudge: d.ID}}
}

// Shift moves what d waits for by as much as the clock was set.
func (d *Denials) Shift(by time.Duration) {
	d.Due = d.Due.Add(by)
	for i := range d.Calls {
		if c := &d.Calls[i]; !c.Held.IsZero() {
			c.Held = c.Held.Add(by)
		}
		d.Calls[i].Grant.Shift(by)
	}
}

// Live reports whether something may still have to be done or said about d.
func (d *Denials) Live() bool { return d.Ended.IsZero() || d.Copies.open() }

// Forget has the messages of d forgotten where it ended before a time: nobody is there who could be told.
func (d *Denials) Forget(before time.Time) bool {
	old := !d.Ended.IsZero() && d.Ended.Before(before)
	if old {
		d.Copies = nil
	}
	return old
}

// Waits reports whether a supervisor may still decide about a call of d.
func (d *Denials) Waits() bool {
	return d.Ended.IsZero() && slices.ContainsFunc(d.Calls, func(c Denial) bool { return c.open() })
}

// Lacks reports whether a place still has to be told of d.
func (d *Denials) Lacks(place Place) bool { return d.Ended.IsZero() && d.Copies.lack(place) }

// Asking gives the messages of d that a fresh answer may have been meant for: none ever makes a grant.
func (d *Denials) Asking(a Answer) []OtherMessage {
	if !d.Waits() {
		return nil
	}
	return d.Copies.asking()
}

// Notices are what the places should show of d and do not yet. It rings while a hook waits.
func (d *Denials) Notices(r Rules, silent bool, now time.Time) (list []Notice) {
	for _, c := range d.Copies {
		switch {
		case c.Closed:
		case !d.Ended.IsZero() || !r.Reaches(c.Place):
			list = append(list, Notice{Kind: Close, Place: c.Place, Of: d, Copy: Copy{Ref: c.Ref}, Newest: !d.Ended.IsZero() && !c.Asks})
		case c.Asks && !d.Waits():
			list = append(list, Notice{Kind: Close, Place: c.Place, Of: d, Copy: Copy{Ref: c.Ref}})
		case !c.Asks && c.Drawn < d.Drawn:
			list = append(list, Notice{Kind: Refresh, Place: c.Place, Of: d, Copy: Copy{Ref: c.Ref}})
		}
	}
	for _, place := range r.Places() {
		if d.Lacks(place) {
			list = append(list, Notice{Kind: Wanted, Place: place, Of: d, Silent: silent || !d.Rings(now)})
		}
	}
	return list
}

// Informed takes down that a notice about d was carried out, which was drawn from that state.
func (d *Denials) Informed(r Receipt, drawn int) { d.Copies.told(r, drawn) }

// Event fills in what every event about a call of d says.
func (d *Denials) Event(kind string, call int, e Event) Event {
	e.Kind, e.Instruction, e.Pane, e.Server, e.Agent, e.Subject = kind, d.ID, d.Pane.ID, d.Pane.Server.Socket, d.Agent, d.Calls[call].Text
	return e
}
