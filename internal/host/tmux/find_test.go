package tmux

import (
	"testing"
	"time"
)

func TestCutSocket(t *testing.T) {
	for name, want := range map[string][2]string{
		"%12":           {"%12", ""},
		"%12@work":      {"%12", "work"},
		"%12@/tmp/a:b":  {"%12", "/tmp/a:b"},
		"main:2.0@work": {"main:2.0", "work"},
		"ann@work:2.0":  {"ann@work:2.0", ""}, // an @ in the session's name
		"%12@":          {"%12@", ""},
		"@work":         {"@work", ""},
	} {
		if target, socket, _ := cutSocket(name); target != want[0] || socket != want[1] {
			t.Errorf("%s is %q on %q, want %q", name, target, socket, want)
		}
	}
}

// TestExactNamesOnePane, whatever else is on the server.
func TestExactNamesOnePane(t *testing.T) {
	for name, want := range map[string]bool{
		"%12": true, "%12@work": true, "%12@/tmp/a:b": true, "main:2.0": true, "main:2.0@work": true, "main:v1.2.0": true, "ann@work:2.0": true,
		"": false, "%": false, "%1x": false, "api": false, "v1.2": false, "main:": false, "main:2": false, "main:2.": false, "main:.0": false, "main:2.-1": false, "main:2.+1": false, ":2.0": false, "api@work": false,
	} {
		if Exact(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestClientAt(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	l := Listing{Clients: []Client{
		{Name: "a", Shows: []string{"%1", "%2"}, Activity: at(1)}, {Name: "b", Shows: []string{"%1"}, Activity: at(2)}, {Name: "c", Shows: []string{"%3"}, Activity: at(3)},
	}}
	for pane, want := range map[string]string{"%1": "b", "%2": "a", "%9": "c", "": "c"} {
		if c, ok := l.ClientAt(pane); !ok || c.Name != want {
			t.Errorf("%q: %q, want %q", pane, c.Name, want)
		}
	}
	if _, ok := (Listing{}).ClientAt("%1"); ok {
		t.Error("nobody is somebody")
	}
}
