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
	maxDenials  = 5 // calls of one message; the next call begins another message
	denialsLast = 8 * time.Hour
	// maxDenied is how many bytes of a call are kept for display. No message shows all of a longer call.
	maxDenied = 16 << 10
)

// Denials is one message about calls that an agent's own guard denied in one turn without asking anybody. A
// supervisor may allow each call once. Times are UTC.
type Denials struct {
	ID string
	Addressee
	Calls []Denial
	Turn  string `json:",omitempty"` // identifies the turn; empty: the agent's events report when it is over
	// TurnOver: somebody has given the agent another instruction since.
	TurnOver bool `json:",omitempty"`
	// More: more calls of the turn were denied than its messages show.
	More   bool `json:",omitempty"`
	Made   time.Time
	Due    time.Time // until when a supervisor may decide
	Ended  time.Time
	Detail reason.Why `json:",omitzero"` // how it ended
	Drawn  int        // increased by every change of the message's content
	Copies Messages
}

// Denial is one denied call. It never becomes another call.
type Denial struct {
	Sum    string // identifies the call as it is compared
	Tool   string
	Folder string
	Mode   string
	Part   string `json:",omitempty"` // the sub-agent's id
	// The call for people, as detect.Subject renders it, including all that is compared.
	Verb, Text string
	Lead       int
	Reason     string     // the guard's
	Flaw       reason.Why `json:",omitzero"` // why no grant can be made for the call; zero: one can
	Count      int        // how often the call was denied while nobody had decided
	At         time.Time
	Held       time.Time `json:",omitzero"`  // the latest time until which its hook waits
	Review     string    `json:",omitempty"` // the text for the agent's own server
	Settings   bool      `json:",omitempty"` // the agent's settings denied the call

	Word
}

// Word is a supervisor's decision about a denied call, and how it reaches the agent.
type Word struct {
	Taking Taking `json:",omitempty"`
	Left   bool   `json:",omitempty"` // a supervisor left it denied
	Grant  grant.Grant
	By     Person `json:",omitzero"`
	Told   bool   `json:",omitempty"` // the agent was told to try again, by its hook or in the supervisor's words
	Hinted bool   `json:",omitempty"` // its hook told it so, and it has been at work since
	Asks   string `json:",omitempty"` // identifies the call whose dialog the grant is for, as screen.Prompt.Exact does
}

// Blocked is a call that an agent's guard denied, as an event or a look reports it.
type Blocked struct {
	Call   grant.Call // its Input is zero if the call has a flaw
	Verb   string
	Text   string
	Lead   int
	Reason string
	Flaw   reason.Why
	Taking Taking
	Review string
	// Settings: the agent's settings deny calls about which it would ask a person. The hook that reports the
	// denial lets the call run itself.
	Settings bool
}

// open reports whether a supervisor may still decide about the call.
func (d *Denial) open() bool { return !d.Left && d.Grant.State == "" && d.Flaw.IsZero() }

// settled reports whether only another tap could still change d.
func (d *Denial) settled() bool {
	switch d.Grant.State {
	case grant.Open, grant.Taken, grant.Asked:
		return false
	case "":
		return d.Left || !d.Flaw.IsZero()
	}
	return true
}

// NewDenials begins the message for the current turn of the agent in a look.
func NewDenials(id string, s detect.Sighting, now time.Time) *Denials {
	return &Denials{ID: id, Addressee: addresseeOf(s), Made: now, Due: now.Add(denialsLast)}
}

// Of reports whether d belongs to that agent. An agent outside tmux is known by its process alone.
func (d *Denials) Of(w detect.Whereabouts) bool { return d.Pane == w.Pane && d.Process == w.Process }

// Takes reports whether a newly denied call belongs to d: same agent, same turn, and room for it.
func (d *Denials) Takes(s detect.Sighting) bool {
	return d.Ended.IsZero() && !d.TurnOver && d.Of(s.Whereabouts) && len(d.Calls) < maxDenials
}

// same returns the index of the call with that sum which another denial would only repeat: nobody has
// decided, or a supervisor left it denied in this turn, or its grant has not been taken yet. -1: none.
func (d *Denials) same(sum string) int {
	return slices.IndexFunc(d.Calls, func(c Denial) bool {
		return c.Sum == sum && (c.open() || c.Left && !d.TurnOver || c.Grant.State == grant.Open)
	})
}

// PassOver records that more calls of the turn were denied, for which no message has room. It reports whether d
// has to say so.
func (d *Denials) PassOver() (changed bool) {
	if d.More {
		return false
	}
	d.More = true
	d.Drawn++
	return true
}

// Deny records a denied call and reports whether somebody may decide about it. A repeated denial of the same
// call is counted.
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

// Hold records that the hook of a call waits, until the given time at most.
func (d *Denials) Hold(call int, until time.Time) { d.Calls[call].Held = until }

// Cut reports whether less of the call is kept than is compared.
func (c Denial) Cut() bool { return len(c.Text) >= maxDenied-4 }

// Fingerprint identifies a call of d, so that a decision is matched to the call that was shown.
func (d *Denials) Fingerprint(call int) string {
	return strconv.Itoa(call) + "." + d.Calls[call].Sum[:16]
}

// Open reports whether somebody may still decide about the call.
func (d *Denials) Open(call int) bool { return d.Ended.IsZero() && d.Calls[call].open() }

// Shows reports whether a new call with that sum is one of d's, undecided or with a decision that still
// counts.
func (d *Denials) Shows(sum string) bool { return d.Ended.IsZero() && d.same(sum) >= 0 }

// EndHold records that the hook of a call stops waiting. says reports whether the hook must tell the agent to
// try again or, if the hook lets the call run itself (lets), whether it must let it run; that takes the
// grant. gone: the hook can no longer do either.
func (d *Denials) EndHold(call int, lets, gone bool, now time.Time) (says bool) {
	c := &d.Calls[call]
	says = !gone && d.Ended.IsZero() && c.Grant.State == grant.Open && (!lets || c.Grant.Take(now))
	c.Held, c.Told, c.Hinted = time.Time{}, says, says
	d.Drawn++
	return says
}

// Release records that no hook waits any more, as after a crash. It reports whether one did.
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

// Rings reports whether a hook is waiting for somebody now.
func (d *Denials) Rings(now time.Time) bool {
	return slices.ContainsFunc(d.Calls, func(c Denial) bool { return c.open() && now.Before(c.Held) })
}

// refuse returns why nobody can decide about the call that was shown with that fingerprint; empty: somebody
// can.
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

// Allow makes the grant for one call. The fingerprint is empty if the message does not show all of the call.
func (d *Denials) Allow(call int, fingerprint string, by Person, now time.Time) (deliver.Reason, reason.Why) {
	if code, why := d.refuse(call, fingerprint); code != "" {
		return code, why
	}
	c := &d.Calls[call]
	c.Grant, c.By = grant.New(now), by
	c.Told = now.Before(c.Held) // its hook says so
	if c.Taking == ByWords {
		c.Grant.State = grant.Used // the agent's own question follows
	}
	d.Drawn++
	return "", reason.Why{}
}

// Leave keeps a call denied for the rest of its turn.
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

// Again returns the text that tells the agent to try the call again. It is empty if the grant no longer
// counts, if the agent was told already, or if the agent is outside tmux, where nothing can be typed.
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

// Saying records that the agent is told to try the call again.
func (d *Denials) Saying(call int) {
	d.Calls[call].Told = true
	d.Drawn++
}

// Rest records that the agent is idle. If a hook told the agent to try a call again and the agent did not, a
// supervisor may tell it so from now on. It reports whether d changed.
func (d *Denials) Rest() (changed bool) {
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Hinted && c.Grant.State == grant.Open {
			c.Told, c.Hinted, changed = false, false, true
			d.Drawn++
		}
	}
	return changed
}

// Before returns the verdict on a call that the agent is about to make: its grant is taken, or it was left
// denied for this turn. An empty verdict: d has no say.
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

// Decided returns the sums of the calls for which Before has a verdict.
func (d *Denials) Decided() (sums []string) {
	for _, c := range d.Calls {
		if d.Ended.IsZero() && (c.Grant.State == grant.Open || c.Left && !d.TurnOver) {
			sums = append(sums, c.Sum)
		}
	}
	return sums
}

// Verdicts is the fate of a call that an agent is about to make.
type Verdicts string

// The verdicts.
const (
	Lets  Verdicts = "lets"
	Stops Verdicts = "stops"
)

// Said records the answer of a call's hook: the call was let through or, if asks is not empty, the agent must
// ask about the call that asks identifies.
func (d *Denials) Said(call int, asks string) {
	if call < 0 || call >= len(d.Calls) {
		return
	}
	c := &d.Calls[call]
	if asks != "" && c.Grant.Ask() {
		c.Asks = asks
		d.Drawn++
	} else if c.Grant.Say() {
		d.Drawn++
	}
}

// RefuseAnswer returns the verdict that no answer in words allows a call.
func (d *Denials) RefuseAnswer() Verdict {
	return Verdict{Kind: Rejected, Reason: deliver.NeedsConfirmation, Detail: reason.Why{Kind: reason.DenialTakesTap, Nudge: d.ID}}
}
