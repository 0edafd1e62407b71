package nudge

import (
	"reflect"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/words"
)

var states = []State{Pending, Claimed, Typing, Delivered, Unknown, Refused, Recovered, Expired, Gone}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sight(state screen.State, fingerprint string) detect.Sighting {
	s := detect.Sighting{Whereabouts: detect.Whereabouts{Process: proc.ID{PID: 7}}, State: state, At: noon.Add(2 * time.Hour), By: "poll"}
	if fingerprint != "" {
		s.Prompt = &screen.Prompt{Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"4"}}, Fingerprint: fingerprint}
	}
	return s
}

// in returns a nudge in that state, reached in the usual way.
func in(state State) *Nudge {
	n := Open("k3f", Permission{sight(screen.Permission, "fp").Prompt}, sight(screen.Permission, "fp"), nil, Rules{Expiry: 8 * time.Hour}, noon)
	n.State = state
	if state != Pending && state != Recovered && state != Gone && state != Expired {
		n.Claim = &Claim{Said: Said{Decision: screen.Approve}, By: Person{ID: "ann", Name: "Ann"}, At: noon}
	}
	if state.Over() {
		n.Ended = noon.Add(time.Hour)
	}
	n.Standing = state == Expired
	return n
}

// TestOnlyTheVeryWordsAreGivenAgain: a button under an older answer repeats nothing.
func TestOnlyTheVeryWordsAreGivenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		change func(n *Nudge)
		want   bool
	}{
		"refused in copy mode": {func(*Nudge) {}, true},
		"refused otherwise":    {func(n *Nudge) { n.Reason = deliver.Changed }, false},
		"a decision":           {func(n *Nudge) { n.Claim.Text = "" }, false},
		"a later answer":       {func(n *Nudge) { n.Claim.At = noon.Add(1) }, false},
		"no answer":            {func(n *Nudge) { n.Claim = nil }, false},
	} {
		n := in(Refused)
		n.Reason, n.Claim.Text = deliver.CopyMode, "go on"
		stamp := n.Claim.Stamp()
		if c.change(n); n.CanRepeat(stamp) != c.want {
			t.Errorf("%s: it can be repeated %t", name, !c.want)
		}
	}
}

// TestOnlyWhatRemindsIsSnoozed, and a snooze never makes it expire sooner.
func TestOnlyWhatRemindsIsSnoozed(t *testing.T) {
	for _, state := range states {
		for reminder := range 2 {
			n := in(state)
			n.Reminder = reminder
			before := *n
			err := n.Snooze(noon.Add(time.Hour), time.Minute, noon)
			if can := state == Pending && reminder > 0; (err == nil) != can || !can && !reflect.DeepEqual(*n, before) {
				t.Errorf("%s, reminder %d: %v", state, reminder, err)
			}
			if n.Expires.Before(before.Expires) {
				t.Errorf("%s: it expires at %s, not at %s", state, n.Expires, before.Expires)
			}
		}
	}
	n := in(Pending)
	n.Reminder = 1
	if err := n.Snooze(noon.Add(9*time.Hour), time.Hour, noon); err != nil || !n.Snoozed.Equal(noon.Add(9*time.Hour)) || !n.Expires.Equal(noon.Add(10*time.Hour)) {
		t.Errorf("until %s, expires %s, %v", n.Snoozed, n.Expires, err)
	}
	if err := (*Nudge)(nil).Snooze(noon, time.Hour, noon); err == nil {
		t.Error("nothing was snoozed")
	}
}

// TestAMachineThatReturnsAsksAgain, if anything still waits there.
func TestAMachineThatReturnsAsksAgain(t *testing.T) {
	for _, state := range states {
		n := in(state)
		n.Copies = []Copy{{Ref: Ref{Place: "ann", Message: 1}}}
		n.Leave(noon)
		away := !n.Away.IsZero()
		if again := n.Return(noon.Add(time.Hour)); again != away || (n.Again.Kind == reason.MachineBack) != (state == Pending) || !n.Away.IsZero() {
			t.Errorf("%s: away %t, changed %t, says %q", state, away, again, n.Again.Kind)
		}
	}
}

// TestEveryStateAndEvent tries all pairs. Each row says which states an event changes, and how. The event
// changes no other state, and opens a new nudge only in the named states.
func TestEveryStateAndEvent(t *testing.T) {
	now := noon.Add(2 * time.Hour)
	result := func(o deliver.Outcome, r deliver.Reason) func(*Nudge) bool {
		return func(n *Nudge) bool { n.Finish(deliver.Result{Outcome: o, Reason: r}, now); return false }
	}
	look := func(s detect.Sighting, misses int) func(*Nudge) bool {
		return func(n *Nudge) bool {
			return n.Observe(Look{Sighting: s, Misses: misses}, Rules{}, now).Open != nil
		}
	}
	over := []State{Delivered, Unknown, Refused, Recovered, Gone}
	unseen := sight(screen.Permission, "fp")
	unseen.Unseen = true
	otherProcess := sight(screen.Permission, "fp")
	otherProcess.Process.PID++
	events := []struct {
		name  string
		do    func(*Nudge) (opens bool)
		moves map[State]State
		opens []State
	}{
		{"the prompt stands", look(sight(screen.Permission, "fp"), 0), nil, over},
		{"half a prompt stands", look(sight(screen.Permission, ""), 0), nil, nil},
		{"one look without it", look(sight(screen.Working, ""), 1), nil, nil},
		{"one look that lacks what stood", look(unseen, 1), nil, nil},
		{"two looks without it", look(sight(screen.Working, ""), 2), map[State]State{Pending: Recovered}, nil},
		{"two looks at a shell", look(sight(screen.Shell, ""), 2), map[State]State{Pending: Recovered}, nil},
		{"another prompt stands", look(sight(screen.Permission, "other"), 0), map[State]State{Pending: Recovered}, append(over, Pending, Expired)},
		{"another process asks the same", look(otherProcess, 0), map[State]State{Pending: Recovered}, append(over, Pending, Expired)},
		{"the pane is gone", look(sight(screen.Gone, ""), 1), map[State]State{Pending: Gone}, nil},
		{"an answer", func(n *Nudge) bool { n.claim(Claim{Said: Said{Decision: screen.Deny}, At: now}); return false }, map[State]State{Pending: Claimed}, nil},
		{"the first key", func(n *Nudge) bool { _ = n.Begin(noon); return false }, map[State]State{Claimed: Typing}, nil},
		{"typed and seen", result(deliver.Delivered, ""), map[State]State{Claimed: Delivered, Typing: Delivered}, nil},
		{"typed, not seen", result(deliver.Unknown, ""), map[State]State{Claimed: Unknown, Typing: Unknown}, nil},
		{"refused for now", result(deliver.Refused, deliver.CopyMode), map[State]State{Claimed: Pending, Typing: Pending}, nil},
		{"refused for good", result(deliver.Refused, deliver.Changed), map[State]State{Claimed: Refused, Typing: Refused}, nil},
		{"asked again", func(n *Nudge) bool { n.askAgain(reason.Why{Said: "because"}); return false }, map[State]State{Claimed: Pending}, nil},
		{"expiry", func(n *Nudge) bool { n.end(Expired, now); return false }, map[State]State{Pending: Expired}, nil},
		{"a reminder", func(n *Nudge) bool { n.raise(now); return false }, nil, nil},
		{"the clock is set", func(n *Nudge) bool { n.Shift(time.Hour); return false }, nil, nil},
	}
	for _, e := range events {
		for _, state := range states {
			n := in(state)
			opens := e.do(n)
			want, moves := e.moves[state]
			if !moves {
				want = state
			}
			if n.State != want {
				t.Errorf("%s: %s becomes %s, want %s", e.name, state, n.State, want)
			}
			if wantOpens := contains(e.opens, state); opens != wantOpens {
				t.Errorf("%s: %s opens a new nudge: %t, want %t", e.name, state, opens, wantOpens)
			}
			if state.Over() && !n.Ended.Equal(noon.Add(time.Hour)) {
				t.Errorf("%s: %s ended again", e.name, state)
			}
			if n.State.Over() == n.Ended.IsZero() {
				t.Errorf("%s: %s is %s, ended %s", e.name, state, n.State, n.Ended)
			}
		}
	}
}

func contains(list []State, s State) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// TestEveryStateAndAnswer: a waiting nudge accepts an answer, and every other one says why not.
func TestEveryStateAndAnswer(t *testing.T) {
	want := map[State]deliver.Reason{
		Claimed: deliver.Answered, Typing: deliver.Answered, Delivered: deliver.Answered, Unknown: deliver.Answered,
		Refused: deliver.Answered, Recovered: deliver.Answered, Expired: deliver.Expired, Gone: deliver.Gone,
	}
	for _, state := range states {
		for _, d := range []screen.Decision{screen.Approve, screen.Deny} {
			v := in(state).admit(Answer{Said: Said{Decision: d}, Way: ByReply})
			if state == Pending && v.Kind == Taken {
				continue
			}
			if v.Kind != Rejected || v.Reason != want[state] || v.Detail.IsZero() {
				t.Errorf("%s of a %s nudge: %s, %s, %q", d, state, v.Kind, v.Reason, words.Why(v.Detail))
			}
		}
	}
}

// TestTasks: what the delivery does with a nudge in every state, claimed by its own or by another process.
func TestTasks(t *testing.T) {
	for _, c := range []struct {
		state       State
		unseen, own bool
		age         time.Duration
		want        Task // after the pane has been seen
	}{
		{Claimed, false, true, 0, Type},
		{Claimed, false, false, claimHolds - 1, Type},
		{Claimed, false, false, claimHolds, GiveBack},
		{Claimed, false, true, claimHolds, GiveBack},
		{Claimed, false, false, -tolerance - 1, GiveBack}, // the clock was set back, so the claim's age is unknown
		{Claimed, false, true, -time.Hour, GiveBack},
		{Claimed, true, true, 0, Type},
		{Claimed, true, false, 0, GiveBack},
		{Typing, false, true, 0, GiveUp},
		{Typing, false, false, 0, GiveUp},
		{Pending, false, true, 0, NoTask},
		{Delivered, false, false, 0, NoTask},
	} {
		n := in(c.state)
		if n.Claim != nil {
			n.Claim.Unseen = c.unseen
		}
		if got := n.Task(c.own, true, noon.Add(c.age)); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
		if c.want == Type && !c.own {
			c.want = Wait
		}
		if got := n.Task(c.own, false, noon.Add(c.age)); got != c.want {
			t.Errorf("%+v, its pane not seen: got %d", c, got)
		}
	}
}

func TestSteppedClock(t *testing.T) {
	at := func(wall, up time.Duration) Clocks { return Clocks{noon.Add(wall), up} }
	for _, c := range []struct {
		before, now Clocks
		want        time.Duration
	}{
		{Clocks{}, at(0, time.Hour), 0},
		{at(0, 0), at(time.Minute, time.Minute), 0},
		{at(0, 0), at(8*time.Hour, 8*time.Hour), 0},
		{at(0, 0), at(time.Minute+time.Second, time.Minute), 0},
		{at(0, 0), at(time.Hour+time.Minute, time.Minute), time.Hour},
		{at(0, 0), at(time.Minute-time.Hour, time.Minute), -time.Hour},
		{at(0, time.Hour), at(0, time.Hour+3*time.Second), -3 * time.Second},
	} {
		if got := Stepped(c.before, c.now); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.before, c.now, got, c.want)
		}
	}
}

func TestHold(t *testing.T) {
	r := Rules{Presence: time.Minute, Grace: 20 * time.Second}
	off := Rules{Grace: 20 * time.Second}
	for _, c := range []struct {
		name       string
		here, near time.Duration // when the last key was pressed, after the message's time; -1h: never
		now        time.Duration
		reminder   int
		rules      Rules
		held       bool
	}{
		{"nobody", -time.Hour, -time.Hour, 0, 1, r, false},
		{"here, now", 0, 0, 0, 1, r, true},
		{"here, a reminder", 0, 0, 0, 3, r, true},
		{"here, 60 s ago", -time.Minute, -time.Hour, 0, 1, r, false},
		{"here, just under 60 s ago", -time.Minute + 1, -time.Hour, 0, 1, r, true},
		{"here, for five minutes", 299 * time.Second, 299 * time.Second, 300*time.Second - 1, 1, r, true},
		{"here, for longer", 299 * time.Second, 299 * time.Second, 300 * time.Second, 1, r, false},
		{"here, turned off", 0, 0, 0, 1, off, false},
		{"near", -time.Hour, 0, 20*time.Second - 1, 1, r, true},
		{"near, after the grace", -time.Hour, 0, 20 * time.Second, 1, r, false},
		{"near, a reminder", -time.Hour, 0, 0, 2, r, false},
		{"near, long ago", -time.Hour, -time.Minute, 0, 1, r, false},
		{"here, by a clock that was set back since", 3 * time.Hour, -time.Hour, 0, 1, r, false},
		{"near, by such a clock", -time.Hour, 3 * time.Hour, 0, 1, r, false},
	} {
		n := &Nudge{Telling: Telling{Reminder: c.reminder, Raised: noon}}
		until, why := n.Hold(detect.Presence{Here: noon.Add(c.here), Near: noon.Add(c.near)}, c.rules, noon.Add(c.now))
		if held := until.After(noon.Add(c.now)); held != c.held || held && why == "" {
			t.Errorf("%s: held %t until %s because %q", c.name, held, until.Sub(noon), why)
		}
	}
}
