package nudge

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text         string
		reply, fresh screen.Decision
		id           string
		near         bool
	}{
		{"y", screen.Approve, screen.Approve, "", false},
		{" YES \n", screen.Approve, screen.Approve, "", false},
		{"approve", screen.Approve, "", "", false},
		{"a", screen.Approve, "", "", false},
		{"allow", "", screen.Approve, "", true},
		{"n", screen.Deny, screen.Deny, "", false},
		{"No", screen.Deny, screen.Deny, "", false},
		{"deny", screen.Deny, screen.Deny, "", false},
		{"d", screen.Deny, "", "", false},
		{"y k3f", screen.Approve, screen.Approve, "k3f", false},
		{"n #K3F", screen.Deny, screen.Deny, "k3f", false},
		{"yeah sure", "", "", "", true},
		{"y please", "", "", "", true},
		{"yes!", "", "", "", true},
		{"no, not now", "", "", "", true},
		{"ok", "", "", "", true},
		{"👍", "", "", "", true},
		{"y k3f now", "", "", "", true},
		{"y yes", "", "", "", true},
		{"y to that one", "", "", "", true},
		{"y to all of them", "", "", "", false},
		{"", "", "", "", false},
		{"how far are you?", "", "", "", false},
		{"yes I think that we should rather use the other database", "", "", "", false},
		{"у", "", "", "", false}, // Cyrillic
	} {
		for way, want := range map[Way]screen.Decision{ByReply: c.reply, ByCommand: c.reply, ByFresh: c.fresh} {
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
			if decision != screen.Approve && decision != screen.Deny {
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
	for range 6000 { // more ids than there are with three characters
		id := NewID(func(id string) bool { return taken[id] })
		if taken[id] || !isID(id) || strings.ContainsAny(id, "l1io0") {
			t.Fatalf("id %q", id)
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
