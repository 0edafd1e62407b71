package nudge

import (
	"fmt"
	"strings"
	"time"
)

// Quiet is a daily span of hours in which messages come silently.
type Quiet struct {
	From, To time.Duration // since midnight; To may lie before From: over midnight
	Zone     *time.Location
}

// ParseQuiet reads "22:00-07:00" or "22:00-07:00 Europe/Berlin"; without a zone the machine's own
// holds. Its errors say what the text should be.
func ParseQuiet(text string) (*Quiet, error) {
	span, name, _ := strings.Cut(strings.TrimSpace(text), " ")
	from, to, ok := strings.Cut(span, "-")
	if !ok {
		return nil, fmt.Errorf("quiet hours are written like 22:00-07:00 Europe/Berlin, not %q", text)
	}
	start, err := sinceMidnight(from)
	if err != nil {
		return nil, err
	}
	end, err := sinceMidnight(to)
	if err != nil {
		return nil, err
	}
	if start == end {
		return nil, fmt.Errorf("quiet hours from %s to %s never begin", from, to)
	}
	zone := time.Local
	if name = strings.TrimSpace(name); name != "" {
		if zone, err = time.LoadLocation(name); err != nil {
			return nil, fmt.Errorf("%q is no time zone like Europe/Berlin", name)
		}
	}
	return &Quiet{From: start, To: end, Zone: zone}, nil
}

func sinceMidnight(text string) (time.Duration, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fmt.Errorf("%q is no time of day like 22:00", text)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

// String is what ParseQuiet reads.
func (q Quiet) String() string {
	text := clock(q.From) + "-" + clock(q.To)
	if q.Zone == nil || q.Zone == time.Local {
		return text
	}
	return text + " " + q.Zone.String()
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60)
}

// On reports whether now lies in the quiet hours. A nil q has none. The hours are those of a clock
// on the wall, so they keep their place when daylight saving begins or ends.
func (q *Quiet) On(now time.Time) bool {
	if q == nil {
		return false
	}
	zone := q.Zone
	if zone == nil {
		zone = time.Local
	}
	now = now.In(zone)
	at := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute
	if q.From < q.To {
		return q.From <= at && at < q.To
	}
	return q.From <= at || at < q.To
}

// MarshalText writes q as ParseQuiet reads it, for records: a *time.Location has no fields to write.
func (q Quiet) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText is ParseQuiet, for records and for the settings.
func (q *Quiet) UnmarshalText(text []byte) error {
	read, err := ParseQuiet(string(text))
	if err != nil {
		return err
	}
	*q = *read
	return nil
}
