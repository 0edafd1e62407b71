package nudge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// InstructionState is the state of a queued instruction.
type InstructionState string

// The states of an instruction. In Sent and TimeoutWaiting it is in flight: the agent has it, or may have it.
// The states after these are ends.
const (
	Queued         InstructionState = "queued"
	Sent           InstructionState = "sent"
	TimeoutWaiting InstructionState = "timeout_waiting" // still at work after its timeout
	Completed      InstructionState = "completed"       // the agent is idle again
	Cancelled      InstructionState = "cancelled"       // never sent, or no longer waited for
	Interrupted    InstructionState = "interrupted"     // sent, with an unknown outcome
)

// InFlight reports whether the agent has the instruction, or may have it.
func (s InstructionState) InFlight() bool { return s == Sent || s == TimeoutWaiting }

// Over reports whether s is an end.
func (s InstructionState) Over() bool { return s != Queued && !s.InFlight() }

const (
	// MaxQueued is how many instructions may wait for one pane.
	MaxQueued = 50
	// InstructionTimeout is the default for how long an agent may work on an instruction before people are
	// told.
	InstructionTimeout = 10 * time.Minute
	// InstructionKept is how long an instruction is stored after its end.
	InstructionKept = 30 * 24 * time.Hour

	maxInstruction = 16 << 10
	// quietTurn is how long an agent must be idle after an instruction was submitted, without having been
	// seen at work, until the instruction counts as completed: a command such as /clear begins no turn.
	quietTurn = 10 * time.Second
)

// Instruction is a text that waits until the agent of one pane is idle, as it is stored. Times are UTC.
type Instruction struct {
	ID     string
	Number int // the order within its pane
	// Source identifies the refused words that the instruction was made of, so that a button queues them only
	// once; empty: none.
	Source string `json:",omitempty"`

	Addressee

	// Text or Because is set: what the author wants done, or the reason of a denial, which no agent may read
	// as a command.
	Text    deliver.Instruction
	Because deliver.Words `json:",omitzero"`
	// Granted is the denied call for which Text opens the agent's list; nil: Text is what its author wants
	// done.
	Granted *Granted `json:",omitempty"`

	By        Person
	Way       Way
	Place     Place // where it was given; empty: on the command line
	Submitted time.Time
	Timeout   time.Duration // 0: none
	// AfterLimit: the author chose that it continues by itself when a usage limit has ended.
	AfterLimit bool `json:",omitempty"`

	Course
	Untold []Place // the places that still need news of its state
	// Buttons are the messages with buttons about the instruction. The buttons are removed when it is over.
	Buttons []InstructionButtons `json:",omitempty"`
}

// Course is the progress of an instruction.
type Course struct {
	State InstructionState
	Sent  time.Time // just before the first key
	Typed time.Time // when the text was seen to be submitted; zero: not yet
	Ended time.Time
	Idle  time.Time // Completed: when the agent became idle; it identifies the turn
	Words string    // Completed: the agent's last words; empty if nothing reported them
	// Detail is why the instruction ended, if its state does not say it.
	Detail reason.Why `json:",omitzero"`
	Next   string     // the next instruction when this one ended
	Behind int        // how many were waiting then
	Also   []string   // the texts of the instructions that were dropped with it
}

// InstructionButtons is a message with buttons about an instruction: about it alone, or a list of the
// instructions that wait for its agent.
type InstructionButtons struct {
	Ref
	List bool `json:",omitempty"`
}

// Live reports whether something may still have to be done or said about i.
func (i *Instruction) Live() bool { return !i.State.Over() || len(i.Untold) > 0 || len(i.Buttons) > 0 }

// Placed is the result of queueing words.
type Placed struct {
	Instruction
	Position int            // among those that wait for the pane, from 1
	Held     reason.Why     // why the first of them is not sent now; zero: it is sent
	Reason   deliver.Reason // why the words were not queued; empty: they were
	Refusal  reason.Why     // Reason in full
	Repeated bool           // this update was handled before: say nothing
	Wish     *Wish          // the wish that the words are, or were; nil: they are a human's own
	Denials  *Denials       // the denied calls that the words are about; nil: none
}

// RefuseQueued returns why a text can't be queued for the agent in a look, with so many instructions waiting
// already; empty: it can.
func RefuseQueued(text string, s detect.Sighting, waiting int) (deliver.Reason, reason.Why) {
	switch {
	case strings.TrimSpace(text) == "":
		return deliver.NoKey, reason.Why{Kind: reason.NoText}
	case len(text) > maxInstruction:
		return deliver.NoKey, reason.Why{Kind: reason.TextTooLong, What: tooLong(text)}
	case s.State == screen.Shell:
		return deliver.Shell, reason.Why{Kind: reason.BackAtShell, Agent: s.Agent, Where: s.Where}
	case waiting >= MaxQueued:
		return deliver.Working, reason.Why{Kind: reason.QueueFull, What: strconv.Itoa(waiting), Where: s.Where}
	}
	return "", reason.Why{}
}

// tooLong returns the length of a text and the maximum for an instruction, in KB, for people.
func tooLong(text string) string {
	return fmt.Sprintf("%d KB of at most %d", len(text)>>10, maxInstruction>>10)
}

// QueueInstruction makes the instruction of an answer's text, or of the reason of its denial, for the agent
// in a look.
func QueueInstruction(id string, number int, s detect.Sighting, a Answer, timeout time.Duration, now time.Time) *Instruction {
	return &Instruction{
		ID: id, Number: number, Addressee: addresseeOf(s),
		Text: deliver.Instruction(a.Text), Because: a.Because, By: a.By, Way: a.Way, Place: a.Place, Submitted: now, Timeout: timeout, AfterLimit: a.AfterLimit, Course: Course{State: Queued},
	}
}

// Request returns the request to type i.
func (i *Instruction) Request() deliver.Request {
	return deliver.Request{Nudge: i.ID, Pane: i.Pane, Where: i.Where, Process: i.Process, Agent: i.Agent, Instruction: i.Text, Because: i.Because, Granted: i.Granted.command()}
}

// Line returns the text as it will be in the agent's input box.
func (i *Instruction) Line() string {
	if !i.Because.IsZero() {
		return deliver.Denied(i.Because)
	}
	return string(i.Text)
}

// Begin is the last step before the first key. After it the instruction counts as sent, whatever happens.
func (i *Instruction) Begin(now time.Time) error {
	if i.State != Queued {
		return fmt.Errorf("instruction %s is %s", i.ID, i.State)
	}
	i.State, i.Sent = Sent, now
	return nil
}

// Finish records the result of the typing and reports whether i was being typed. If nothing was typed, i
// waits in the queue again.
func (i *Instruction) Finish(r deliver.Result, rules Rules, now time.Time) bool {
	switch {
	case i.State != Sent || !i.Typed.IsZero():
		return false
	case i.Granted != nil && len(r.Keys) > 0: // it is complete: it begins no turn
		i.end(Completed, r.Detail, now)
	case r.Outcome == deliver.Delivered:
		i.Typed = now
	case r.Outcome == deliver.Refused:
		i.State, i.Sent = Queued, time.Time{}
	default:
		i.end(Interrupted, r.Detail, now)
		i.Untold = rules.Supervisors
	}
	return true
}

// Cancel takes i out of the queue or, if it was sent, stops waiting for it. The error is a sentence for the
// human: i is over already.
func (i *Instruction) Cancel(by Person, now time.Time) error {
	if i.State.Over() {
		return fmt.Errorf("instruction #%s is %s already", i.ID, i.State)
	}
	kind := reason.CancelledBefore
	if i.State.InFlight() {
		kind = reason.CancelledAfter
	}
	i.end(Cancelled, reason.Why{Kind: kind, By: by.Name}, now)
	return nil
}

// Interrupt ends an instruction that an earlier nod process sent.
func (i *Instruction) Interrupt(r Rules, now time.Time) {
	i.end(Interrupted, reason.Why{Kind: reason.StoppedMeanwhile}, now)
	i.Untold = r.Places()
}

// Late records, once, that the agent is still at work after the timeout. It reports whether that is the case
// now.
func (i *Instruction) Late(r Rules, now time.Time) bool {
	if i.State != Sent || i.Timeout <= 0 || now.Before(i.due()) {
		return false
	}
	i.State, i.Untold = TimeoutWaiting, i.audience(r)
	return true
}

func (i *Instruction) due() time.Time { return i.Sent.Add(i.Timeout) }

// Notices returns the messages about i that the places still need. They make no sound, because nothing waits
// for a human.
func (i *Instruction) Notices(r Rules) (list []Notice) {
	for _, place := range i.Untold {
		if r.Reaches(place) {
			list = append(list, Notice{Kind: InstructionNews, Place: place, Of: i, Silent: true})
		}
	}
	for _, b := range i.Buttons {
		if newest := i.newest(b); i.State.Over() || !newest || !r.Reaches(b.Place) {
			list = append(list, Notice{Kind: Close, Place: b.Place, Of: i, Copy: Copy{Ref: b.Ref}, Newest: b.List && newest && r.Reaches(b.Place)})
		}
	}
	return list
}

// newest reports whether b is no list, or the newest list in its place. Older lists lose their buttons.
func (i *Instruction) newest(b InstructionButtons) bool {
	return !b.List || !slices.ContainsFunc(i.Buttons, func(o InstructionButtons) bool {
		return o.List && o.Place == b.Place && o.Message > b.Message
	})
}

// ShowButtons records that a message has buttons about i, and whether it is a list.
func (i *Instruction) ShowButtons(b InstructionButtons) {
	i.HideButtons(b.Ref)
	i.Buttons = append(i.Buttons, b)
}

// HideButtons records that a message no longer has buttons about i.
func (i *Instruction) HideButtons(r Ref) {
	i.Buttons = slices.DeleteFunc(slices.Clone(i.Buttons), func(b InstructionButtons) bool { return b.same(r) })
}

// Told records that a place was told the state of i. If the state has changed since, the place is told again.
func (i *Instruction) Told(place Place, was InstructionState) {
	if i.State != was {
		return
	}
	var rest []Place
	for _, p := range i.Untold {
		if p != place {
			rest = append(rest, p)
		}
	}
	i.Untold = rest
}

// Shift moves the times that i waits for by a step of the clock.
func (i *Instruction) Shift(by time.Duration) {
	for _, t := range []*time.Time{&i.Sent, &i.Typed} {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
}

func (i *Instruction) end(as InstructionState, detail reason.Why, now time.Time) {
	i.State, i.Detail, i.Ended, i.Untold = as, detail, now, nil
}

// audience returns the places that are told the normal course of an instruction: everybody if idle agents are
// reported, otherwise only the place where it was given.
func (i *Instruction) audience(r Rules) []Place {
	switch {
	case r.Idle:
		return r.Places()
	case i.Place != "":
		return []Place{i.Place}
	}
	return nil
}

// TellEnd makes the end of i be told.
func (i *Instruction) TellEnd(r Rules) { i.Untold = i.audience(r) }

// completedBy reports whether a look shows that the agent is done with i.
func (i *Instruction) completedBy(s detect.Sighting, now time.Time) bool {
	if i.Typed.IsZero() || s.State != screen.Idle || !s.At.After(i.Typed) {
		return false
	}
	// It was sent to an idle agent, so an agent that is idle since a later time has worked in between.
	return s.Since.After(i.Sent) || now.Sub(i.Typed) >= quietTurn
}

// Event fills in the fields that all events about i have.
func (i *Instruction) Event(kind string, e Event) Event {
	e.Kind = kind
	e.Involved = Involved{Instruction: i.ID, Pane: i.Pane.ID, Server: i.Pane.Server.Socket, Agent: i.Agent}
	return e
}

// EndedEvent returns the event of i's end.
func (i *Instruction) EndedEvent() Event {
	e := Event{State: string(i.State)}
	if !i.Sent.IsZero() {
		e.After = i.Ended.Sub(i.Sent).Round(time.Second).String()
	}
	return i.Event(InstructionEnded, e)
}
