package nudge

import (
	"errors"
	"time"
)

// UntilMorning is among Snoozes for a length that depends on when it is chosen.
const UntilMorning time.Duration = 0

// Snoozes are for how long a human may put a question off, wherever they answer.
var Snoozes = []time.Duration{10 * time.Minute, 30 * time.Minute, 2 * time.Hour, UntilMorning}

const (
	morning      = 8 * time.Hour // where quiet hours do not say it
	leastMorning = 4 * time.Hour // a morning that is nearer is the next one
)

// SnoozeEnd is when a question is asked again that is put off now. The morning is when the quiet hours end that last over night, in their
// zone or else in this one.
func SnoozeEnd(span time.Duration, q *Quiet, zone *time.Location, now time.Time) time.Time {
	if span != UntilMorning {
		return now.Add(span)
	}
	at := morning
	if q != nil && q.Zone != nil {
		zone = q.Zone
	}
	if q != nil && q.From > q.To {
		at = q.To
	}
	for day := now.In(zone); ; day = day.AddDate(0, 0, 1) {
		if m := time.Date(day.Year(), day.Month(), day.Day(), 0, int(at.Minutes()), 0, 0, zone); m.Sub(now) >= leastMorning {
			return m
		}
	}
}

// Snooze keeps reminders back until a time, when n is told once more whatever its cadence says, and waits from then on for as
// long as a new one. The error is a sentence for the human where n has no reminders to keep back.
func (n *Nudge) Snooze(until time.Time, expiry time.Duration, now time.Time) error {
	if n == nil || n.State != Pending || !n.Asks() || n.Reminder == 0 {
		return errors.New("that question no longer waits")
	}
	n.Snoozed = until
	if expires := until.Add(expiry); expires.After(n.Expires) {
		n.Expires = expires
	}
	n.raise(now)
	return nil
}
