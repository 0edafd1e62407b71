package nudge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

var instructionStates = []InstructionState{Queued, Sent, TimeoutWaiting, Completed, Cancelled, Interrupted}

// queued is an instruction for the agent of look, given at noon by Ann in place 42; as is its state.
func queued(id string, as InstructionState, change func(*Instruction)) *Instruction {
	i := QueueInstruction(id, 1, look(), Answer{By: Person{ID: "42", Name: "Ann"}, Ref: Ref{Place: "42"}, Said: Said{Text: "do " + id}}, time.Hour, noon)
	i.State = as
	if as != Queued {
		i.Sent, i.Typed = noon, second(1)
	}
	if i.State.Over() {
		i.Ended = second(60)
	}
	if change != nil {
		change(i)
	}
	return i
}

// idleAt is a look at that agent, taken then, which has been idle since.
func idleAt(at, since int) detect.Sighting {
	s := look()
	s.State, s.At, s.Since = screen.Idle, second(at), second(since)
	return s
}

// TestWhatIsOverOfInstructions: an instruction waits, is in flight, or is over; it stays in view while something is
// left to do or to say.
func TestWhatIsOverOfInstructions(t *testing.T) {
	for n, state := range instructionStates {
		i := queued("a", state, nil)
		inFlight, over := n == 1 || n == 2, n > 2
		if state.InFlight() != inFlight || state.Over() != over || i.Live() == over {
			t.Errorf("%s: in flight %t, over %t, live %t", state, state.InFlight(), state.Over(), i.Live())
		}
		if i.Untold = []Place{"42"}; !i.Live() {
			t.Errorf("%s: nobody is told of it", state)
		}
		i.Untold, i.Buttons = nil, []InstructionButtons{{Ref: Ref{Place: "42", Message: 5}}}
		if !i.Live() {
			t.Errorf("%s: its buttons stay", state)
		}
	}
}

// TestWhatIsNotQueued: nothing, too much, what is for a shell, and more than fit.
func TestWhatIsNotQueued(t *testing.T) {
	shell := look()
	shell.State = screen.Shell
	long := strings.Repeat("x", maxInstruction)
	for name, c := range map[string]struct {
		text    string
		s       detect.Sighting
		waiting int
		want    deliver.Reason
		kind    reason.Kind
	}{
		"words":      {"go on", look(), 0, "", ""},
		"blank":      {" \n", look(), 0, deliver.NoKey, reason.NoText},
		"long":       {long, look(), 0, "", ""},
		"too long":   {long + "x", look(), 0, deliver.NoKey, reason.TextTooLong},
		"to a shell": {"go on", shell, 0, deliver.Shell, reason.BackAtShell},
		"the last":   {"go on", look(), MaxQueued - 1, "", ""},
		"too many":   {"go on", look(), MaxQueued, deliver.Working, reason.QueueFull},
	} {
		if code, why := RefuseQueued(c.text, c.s, c.waiting); code != c.want || why.Kind != c.kind {
			t.Errorf("%s: %q, %v", name, code, why)
		}
	}
}

// TestAnInstructionIsSentOnce: only what waits begins, and only what is being typed ends by what was typed.
func TestAnInstructionIsSentOnce(t *testing.T) {
	for _, state := range instructionStates {
		i := queued("a", state, nil)
		if err := i.Begin(second(9)); (err == nil) != (state == Queued) || err == nil && (i.State != Sent || !i.Sent.Equal(second(9))) {
			t.Errorf("%s begins: %v, sent %s", state, err, i.Sent)
		}
	}
	grantedOf := &Granted{ID: "m4g"}
	typing := func(i *Instruction) { i.Typed = time.Time{} }
	why := reason.Why{Kind: reason.StoppedMeanwhile}
	for name, c := range map[string]struct {
		state  InstructionState
		change func(*Instruction)
		r      deliver.Result
		want   InstructionState
		told   bool // somebody has to be told
	}{
		"submitted":              {Sent, typing, deliver.Result{Outcome: deliver.Delivered, Keys: []string{"Enter"}}, Sent, false},
		"refused":                {Sent, typing, deliver.Result{Outcome: deliver.Refused}, Queued, false},
		"nobody knows":           {Sent, typing, deliver.Result{Outcome: deliver.Unknown, Detail: why}, Interrupted, true},
		"it was submitted":       {Sent, nil, deliver.Result{Outcome: deliver.Refused}, Sent, false},
		"it was cancelled":       {Cancelled, typing, deliver.Result{Outcome: deliver.Delivered}, Cancelled, false},
		"a list, marked":         {Sent, func(i *Instruction) { typing(i); i.Granted = grantedOf }, deliver.Result{Outcome: deliver.Delivered, Keys: []string{"Enter"}}, Completed, false},
		"a list, perhaps marked": {Sent, func(i *Instruction) { typing(i); i.Granted = grantedOf }, deliver.Result{Outcome: deliver.Unknown, Keys: []string{"Enter"}}, Completed, false},
		"a list, refused":        {Sent, func(i *Instruction) { typing(i); i.Granted = grantedOf }, deliver.Result{Outcome: deliver.Refused}, Queued, false},
	} {
		i := queued("a", c.state, c.change)
		was := *i
		took := i.Finish(c.r, team, second(9))
		if i.State != c.want || (len(i.Untold) > 0) != c.told || took != (was.State == Sent && was.Typed.IsZero()) {
			t.Errorf("%s: %t, %s, untold %v", name, took, i.State, i.Untold)
		}
		if took && (i.State == Sent) == i.Typed.IsZero() || took && i.State == Queued && !i.Sent.IsZero() {
			t.Errorf("%s: sent %s, typed %s", name, i.Sent, i.Typed)
		}
	}
}

// TestWhatIsCancelled: what waits is never sent, of what was sent nod stops waiting, and what is over stays so.
func TestWhatIsCancelled(t *testing.T) {
	kinds := map[InstructionState]reason.Kind{Queued: reason.CancelledBefore, Sent: reason.CancelledAfter, TimeoutWaiting: reason.CancelledAfter}
	for _, state := range instructionStates {
		i := queued("a", state, func(i *Instruction) { i.Untold = []Place{"42"} })
		err := i.Cancel(Person{Name: "Ann"}, second(70))
		if kind, live := kinds[state]; (err == nil) != live || live && (i.State != Cancelled || i.Detail.Kind != kind || !i.Ended.Equal(second(70)) || i.Untold != nil) || !live && i.State != state {
			t.Errorf("%s: %v, then %s %v, untold %v", state, err, i.State, i.Detail, i.Untold)
		}
	}
	i := queued("a", Sent, nil)
	if i.Interrupt(team, second(70)); i.State != Interrupted || !slices.Equal(i.Untold, []Place{"42"}) {
		t.Errorf("interrupted: %s, untold %v", i.State, i.Untold)
	}
}

// TestAnInstructionIsLateOnce, from its timeout on.
func TestAnInstructionIsLateOnce(t *testing.T) {
	for name, c := range map[string]struct {
		state   InstructionState
		timeout time.Duration
		at      int
		want    bool
	}{
		"before": {Sent, time.Minute, 59, false},
		"then":   {Sent, time.Minute, 60, true},
		"never":  {Sent, 0, 60, false},
		"waits":  {Queued, time.Minute, 60, false},
		"over":   {Completed, time.Minute, 60, false},
	} {
		i := queued("a", c.state, func(i *Instruction) { i.Timeout = c.timeout })
		alarm := time.Time{}
		if c.state == Sent && c.timeout > 0 {
			alarm = second(60)
		}
		if got := (Instructions{i}).Alarm(); !got.Equal(alarm) {
			t.Errorf("%s: it is looked at again at %s", name, got)
		}
		if got := i.Late(team, second(c.at)); got != c.want || got && (i.State != TimeoutWaiting || !slices.Equal(i.Untold, []Place{"42"})) {
			t.Errorf("%s: late %t, %s, untold %v", name, got, i.State, i.Untold)
		}
		if i.Late(team, second(c.at)) || c.want && !(Instructions{i}).Alarm().IsZero() {
			t.Errorf("%s: late twice", name)
		}
	}
}

// TestWhoHearsOfAnInstruction: everybody if idle agents are told of, else the place where it was given, in places
// that may answer; its buttons go when it is over, and those of older lists at once.
func TestWhoHearsOfAnInstruction(t *testing.T) {
	two := Rules{Supervisors: []Place{"42", "43"}}
	everybody := two
	everybody.Idle = true
	for name, c := range map[string]struct {
		place Place
		r     Rules
		want  []Place
	}{
		"its place":        {"42", two, []Place{"42"}},
		"everybody":        {"42", everybody, []Place{"42", "43"}},
		"the command line": {"", two, nil},
	} {
		i := queued("a", Completed, func(i *Instruction) { i.Place = c.place })
		if i.TellEnd(c.r); !slices.Equal(i.Untold, c.want) {
			t.Errorf("%s: %v", name, i.Untold)
		}
	}

	at := func(place Place, message int, list bool) InstructionButtons {
		return InstructionButtons{Ref{Place: place, Message: message}, list}
	}
	for name, c := range map[string]struct {
		state   InstructionState
		untold  []Place
		buttons []InstructionButtons
		want    string
	}{
		"news":               {Completed, []Place{"42", "9"}, nil, "outcome 42 silent"},
		"waits":              {Queued, nil, []InstructionButtons{at("42", 5, false), at("42", 6, false)}, ""},
		"over":               {Completed, nil, []InstructionButtons{at("42", 5, false), at("42", 6, true)}, "close 42/5, close 42/6 newest"},
		"an older list":      {Queued, nil, []InstructionButtons{at("42", 5, true), at("42", 6, true), at("43", 7, true), at("42", 4, false), at("42", 8, false)}, "close 42/5"},
		"over, two lists":    {Cancelled, nil, []InstructionButtons{at("42", 6, true), at("42", 5, true)}, "close 42/6 newest, close 42/5"},
		"nobody answers":     {Queued, nil, []InstructionButtons{at("9", 5, false)}, "close 9/5"},
		"nobody may see it":  {Queued, nil, []InstructionButtons{at("9", 5, true)}, "close 9/5"},
		"news and a message": {Interrupted, []Place{"43"}, []InstructionButtons{at("42", 5, false)}, "outcome 43 silent, close 42/5"},
	} {
		i := queued("a", c.state, func(i *Instruction) { i.Untold, i.Buttons = c.untold, c.buttons })
		if got := needs(i.Notices(two)); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}

	i := queued("a", Queued, nil)
	i.ShowButtons(at("42", 5, false))
	i.ShowButtons(at("42", 6, false))
	i.ShowButtons(at("42", 5, true))
	shown := i.Buttons
	if i.HideButtons(Ref{Place: "42", Message: 6}); !slices.Equal(i.Buttons, []InstructionButtons{at("42", 5, true)}) || shown[0] != at("42", 6, false) {
		t.Errorf("buttons: %v of %v", i.Buttons, shown)
	}
}

// TestAPlaceHearsOfTheStateThatItWasTold: if the state has changed since, it is told again.
func TestAPlaceHearsOfTheStateThatItWasTold(t *testing.T) {
	i := queued("a", Completed, func(i *Instruction) { i.Untold = []Place{"42", "43"} })
	if i.Told("42", TimeoutWaiting); len(i.Untold) != 2 {
		t.Errorf("untold after old news: %v", i.Untold)
	}
	if i.Told("42", Completed); !slices.Equal(i.Untold, []Place{"43"}) {
		t.Errorf("untold: %v", i.Untold)
	}
}

// TestAStepOfTheClockMovesWhatAnInstructionWaitsFor: the times of its typing.
func TestAStepOfTheClockMovesWhatAnInstructionWaitsFor(t *testing.T) {
	i := queued("a", Sent, nil)
	if i.Shift(time.Minute); !i.Sent.Equal(second(60)) || !i.Typed.Equal(second(61)) {
		t.Errorf("sent %s, typed %s", i.Sent, i.Typed)
	}
	waits := queued("a", Queued, nil)
	if waits.Shift(time.Minute); !waits.Sent.IsZero() || !waits.Typed.IsZero() {
		t.Errorf("what waits was sent %s, typed %s", waits.Sent, waits.Typed)
	}
}

// TestWhenAnAgentIsDone: a look after the typing shows it idle, either since later than it was sent or, for a
// command that begins no turn, for a while.
func TestWhenAnAgentIsDone(t *testing.T) {
	working := idleAt(20, 5)
	working.State = screen.Working
	for name, c := range map[string]struct {
		change func(*Instruction)
		s      detect.Sighting
		now    int
		want   bool
	}{
		"idle since later":        {nil, idleAt(5, 3), 5, true},
		"idle since before":       {nil, idleAt(5, -3), 5, false},
		"idle since it was sent":  {nil, idleAt(5, 0), 5, false},
		"idle for a while":        {nil, idleAt(11, -3), 11, true},
		"idle for not so long":    {nil, idleAt(10, -3), 10, false},
		"working":                 {nil, working, 20, false},
		"a look before":           {nil, idleAt(1, 3), 20, false},
		"it is being typed still": {func(i *Instruction) { i.Typed = time.Time{} }, idleAt(5, 3), 5, false},
	} {
		if got := queued("a", Sent, c.change).completedBy(c.s, second(c.now)); got != c.want {
			t.Errorf("%s: done %t", name, got)
		}
	}
}

// TestAnInstructionsEndSaysHowLongItTook, if it was sent.
func TestAnInstructionsEndSaysHowLongItTook(t *testing.T) {
	for _, c := range []struct {
		i    *Instruction
		want string
	}{
		{queued("a", Completed, nil), "completed 1m0s"},
		{queued("a", Cancelled, func(i *Instruction) { i.Sent = time.Time{} }), "cancelled "},
	} {
		if e := c.i.EndedEvent(); fmt.Sprint(e.State, " ", e.After) != c.want || e.Kind != InstructionEnded || e.Instruction != "a" || e.Agent != "claude" {
			t.Errorf("%+v; want %s", e, c.want)
		}
	}
	denied := queued("a", Queued, func(i *Instruction) { i.Because = deliver.Say("not that") })
	if line := denied.Line(); line != deliver.Denied(deliver.Say("not that")) || queued("a", Queued, nil).Line() != "do a" {
		t.Errorf("the agent reads %q", line)
	}
}
