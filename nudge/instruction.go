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

// InstructionState is where a queued instruction stands.
type InstructionState string

// The states of an instruction. Sent and TimeoutWaiting are in flight: the agent has it, or may have. Those that follow
// are ends.
const (
	Queued         InstructionState = "queued"
	Sent           InstructionState = "sent"
	TimeoutWaiting InstructionState = "timeout_waiting" // still at work after its timeout
	Completed      InstructionState = "completed"       // the agent is idle again
	Cancelled      InstructionState = "cancelled"       // never sent, or not waited for any more
	Interrupted    InstructionState = "interrupted"     // it was sent, and what became of it is not known
)

// InFlight reports whether the agent has the instruction, or may have.
func (s InstructionState) InFlight() bool { return s == Sent || s == TimeoutWaiting }

// Over reports whether s is an end.
func (s InstructionState) Over() bool { return s != Queued && !s.InFlight() }

const (
	// MaxQueued is how many instructions may wait for one pane.
	MaxQueued = 50
	// InstructionTimeout is how long an agent may work at an instruction before somebody is told, where nothing else is said.
	InstructionTimeout = 10 * time.Minute
	// InstructionKept is how long an instruction that is over can be asked for.
	InstructionKept = 30 * 24 * time.Hour

	maxInstruction = 16 << 10
	// quietTurn is for how long an agent must be idle after an instruction was submitted, without having been seen at
	// work, until it counts as done: a command such as /clear begins no turn.
	quietTurn = 10 * time.Second
)

// Instruction is text for the agent of one pane that waits until it is idle, as it is stored. Times are UTC.
type Instruction struct {
	ID     string
	Number int // the order within its pane
	// Source names the refused words that it was made of, so that a button queues them once; empty: none.
	Source string `json:",omitempty"`

	Addressee

	// One of these: what its author wants done, or why something was denied, which no agent may read as a command.
	Text    deliver.Instruction
	Because deliver.Words `json:",omitzero"`
	// Granted is the denied call that Text opens the agent's list for; nil: Text is what its author wants done.
	Granted *Granted `json:",omitempty"`

	By        Person
	Way       Way
	Place     Place // where it was given; empty: at the command line
	Submitted time.Time
	Timeout   time.Duration // 0: none
	// AfterLimit says that its author had it go on by itself when a usage limit has ended.
	AfterLimit bool `json:",omitempty"`

	Course
	Untold []Place // who still has to be told how it stands
	// Buttons are the messages with buttons about it, which go when it is over.
	Buttons []InstructionButtons `json:",omitempty"`
}

// Course is how an instruction goes.
type Course struct {
	State InstructionState
	Sent  time.Time // just before the first key
	Typed time.Time // when the text was seen to be submitted; zero: not yet
	Ended time.Time
	Idle  time.Time // Completed: when the agent became idle, which names its turn
	Words string    // Completed: the agent's last words; empty where nothing told them
	// Detail is why it ended as it did, where its state does not say it.
	Detail reason.Why `json:",omitzero"`
	Next   string     // what was behind it when it ended
	Behind int        // how many was behind it then
	Also   []string   // the texts of those that were dropped with it
}

// InstructionButtons is a message with buttons about an instruction: about it alone, or a list of what waits for its agent.
type InstructionButtons struct {
	Ref
	List bool `json:",omitempty"`
}

// Live reports whether something may still have to be done or said about i.
func (i *Instruction) Live() bool { return !i.State.Over() || len(i.Untold) > 0 || len(i.Buttons) > 0 }

// Placed is what became of words that somebody wants to queue.
type Placed struct {
	Instruction
	Position int            // from 1, among those that wait for the pane
	Held     reason.Why     // why the first of them is not sent now; zero: it is
	Reason   deliver.Reason // why they were not queued; empty: they were
	Refusal  reason.Why     // the same in full
	Repeated bool           // they were handled before: nothing is to be said
	Wish     *Wish          // the wish that they are, or were; nil: a human's own words
	Denials  *Denials       // the denied calls that they are about; nil: none
}

// RefuseQueued says why a text can't be queued behind so many others for the agent that a look shows, if it can't.
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

// tooLong says how long a text is, and how long an instruction may be.
func tooLong(text string) string {
	return fmt.Sprintf("%d KB of at most %d", len(text)>>10, maxInstruction>>10)
}

// QueueInstruction makes the instruction of an answer's text, or of the reason of its denial, for the agent that a look shows.
func QueueInstruction(id string, number int, s detect.Sighting, a Answer, timeout time.Duration, now time.Time) *Instruction {
	return &Instruction{
		ID: id, Number: number, Addressee: addresseeOf(s),
		Text: deliver.Instruction(a.Text), Because: a.Because, By: a.By, Way: a.Way, Place: a.Place, Submitted: now, Timeout: timeout, AfterLimit: a.AfterLimit, Course: Course{State: Queued},
	}
}

// Request is what is to be typed.
func (i *Instruction) Request() deliver.Request {
	return deliver.Request{Nudge: i.ID, Pane: i.Pane, Process: i.Process, Agent: i.Agent, Instruction: i.Text, Because: i.Because, Granted: i.Granted.command()}
}

// Line is what the agent is given, as it is in its input box.
func (i *Instruction) Line() string {
	if !i.Because.IsZero() {
		return deliver.Denied(i.Because)
	}
	return string(i.Text)
}

// Begin is the last step before the first key: from here on the instruction counts as sent, whatever happens.
func (i *Instruction) Begin(now time.Time) error {
	if i.State != Queued {
		return fmt.Errorf("instruction %s is %s", i.ID, i.State)
	}
	i.State, i.Sent = Sent, now
	return nil
}

// Finish takes down what became of the typing, and reports whether i waited for that. Where nothing was typed it
// waits in the queue again.
func (i *Instruction) Finish(r deliver.Result, rules Rules, now time.Time) bool {
	switch {
	case i.State != Sent || !i.Typed.IsZero():
		return false
	case i.Granted != nil && len(r.Keys) > 0: // it is done, and begins no turn
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

// Cancel takes i out of the queue, or, when it was sent, ends the waiting for it. The error is a sentence for the
// human where it is over.
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

// Interrupt ends an instruction that an earlier process sent.
func (i *Instruction) Interrupt(r Rules, now time.Time) {
	i.end(Interrupted, reason.Why{Kind: reason.StoppedMeanwhile}, now)
	i.Untold = r.Places()
}

// Late takes note that the agent is still at work after the timeout, once.
func (i *Instruction) Late(r Rules, now time.Time) bool {
	if i.State != Sent || i.Timeout <= 0 || now.Before(i.due()) {
		return false
	}
	i.State, i.Untold = TimeoutWaiting, i.audience(r)
	return true
}

func (i *Instruction) due() time.Time { return i.Sent.Add(i.Timeout) }

// Notices are what the places should hear of i and did not yet. They come without a sound: nothing waits for a human.
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

// newest reports whether b is no list or the newest one in its place: only that keeps its buttons.
func (i *Instruction) newest(b InstructionButtons) bool {
	return !b.List || !slices.ContainsFunc(i.Buttons, func(o InstructionButtons) bool {
		return o.List && o.Place == b.Place && o.Message > b.Message
	})
}

// ShowButtons takes down that a message has buttons about i, and what it is.
func (i *Instruction) ShowButtons(b InstructionButtons) {
	i.HideButtons(b.Ref)
	i.Buttons = append(i.Buttons, b)
}

// HideButtons takes down that a message has no buttons about i any more.
func (i *Instruction) HideButtons(r Ref) {
	i.Buttons = slices.DeleteFunc(slices.Clone(i.Buttons), func(b InstructionButtons) bool { return b.same(r) })
}

// Told takes note that a place was told how i stood; what became of it since is told again.
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

// Shift moves what i waits for by as much as the clock was set.
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

// audience is who hears of the ordinary course of an instruction: where idle agents are not told of, only who gave it.
func (i *Instruction) audience(r Rules) []Place {
	switch {
	case r.Idle:
		return r.Places()
	case i.Place != "":
		return []Place{i.Place}
	}
	return nil
}

// TellEnd has it told how i ended.
func (i *Instruction) TellEnd(r Rules) { i.Untold = i.audience(r) }

// completedBy reports whether a look shows that the agent is done with i.
func (i *Instruction) completedBy(s detect.Sighting, now time.Time) bool {
	if i.Typed.IsZero() || s.State != screen.Idle || !s.At.After(i.Typed) {
		return false
	}
	// It was sent to an idle agent, so one that is idle since a later time has worked in between.
	return s.Since.After(i.Sent) || now.Sub(i.Typed) >= quietTurn
}

// Event fills in what every event about i says.
func (i *Instruction) Event(kind string, e Event) Event {
	e.Kind = kind
	e.Involved = Involved{Instruction: i.ID, Pane: i.Pane.ID, Server: i.Pane.Server.Socket, Agent: i.Agent}
	return e
}

// EndedEvent is the event of i's end.
func (i *Instruction) EndedEvent() Event {
	e := Event{State: string(i.State)}
	if !i.Sent.IsZero() {
		e.After = i.Ended.Sub(i.Sent).Round(time.Second).String()
	}
	return i.Event(InstructionEnded, e)
}
