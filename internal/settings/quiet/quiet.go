// Package quiet says when messages are sent silently.
package quiet

import (
	"fmt"
	"strings"
	"time"
)

// Hours is a daily span of time in which messages are silent.
type Hours struct {
	From, To time.Duration // since midnight; if To is before From, the span includes midnight
	Zone     *time.Location
}

// Parse parses "22:00-07:00" or "22:00-07:00 Europe/Berlin". Without a zone it uses the machine's. Its errors
// say what the text should be.
func Parse(text string) (*Hours, error) {
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
	return &Hours{From: start, To: end, Zone: zone}, nil
}

func sinceMidnight(text string) (time.Duration, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fmt.Errorf("%q is no time of day like 22:00", text)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

// String formats the hours as Parse parses them.
func (h Hours) String() string {
	text := clock(h.From) + "-" + clock(h.To)
	if h.Zone == nil || h.Zone == time.Local {
		return text
	}
	return text + " " + h.Zone.String()
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60)
}

// On reports whether now is in the quiet hours; a nil h has none. The hours follow the wall clock, so they
// keep their place when daylight saving begins or ends.
func (h *Hours) On(now time.Time) bool {
	if h == nil {
		return false
	}
	zone := h.Zone
	if zone == nil {
		zone = time.Local
	}
	now = now.In(zone)
	at := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute
	if h.From < h.To {
		return h.From <= at && at < h.To
	}
	return h.From <= at || at < h.To
}

// MarshalText formats h for records: a *time.Location has no exported fields.
func (h Hours) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText parses h, for records and for the settings.
func (h *Hours) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*h = *read
	return nil
}
