package nudge

import (
	"testing"
	"time"

	"nod/detect"
)

// TestAQuestionFollowsItsPane: what waits is told at the place where its pane is now, and keeps it once it is over.
func TestAQuestionFollowsItsPane(t *testing.T) {
	moved := func(s *detect.Sighting) { s.Where, s.Project = "other:9.0", "web" }
	for name, c := range map[string]struct {
		state  State
		change func(*Nudge)
		look   func(*detect.Sighting)
		want   string
	}{
		"it waits":              {Pending, nil, moved, "other:9.0"},
		"it is being answered":  {Claimed, nil, moved, "other:9.0"},
		"it is being typed":     {Typing, nil, moved, "other:9.0"},
		"it expired and stands": {Expired, func(n *Nudge) { n.Standing = true }, moved, "other:9.0"},
		"it expired":            {Expired, func(n *Nudge) { n.Standing = false }, moved, "main:2.0"},
		"it was answered":       {Delivered, nil, moved, "main:2.0"},
		"nobody knows":          {Pending, nil, func(s *detect.Sighting) { s.Where = "" }, "main:2.0"},
		"another agent":         {Pending, nil, func(s *detect.Sighting) { moved(s); s.Process.PID++ }, "main:2.0"},
	} {
		n := nudgeWith(c.state, c.change, message(5))
		n.ask(*made(nil).Prompt)
		n.Where, n.Project = "main:2.0", "api"
		changed := n.Observe(made(c.look), Rules{}, noon.Add(time.Hour)).Changed
		if n.Where != c.want || n.Project != "api" || n.State == c.state && changed != (c.want == "other:9.0") {
			t.Errorf("%s: it is in %s of %s, changed %t", name, n.Where, n.Project, changed)
		}
	}
	n := maker(Pending)
	n.Where, n.Project = "main:2.0", ""
	if c := n.Observe(made(func(s *detect.Sighting) { s.Where, s.Project = "main:2.0", "api" }), Rules{}, noon); n.Project != "api" || !c.Changed {
		t.Errorf("the project that was not known at first is %q", n.Project)
	}
}
