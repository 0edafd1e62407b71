package door

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// calledBy is a hook that these programs called, the nearest first; the last runs as this test's process.
func calledBy(t *testing.T, programs ...string) detect.Sender {
	t.Helper()
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	line := []proc.Process{{ID: proc.ID{PID: hookPID, Start: 9}, Comm: "nod", Exe: "/usr/bin/nod", Args: []string{"nod", "hook", programs[0]}}}
	for i, name := range programs {
		p := proc.Process{ID: proc.ID{PID: hookPID + 1 + i, Start: 9}, Comm: name, Exe: "/opt/" + name, Args: []string{name}}
		if i == len(programs)-1 {
			p.ID = me
		}
		line = append(line, p)
	}
	return detect.SenderOf(line)
}

// TestADoorIsAwaitedOnlyFromAnAgentThatOpensOne: its own hooks have shown that it does, in the version that they last named.
func TestADoorIsAwaitedOnlyFromAnAgentThatOpensOne(t *testing.T) {
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	works := func(version string) func(*detect.HookEvent) {
		return func(e *detect.HookEvent) { e.Event, e.Kind, e.Version = "PreToolUse", detect.Before, version }
	}
	asks := func(version string) func(*detect.HookEvent) {
		return func(e *detect.HookEvent) { e.Tool, e.Version = "ExitPlanMode", version }
	}
	for name, c := range map[string]struct {
		programs []string
		heard    []func(*detect.HookEvent)
		want     bool
	}{
		"nothing is heard":            {[]string{"claude"}, nil, false},
		"no version is told":          {[]string{"claude"}, []func(*detect.HookEvent){works("")}, true},
		"a proven version":            {[]string{"claude"}, []func(*detect.HookEvent){works("2.1.329")}, true},
		"an old version":              {[]string{"claude"}, []func(*detect.HookEvent){works("1.0.128")}, false},
		"it asked without a version":  {[]string{"claude"}, []func(*detect.HookEvent){asks("")}, false},
		"it was known before":         {[]string{"claude"}, []func(*detect.HookEvent){works("2.1.329"), asks(""), works("")}, true},
		"it was known as old":         {[]string{"claude"}, []func(*detect.HookEvent){works("1.0.128"), works("")}, false},
		"it is another now":           {[]string{"claude"}, []func(*detect.HookEvent){works("2.1.329"), works("1.0.128")}, false},
		"another agent":               {[]string{"kilo"}, []func(*detect.HookEvent){works("2.1.329")}, false},
		"a program of the agent's":    {[]string{"bash", "claude"}, []func(*detect.HookEvent){works("2.1.329")}, false},
		"no agent":                    {[]string{"bash"}, []func(*detect.HookEvent){works("2.1.329")}, false},
		"an agent that opens no door": {[]string{"codex"}, []func(*detect.HookEvent){func(e *detect.HookEvent) { e.Agent = "codex" }}, false},
	} {
		d := &Doors{}
		for _, change := range c.heard {
			d.Open(event(change), calledBy(t, c.programs...), time.Now())
		}
		if got := d.Comes(pane, me, ""); got != c.want {
			t.Errorf("%s: awaited %t", name, got)
		}
		if d.Comes(pane, proc.ID{PID: 1, Start: 1}, "") || d.Comes(pane, me, "a call") {
			t.Errorf("%s: one of another process, or of a call that was reported, is awaited", name)
		}
	}
}

// TestAnOpenDoorIsAwaitedUntilItsHookWaitsAndItsPromptIsSeen, in its pane, and no other beside it.
func TestAnOpenDoorIsAwaitedUntilItsHookWaitsAndItsPromptIsSeen(t *testing.T) {
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	question, hidden, working := shows(), shows(), shows()
	question.State, hidden.Prompt = screen.Question, nil
	working.State, working.Prompt = screen.Working, nil
	another := shows()
	another.Prompt.Call = "another"
	other := detect.PaneRef{Server: pane.Server, ID: "%8"}
	for name, c := range map[string]struct {
		away  bool // its hook does not wait yet
		looks []detect.Sighting
		in    detect.PaneRef
		want  bool
	}{
		"its hook does not wait yet": {true, []detect.Sighting{shows()}, pane, true},
		"nothing is seen":            {false, nil, pane, true},
		"it works":                   {false, []detect.Sighting{working}, pane, true},
		"another question":           {false, []detect.Sighting{question}, pane, true},
		"a covered dialog":           {false, []detect.Sighting{hidden}, pane, true},
		"its prompt":                 {false, []detect.Sighting{shows()}, pane, false},
		"another prompt":             {false, []detect.Sighting{another}, pane, false},
		"its prompt was seen":        {false, []detect.Sighting{shows(), working}, pane, false},
		"another pane":               {true, []detect.Sighting{shows()}, other, true}, // its agent opens doors
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &Doors{}
				token := d.Open(event(nil), sender(t), time.Now())
				if !c.away {
					go func() { _, _ = d.Wait(t.Context(), token, hookPID) }()
					synctest.Wait()
				}
				for _, s := range c.looks {
					d.Saw(s)
				}
				if got := d.Comes(c.in, me, ""); got != c.want {
					t.Errorf("awaited %t", got)
				}
				if got := d.Comes(c.in, me, "a call"); got != (c.want && c.in == pane) {
					t.Errorf("awaited for a call: %t", got)
				}
				if d.Find(pane, "claude", me, "", "f") != nil && c.away {
					t.Error("it is found before its hook waits")
				}
				if w := d.list[0]; !c.away {
					w.Hand(screen.Deny, "")
					if d.takes = nil; d.Comes(pane, me, "") {
						t.Error("one that took an answer is awaited")
					}
				}
				d.Heard(event(func(e *detect.HookEvent) { e.Kind = detect.Ended }))
			})
		})
	}
}

// TestAFormsDoorIsNotItsPanes: a prompt of the pane is not answered by it, and a look at the pane does not end it.
func TestAFormsDoorIsNotItsPanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me, err := proc.Of(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		d := &Doors{}
		token := d.OpenForm(event(nil), sender(t), "k3f", "values", "none", time.Now())
		go func() { _, _ = d.Wait(t.Context(), token, hookPID) }()
		synctest.Wait()
		working := shows()
		working.State, working.Prompt = screen.Working, nil
		for _, s := range []detect.Sighting{shows(), shows()} {
			d.Saw(s)
		}
		if d.Find(pane, "claude", me, detect.CallName(event(nil)), "f") != nil {
			t.Error("it takes the answer to a prompt")
		}
		d.Saw(working)
		d.Saw(working)
		time.Sleep(2 * unseen)
		synctest.Wait()
		if d.Of("k3f") == nil || d.Comes(pane, me, "") {
			t.Error("looks at the pane end it")
		}
		d.Heard(event(func(e *detect.HookEvent) { e.Kind = detect.Ended }))
	})
}

// TestNoNudgeIsNoDoors: a pane's door is not that of a request without a pane, nor is one whose hook has not come.
func TestNoNudgeIsNoDoors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ended := waitedAt(t)
		d.OpenOutside(event(func(e *detect.HookEvent) { e.Pane = "" }), sender(t), "k3f", time.Now())
		if d.Of("") != nil || d.Of("k3f") != nil {
			t.Error("it takes the answer to a request without a pane")
		}
		d.Heard(event(func(e *detect.HookEvent) { e.Kind = detect.Ended }))
		<-ended
	})
}

// TestWhatIsKeptOfDoorsIsBounded: of agents that were heard, of requests at servers, and of hooks that took an answer and never said so.
func TestWhatIsKeptOfDoorsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Doors{}
		for i := range 2*maxDoors + 1 {
			agent := proc.Process{ID: proc.ID{PID: 1000 + i, Start: 1}, Comm: "claude", Exe: "/opt/claude", Args: []string{"claude"}}
			d.learn(event(nil), detect.SenderOf([]proc.Process{{Comm: "nod", Exe: "/usr/bin/nod", Args: []string{"nod", "hook", "claude"}}, agent}))
			if len(d.takes) > maxDoors || !d.takes[agent.ID] {
				t.Fatalf("%d are kept", len(d.takes))
			}
		}
		opened := 0
		for i := range 2 * maxDoors {
			if d.OpenAt(fmt.Sprint(i), time.Now()) != nil {
				opened++
			}
		}
		if opened != maxDoors {
			t.Errorf("%d doors are open", opened)
		}
		d, ended := waitedAt(t)
		d.list[0].Hand(screen.Approve, "")
		<-ended
		if synctest.Wait(); len(d.list) != 1 {
			t.Fatal("its hook can't say any more that it printed the answer")
		}
		if d.forget(time.Now().Add(2 * unattended)); len(d.list) > 0 {
			t.Error("the door of a hook that never said so is kept")
		}
	})
}

// TestWordsGoWithADenialWhereTheAgentTakesThem, as long as they fit.
func TestWordsGoWithADenialWhereTheAgentTakesThem(t *testing.T) {
	for agent, want := range map[string]bool{"claude": true, "opencode": false, "codex": false, "mystery": false} {
		if Known(agent) != (want || agent == "opencode") {
			t.Errorf("%s takes answers from its hook: %t", agent, Known(agent))
		}
		w := &Door{event: detect.HookEvent{Agent: agent}}
		longest := strings.Repeat("x", longestWords)
		if got := Hears(agent); got != want || w.Says("no") != want || w.Says(longest) != want || w.Says(longest+"x") || w.Says("") {
			t.Errorf("%s: %t", agent, got)
		}
	}
}

// TestADoorKeepsNothingOfItsCallButItsName: what an agent writes may be long, and secret.
func TestADoorKeepsNothingOfItsCallButItsName(t *testing.T) {
	d := &Doors{}
	d.Open(event(func(e *detect.HookEvent) { e.Input = json.RawMessage(`{"command":"export TOKEN=secret"}`) }), sender(t), time.Now())
	if w := d.list[0]; w.event.Input != nil || w.call == "" {
		t.Errorf("it keeps %s", w.event.Input)
	}
}
