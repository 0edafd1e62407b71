package nudge

import (
	"fmt"
	"testing"
	"time"

	"nod/detect/screen"
)

// TestWhenANudgeChangesByItself: at its next reminder, its expiry, the end of a program's patience, or the end of
// its record; never while an answer is being given, or while its prompt stands.
func TestWhenANudgeChangesByItself(t *testing.T) {
	expires := noon.Add(8 * time.Hour)
	program := func(left time.Time) func(*Nudge) {
		return func(n *Nudge) { n.About = Program{About: n.About, Left: left} }
	}
	for name, c := range map[string]struct {
		state  State
		change func(*Nudge)
		want   time.Time
	}{
		"its expiry":               {Pending, nil, expires},
		"its reminder":             {Pending, func(n *Nudge) { n.Due = second(5) }, second(5)},
		"a reminder after its end": {Pending, func(n *Nudge) { n.Due = expires.Add(1) }, expires},
		"a program is gone":        {Pending, program(second(5)), second(5).Add(leftFor)},
		"a program waits":          {Pending, program(time.Time{}), expires},
		"reminded before":          {Pending, func(n *Nudge) { program(second(5))(n); n.Due = second(6) }, second(6)},
		"claimed":                  {Claimed, nil, time.Time{}},
		"typing":                   {Typing, nil, time.Time{}},
		"answered":                 {Delivered, nil, noon.Add(time.Hour + Kept)},
		"standing":                 {Expired, nil, time.Time{}},
		"expired":                  {Expired, func(n *Nudge) { n.Standing = false }, noon.Add(time.Hour + Kept)},
	} {
		n := in(c.state)
		if n.Due = (time.Time{}); c.change != nil {
			c.change(n)
		}
		if got := n.Next(); !got.Equal(c.want) {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// TestWhoseTimeIsUp: a prompt expires, but not before somebody could be told who may answer, if nod sees its pane;
// what is no prompt lasts as long as its pane is seen.
func TestWhoseTimeIsUp(t *testing.T) {
	idle := func(n *Nudge) { n.About = TurnEnded{} }
	program := func(n *Nudge) { n.About = Program{About: n.About} }
	told := func(n *Nudge) { n.Copies = []Copy{message(5)} }
	watched := func(n *Nudge) { n.Copies = []Copy{seven(5)} }
	nobody, short := Rules{Expiry: time.Hour}, Rules{Expiry: time.Second, Supervisors: team.Supervisors}
	hour := Rules{Expiry: time.Hour, Supervisors: team.Supervisors}
	for name, c := range map[string]struct {
		state  State
		change func(*Nudge)
		r      Rules
		seen   bool
		want   State
		later  time.Duration // until when it waits now
	}{
		"told":                     {Pending, told, hour, true, Expired, 0},
		"told, its pane not seen":  {Pending, told, hour, false, Expired, 0},
		"not told":                 {Pending, nil, hour, true, Pending, time.Hour},
		"not told, a moment":       {Pending, nil, short, true, Pending, time.Minute},
		"not told, not seen":       {Pending, nil, hour, false, Expired, 0},
		"not told, to nobody":      {Pending, nil, nobody, true, Expired, 0},
		"told to who only watches": {Pending, watched, hour, true, Pending, time.Hour},
		"a program's":              {Pending, program, hour, true, Expired, 0},
		"idle":                     {Pending, idle, hour, true, Pending, time.Hour},
		"idle, told":               {Pending, func(n *Nudge) { idle(n); told(n) }, hour, true, Pending, time.Hour},
		"idle, not seen":           {Pending, idle, hour, false, Gone, 0},
		"being answered":           {Claimed, told, hour, true, Claimed, 0},
	} {
		n := in(c.state)
		if c.change != nil {
			c.change(n)
		}
		now := n.Expires
		if early := *n; early.Tick(c.seen, c.r, now.Add(-1)) || early.State != c.state || !early.Expires.Equal(now) {
			t.Errorf("%s: it ended too early", name)
		}
		ended := n.Tick(c.seen, c.r, now)
		if n.State != c.want || ended != (c.want != c.state) || !ended && n.Expires.Sub(now) != c.later {
			t.Errorf("%s: %s, ended %t, waits %s", name, n.State, ended, n.Expires.Sub(now))
		}
	}
	n := in(Pending)
	n.Cadence = []time.Duration{0, time.Minute}
	if n.Tick(true, hour, second(60)); n.Reminder != 2 {
		t.Errorf("a tick raises no reminder: %d", n.Reminder)
	}
}

// TestEachReminderComesOnce, at its time; those that could not be sent become one, which waits since the first.
func TestEachReminderComesOnce(t *testing.T) {
	copyOf := func(reminder, round int) func(*Nudge) {
		return func(n *Nudge) {
			n.Copies = []Copy{but(message(5), func(c *Copy) { c.Reminder, c.Round = reminder, round })}
		}
	}
	for name, c := range map[string]struct {
		reminder int // before
		change   func(*Nudge)
		at       int
		want     string // raised, reminder, round, due, waits since
	}{
		"the first":                    {0, nil, 0, "true 1 0 60s 0s"},
		"the first, late":              {0, nil, 30, "true 1 0 60s 30s"},
		"the first two":                {0, nil, 60, "true 2 0 300s 60s"},
		"all at once":                  {0, nil, 900, "true 3 0 never 900s"},
		"between":                      {1, copyOf(1, 0), 59, "false 1 0 60s never"},
		"the second":                   {1, copyOf(1, 0), 60, "true 2 0 300s 60s"},
		"the second, none sent":        {1, nil, 60, "true 2 0 300s never"},
		"the second, an older round":   {1, func(n *Nudge) { copyOf(1, 0)(n); n.Round = 1 }, 60, "true 2 1 300s never"},
		"the third, the second unsent": {2, copyOf(1, 0), 300, "true 3 0 never never"},
		"the second, consent asked":    {1, func(n *Nudge) { copyOf(1, 0)(n); unseen(&n.Copies[0]) }, 60, "true 2 0 300s never"},
		"after the last":               {3, copyOf(3, 0), 900, "false 3 0 never never"},
		"away":                         {1, func(n *Nudge) { n.Away = noon }, 60, "false 1 0 never never"},
		"snoozed":                      {1, func(n *Nudge) { n.Snoozed = second(400) }, 60, "false 1 0 400s never"},
		"no longer snoozed":            {2, func(n *Nudge) { copyOf(2, 0)(n); n.Snoozed = second(200) }, 200, "true 2 1 300s 200s"},
		"no longer snoozed, and due":   {1, func(n *Nudge) { copyOf(1, 0)(n); n.Snoozed = second(60) }, 60, "true 2 1 300s 60s"},
	} {
		n := nudgeWith(Pending, c.change)
		n.Cadence, n.Reminder, n.Raised, n.Due = []time.Duration{0, time.Minute, 5 * time.Minute}, c.reminder, time.Time{}, second(777)
		raised := n.raise(second(c.at))
		since := func(at time.Time) string {
			if at.IsZero() {
				return "never"
			}
			return fmt.Sprintf("%ds", int(at.Sub(noon).Seconds()))
		}
		if got := fmt.Sprint(raised, n.Reminder, n.Round, " ", since(n.Due), " ", since(n.Raised)); got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
		if name != "snoozed" && !n.Snoozed.IsZero() {
			t.Errorf("%s: snoozed still", name)
		}
	}
}

// TestAStepOfTheClockMovesTheClaimThatIsTyped, not the time of a refusal; and no program that waits.
func TestAStepOfTheClockMovesTheClaimThatIsTyped(t *testing.T) {
	for _, state := range states {
		n := in(state)
		if n.Claim == nil {
			n.Claim = &Claim{At: noon}
		}
		n.Shift(time.Minute)
		if moved := n.Claim.At.Equal(second(60)); moved != (state == Claimed || state == Typing) {
			t.Errorf("%s: the claim moved to %s", state, n.Claim.At)
		}
	}
	n := nudgeWith(Pending, func(n *Nudge) { n.About = Program{About: Permission{new(screen.Prompt)}} })
	if n.Shift(time.Minute); !n.Program().Left.IsZero() {
		t.Errorf("nobody waits since %s", n.Program().Left)
	}
}

// TestHowLongASnoozeLasts: the chosen time, or until a morning that is hours away.
func TestHowLongASnoozeLasts(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	at := func(hour, minute int) time.Time { return time.Date(2026, 3, 1, hour, minute, 0, 0, time.UTC) }
	next := func(hour int) time.Time { return time.Date(2026, 3, 2, hour, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		span time.Duration
		q    *Quiet
		zone *time.Location
		now  time.Time
		want time.Time
	}{
		"ten minutes":             {10 * time.Minute, nil, time.UTC, at(12, 0), at(12, 10)},
		"until morning":           {UntilMorning, nil, time.UTC, at(12, 0), next(8)},
		"until this morning":      {UntilMorning, nil, time.UTC, at(4, 0), at(8, 0)},
		"a morning that is near":  {UntilMorning, nil, time.UTC, at(4, 1), next(8)},
		"in another zone":         {UntilMorning, nil, berlin, at(12, 0), next(7)},
		"the end of quiet hours":  {UntilMorning, &Quiet{From: 22 * time.Hour, To: 6 * time.Hour}, time.UTC, at(12, 0), next(6)},
		"quiet hours by day":      {UntilMorning, &Quiet{From: 12 * time.Hour, To: 14 * time.Hour}, time.UTC, at(12, 0), next(8)},
		"no quiet hours":          {UntilMorning, &Quiet{From: 9 * time.Hour, To: 9 * time.Hour}, time.UTC, at(12, 0), next(8)},
		"quiet hours with a zone": {UntilMorning, &Quiet{From: 22 * time.Hour, To: 6 * time.Hour, Zone: berlin}, time.UTC, at(12, 0), next(5)},
	} {
		if got := SnoozeEnd(c.span, c.q, c.zone, c.now); !got.Equal(c.want) {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
	n := nudgeWith(Pending, func(n *Nudge) { n.Reminder = 1 })
	if err := n.Snooze(second(600), time.Hour, noon); err != nil || !n.Due.Equal(second(600)) {
		t.Errorf("it is due at %s: %v", n.Due, err)
	}
	idle := nudgeWith(Pending, func(n *Nudge) { n.Reminder, n.About = 1, TurnEnded{} })
	if err := idle.Snooze(second(600), time.Hour, noon); err == nil {
		t.Error("what asks nothing is snoozed")
	}
}
