package message

import (
	"fmt"
	"strings"
	"time"

	"nod/nudge"
)

// clock returns a time of day, with the date if it is not today. It names the zone, so that it is correct
// even in an app that does not convert it.
func clock(t, now time.Time, zone *time.Location) string {
	t, now = t.In(zone), now.In(zone)
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04 MST")
	}
	return t.Format("15:04 MST on 2 Jan")
}

// moment is clock with seconds.
func moment(t, now time.Time, zone *time.Location) string {
	return t.In(zone).Format("15:04:05") + strings.TrimPrefix(clock(t, now, zone), t.In(zone).Format("15:04"))
}

// took returns a duration as on a stopwatch: "0.4 s", "12 s", "3 min 5 s".
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// Length returns how long something is or waits: "5 min", "2 h", "1 h 30 min".
func Length(d time.Duration) string {
	minutes := int(max(d, 0).Minutes())
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(max(d, 0).Seconds()))
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	case minutes%60 == 0:
		return fmt.Sprintf("%d h", minutes/60)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}

// SnoozeLength returns the label for one of nudge.Snoozes.
func SnoozeLength(span time.Duration) string {
	if span == nudge.UntilMorning {
		return "Morning"
	}
	return Length(span)
}
