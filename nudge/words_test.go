package nudge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"nod/detect"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text         string
		reply, fresh detect.Decision
		id           string
		near         bool
	}{
		{"y", detect.Approve, detect.Approve, "", false},
		{" YES \n", detect.Approve, detect.Approve, "", false},
		{"approve", detect.Approve, "", "", false},
		{"a", detect.Approve, "", "", false},
		{"allow", "", detect.Approve, "", true},
		{"n", detect.Deny, detect.Deny, "", false},
		{"No", detect.Deny, detect.Deny, "", false},
		{"deny", detect.Deny, detect.Deny, "", false},
		{"d", detect.Deny, "", "", false},
		{"y k3f", detect.Approve, detect.Approve, "k3f", false},
		{"n #K3F", detect.Deny, detect.Deny, "k3f", false},
		{"yeah sure", "", "", "", true},
		{"y please", "", "", "", true},
		{"yes!", "", "", "", true},
		{"no, not now", "", "", "", true},
		{"ok", "", "", "", true},
		{"👍", "", "", "", true},
		{"y k3f now", "", "", "", true},
		{"y yes", "", "", "", true},
		{"", "", "", "", false},
		{"how far are you?", "", "", "", false},
		{"yes I think that we should rather use the other database", "", "", "", false},
		{"у", "", "", "", false}, // Cyrillic
	} {
		for way, want := range map[Way]detect.Decision{ByReply: c.reply, ByCommand: c.reply, ByFresh: c.fresh} {
			got, id, ok := ParseWord(c.text, way)
			if ok != (want != "") || ok && (got != want || id != c.id) {
				t.Errorf("%q by %s: %q for %q, %t", c.text, way, got, id, ok)
			}
		}
		if got := NearMiss(c.text); got != c.near {
			t.Errorf("%q is a near miss: %t", c.text, got)
		}
	}
}

func FuzzParseWord(f *testing.F) {
	for _, s := range []string{"y", "y k3f", "yes #a2b", "yeah", "n\x00", "ſ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, way := range []Way{ByReply, ByFresh, ByCommand, ByButton} {
			decision, id, ok := ParseWord(text, way)
			if !ok {
				continue
			}
			if decision != detect.Approve && decision != detect.Deny {
				t.Errorf("%q decides %q", text, decision)
			}
			if id != "" && !isID(id) {
				t.Errorf("%q names %q", text, id)
			}
			if n := len(strings.TrimSpace(text)); n > len("approve #12345678")+8 && id == "" {
				t.Errorf("%q counts as a word", text)
			}
			if way == ByReply && NearMiss(text) {
				t.Errorf("%q decides and is a near miss", text)
			}
		}
	})
}

func TestIDs(t *testing.T) {
	taken := map[string]bool{}
	for range 6000 { // more than there are of three characters
		id, err := newID(func(id string) (bool, error) { return taken[id], nil })
		if err != nil || taken[id] || !isID(id) || strings.ContainsAny(id, "l1io0") {
			t.Fatalf("id %q: %v", id, err)
		}
		for _, way := range []Way{ByReply, ByFresh} {
			if _, _, ok := ParseWord(id, way); ok {
				t.Fatalf("the id %q is a word", id)
			}
		}
		if len(taken) < 100 && len(id) != 3 {
			t.Errorf("the id %q is long although few are taken", id)
		}
		taken[id] = true
	}
}

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
		q, err := ParseQuiet(c.span)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.On(at(c.at)); got != c.want {
			t.Errorf("%s at %s: %t", c.span, c.at, got)
		}
		data, err := json.Marshal(Hours{q})
		var back Hours
		if err != nil || json.Unmarshal(data, &back) != nil || back.Quiet.String() != c.span {
			t.Errorf("%s comes back as %s (%v)", c.span, data, err)
		}
	}
	for _, wrong := range []string{"", "22-7", "22:00", "22:00-22:00", "25:00-07:00", "22:00-07:00 Atlantis"} {
		if _, err := ParseQuiet(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
	if (*Quiet)(nil).On(noon) {
		t.Error("no quiet hours are quiet")
	}
}
