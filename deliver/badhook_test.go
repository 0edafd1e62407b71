package deliver

import (
	"testing"
	"testing/synctest"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// nothingPrinted ends waiting hooks, and fails the test if one of them was given a decision.
func nothingPrinted(t *testing.T, hooks ...*waiting) {
	t.Helper()
	for _, w := range hooks {
		w.hangUp()
		if text, ok := <-w.printed; ok {
			t.Errorf("it printed %q", text)
		}
	}
}

// TestAHookThatLiesAboutItsID gets no decision, whether it names another pane, agent or call, or guesses
// another hook's word. A key answers the prompt.
func TestAHookThatLiesAboutItsID(t *testing.T) {
	elsewhere := processes["claude"]
	elsewhere.ID = proc.ID{PID: elsewhere.PID + 1, Start: 77}
	for name, lie := range map[string]struct {
		e       func(e *detect.HookEvent)
		process proc.Process
	}{
		"another's pane":    {func(*detect.HookEvent) {}, elsewhere},
		"another's agent":   {func(*detect.HookEvent) {}, processes["codex"]},
		"another's call":    {func(e *detect.HookEvent) { e.Input = permission("rm -rf /").Input }, processes["claude"]},
		"another's server":  {func(e *detect.HookEvent) { e.ServerPID++ }, processes["claude"]},
		"an agent's name":   {func(e *detect.HookEvent) { e.Agent, e.Event, e.Version = "kilo", "permission.asked", "7.7.9" }, processes["claude"]},
		"a caller's number": {func(e *detect.HookEvent) { e.Caller = 0 }, processes["claude"]},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				p.onKey = func(p *pane, _ string) { p.show("claude-working") }
				doors := &door.Doors{}
				e := permission("touch a")
				lie.e(&e)
				w := waits(t, doors, e, lie.process)
				r := request(t, "claude", "claude-bash", screen.Approve)
				(&waiting{doors: doors, e: permission("touch a")}).shown(t, &r)
				var began begins
				check(t, p, p.typistAt(doors).Type(t.Context(), r, began.begin), began, want{Delivered, "", "1", 1, ""})
				nothingPrinted(t, w)
			})
		})
	}
}

// TestTwoHooksForOneRequest: the agent listens to one of them, but nod doesn't know to which, so neither gets
// the decision.
func TestTwoHooksForOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onKey = func(p *pane, _ string) { p.show("claude-working") }
		doors := &door.Doors{}
		first, second := waits(t, doors, permission("touch a"), processes["claude"]), waits(t, doors, permission("touch a"), processes["claude"])
		r := request(t, "claude", "claude-bash", screen.Approve)
		second.shown(t, &r)
		var began begins
		check(t, p, p.typistAt(doors).Type(t.Context(), r, began.begin), began, want{Delivered, "", "1", 1, ""})
		nothingPrinted(t, first, second)
	})
}

// TestADecisionForARequestThatIsOver goes nowhere: neither to the hook that waited for it nor to the hook
// that waits now.
func TestADecisionForARequestThatIsOver(t *testing.T) {
	for name, end := range map[string]func(*door.Doors){
		"its tool has run":         func(d *door.Doors) { d.Heard(ended(detect.Ran)) },
		"somebody spoke":           func(d *door.Doors) { d.Heard(ended(detect.Submitted)) },
		"the turn is over":         func(d *door.Doors) { d.Heard(ended(detect.Stopped)) },
		"the session is over":      func(d *door.Doors) { d.Heard(ended(detect.Ended)) },
		"its prompt left the pane": func(d *door.Doors) { d.Saw(works); d.Saw(works) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				doors := &door.Doors{}
				w := waits(t, doors, permission("touch a"), processes["claude"])
				r := request(t, "claude", "claude-bash", screen.Approve)
				w.shown(t, &r)
				found := doors.Find(r.Pane, r.Agent, r.Process, r.Call, r.Fingerprint)
				end(doors)
				next := waits(t, doors, permission("rm -rf /"), processes["claude"])
				if _, ok := found.Hand(screen.Approve, ""); ok {
					t.Error("the decision was taken")
				}
				if doors.Find(r.Pane, r.Agent, r.Process, r.Call, r.Fingerprint) != nil {
					t.Error("there is a door for it")
				}
				nothingPrinted(t, w, next)
			})
		})
	}
}

// works is a look at the pane while its agent works.
var works = detect.Sighting{Whereabouts: detect.Whereabouts{Pane: ref}, State: screen.Working}

// ended returns an event after which the permission to touch a is over.
func ended(kind detect.HookKind) detect.HookEvent {
	e := permission("touch a")
	e.Kind = kind
	return e
}

// TestAHookWhoseSocketClosesInTheMiddle gets no decision any more: a key answers the prompt.
// TestAHookThatDiesWithTheAnswer is about a hook that has the decision already.
func TestAHookWhoseSocketClosesInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onKey = func(p *pane, _ string) { p.show("claude-working") }
		doors := &door.Doors{}
		w := waits(t, doors, permission("touch a"), processes["claude"])
		r := request(t, "claude", "claude-bash", screen.Approve)
		w.shown(t, &r)
		found := doors.Find(r.Pane, r.Agent, r.Process, r.Call, r.Fingerprint)
		w.hangUp()
		if _, ok := found.Hand(screen.Approve, ""); ok {
			t.Error("a hook that is gone took the decision")
		}
		var began begins
		check(t, p, p.typistAt(doors).Type(t.Context(), r, began.begin), began, want{Delivered, "", "1", 1, ""})
		nothingPrinted(t, w)
	})
}
