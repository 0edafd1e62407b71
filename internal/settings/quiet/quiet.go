// Package quiet tells when messages are to come silently.
package quiet

import (
	"fmt"
	"strings"
	"time"
)

// Hours is a daily span of hours in which messages come silently.
type Hours struct {
	From, To time.Duration // since midnight; To may lie before From: over midnight
	Zone     *time.Location
}

// Parse reads "22:00-07:00" or "22:00-07:00 Europe/Berlin"; without a zone the machine's own
// holds. Its errors say what the text should be.
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

// String is what Parse reads.
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

// On reports whether now lies in the quiet hours. A nil h has none. The hours are those of a clock
// on the wall, so they keep their place when daylight saving begins or ends.
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

// MarshalText writes h as Parse reads it, for records: a *time.Location has no fields to write.
func (h Hours) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText is Parse, for records and for the settings.
func (h *Hours) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*h = *read
	return nil
}
