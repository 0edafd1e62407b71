package quiet

import (
	"encoding/json"
	"testing"
	"time"
)

func TestQuietHours(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine has no time zones")
	}
	at := func(clock string) time.Time {
		c, err := time.ParseInLocation("2006-01-02 15:04", "2026-07-01 "+clock, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return c.UTC()
	}
	for _, c := range []struct {
		span, at string
		want     bool
	}{
		{"22:00-07:00 Europe/Berlin", "21:59", false}, {"22:00-07:00 Europe/Berlin", "22:00", true},
		{"22:00-07:00 Europe/Berlin", "00:00", true}, {"22:00-07:00 Europe/Berlin", "06:59", true},
		{"22:00-07:00 Europe/Berlin", "07:00", false},
		{"12:00-13:30 Europe/Berlin", "12:00", true}, {"12:00-13:30 Europe/Berlin", "13:30", false},
		{"12:00-13:30 UTC", "15:29", true}, {"12:00-13:30 UTC", "15:30", false},
	} {
		h, err := Parse(c.span)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.On(at(c.at)); got != c.want {
			t.Errorf("%s at %s: %t", c.span, c.at, got)
		}
		data, err := json.Marshal(h)
		var back Hours
		if err != nil || json.Unmarshal(data, &back) != nil || back.String() != c.span {
			t.Errorf("%s comes back as %s (%v)", c.span, data, err)
		}
	}
	for _, wrong := range []string{"", "22-7", "22:00", "22:00-22:00", "25:00-07:00", "22:00-07:00 Atlantis"} {
		if _, err := Parse(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
	if (*Hours)(nil).On(time.Now()) {
		t.Error("no quiet hours are quiet")
	}
}
