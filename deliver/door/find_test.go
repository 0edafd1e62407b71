package door

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// shows is a look at the pane that shows the prompt of the call of event(nil), with the fingerprint f.
func shows() detect.Sighting {
	p := &screen.Prompt{Call: detect.CallName(event(nil)), Fingerprint: "f"}
	p.Source = screen.FromEvent
	return detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane}, State: screen.Permission, Prompt: p}
}

// sought is what an answer is about.
type sought struct {
	pane              detect.PaneRef
	agent             string
	process           proc.ID
	call, fingerprint string
}

// TestADoorTakesOnlyTheAnswerToItsPrompt: that of its agent, in its pane, as the newest look showed it.
func TestADoorTakesOnlyTheAnswerToItsPrompt(t *testing.T) {
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		look func(*detect.Sighting)
		ask  func(*sought)
		then func(d *Doors, token string)
		want bool
	}{
		"its own":                   {want: true},
		"its own, call unknown":     {ask: func(s *sought) { s.call = "" }, want: true},
		"read from the screen":      {look: func(s *detect.Sighting) { s.Prompt.Source = "" }},
		"seen in part":              {look: func(s *detect.Sighting) { s.Prompt.Partial = true }},
		"a question":                {look: func(s *detect.Sighting) { s.State = screen.Question }},
		"the screen's call":         {look: func(s *detect.Sighting) { s.Prompt.Call = "another" }},
		"a look at another pane":    {look: func(s *detect.Sighting) { s.Pane.ID = "%8" }},
		"a pane of another machine": {look: func(s *detect.Sighting) { s.Pane.Machine = "gpu1" }},
		"another pane":              {ask: func(s *sought) { s.pane.ID = "%8" }},
		"another machine":           {ask: func(s *sought) { s.pane.Machine = "gpu1" }},
		"another server":            {ask: func(s *sought) { s.pane.Server.PID++ }},
		"another agent":             {ask: func(s *sought) { s.agent = "kilo" }},
		"another process":           {ask: func(s *sought) { s.process.Start++ }},
		"another call":              {ask: func(s *sought) { s.call = "another" }},
		"another prompt":            {ask: func(s *sought) { s.fingerprint = "g" }},
		"covered since": {then: func(d *Doors, _ string) {
			s := shows()
			s.Prompt = nil
			d.Saw(s)
		}},
		"handed over": {then: func(d *Doors, _ string) { d.list[0].Hand(screen.Approve, "") }},
		"two for any call": {ask: func(s *sought) { s.call = "" }, then: func(d *Doors, _ string) {
			d.Open(event(func(e *detect.HookEvent) { e.Input = json.RawMessage(`{"command":"ls"}`) }), sender(t), time.Now())
		}},
		"another call waits too": {then: func(d *Doors, _ string) {
			d.Open(event(func(e *detect.HookEvent) { e.Input = json.RawMessage(`{"command":"ls"}`) }), sender(t), time.Now())
		}, want: true},
		"another pane waits too": {ask: func(s *sought) { s.call = "" }, then: func(d *Doors, _ string) {
			d.Open(event(func(e *detect.HookEvent) { e.Pane = "%8" }), sender(t), time.Now())
		}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &Doors{}
				token := d.Open(event(nil), sender(t), time.Now())
				go func() { _, _ = d.Wait(t.Context(), token, hookPID) }()
				synctest.Wait()
				look, s := shows(), sought{pane, "claude", me, detect.CallName(event(nil)), "f"}
				if c.look != nil {
					c.look(&look)
				}
				d.Saw(look)
				if c.then != nil {
					c.then(d, token)
				}
				if c.ask != nil {
					c.ask(&s)
				}
				if got := d.Find(s.pane, s.agent, s.process, s.call, s.fingerprint); (got != nil) != c.want {
					t.Errorf("found: %t", got != nil)
				}
				d.Heard(event(func(e *detect.HookEvent) { e.Kind = detect.Ended }))
			})
		})
	}
}

// TestADoorShutsForWhatStandsInItsPromptsPlace: another prompt, and a screen that nod could not see.
func TestADoorShutsForWhatStandsInItsPromptsPlace(t *testing.T) {
	for name, change := range map[string]func(*detect.Sighting){
		"another prompt": func(s *detect.Sighting) { s.Prompt = &screen.Prompt{Fingerprint: "g"} },
		"unseen":         func(s *detect.Sighting) { s.Prompt, s.Unseen = nil, true },
	} {
		d := &Doors{}
		d.Open(event(nil), sender(t), time.Now())
		d.Saw(shows())
		for range missesToShut {
			s := shows()
			change(&s)
			d.Saw(s)
		}
		if len(d.list) > 0 {
			t.Errorf("%s: it is open still", name)
		}
	}
}

// TestACoveredPromptIsWaitedFor: once it was seen, its hook does not give up as one whose prompt never came.
func TestACoveredPromptIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ended := waitedAt(t)
		d.Saw(shows())
		covered := shows()
		covered.Prompt = nil
		d.Saw(covered)
		time.Sleep(2 * unseen)
		synctest.Wait()
		if len(ended) > 0 {
			t.Error("it has given up")
		}
		d.Heard(event(func(e *detect.HookEvent) { e.Kind = detect.Ended }))
		<-ended
	})
}

// TestAHookWhoseAgentHasEndedIsLetGo.
func TestAHookWhoseAgentHasEndedIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Doors{}
		gone := detect.SenderOf([]proc.Process{
			{ID: proc.ID{PID: hookPID, Start: 9}, Comm: "nod", Exe: "/usr/bin/nod", Args: []string{"nod", "hook", "claude"}},
			{ID: proc.ID{PID: os.Getpid(), Start: 1}, Comm: "claude", Exe: "/opt/claude", Args: []string{"claude"}}, // its pid is another's now
		})
		token, start := d.Open(event(nil), gone, time.Now()), time.Now()
		if _, err := d.Wait(t.Context(), token, hookPID); !errors.Is(err, ErrShut) || time.Since(start) > lookAgain {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// TestOnlyTheHookOfAnAnswerSaysThatItIsPrinted: not before it has one, not another process, and not with another's word.
func TestOnlyTheHookOfAnAnswerSaysThatItIsPrinted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Doors{}
		e := event(func(e *detect.HookEvent) { e.Pane = "" })
		token := d.OpenOutside(e, sender(t), "k3f", time.Now())
		waited := make(chan error, 1)
		go func() { _, err := d.Wait(t.Context(), token, hookPID); waited <- err }()
		synctest.Wait()
		d.Printed(token, hookPID) // too early
		w := d.Of("k3f")
		if w == nil || d.Of("") != nil || !d.Has("k3f", time.Now()) || d.Has("", time.Now()) {
			t.Fatal("its door is not the one of its nudge")
		}
		printed, ok := w.Hand(screen.Approve, "")
		if err := <-waited; !ok || err != nil {
			t.Fatal(ok, err)
		}
		if d.Of("k3f") != nil || d.Has("k3f", time.Now()) {
			t.Error("it takes another answer")
		}
		if _, again := w.Hand(screen.Deny, ""); again {
			t.Error("it took another answer")
		}
		if _, err := d.Wait(t.Context(), token, hookPID); !errors.Is(err, ErrNone) {
			t.Errorf("its hook waits again: %v", err)
		}
		d.Printed(token, hookPID+1)
		d.Printed("another", hookPID)
		if isClosed(printed, time.Second) {
			t.Error("another said that it is printed")
		}
		if d.Printed(token, hookPID); !isClosed(printed, time.Second) || len(d.list) > 0 {
			t.Error("its hook said so, and nobody heard it")
		}
	})
}

// TestAShutDoorTakesNothing, even if its hook has not left yet.
func TestAShutDoorTakesNothing(t *testing.T) {
	d := &Doors{}
	w := d.OpenAt("k3f", time.Now())
	d.mu.Lock()
	d.close(w, ErrShut)
	d.mu.Unlock()
	if _, ok := w.Hand(screen.Approve, ""); ok || len(w.answers) > 0 {
		t.Error("it took an answer")
	}
}

// TestACallOfTwoThreadsIsNobodys: a server told of the same command in two sessions, or in two folders.
func TestACallOfTwoThreadsIsNobodys(t *testing.T) {
	at := agents.ServerOf("codex", []string{"codex", "--remote", "ws://127.0.0.1:4500"})
	for name, change := range map[string]func(d *agents.ServerDenial){
		"one":                func(*agents.ServerDenial) {},
		"of another session": func(d *agents.ServerDenial) { d.Thread = "u" },
		"in another folder":  func(d *agents.ServerDenial) { d.Folder = "/q" },
		"another command":    func(d *agents.ServerDenial) { d.Text = "touch a\nrm x" },
	} {
		s := NewServers(ServersConfig{})
		first := agents.ServerDenial{DeniedCall: agents.DeniedCall{Text: "touch a\nrm y", Folder: "/p"}, Thread: "t"}
		second := first
		change(&second)
		for _, d := range []agents.ServerDenial{first, second, second} {
			s.note(Denied{at, proc.ID{PID: 1}, d, time.Now()})
		}
		got := s.whole("codex", []string{"codex", "--remote", "ws://127.0.0.1:4500"}, agents.DeniedCall{Text: "touch a ...", Cut: true})
		if (got != nil) != (name == "one") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
