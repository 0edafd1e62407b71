package nudge

import (
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

func TestWhenALimitEnds(t *testing.T) {
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 22, 15, 30, 0, 0, york) // half past eight in the evening, UTC
	for said, want := range map[string]string{
		"3pm (America/New_York)":           "2026-11-23T20:00Z",
		"3:45pm (America/New_York)":        "2026-11-22T20:45Z",
		"12:50am (UTC)":                    "2026-11-23T00:50Z",
		"10am (Asia/Seoul)":                "2026-11-23T01:00Z",
		"5am (Asia/Seoul)":                 "2026-11-23T20:00Z", // it is past five there
		"Nov 24, 2027 4pm (UTC)":           "2027-11-24T16:00Z",
		"Jan 24, 2026 4pm (UTC)":           "2026-01-24T16:00Z", // over long since
		"Nov 25 at 7pm (UTC)":              "2026-11-25T19:00Z",
		"Nov 25, 7:05pm (UTC)":             "2026-11-25T19:05Z",
		"Jan 2 at 7pm (UTC)":               "2027-01-02T19:00Z",
		"Nov 24th, 2026 4:44 PM (UTC)":     "2026-11-24T16:44Z",
		"Nov 22 at 7pm (UTC)":              "2026-11-22T19:00Z", // over
		"3pm (Middle/Earth)":               "0001-01-01T00:00Z",
		"3pm (America/New_York) or sooner": "0001-01-01T00:00Z",
		"in 2 hours":                       "0001-01-01T00:00Z",
		"13pm (UTC)":                       "0001-01-01T00:00Z",
		"tomorrow":                         "0001-01-01T00:00Z",
		"":                                 "0001-01-01T00:00Z",
	} {
		if got := endOfLimit(said, at).UTC().Format("2006-01-02T15:04Z"); got != want {
			t.Errorf("%q ends %s, want %s", said, got, want)
		}
	}
}

// TestNothingOutlastsALimitUnchosen: an instruction continues only if its author chose so, only after a limit
// whose end was on the screen, and only then.
func TestNothingOutlastsALimitUnchosen(t *testing.T) {
	limit := reason.Why{Kind: reason.LimitUntil, What: "3pm (UTC)"}
	end := time.Date(noon.Year(), noon.Month(), noon.Day(), 15, 1, 0, 0, time.UTC)
	stopped := func(why reason.Why) *Nudge { return &Nudge{About: TurnEnded{Blocked: why, Since: noon}} }
	before, after := noon.Add(-time.Hour), noon.Add(time.Hour)
	for name, c := range map[string]struct {
		blocked   reason.Why
		last      *Nudge
		submitted time.Time
		chosen    bool
		now       time.Time
		want      reason.Kind // empty: it is sent
	}{
		"not chosen, at the end":            {limit, stopped(limit), before, false, end, reason.LimitHolds},
		"chosen, before the end":            {limit, stopped(limit), before, true, end.Add(-time.Second), reason.GoesAfterLimit},
		"chosen, at the end":                {limit, stopped(limit), before, true, end, ""},
		"chosen after the limit was told":   {limit, stopped(limit), after, true, end.Add(-time.Second), reason.GoesAfterLimit},
		"queued by who saw it, not chosen":  {limit, stopped(limit), after, false, after, ""},
		"chosen, and the end is not known":  {reason.Why{Kind: reason.LimitReached}, stopped(reason.Why{Kind: reason.LimitReached}), before, true, end, reason.StoppedShortOf},
		"chosen, and the end can't be read": {reason.Why{Kind: reason.LimitUntil, What: "soon"}, stopped(reason.Why{Kind: reason.LimitUntil, What: "soon"}), before, true, end, reason.StoppedShortOf},
		"chosen, and the server fails":      {reason.Why{Kind: reason.ServerFails}, stopped(reason.Why{Kind: reason.ServerFails}), before, true, end, reason.StoppedShortOf},
		"chosen, and another turn was told": {limit, stopped(reason.Why{}), before, true, end, reason.StoppedShortOf},
		"chosen, and another agent's limit": {limit, func() *Nudge { n := stopped(limit); n.Process.PID = 9; return n }(), before, true, end, reason.StoppedShortOf},
		"chosen, and another error's time":  {reason.Why{Kind: reason.ServerFails, What: limit.What}, stopped(limit), before, true, end, reason.StoppedShortOf},
		"chosen, and a question was told":   {limit, &Nudge{About: Permission{}, Answering: Answering{State: Delivered}}, before, true, end, reason.StoppedShortOf},
		"chosen, and nothing was told":      {limit, nil, before, true, end, reason.StoppedShortOf},
	} {
		look := detect.Sighting{Whereabouts: detect.Whereabouts{Agent: "claude"}, State: screen.Idle, Since: noon, Blocked: c.blocked}
		list := Instructions{{ID: "a", Addressee: addresseeOf(look), Submitted: c.submitted, AfterLimit: c.chosen, Course: Course{State: Queued}}}
		got := list.Hold(&look, c.last, detect.Presence{}, Rules{}, c.now)
		if got.Detail.Kind != c.want || (got.Reason == deliver.Working) != (c.want != "") {
			t.Errorf("%s: held for %+v, want %q", name, got, c.want)
		}
		if wakes := c.want == reason.GoesAfterLimit; wakes != got.Until.Equal(end) {
			t.Errorf("%s: it is looked at again at %s", name, got.Until)
		}
	}
}

func TestOnlyItsAuthorHasAnInstructionOutlastALimit(t *testing.T) {
	ann, bob := Person{ID: "1"}, Person{ID: "2"}
	i := &Instruction{ID: "a", By: ann, Course: Course{State: Queued}}
	if err := i.Outlast(bob); err == nil || i.AfterLimit {
		t.Error("somebody else chose for the author")
	}
	if err := i.Outlast(ann); err != nil || !i.AfterLimit {
		t.Errorf("its author could not choose: %v", err)
	}
	sent := &Instruction{ID: "b", By: ann, Course: Course{State: Sent}}
	if err := sent.Outlast(ann); err == nil || sent.AfterLimit {
		t.Error("what was sent can be chosen for")
	}
}
