package nudge

import (
	"math/rand/v2"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/testrun"
	"nod/nudge/grant"
)

// token is what a supervisor allowed: one run of a call, within ten minutes of the tap.
type token struct {
	call grant.Call
	at   time.Time
	gone bool // taken, or cancelled by the person at the terminal
}

// TestNoCallRunsThatNoHumanAllowed plays 10,000 interleavings of denials, taps, calls, answers of hooks,
// Escape at the terminal, new turns, time and crashes. It compares each call that may run with the taps, of
// which the test keeps its own list.
func TestNoCallRunsThatNoHumanAllowed(t *testing.T) {
	proof := testrun.Prove(t, 10_000, 1)
	for _, round := range proof.Rounds() {
		p := &played{T: t, r: proof.Random(round), now: noonToday, asked: map[string]int{}}
		p.d = NewDenials("k3f", look(), p.now)
		for range 40 {
			p.step()
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
		proof.Passed(t, round)
	}
}

var noonToday = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func look() detect.Sighting {
	s := detect.Sighting{}
	s.Agent, s.Process, s.Pane.ID = "claude", proc.ID{PID: 7, Start: 70}, "%1"
	return s
}

type played struct {
	*testing.T
	r      *rand.Rand
	now    time.Time
	d      *Denials
	calls  []grant.Call // by row
	book   []token
	left   map[grant.Call]bool // in this turn
	handed []int
	asked  map[string]int // calls whose grants are for dialogs about them
}

// call returns one of few calls, so that some are equal and some differ in a single thing.
func (p *played) call() grant.Call {
	c := grant.Call{Session: "s", Folder: "/p", Mode: "auto", Tool: "Bash", Input: `{"command":"git push --force"}`}
	switch p.r.IntN(12) {
	case 0:
		c.Session = "t"
	case 1:
		c.Part = "a1"
	case 2:
		c.Folder = "/q"
	case 3:
		c.Mode = "default"
	case 4:
		c.Tool = "Write"
	case 5:
		c.Input = `{"command":"git push --force "}`
	case 6:
		c.Input = `{"command":"git push --force","timeout":5}`
	}
	return c
}

func (p *played) step() {
	d := p.d
	switch p.r.IntN(13) {
	case 0, 1, 2:
		call := p.call()
		if len(d.Calls) == maxDenials && d.same(call.Sum()) < 0 {
			return // it has a message of its own
		}
		n, _ := d.Deny(Blocked{Call: call, Text: call.Input}, p.now)
		if n == len(p.calls) {
			p.calls = append(p.calls, call)
		}
		if p.calls[n] != call {
			p.Errorf("row %d is of %v, and was made of %v", n, p.calls[n], call)
		}
	case 3, 4:
		p.tap()
	case 5:
		if len(p.calls) > 0 {
			n := p.r.IntN(len(p.calls))
			if code, _ := d.Leave(n, Person{Name: "Ann"}); code == "" {
				p.leave(p.calls[n])
			}
		}
	case 6, 7, 8:
		p.about(p.call())
	case 9:
		if len(p.handed) > 0 {
			n := p.handed[p.r.IntN(len(p.handed))]
			asks := ""
			if p.r.IntN(2) == 0 {
				asks = p.calls[n].Input
			}
			if taken := d.Calls[n].Grant.State == grant.Taken; taken && asks != "" {
				p.asked[asks]++
			}
			d.Said(n, asks)
		}
		if p.r.IntN(2) == 0 {
			p.dialog(p.call().Input)
		}
	case 10:
		p.now = p.now.Add(time.Duration(p.r.IntN(400)) * time.Second)
		d.Pass(p.now)
	case 11:
		if p.r.IntN(6) == 0 && d.Escape(p.now, p.now) {
			for i := range p.book {
				p.book[i].gone = true
			}
		}
	case 12:
		if p.r.IntN(4) == 0 {
			d.EndTurn(p.now)
			p.left = nil
		}
	}
}

func (p *played) leave(call grant.Call) {
	if p.left == nil {
		p.left = map[grant.Call]bool{}
	}
	if !p.d.TurnOver {
		p.left[call] = true
	}
}

// tap taps Allow under a row, sometimes with the text of another row or of none.
func (p *played) tap() {
	if len(p.calls) == 0 {
		return
	}
	n, shows := p.r.IntN(len(p.calls)), p.r.IntN(len(p.calls))
	if p.r.IntN(3) > 0 {
		shows = n
	}
	fingerprint := p.d.Fingerprint(shows)
	if p.r.IntN(8) == 0 {
		fingerprint = ""
	}
	if code, _ := p.d.Allow(n, fingerprint, Person{Name: "Ann"}, p.now); code == "" {
		if shows != n || fingerprint == "" {
			p.Errorf("a tap under %v allows %v", p.calls[shows], p.calls[n])
		}
		p.book = append(p.book, token{call: p.calls[n], at: p.now})
	}
}

// dialog is a dialog in which the agent asks about a call.
func (p *played) dialog(call string) {
	s := look()
	s.State = screen.Permission
	s.Prompt = &screen.Prompt{Content: screen.Content{
		Source: screen.FromEvent, Options: []screen.Option{{Scope: screen.Once}, {Scope: screen.No}},
	}, Exact: call}
	if _, ok := p.d.Answers(Open("k4f", Permission{s.Prompt}, s, nil, Rules{}, p.now), p.now); ok {
		if p.asked[call]--; p.asked[call] < 0 {
			p.Errorf("a dialog about %s is answered that nobody has allowed", call)
		}
	}
}

// about has the agent begin to make a call.
func (p *played) about(call grant.Call) {
	n, what := p.d.Before(call.Sum(), p.now)
	switch {
	case what == Lets:
		p.handed = append(p.handed, n)
		for i, b := range p.book {
			if b.call == call && !b.gone && p.now.Sub(b.at) < 10*time.Minute {
				p.book[i].gone = true
				return
			}
		}
		p.Errorf("%v runs, and nobody allowed it: %+v", call, p.book)
	case what == "" && p.left[call] && p.d.Ended.IsZero():
		p.Errorf("%v was left denied, and its guard is asked again in that turn", call)
	}
}

// TestAGrantIsTakenWhileItLasts: the first equal call within ten minutes takes it. If nod crashes before the
// hook is told, the grant stays taken.
func TestAGrantIsTakenWhileItLasts(t *testing.T) {
	call := grant.Call{Session: "s", Folder: "/p", Mode: "auto", Tool: "Bash", Input: `{"command":"make"}`}
	allowed := func() *Denials {
		d := NewDenials("k3f", look(), noonToday)
		d.Deny(Blocked{Call: call, Text: "make"}, noonToday)
		if code, why := d.Allow(0, d.Fingerprint(0), Person{Name: "Ann"}, noonToday); code != "" {
			t.Fatal(code, why)
		}
		return d
	}
	for late, want := range map[time.Duration]Verdicts{0: Lets, grant.Lasts - 1: Lets, grant.Lasts: "", time.Hour: ""} {
		d := allowed()
		if _, what := d.Before(call.Sum(), noonToday.Add(late)); what != want {
			t.Errorf("after %v: %q, want %q", late, what, want)
		}
		if _, what := d.Before(call.Sum(), noonToday.Add(late)); what != "" {
			t.Errorf("after %v a second call has it", late)
		}
	}
	d := allowed()
	d.Before(call.Sum(), noonToday)
	d.Pass(noonToday.Add(time.Minute))
	if d.Calls[0].Grant.State != grant.Unknown {
		t.Errorf("taken and not said: %s", d.Calls[0].Grant.State)
	}
	if _, what := d.Before(call.Sum(), noonToday); what != "" {
		t.Error("what nobody knows of is given again")
	}
}

// TestEscapeEndsTheCallsThatWereDeniedBeforeIt, but no row that was added to a message after it.
func TestEscapeEndsTheCallsThatWereDeniedBeforeIt(t *testing.T) {
	d := NewDenials("k3f", look(), noonToday)
	calls := []grant.Call{{Tool: "a"}, {Tool: "b"}, {Tool: "c"}}
	for i, call := range calls {
		d.Deny(Blocked{Call: call}, noonToday.Add(time.Duration(i)*time.Minute))
	}
	for _, i := range []int{0, 2} {
		if code, why := d.Allow(i, d.Fingerprint(i), Person{Name: "Ann"}, noonToday.Add(3*time.Minute)); code != "" {
			t.Fatal(code, why)
		}
	}
	d.Escape(noonToday.Add(90*time.Second), noonToday.Add(4*time.Minute))
	for i, want := range []Verdicts{"", "", Lets} {
		if d.Open(i) {
			t.Errorf("there are buttons for call %d", i)
		}
		if _, what := d.Before(calls[i].Sum(), noonToday.Add(4*time.Minute)); what != want {
			t.Errorf("call %d: %q", i, what)
		}
	}
	if d.Escape(noonToday.Add(90*time.Second), noonToday.Add(5*time.Minute)) {
		t.Error("the same once more changes something")
	}
}

// TestAHookThatLetsACallRunTakesTheGrant, whatever denied the call first: it runs once.
func TestAHookThatLetsACallRunTakesTheGrant(t *testing.T) {
	d, call := NewDenials("k3f", look(), noonToday), grant.Call{Tool: "a"}
	d.Deny(Blocked{Call: call}, noonToday)
	d.Deny(Blocked{Call: call, Settings: true}, noonToday)
	d.Allow(0, d.Fingerprint(0), Person{Name: "Ann"}, noonToday)
	if !d.EndHold(0, true, false, noonToday) {
		t.Error("it does not let it run")
	}
	if _, what := d.Before(call.Sum(), noonToday); what != "" || d.EndHold(0, true, false, noonToday) {
		t.Errorf("it runs twice: %q", what)
	}
}
