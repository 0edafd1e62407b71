package nudge

import (
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// TestWhatIsSilent: all messages while they are muted or the hours are quiet, and those of muted names.
func TestWhatIsSilent(t *testing.T) {
	always, never := &Quiet{From: 0, To: 24 * time.Hour, Zone: time.UTC}, (*Quiet)(nil)
	for name, c := range map[string]struct {
		p    Preferences
		r    Rules
		want bool
	}{
		"nothing":               {Preferences{}, Rules{}, false},
		"muted":                 {Preferences{Muted: second(1)}, Rules{}, true},
		"muted until now":       {Preferences{Muted: noon}, Rules{}, false},
		"quiet by the settings": {Preferences{}, Rules{Quiet: always}, true},
		"quiet by a supervisor": {Preferences{Hours: &Hours{always}}, Rules{}, true},
		"loud by a supervisor":  {Preferences{Hours: &Hours{never}}, Rules{Quiet: always}, false},
		"muted in loud hours":   {Preferences{Muted: second(1), Hours: &Hours{never}}, Rules{}, true},
	} {
		if got := c.p.Silent(c.r, noon); got != c.want {
			t.Errorf("%s: silent %t", name, got)
		}
	}

	var p Preferences
	p.MuteName("API", second(60), noon)
	before := p.Names
	p.MuteName("web", second(30), noon)
	p.MuteName("old", noon, noon)
	if len(before) != 1 || len(p.Names) != 2 {
		t.Errorf("muted: %v, then %v", before, p.Names)
	}
	for name, c := range map[string]struct {
		w    detect.Whereabouts
		at   int
		want bool
	}{
		"its agent":     {detect.Whereabouts{Agent: "Web"}, 0, true},
		"its name":      {detect.Whereabouts{Agent: "claude", Name: "api"}, 59, true},
		"its project":   {detect.Whereabouts{Agent: "claude", Project: "Api"}, 0, true},
		"no longer":     {detect.Whereabouts{Agent: "claude", Project: "api"}, 60, false},
		"another":       {detect.Whereabouts{Agent: "claude", Name: "shop", Project: "shop"}, 0, false},
		"without names": {detect.Whereabouts{}, 0, false},
	} {
		if got := p.Mutes(c.w, second(c.at)); got != c.want {
			t.Errorf("%s: muted %t", name, got)
		}
	}
	if p.MuteName("api", noon.Add(-time.Hour), noon); len(p.Names) != 1 {
		t.Errorf("unmuted: %v", p.Names)
	}
	named := Preferences{Names: map[string]time.Time{"": second(60)}}
	if named.Mutes(detect.Whereabouts{}, noon) {
		t.Error("an agent without names is muted")
	}
}

// TestWhatWaitsForWhoIsThere: any message for a moment, and a first one a little longer if somebody is near.
func TestWhatWaitsForWhoIsThere(t *testing.T) {
	r := Rules{Presence: time.Minute, Grace: 20 * time.Second}
	never := noon.Add(-time.Hour)
	for name, c := range map[string]struct {
		r               Rules
		here, near      time.Time
		reminder, round int
		raised          time.Time
		want            time.Time // zero: it does not wait
	}{
		"nobody":                    {r, never, never, 1, 0, noon, time.Time{}},
		"here":                      {r, noon, never, 1, 0, noon, second(60)},
		"here, a second ago":        {r, second(-1), never, 3, 0, noon, second(59)},
		"here, a minute ago":        {r, second(-60), never, 1, 0, noon, time.Time{}},
		"here for minutes":          {r, noon, never, 3, 1, noon.Add(-longestHold).Add(time.Second), second(1)},
		"here for too long":         {r, noon, never, 3, 1, noon.Add(-longestHold), time.Time{}},
		"near":                      {r, never, noon, 1, 0, noon, second(20)},
		"near, not told yet":        {r, never, noon, 0, 0, noon, second(20)},
		"near, a minute ago":        {r, never, second(-60), 1, 0, noon, time.Time{}},
		"near, the second reminder": {r, never, noon, 2, 0, noon, time.Time{}},
		"near, told again":          {r, never, noon, 1, 1, noon, time.Time{}},
		"off":                       {Rules{Grace: r.Grace}, second(1), second(1), 1, 0, noon, time.Time{}},
	} {
		n := nudgeWith(Pending, func(n *Nudge) { n.Reminder, n.Round, n.Raised = c.reminder, c.round, c.raised })
		if until, why := n.Hold(detect.Presence{Here: c.here, Near: c.near}, c.r, noon); !until.Equal(c.want) || (why == "") != c.want.IsZero() {
			t.Errorf("%s: until %s, %q", name, until, why)
		}
	}
}

// TestTheMostUrgentComesFirst: what blocks an agent, oldest first, then the rest; what was skipped comes last.
func TestTheMostUrgentComesFirst(t *testing.T) {
	at := func(id string, state State, about About, detected, skipped int) *Nudge {
		n := &Nudge{ID: id, About: about, Telling: Telling{Detected: second(detected)}, Answering: Answering{State: state}}
		if skipped != 0 {
			n.Skipped = second(skipped)
		}
		return n
	}
	ask, done := Permission{new(screen.Prompt)}, TurnEnded{}
	standing := at("standing", Expired, ask, 4, 0)
	standing.Standing = true
	var got []string
	for _, n := range Queue([]*Nudge{
		at("idle", Pending, done, 1, 0), at("newer", Pending, ask, 3, 0), at("skipped later", Pending, ask, 0, 9), at("answered", Delivered, ask, 0, 0),
		at("older", Pending, ask, 2, 0), standing, at("skipped", Pending, done, 0, 8), at("typing", Typing, ask, 0, 0), at("expired", Expired, ask, 0, 0),
	}) {
		got = append(got, n.ID)
	}
	if want := "older, newer, standing, idle, skipped, skipped later"; strings.Join(got, ", ") != want {
		t.Errorf("%q; want %q", got, want)
	}
	if err := standing.Skip(second(10)); err != nil || !standing.Skipped.Equal(second(10)) {
		t.Errorf("skipped %s: %v", standing.Skipped, err)
	}
	if (*Nudge)(nil).Skip(noon) == nil || at("answered", Delivered, ask, 0, 0).Skip(noon) == nil {
		t.Error("what does not wait is skipped")
	}
}

// TestNewsOfAMonitorIsMerged until it is sent, with the last of its lines.
func TestNewsOfAMonitorIsMerged(t *testing.T) {
	lines := strings.Fields("1 2 3 4 5 6 7 8")
	var n MonitorNews
	n.Add(MonitorReport{Monitor: "m4g", Count: 8, Lines: lines})
	was := n
	if n.Told(was); n.Count != 8 || !n.Told(was) {
		t.Errorf("all was sent: %+v", n)
	}
	n.Add(MonitorReport{Monitor: "m4g", Count: 5, Lines: []string{"9", "10", "11", "12", "13"}, Ended: "exit 1"})
	if n.Monitor != "m4g" || n.Count != 13 || n.Edition != 2 || n.Ended != "exit 1" || strings.Join(n.Lines, " ") != "4 5 6 7 8 9 10 11 12 13" {
		t.Errorf("two reports: %+v", n)
	}
	if n.Told(was) || n.Count != 5 || n.Edition != 1 || strings.Join(n.Lines, " ") != "9 10 11 12 13" {
		t.Errorf("the first was sent: %+v", n)
	}
	if n.Told(MonitorNews{MonitorReport: MonitorReport{Count: 6}}) || len(n.Lines) != 0 {
		t.Errorf("more lines were sent than matched: %+v", n)
	}
}

// TestTheBudgetIsOfOneAgentsTurn, by a clock that may be set, and is forgotten after hours.
func TestTheBudgetIsOfOneAgentsTurn(t *testing.T) {
	h := Holds{Pane: look().Pane, Process: look().Process, Since: noon, Held: []time.Time{second(5)}}
	other, elsewhere := look().Whereabouts, look().Whereabouts
	other.Process = proc.ID{PID: 8}
	elsewhere.Pane.ID = "%2"
	if !h.Of(look().Whereabouts) || h.Of(other) || h.Of(elsewhere) {
		t.Error("it is of another agent")
	}
	if h.Shift(time.Minute); !h.Since.Equal(second(60)) || !h.Held[0].Equal(second(65)) {
		t.Errorf("since %s, held until %s", h.Since, h.Held)
	}
	if h.Old(h.Since.Add(denialsLast-1)) || !h.Old(h.Since.Add(denialsLast)) {
		t.Error("it is forgotten too early, or too late")
	}
}

// TestASmallStepOfTheClockIsNone, but one by the whole tolerance is.
func TestASmallStepOfTheClockIsNone(t *testing.T) {
	before := Clocks{Wall: noon, Up: time.Hour}
	for by, want := range map[time.Duration]time.Duration{tolerance - 1: 0, tolerance: tolerance, -tolerance: -tolerance, 1 - tolerance: 0} {
		if got := Stepped(before, Clocks{Wall: second(60).Add(by), Up: time.Hour + time.Minute}); got != want {
			t.Errorf("by %s: %s", by, got)
		}
	}
}

// TestWhatCanBeAnID: three to eight characters with a digit in the second place.
func TestWhatCanBeAnID(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "k": false, "k3": false, "k3f": true, "k3fffffz": true, "k3ffffffz": false, "kf3": false, "K3f": false, "k3l": false, "33f": false,
	} {
		if got := isID(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
