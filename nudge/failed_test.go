package nudge

import (
	"slices"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// TestWhatWasQueuedBeforeAFailureWaits, because the failure may make it impossible. Instructions that are
// queued by somebody who has seen the failure are sent.
func TestWhatWasQueuedBeforeAFailureWaits(t *testing.T) {
	look := detect.Sighting{Whereabouts: detect.Whereabouts{Agent: "claude"}, State: screen.Idle, Since: noon}
	for name, c := range map[string]struct {
		blocked   reason.Kind
		submitted time.Time
		want      deliver.Reason
	}{
		"all is well":          {"", noon.Add(-time.Hour), ""},
		"queued before":        {reason.LimitReached, noon.Add(-time.Hour), deliver.Working},
		"queued by who saw it": {reason.LimitReached, noon.Add(time.Minute), ""},
	} {
		look.Blocked = reason.Why{Kind: c.blocked}
		list := Instructions{{ID: "a", Addressee: addresseeOf(look), Submitted: c.submitted, Course: Course{State: Queued}}}
		if got := list.Hold(&look, nil, detect.Presence{}, Rules{}, noon.Add(time.Hour)); got.Reason != c.want {
			t.Errorf("%s: held for %q (%v), want %q", name, got.Reason, got.Detail, c.want)
		}
	}
}

// TestOnlyWhatNodTypedIsSentAgain: the agent's newest turn must have begun with it, and it must have been
// delivered.
func TestOnlyWhatNodTypedIsSentAgain(t *testing.T) {
	told := func(pid int, state State, text string) *Nudge {
		n := &Nudge{Whereabouts: detect.Whereabouts{Process: proc.ID{PID: pid}}, About: TurnEnded{}, Answering: Answering{State: state}}
		if text != "" {
			n.Claim = &Claim{Said: Said{Text: text}}
		}
		return n
	}
	asked := &Nudge{Whereabouts: detect.Whereabouts{Process: proc.ID{PID: 7}}, About: Permission{new(screen.Prompt)}, Answering: Answering{State: Delivered, Claim: &Claim{Said: Said{Decision: screen.Approve}}}}
	for name, c := range map[string]struct {
		pane []*Nudge // newest first
		want string
	}{
		"nothing":                       {nil, ""},
		"it was typed":                  {[]*Nudge{told(7, Delivered, "go")}, "go"},
		"and questions were answered":   {[]*Nudge{asked, asked, told(7, Delivered, "go")}, "go"},
		"it may not have been typed":    {[]*Nudge{told(7, Unknown, "go")}, ""},
		"another turn began without it": {[]*Nudge{told(7, Recovered, ""), told(7, Delivered, "go")}, ""},
		"another agent had it":          {[]*Nudge{asked, told(6, Delivered, "go")}, ""},
	} {
		if got := Began(slices.Values(c.pane), proc.ID{PID: 7}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
