package nudge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// queueOf names the instructions of a pane and their states.
func queueOf(list Instructions) string {
	var all []string
	for _, i := range list {
		all = append(all, fmt.Sprintf("%s %s", i.ID, i.State))
	}
	return strings.Join(all, ", ")
}

// threeWait is a queue in which one is over, one is in flight and three wait.
func threeWait(inFlight InstructionState) Instructions {
	list := Instructions{queued("x", Completed, nil), queued("o", inFlight, nil)}
	for n, id := range []string{"a", "b", "c"} {
		list = append(list, queued(id, Queued, func(i *Instruction) { i.Number = n + 3 }))
	}
	return list
}

// TestTheOrderOfAQueue: those that wait have a position from 1, and each may be moved before the one that is sent
// before it.
func TestTheOrderOfAQueue(t *testing.T) {
	list := threeWait(Sent)
	for id, want := range map[string]int{"x": 0, "o": 0, "a": 1, "b": 2, "c": 3, "other": 0} {
		if got := list.Position(id); got != want {
			t.Errorf("%s has position %d", id, got)
		}
	}
	if i := list.InFlight(); i == nil || i.ID != "o" || threeWait(TimeoutWaiting).InFlight() == nil || threeWait(Interrupted).InFlight() != nil {
		t.Errorf("in flight: %v", i)
	}
	for _, id := range []string{"x", "o", "a", "other"} {
		if up, down, ok := list.MoveUp(id); ok || up != nil || down != nil {
			t.Errorf("%s moved up", id)
		}
	}
	up, down, ok := list.MoveUp("c")
	if !ok || up.ID != "c" || down.ID != "b" || up.Number != 4 || down.Number != 5 {
		t.Errorf("%t: %v before %v", ok, up, down)
	}
	up, down, ok = list.MoveUp("b")
	if !ok || up.ID != "b" || down.ID != "a" || up.Number != 3 || down.Number != 5 {
		t.Errorf("%t: %v before %v", ok, up, down)
	}
}

// TestWhatALookDoesToAQueue: it completes, loses or drops instructions, and one message reports all that were
// dropped.
func TestWhatALookDoesToAQueue(t *testing.T) {
	working, gone, shell, other := idleAt(5, 3), idleAt(5, 3), idleAt(5, 3), idleAt(5, 3)
	working.State, gone.State, shell.State = screen.Working, screen.Gone, screen.Shell
	other.Process.PID++
	session := func(s detect.Sighting, name string) detect.Sighting { s.Session = name; return s }
	in := func(name string) func(Instructions) {
		return func(list Instructions) {
			for _, i := range list {
				i.Session = name
			}
		}
	}
	late := func(list Instructions) { list[1].Timeout = time.Second }
	for name, c := range map[string]struct {
		inFlight InstructionState
		change   func(Instructions)
		s        detect.Sighting
		want     string
		changed  string
		busy     bool
		news     string // who is told of what
	}{
		"working": {Sent, nil, working, "x completed, o sent, a queued, b queued, c queued", "", true, ""},
		"late":    {Sent, late, working, "x completed, o timeout_waiting, a queued, b queued, c queued", "o timeout_waiting", true, "o"},
		"done":    {Sent, nil, idleAt(5, 3), "x completed, o completed, a queued, b queued, c queued", "o completed", true, "done o, next “do a” of 3"},
		"done, in another session": {Sent, in("s"), session(idleAt(5, 3), "t"), "x completed, o completed, a queued, b queued, c queued",
			"o completed, a queued, b queued, c queued", true, "done o, next “do a” of 3"},
		"done, in an unknown session":     {Sent, in("s"), idleAt(5, 3), "x completed, o completed, a queued, b queued, c queued", "o completed", true, "done o, next “do a” of 3"},
		"done, in the same session":       {Sent, in("s"), session(idleAt(5, 3), "s"), "x completed, o completed, a queued, b queued, c queued", "o completed", true, "done o, next “do a” of 3"},
		"working, in another session":     {Sent, in("s"), session(working, "t"), "x completed, o sent, a queued, b queued, c queued", "", true, ""},
		"working, its session is known":   {Sent, nil, session(working, "t"), "x completed, o sent, a queued, b queued, c queued", "a queued, b queued, c queued", true, ""},
		"working, its session is unknown": {Sent, in("s"), working, "x completed, o sent, a queued, b queued, c queued", "", true, ""},
		"in another session":              {Completed, in("s"), session(idleAt(5, 3), "t"), "x completed, o completed, a cancelled, b cancelled, c cancelled", "a cancelled, b cancelled, c cancelled", false, "a also do b, do c"},
		"gone":                            {Sent, nil, gone, "x completed, o interrupted, a cancelled, b cancelled, c cancelled", "o interrupted, a cancelled, b cancelled, c cancelled", false, "o, a also do b, do c"},
		"a shell, none in flight":         {Completed, nil, shell, "x completed, o completed, a cancelled, b cancelled, c cancelled", "a cancelled, b cancelled, c cancelled", false, "a also do b, do c"},
		"another agent":                   {TimeoutWaiting, nil, other, "x completed, o interrupted, a cancelled, b cancelled, c cancelled", "o interrupted, a cancelled, b cancelled, c cancelled", false, "o, a also do b, do c"},
	} {
		list := threeWait(c.inFlight)
		if c.change != nil {
			c.change(list)
		}
		p := list.Observe(c.s, team, second(5))
		var news []string
		if d := p.Done; d != nil {
			news = append(news, fmt.Sprintf("done %s, next “%s” of %d", d.ID, d.Next, d.Behind))
		}
		for _, i := range list {
			also := ""
			if len(i.Also) > 0 {
				also = " also " + strings.Join(i.Also, ", ")
			}
			if len(i.Untold) > 0 {
				news = append(news, i.ID+also)
			}
			if i.State.Over() && i.Ended.IsZero() || i.State == Interrupted && (i.Detail.Kind != reason.LostInFlight || i.Detail.Because == nil) {
				t.Errorf("%s: %s ended %s: %+v", name, i.ID, i.Ended, i.Detail)
			}
		}
		if got := queueOf(list); got != c.want || queueOf(p.Changed) != c.changed || p.Busy != c.busy || strings.Join(news, ", ") != c.news {
			t.Errorf("%s: %s; changed: %s; busy: %t; news: %s", name, got, queueOf(p.Changed), p.Busy, strings.Join(news, ", "))
		}
	}
	if p := (Instructions{queued("o", Sent, nil)}).Observe(working, team, second(5)); !p.Busy {
		t.Error("an agent at work on the last of them is not busy")
	}
	if p := (Instructions{queued("o", Sent, nil)}).Observe(idleAt(5, 3), team, second(5)); p.Busy || p.Done == nil || p.Done.Next != "" || p.Done.Behind != 0 {
		t.Errorf("the last of them is done: %+v", p)
	}
}

// TestTheLastWordsAreOfThatTurn: if no look saw the agent at work, only the words that the event itself reported
// are of it; a later look may be the first to know them.
func TestTheLastWordsAreOfThatTurn(t *testing.T) {
	said := func(at, since int, words, said string) detect.Sighting {
		s := idleAt(at, since)
		s.Words, s.Said = words, said
		return s
	}
	for name, c := range map[string]struct {
		s    detect.Sighting
		want string
	}{
		"of a turn that was seen":   {said(15, 3, "done", "other"), "done"},
		"of one that was not":       {said(15, -3, "before", "done"), "done"},
		"since the very moment":     {said(15, 0, "before", "done"), "done"},
		"of none that was reported": {said(15, -3, "before", ""), ""},
	} {
		i := queued("o", Sent, nil)
		if (Instructions{i}).Observe(c.s, team, second(15)); i.Words != c.want || !i.Idle.Equal(c.s.Since) {
			t.Errorf("%s: %q, idle since %s", name, i.Words, i.Idle)
		}
	}

	working := said(20, 3, "done", "")
	working.State = screen.Working
	for name, c := range map[string]struct {
		change func(*Instruction)
		s      detect.Sighting
		want   bool
	}{
		"a later look":    {nil, said(20, 3, "done", ""), true},
		"no words":        {nil, said(20, 3, "", ""), false},
		"another turn":    {nil, said(20, 4, "done", ""), false},
		"at work":         {nil, working, false},
		"known already":   {func(i *Instruction) { i.Words = "all done" }, said(20, 3, "done", ""), false},
		"not completed":   {func(i *Instruction) { i.State = Interrupted }, said(20, 3, "done", ""), false},
		"a turn before":   {func(i *Instruction) { i.Idle = second(-3) }, said(20, -3, "before", ""), false},
		"as it was begun": {func(i *Instruction) { i.Idle = second(0) }, said(20, 0, "before", ""), false},
	} {
		i := queued("o", Completed, func(i *Instruction) { i.Idle = second(3) })
		if c.change != nil {
			c.change(i)
		}
		got := (Instructions{queued("x", Completed, nil), i}).TakeWords(c.s)
		if (got == i) != c.want || got != nil && i.Words != "done" {
			t.Errorf("%s: taken: %v, %q", name, got, i.Words)
		}
	}
}

// TestWhatHoldsAnInstructionUp: anything but an idle agent, the same in all that is known of it, with no question
// and nobody at its pane.
func TestWhatHoldsAnInstructionUp(t *testing.T) {
	idle := func(change func(*detect.Sighting)) *detect.Sighting {
		s := idleAt(5, 3)
		if change != nil {
			change(&s)
		}
		return &s
	}
	r := Rules{Presence: time.Minute, Supervisors: []Place{"42"}}
	here := func(at int) detect.Presence { return detect.Presence{Here: second(at)} }
	typing := func(state State) *Nudge { n := in(state); n.About = TurnEnded{}; return n }
	limit := reason.Why{Kind: reason.LimitUntil, What: "3pm (UTC)"}
	for name, c := range map[string]struct {
		change func(*Instruction)
		s      *detect.Sighting
		last   *Nudge
		p      detect.Presence
		want   reason.Kind
		code   deliver.Reason
	}{
		"nothing":                    {nil, idle(nil), nil, here(-60), "", ""},
		"a question on the screen":   {nil, idle(func(s *detect.Sighting) { s.State = screen.Question }), nil, here(-60), reason.QuestionFirst, deliver.AwaitingDecision},
		"a question that waits":      {nil, idle(nil), in(Pending), here(-60), reason.QuestionFirst, deliver.AwaitingDecision},
		"a question that stands":     {nil, idle(nil), in(Expired), here(-60), reason.QuestionFirst, deliver.AwaitingDecision},
		"a question, not seen yet":   {nil, nil, in(Pending), here(-60), reason.QuestionFirst, deliver.AwaitingDecision},
		"an answered question":       {nil, idle(nil), in(Delivered), here(-60), "", ""},
		"a notice":                   {nil, idle(nil), typing(Pending), here(-60), "", ""},
		"not seen yet":               {nil, nil, nil, here(-60), reason.PaneUnseenYet, deliver.Unreadable},
		"gone":                       {nil, idle(func(s *detect.Sighting) { s.State = screen.Gone }), nil, here(-60), reason.PaneLeft, deliver.Changed},
		"another agent":              {nil, idle(func(s *detect.Sighting) { s.Process.PID++ }), nil, here(-60), reason.OtherAgentThere, deliver.Changed},
		"an agent of another kind":   {nil, idle(func(s *detect.Sighting) { s.Agent = "codex" }), nil, here(-60), reason.OtherAgentThere, deliver.Changed},
		"another session":            {func(i *Instruction) { i.Session = "s" }, idle(func(s *detect.Sighting) { s.Session = "t" }), nil, here(-60), reason.OtherSession, deliver.Changed},
		"another project":            {nil, idle(func(s *detect.Sighting) { s.Project = "api" }), nil, here(-60), reason.OtherProject, deliver.Changed},
		"at work":                    {nil, idle(func(s *detect.Sighting) { s.State = screen.Working }), nil, here(-60), reason.AtWork, deliver.Working},
		"of no supervisor":           {func(i *Instruction) { i.By.ID = "x" }, idle(nil), nil, here(-60), reason.AuthorLeft, deliver.NotOwner},
		"of the owner":               {func(i *Instruction) { i.By.ID = "" }, idle(nil), nil, here(-60), "", ""},
		"stopped at an error":        {nil, idle(func(s *detect.Sighting) { s.Blocked, s.Since = limit, second(9) }), nil, here(-60), reason.StoppedShortOf, deliver.Working},
		"an answer is claimed":       {nil, idle(nil), typing(Claimed), here(-60), reason.BeingTyped, deliver.Working},
		"an answer is being typed":   {nil, idle(nil), typing(Typing), here(-60), reason.BeingTyped, deliver.Working},
		"somebody types":             {nil, idle(nil), nil, here(-59), reason.SomebodyThere, deliver.Working},
		"an unknown session":         {nil, idle(func(s *detect.Sighting) { s.Session = "t" }), nil, here(-60), "", ""},
		"a session that is not said": {func(i *Instruction) { i.Session = "s" }, idle(nil), nil, here(-60), "", ""},
	} {
		i := queued("a", Queued, c.change)
		got := Instructions{queued("x", Completed, nil), i}.Hold(c.s, c.last, c.p, r, second(0))
		if got.Detail.Kind != c.want || got.Reason != c.code {
			t.Errorf("%s: %q, %q; want %q", name, got.Reason, got.Detail.Kind, c.want)
		}
		if until := c.p.Here.Add(r.Presence); got.Detail.Kind == reason.SomebodyThere != got.Until.Equal(until) {
			t.Errorf("%s: until %s", name, got.Until)
		}
	}
	if got := (Instructions{queued("x", Completed, nil)}).Hold(nil, in(Pending), detect.Presence{}, r, noon); got.Reason != "" {
		t.Errorf("nothing waits, and is held: %+v", got)
	}
	if got := threeWait(Sent).Hold(idle(nil), nil, here(-60), r, noon); got.Detail.Kind != reason.AtWorkOn || got.Detail.Nudge != "o" {
		t.Errorf("one is in flight: %+v", got)
	}
	if got := (Instructions{queued("a", Queued, nil)}).Hold(idle(nil), nil, here(1), Rules{Supervisors: r.Supervisors}, noon); got.Reason != "" {
		t.Errorf("held by who is there, though nobody asked for that: %+v", got)
	}
}
