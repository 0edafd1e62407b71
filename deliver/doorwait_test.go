package deliver

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/testrun"
)

// calls sends nod an event of the agent's hook that asks for nothing, like the one at the start of a session.
func calls(doors *door.Doors, agent, version string) {
	e := detect.HookEvent{Agent: agent, Event: "SessionStart", Kind: detect.Started, Version: version, Origin: detect.Origin{Pane: ref.ID, ServerPID: life.PID, Caller: hookPID}}
	doors.Open(e, detect.SenderOf([]proc.Process{hook, processes[agent]}), time.Now())
}

// lateDoor opens a door after a while for the question on the screen claude-bash. A moment later a look shows
// its prompt. It returns the hook's output.
func lateDoor(t *testing.T, doors *door.Doors, after time.Duration) (printed chan string) {
	printed = make(chan string, 1)
	go func() {
		defer close(printed)
		time.Sleep(after)
		e := permission("touch a")
		token := doors.Open(e, detect.SenderOf([]proc.Process{hook, processes["claude"]}), time.Now())
		go func() {
			time.Sleep(50 * time.Millisecond)
			p := *promptOn(t, "claude", "claude-bash")
			p.Call, p.Source, p.Partial = detect.CallName(e), screen.FromEvent, false
			doors.Saw(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: ref}, State: screen.Permission, Prompt: &p})
		}()
		if text, err := doors.Wait(t.Context(), token, e.Caller); err == nil {
			printed <- text
			doors.Printed(token, e.Caller)
		}
	}()
	return printed
}

// askedPane returns a pane of a claude that asks, and continues when a key or its hook answers.
func askedPane(t *testing.T) *pane {
	p := newPane(t, "claude", "claude-bash")
	p.onKey = func(p *pane, _ string) { p.show("claude-working") }
	return p
}

// TestALateDoorTakesTheAnswer: nod waits at most a second for it, and types no key before.
func TestALateDoorTakesTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, doors := askedPane(t), &door.Doors{}
		calls(doors, "claude", "2.1.329")
		r := request(t, "claude", "claude-bash", screen.Approve)
		printed := lateDoor(t, doors, 900*time.Millisecond)
		p.later(1500*time.Millisecond, func() { p.show("claude-working") })
		var began begins
		res := p.typistAt(doors).Type(t.Context(), r, began.begin)
		check(t, p, res, began, want{Delivered, "", "", 1, ""})
		if text := <-printed; !res.Door || text == "" {
			t.Errorf("door %t, printed %q", res.Door, text)
		}
	})
}

// TestNeverBothALateDoorAndKeys: exactly one of the two answers, whenever the door opens.
func TestNeverBothALateDoorAndKeys(t *testing.T) {
	t.Parallel()
	doorsTook := 0
	for seed := range uint64(testrun.Rounds(100, 300)) {
		random := rand.New(rand.NewPCG(seed, 10))
		synctest.Test(t, func(t *testing.T) {
			p, doors := askedPane(t), &door.Doors{}
			calls(doors, "claude", "2.1.329")
			r := request(t, "claude", "claude-bash", []screen.Decision{screen.Approve, screen.Deny}[random.IntN(2)])
			printed := lateDoor(t, doors, time.Duration(random.IntN(2500))*time.Millisecond)
			go func() { // the agent continues after its hook's output
				if text, ok := <-printed; ok && text != "" {
					doorsTook++
					p.later(50*time.Millisecond, func() { p.show("claude-working") })
				}
			}()
			before := doorsTook
			var began begins
			res := p.typistAt(doors).Type(t.Context(), r, began.begin)
			time.Sleep(5 * time.Second)
			if res.Outcome != Delivered || began != 1 || len(p.typed)+doorsTook-before != 1 || res.Door != (len(p.typed) == 0) {
				t.Errorf("%+v, began %d, typed %q, hooks that printed %d", res, began, p.typed, doorsTook-before)
			}
			doors.Heard(detect.HookEvent{Agent: "claude", Kind: detect.Stopped, Session: "s", Origin: detect.Origin{Pane: ref.ID}}) // ends a hook that still waits
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if doorsTook < 30 || doorsTook > 270 {
		t.Errorf("the door took %d answers of 300", doorsTook)
	}
}

// TestHowLongADoorIsWaitedFor: a second if the agent's hooks are known to take answers, and not at all for
// other agents or after the event has arrived.
func TestHowLongADoorIsWaitedFor(t *testing.T) {
	const second = time.Second
	for name, c := range map[string]struct {
		agent   string
		arrange func(t *testing.T, doors *door.Doors, r *Request)
		want    time.Duration
	}{
		"its hooks work":                     {"claude", func(_ *testing.T, doors *door.Doors, _ *Request) { calls(doors, "claude", "2.1.329") }, second},
		"of a version that they do not tell": {"claude", func(_ *testing.T, doors *door.Doors, _ *Request) { calls(doors, "claude", "") }, second},
		"no hook was heard":                  {"claude", func(*testing.T, *door.Doors, *Request) {}, 0},
		"an older version":                   {"claude", func(_ *testing.T, doors *door.Doors, _ *Request) { calls(doors, "claude", "1.0.128") }, 0},
		"it asks without a version": {"claude", func(_ *testing.T, doors *door.Doors, _ *Request) {
			e := permission("touch a")
			e.Version = ""
			doors.Open(e, detect.SenderOf([]proc.Process{hook, processes["claude"]}), time.Now())
		}, 0},
		"another agent's hook":   {"claude", func(_ *testing.T, doors *door.Doors, _ *Request) { calls(doors, "kilo", "7.7.9") }, 0},
		"an agent without doors": {"codex", func(_ *testing.T, doors *door.Doors, _ *Request) { calls(doors, "codex", "0.169.0") }, 0},
		"its event has come, and its door has shut": {"claude", func(_ *testing.T, doors *door.Doors, r *Request) {
			calls(doors, "claude", "2.1.329")
			r.Call = detect.CallName(permission("touch a"))
		}, 0},
		"its event has come, and the screen is no rendering of it": {"claude", func(t *testing.T, doors *door.Doors, _ *Request) {
			w := waits(t, doors, permission("touch a"), processes["claude"])
			doors.Saw(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: ref}, State: screen.Permission, Prompt: promptOn(t, "claude", "claude-bash")})
			t.Cleanup(func() { _ = w })
		}, 0},
		"doors are off": {"claude", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := map[string]string{"claude": "claude-bash", "codex": "codex-escalate"}[c.agent]
				p := newPane(t, c.agent, on)
				start, typed := time.Now(), time.Duration(-1)
				p.onKey = func(p *pane, _ string) { typed = time.Since(start); p.show(c.agent + "-working") }
				r := request(t, c.agent, on, screen.Approve)
				typist := p.typist()
				if c.arrange != nil {
					doors := &door.Doors{}
					c.arrange(t, doors, &r)
					typist = p.typistAt(doors)
				}
				var began begins
				res := typist.Type(t.Context(), r, began.begin)
				if res.Outcome != Delivered || res.Door || typed < c.want || typed > c.want+100*time.Millisecond {
					t.Errorf("%+v, typed after %v, want %v", res, typed, c.want)
				}
			})
		})
	}
}

// TestALateDoorTakesNoAnswerToAPart: if a person was not shown the whole call, keys answer what is on the
// screen.
func TestALateDoorTakesNoAnswerToAPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, doors := askedPane(t), &door.Doors{}
		calls(doors, "claude", "2.1.329")
		r := request(t, "claude", "claude-bash", screen.Approve)
		printed := lateDoor(t, doors, 500*time.Millisecond)
		typist := p.typistAt(doors)
		read := typist.cfg.Read
		typist.cfg.Read = func(agent string, s screen.Screen) screen.Reading {
			reading := read(agent, s)
			if reading.Prompt != nil {
				reading.Prompt.Partial = true
			}
			return reading
		}
		var began begins
		res := typist.Type(t.Context(), r, began.begin)
		check(t, p, res, began, want{Delivered, "", "1", 1, ""})
		doors.Heard(detect.HookEvent{Agent: "claude", Kind: detect.Stopped, Session: "s", Origin: detect.Origin{Pane: ref.ID}})
		if text, ok := <-printed; ok {
			t.Errorf("printed %q", text)
		}
	})
}
