package nudge

import (
	"fmt"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// limitLayouts are the ways in which agents write when a usage limit ends, after plainTime: "12:50am
// (America/Los_Angeles)", "Sep 15 at 7pm", "Nov 20th, 2025 4:44 PM".
var limitLayouts = []string{"3pm", "3:04pm", "Jan 2 3pm", "Jan 2 3:04pm", "Jan 2 2006 3pm", "Jan 2 2006 3:04pm"}

var ordinal = lazy.MustCompile(`(\d)(?:st|nd|rd|th)\b`)

func plainTime(said string) string {
	said = ordinal().ReplaceAllString(strings.ToLower(said), "$1")
	return strings.NewReplacer(",", "", " at ", " ", " am", "am", " pm", "pm").Replace(said)
}

// endOfLimit returns when a usage limit ends, from an agent's text written at the time at; zero: unreadable.
func endOfLimit(said string, at time.Time) time.Time {
	clock, name, zoned := strings.Cut(strings.TrimSuffix(said, ")"), " (")
	zone := time.Local
	if zoned {
		var err error
		if zone, err = time.LoadLocation(name); err != nil {
			return time.Time{}
		}
	}
	at = at.In(zone)
	for n, layout := range limitLayouts {
		t, err := time.Parse(layout, plainTime(clock))
		if err != nil {
			continue
		}
		day := at
		if n >= 2 {
			day = t.AddDate(at.Year()-t.Year(), 0, 0)
		}
		if n >= 4 {
			day = t
		}
		end := time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), 0, 0, zone)
		switch {
		case n < 2 && !end.After(at):
			end = end.AddDate(0, 0, 1)
		case n < 4 && end.Before(at.AddDate(0, -6, 0)):
			end = end.AddDate(1, 0, 0)
		}
		return end
	}
	return time.Time{}
}

// stopped returns the hold on i after its agent stopped at an error; last is the newest nudge of its pane. An
// instruction queued before the error goes on by itself only if its author chose that, the error is a usage
// limit, and the limit has ended. An instruction queued after the error is not held, unless its author chose
// to wait.
func (i *Instruction) stopped(s detect.Sighting, last *Nudge, now time.Time) Hold {
	if s.Blocked.IsZero() || !i.AfterLimit && !i.Submitted.Before(s.Since) {
		return Hold{}
	}
	hold := Hold{Reason: deliver.Working, Detail: reason.Why{Kind: reason.StoppedShortOf, Agent: i.Agent, Because: &s.Blocked}}
	if s.Blocked.Kind != reason.LimitUntil || last == nil {
		return hold
	}
	turn, _ := last.About.(TurnEnded)
	if turn.Blocked.IsZero() || last.Process != s.Process {
		return hold
	}
	// The screen may show the end only to the minute.
	switch end := endOfLimit(s.Blocked.What, turn.Since); {
	case end.IsZero():
		return hold
	case !i.AfterLimit:
		hold.Detail.Kind, hold.Detail.What = reason.LimitHolds, s.Blocked.What
		return hold
	case now.Before(end.Add(time.Minute)):
		return Hold{deliver.Working, reason.Why{Kind: reason.GoesAfterLimit, What: s.Blocked.What}, end.Add(time.Minute)}
	}
	return Hold{}
}

// Outlast makes i continue by itself when the usage limit that stopped its agent has ended. The error is a
// sentence for the human: i is not theirs, or does not wait.
func (i *Instruction) Outlast(by Person) error {
	switch {
	case i.State != Queued:
		return fmt.Errorf("instruction #%s does not wait any more", i.ID)
	case i.By.ID != by.ID:
		return fmt.Errorf("instruction #%s is not yours: only who queued it can have it go on by itself", i.ID)
	}
	i.AfterLimit = true
	return nil
}
