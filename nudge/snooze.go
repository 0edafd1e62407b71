package nudge

import (
	"errors"
	"time"
)

// UntilMorning is the Snoozes entry whose length depends on when it is chosen.
const UntilMorning time.Duration = 0

// Snoozes are the snooze lengths that a human can choose from.
var Snoozes = []time.Duration{10 * time.Minute, 30 * time.Minute, 2 * time.Hour, UntilMorning}

const (
	morning      = 8 * time.Hour // unless the quiet hours say otherwise
	leastMorning = 4 * time.Hour // a morning nearer than this is skipped
)

// SnoozeEnd returns when a question snoozed now is asked again. Morning is the end of overnight quiet hours,
// in their zone if they have one, otherwise in zone.
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

// Snooze holds reminders back until the given time. n is then sent once more whatever its cadence says, and
// waits as long as a new one. The error is a sentence for the human: n has no reminders to hold back.
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
