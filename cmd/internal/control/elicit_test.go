package control

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/settings"
	"nod/internal/testrun"
	"nod/nudge"
)

const (
	elicits = `,"mcp_server_name":"deploy","message":"Which settings?","mode":"form","requested_schema":`
	deploys = elicits + `{"type":"object","properties":{"branch":{"type":"string"},"count":{"type":"integer","maximum":5}}}`
)

// asked waits for an open question of a form whose text contains these words.
func (w *world) asked(t *testing.T, words ...string) nudge.Nudge {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		list, err := w.cfg.Keeper.List(false)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range list {
			lacks := func(word string) bool { return !strings.Contains(n.Prompt().Subject, word) }
			if n.State == nudge.Pending && !slices.ContainsFunc(words, lacks) {
				return n
			}
		}
	}
	t.Fatalf("nobody is asked %q", words)
	return nudge.Nudge{}
}

// asksToSend is asked, of the question whether to send the values: nobody answers that before the hook waits.
func (w *world) asksToSend(t *testing.T, words ...string) nudge.Nudge {
	t.Helper()
	n := w.asked(t, words...)
	for end := time.Now().Add(10 * time.Second); w.cfg.Doors.Of(n.ID) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the hook does not wait for the answer")
		}
	}
	return n
}

func (w *world) says(t *testing.T, n nudge.Nudge, said nudge.Said) {
	t.Helper()
	a := answerTo(t.Context(), n.ID, "")
	if a.Said = said; said.Text != "" {
		a.Line, a.Text = said.Text, ""
	}
	if v, err := w.cfg.Keeper.Answer(a); err != nil || v.Kind != nudge.Taken {
		t.Fatalf("%+v is %s: %v, %v", said, v.Kind, v.Detail, err)
	}
}

func (w *world) ended(t *testing.T, id string) nudge.Nudge {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		switch n, found, err := w.cfg.Keeper.Find(id); {
		case err != nil || !found || time.Now().After(end):
			t.Fatalf("it is %s: %v", n.State, err)
		case n.State.Over():
			return n
		}
	}
}

// choose taps an option.
func choose(n nudge.Nudge, label string) nudge.Said {
	for i, o := range n.Prompt().Options {
		if o.Label == label {
			return nudge.Said{Choice: &deliver.Choice{Index: i, Label: label}}
		}
	}
	return nudge.Said{}
}

// TestAFormIsHeldOutOfTheTurnsBudget: if denied calls have spent the budget, the dialog appears at the
// terminal at once.
func TestAFormIsHeldOutOfTheTurnsBudget(t *testing.T) {
	w := guarded(t, self(t))
	const budget = 50 * time.Millisecond
	w.set(func() { w.settings.GuardWait = budget })
	if w.event(t, "Elicitation", deploys, false) == "" {
		t.Error("the first is not held")
	}
	if err := w.cfg.Keeper.EndTurn(w.panes[0].Whereabouts, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if w.event(t, "PermissionDenied", pushed, false) == "" {
		t.Error("the hook of a denied call is not held")
	}
	time.Sleep(2 * budget)
	if w.event(t, "Elicitation", deploys, false) != "" {
		t.Error("the hook of a form is held, and nothing is left")
	}
}

// TestAFormIsFilledInFieldByField, and all values are sent together when a person accepts them.
func TestAFormIsFilledInFieldByField(t *testing.T) {
	w := guarded(t, self(t))
	printed := make(chan string, 1)
	token := w.event(t, "Elicitation", deploys, false)
	go func() { printed <- w.prints(t, token) }()
	w.says(t, w.asked(t, "branch, 1 of 2"), nudge.Said{Text: "release <2>"})
	w.says(t, w.asked(t, "count, 2 of 2"), nudge.Said{Text: "6"})
	w.says(t, w.asked(t, "count, 2 of 2", "That is not what it takes."), choose(w.asked(t, "count, 2 of 2"), nudge.LeaveOut))
	last := w.asksToSend(t, "branch: release <2>\ncount: left out")
	w.says(t, last, nudge.Said{Decision: screen.Approve})
	if got, want := <-printed, agents.HooksOf("claude").Forms.Accept(`{"branch":"release \u003c2\u003e"}`); got != want {
		t.Errorf("the hook prints %s, want %s", got, want)
	}
	if n := w.ended(t, last.ID); n.State != nudge.Delivered || !n.Door {
		t.Errorf("it is %s, %v", n.State, n.Detail)
	}
}

// TestAnAcceptedFormThatNobodyPrintedIsUnknown: the hook may have been killed with the values.
func TestAnAcceptedFormThatNobodyPrintedIsUnknown(t *testing.T) {
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	w := guarded(t, self(t))
	token := w.event(t, "Elicitation", elicits+`{"type":"object","properties":{}}`, false)
	go func() { _ = w.client.Wait(t.Context(), "door.wait", DoorParams{token}, new(DoorAnswer)) }()
	last := w.asksToSend(t, "MCP server deploy")
	w.says(t, last, nudge.Said{Decision: screen.Approve})
	if n := w.ended(t, last.ID); n.State != nudge.Unknown {
		t.Errorf("it is %s, %v", n.State, n.Detail)
	}
}

func TestAFormIsDeclinedAtAnyField(t *testing.T) {
	w := guarded(t, self(t))
	printed := make(chan string, 1)
	token := w.event(t, "Elicitation", deploys, false)
	go func() { printed <- w.prints(t, token) }()
	n := w.asked(t, "branch, 1 of 2")
	w.says(t, n, choose(n, nudge.Decline))
	if got, want := <-printed, agents.HooksOf("claude").Forms.Decline; got != want {
		t.Errorf("the hook prints %s, want %s", got, want)
	}
}

// TestAFormGoesToTheTerminal: when somebody comes to the pane, when the agent no longer waits for it, when
// the time is up, and when the hook ends.
func TestAFormGoesToTheTerminal(t *testing.T) {
	t.Parallel()
	look := func(change func(*detect.Sighting)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			s := w.panes[0]
			s.At = time.Now().Add(time.Millisecond)
			change(&s)
			w.set(func() { w.panes = []detect.Sighting{s} })
			if err := w.cfg.Keeper.See(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		wait time.Duration
		then func(*testing.T, *world)
	}{
		"somebody comes":   {time.Minute, look(func(s *detect.Sighting) { s.Here = time.Now() })},
		"Escape":           {time.Minute, look(func(s *detect.Sighting) { s.State = screen.Idle })},
		"the agent exits":  {time.Minute, look(func(s *detect.Sighting) { s.State = screen.Shell })},
		"the pane is gone": {time.Minute, func(_ *testing.T, w *world) { w.set(func() { w.panes = nil }) }},
		"nobody answers":   {time.Second, func(*testing.T, *world) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := guarded(t, self(t))
			w.set(func() { w.settings.GuardWait = c.wait })
			printed := make(chan string, 1)
			token := w.event(t, "Elicitation", deploys, false)
			go func() { printed <- w.prints(t, token) }()
			n := w.asked(t, "branch, 1 of 2")
			c.then(t, w)
			if got := <-printed; got != "error: nobody has filled in the form" {
				t.Errorf("the hook prints %s", got)
			}
			if n := w.ended(t, n.ID); n.State == nudge.Recovered && n.Detail.Kind != reason.FormOver {
				t.Errorf("it ended with %v", n.Detail)
			}
		})
	}
	t.Run("the hook ends", func(t *testing.T) {
		w := guarded(t, self(t))
		ctx, end := context.WithCancel(t.Context())
		token := w.event(t, "Elicitation", deploys, false)
		go func() { _ = w.client.Wait(ctx, "door.wait", DoorParams{token}, new(DoorAnswer)) }()
		n := w.asked(t, "branch, 1 of 2")
		end()
		w.ended(t, n.ID)
	})
}

// TestAFormIsNotHeld while somebody is at the pane, and if the answer could not be delivered.
func TestAFormIsNotHeld(t *testing.T) {
	for name, c := range map[string]struct {
		fields string
		set    func(*settings.Settings)
		seen   func(*detect.Sighting)
	}{
		"somebody is there": {fields: deploys, seen: func(s *detect.Sighting) { s.Here = time.Now() }},
		"keys alone":        {fields: deploys, set: func(s *settings.Settings) { s.Doors = false }},
		"no wait":           {fields: deploys, set: func(s *settings.Settings) { s.GuardWait = 0 }},
		"a page":            {fields: `,"mcp_server_name":"deploy","message":"Sign in","mode":"url","url":"https://example.com"`},
		"another version":   {fields: deploys + `,"version":"2.0.1"`},
		"a secret":          {fields: strings.Replace(deploys, "branch", "apiKey", 1)},
	} {
		w := guarded(t, self(t))
		if c.set != nil {
			w.set(func() { c.set(&w.settings) })
		}
		if c.seen != nil {
			s := w.panes[0]
			c.seen(&s)
			if err := w.cfg.Keeper.See(s); err != nil {
				t.Fatal(err)
			}
		}
		if w.event(t, "Elicitation", c.fields, false) != "" {
			t.Errorf("%s: its hook is held", name)
		}
	}
	w := guarded(t, self(t))
	parent := w.panes[0]
	parent.Process.PID++
	w.set(func() { w.panes = []detect.Sighting{parent} })
	if w.event(t, "Elicitation", deploys, false) != "" {
		t.Error("the hook of another program is held")
	}
}

// TestAnAgentThatRestsWaitsForNoForm: a look from before its hook says nothing, and one at another pane neither.
func TestAnAgentThatRestsWaitsForNoForm(t *testing.T) {
	w := newWorld(t)
	since := time.Now()
	look := func(pane detect.PaneRef, state screen.State, at time.Duration) detect.Sighting {
		return detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane}, State: state, At: since.Add(at)}
	}
	for _, c := range []struct {
		state screen.State
		at    time.Duration
		rests bool
	}{{screen.Idle, 1, true}, {screen.Shell, 1, true}, {screen.Working, 1, false}, {screen.Idle, -1, false}, {screen.Shell, 0, false}} {
		w.set(func() { w.panes = []detect.Sighting{look(w.other, screen.Idle, 1), look(w.own, c.state, c.at)} })
		if w.restsSince(w.own, since) != c.rests {
			t.Errorf("%+v", c)
		}
	}
	n, err := w.cfg.Keeper.Ask(AskParams{Question: "Deploy?"}.question(time.Hour))
	if err != nil || w.Attends(n.ID) {
		t.Errorf("before its hook waits: %v", err)
	}
	if err := w.attend(n.ID, 1); err != nil || !w.Attends(n.ID) {
		t.Errorf("its hook waits: %v", err)
	}
}

// TestAHookThatSaysTooSoonThatItHasPrinted what nobody has said yet disturbs nothing.
func TestAHookThatSaysTooSoonThatItHasPrinted(t *testing.T) {
	w := guarded(t, self(t))
	printed := make(chan string, 1)
	token := w.event(t, "Elicitation", deploys, false)
	go func() { printed <- w.prints(t, token) }()
	w.says(t, w.asked(t, "branch, 1 of 2"), nudge.Said{Text: "main"})
	n := w.asked(t, "count, 2 of 2")
	if err := w.client.Call(t.Context(), "door.printed", DoorParams{token}, nil); err != nil {
		t.Error(err)
	}
	w.says(t, n, nudge.Said{Text: "3"})
	w.says(t, w.asksToSend(t, "count: 3"), nudge.Said{Decision: screen.Deny})
	if got, want := <-printed, agents.HooksOf("claude").Forms.Decline; got != want {
		t.Errorf("the hook prints %s", got)
	}
}

// TestAFieldWithoutAnAnswerEndsItsForm, and nothing is made up for it.
func TestAFieldWithoutAnAnswerEndsItsForm(t *testing.T) {
	w := guarded(t, self(t))
	printed := make(chan string, 1)
	token := w.event(t, "Elicitation", deploys, false)
	go func() { printed <- w.prints(t, token) }()
	if err := w.cfg.Keeper.Withdraw(w.asked(t, "branch, 1 of 2").ID); err != nil {
		t.Fatal(err)
	}
	if got := <-printed; !strings.HasPrefix(got, "error: ") || strings.Contains(got, "failed inside") {
		t.Errorf("the hook prints %s", got)
	}
}
