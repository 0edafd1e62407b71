package control

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/internal/reason"
	"nod/internal/settings"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/store"
)

// TestACallThatCantBeComparedIsNeverAllowed: a grant is for exactly one call, so an event that leaves out any part by which calls differ
// proves none.
func TestACallThatCantBeComparedIsNeverAllowed(t *testing.T) {
	guard := agents.HooksOf("claude").Guard
	whole := func() detect.HookEvent {
		return detect.HookEvent{
			Session: "s", Cwd: "/p", Mode: "auto", Subagent: true, Part: "a1",
			ToolCall: detect.ToolCall{Tool: "Bash", Input: json.RawMessage(`{"command":"make","description":"builds"}`)},
		}
	}
	call, err := callOf(whole(), guard)
	if want := (grant.Call{Session: "s", Part: "a1", Folder: "/p", Mode: "auto", Tool: "Bash", Input: `{"command":"make"}`}); err != nil || call != want {
		t.Fatalf("%+v, %v", call, err)
	}
	for name, part := range map[string]func(*detect.HookEvent) *string{
		"session": func(e *detect.HookEvent) *string { return &e.Session },
		"part":    func(e *detect.HookEvent) *string { return &e.Part },
		"folder":  func(e *detect.HookEvent) *string { return &e.Cwd },
		"mode":    func(e *detect.HookEvent) *string { return &e.Mode },
		"tool":    func(e *detect.HookEvent) *string { return &e.Tool },
	} {
		for lack, text := range map[string]string{"missing": "", "not sure": "x\uFFFD"} {
			e := whole()
			*part(&e) = text
			if call, err := callOf(e, guard); err == nil {
				t.Errorf("the %s is %s: %+v", name, lack, call)
			}
		}
	}
	for name, change := range map[string]func(*detect.HookEvent){
		"cut":     func(e *detect.HookEvent) { e.InputCut = true },
		"missing": func(e *detect.HookEvent) { e.Input = nil },
	} {
		e := whole()
		change(&e)
		if call, err := callOf(e, guard); err == nil {
			t.Errorf("the input is %s: %+v", name, call)
		}
	}
	own := whole()
	own.Subagent, own.Part = false, ""
	if call, err := callOf(own, guard); err != nil || call.Part != "" {
		t.Errorf("of the agent itself: %+v, %v", call, err)
	}
}

// TestAWordIsForItsOwnHookAlone: another process that got to know the word takes nothing by it, and a word that nobody was given is none.
func TestAWordIsForItsOwnHookAlone(t *testing.T) {
	w := guarded(t, self(t))
	token := w.hold(heldHook{caller: 4001, print: "let it run", since: time.Now()})
	for name, c := range map[string]struct {
		token  string
		caller int
	}{"another process": {token, 4002}, "none": {token, 0}, "another word": {token + "A", 4001}, "no word": {"", 0}} {
		if h, ok := w.heldFor(c.token, c.caller); ok {
			t.Errorf("%s gets %+v", name, h)
		}
		if print, known, err := w.waitHeld(t.Context(), c.token, c.caller); known || print == "let it run" && c.caller != 4001 {
			t.Errorf("%s waits and reads %q, %t, %v", name, print, known, err)
		}
	}
	if h, ok := w.heldFor(token, 4001); !ok || h.print != "let it run" {
		t.Errorf("its own hook gets %+v, %t", h, ok)
	}
	w.letGo(token)
	if _, ok := w.heldFor(token, 4001); ok {
		t.Error("a word counts after its hook was let go")
	}
}

// TestHooksThatNeverCameAreForgotten: an agent that ends before its hook waits leaves nothing behind.
func TestHooksThatNeverCameAreForgotten(t *testing.T) {
	w := guarded(t, self(t))
	old := w.hold(heldHook{caller: 4001, since: time.Now().Add(-unattendedHook - time.Minute - time.Second), wait: time.Minute})
	waits := w.hold(heldHook{caller: 4001, since: time.Now().Add(-unattendedHook), wait: time.Minute})
	w.hold(heldHook{caller: 4002, since: time.Now()})
	if _, ok := w.heldFor(old, 4001); ok {
		t.Error("a hook is kept for longer than it may wait")
	}
	if _, ok := w.heldFor(waits, 4001); !ok {
		t.Error("a hook that may still wait is forgotten")
	}
}

// TestOnlyTheEndOfAHeldDenialIsEscape: a hook that was about to allow a call, one of a form, and one that nobody can identify say nothing of
// the person at the terminal.
func TestOnlyTheEndOfAHeldDenialIsEscape(t *testing.T) {
	w := guarded(t, self(t))
	w.event(t, "PermissionDenied", pushed, false)
	waits := func() bool {
		list, err := w.cfg.Keeper.Denials()
		return err == nil && len(list) == 1
	}
	agent := w.panes[0].Whereabouts
	for name, h := range map[string]heldHook{
		"before a call": {caller: 4001}, "of a form": {caller: 4002, wait: time.Minute, form: &openForm{}}, "of nobody": {caller: 0, wait: time.Minute},
		"of another process": {caller: 4003, wait: time.Minute},
	} {
		h.agent, h.since = agent, time.Now()
		w.hold(h)
		ended := h.caller
		if name == "of another process" {
			ended = 4004
		}
		if err := w.Control.escaped(detect.HookEvent{Origin: detect.Origin{Caller: ended}}); err != nil || !waits() {
			t.Errorf("the end of a hook %s ends the denied call, %v", name, err)
		}
	}
	w.hold(heldHook{agent: agent, caller: 4005, wait: time.Minute, since: time.Now()})
	if err := w.Control.escaped(detect.HookEvent{Origin: detect.Origin{Caller: 4005}}); err != nil || waits() {
		t.Errorf("the end of its own hook ends nothing, %v", err)
	}
}

// TestOnlyTheHookThatAsksReportsWhatSettingsDeny: a notification says nothing of the call, a question is answered on the screen alone, and
// a version that was not proven to draw no dialog draws one.
func TestOnlyTheHookThatAsksReportsWhatSettingsDeny(t *testing.T) {
	for name, c := range map[string]struct {
		event, fields string
		unasked       reason.Kind
		reported      bool
	}{
		"the hook that asks":      {"PermissionRequest", repush, reason.OnlyHookAsks, true},
		"a notification":          {"Notification", `,"notification_type":"permission_prompt","message":"Claude needs your permission"` + repush, reason.OnlyHookAsks, false},
		"a question":              {"PermissionRequest", `,"tool_name":"AskUserQuestion"` + repush, reason.OnlyHookAsks, false},
		"another version":         {"PermissionRequest", `,"version":"2.1.166"` + repush, reason.OnlyHookAsks, false},
		"an agent that asks":      {"PermissionRequest", repush, reason.RunsUnasked, false},
		"one whose hook may ask":  {"PermissionRequest", repush, reason.HookMayAsk, true},
		"a call that is made now": {"PreToolUse", repush, reason.OnlyHookAsks, false},
	} {
		w := guarded(t, self(t))
		s := w.panes[0]
		s.Unasked = []reason.Why{{Kind: c.unasked}}
		w.set(func() { w.panes = []detect.Sighting{s} })
		w.event(t, c.event, c.fields, false)
		if list, err := w.cfg.Keeper.AllDenials(); err != nil || (len(list) == 1) != c.reported {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
}

// allowed has the guard deny a call, and a human allow it while its hook waits. It returns the id of what was denied.
func (w *world) allowed(t *testing.T) (id string) {
	t.Helper()
	token, said := w.event(t, "PermissionDenied", pushed, false), make(chan string, 1)
	go func() { said <- w.prints(t, token) }()
	list, err := w.cfg.Keeper.Denials()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), list[0].ID, ""), 0, list[0].Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	<-said
	return list[0].ID
}

// TestAHookBeforeACallThatNeverCameEndsNothing: it waits for nobody, and the denied call is as it was.
func TestAHookBeforeACallThatNeverCameEndsNothing(t *testing.T) {
	w := guarded(t, self(t))
	id := w.allowed(t)
	if w.event(t, "PreToolUse", repush, false) == "" {
		t.Fatal("it is not let through")
	}
	before, _, _ := w.cfg.Keeper.DenialsOf(id)
	if err := w.EndUnattended(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if after, _, err := w.cfg.Keeper.DenialsOf(id); err != nil || after.Drawn != before.Drawn || !after.Calls[0].Told {
		t.Errorf("it was %+v and is %+v, %v", before.Calls[0], after.Calls[0], err)
	}
}

// TestADeniedCallThatNobodyAllowsInTimeStaysDenied, and its hook prints nothing.
func TestADeniedCallThatNobodyAllowsInTimeStaysDenied(t *testing.T) {
	w := guarded(t, self(t))
	w.set(func() { w.settings.GuardWait = 100 * time.Millisecond })
	if got := w.prints(t, w.event(t, "PermissionDenied", pushed, false)); got != "error: nobody has allowed the call" {
		t.Errorf("it prints %s", got)
	}
}

// TestAnAgentSpeaksForNoOthersPane: a pane in which another agent was seen has no calls of it.
func TestAnAgentSpeaksForNoOthersPane(t *testing.T) {
	w := guarded(t, self(t))
	s := w.panes[0]
	s.Agent = "codex"
	w.set(func() { w.panes = []detect.Sighting{s} })
	for _, name := range []string{"PermissionDenied", "Elicitation"} {
		if w.event(t, name, pushed+deploys, false) != "" {
			t.Errorf("its hook of %s is held", name)
		}
	}
	if list, err := w.cfg.Keeper.AllDenials(); err != nil || len(list) > 0 {
		t.Errorf("told %+v, %v", list, err)
	}
}

// TestTwoCallsThatCantBeComparedAreTwo: whoever is told of one is not told that it is the other.
func TestTwoCallsThatCantBeComparedAreTwo(t *testing.T) {
	w := guarded(t, self(t))
	for _, command := range []string{"rm 1", "rm 2"} {
		w.event(t, "PermissionDenied", `,"permission_mode":"","tool_input":{"command":"`+command+`"}`, false)
	}
	list, err := w.cfg.Keeper.AllDenials()
	if err != nil || len(list) != 1 || len(list[0].Calls) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	one, two := list[0].Calls[0], list[0].Calls[1]
	if one.Text != "rm 1" || two.Text != "rm 2" || one.Sum == two.Sum || one.Tool != "Bash" || two.Tool != "Bash" {
		t.Errorf("%+v, %+v", one, two)
	}
}

// TestNoCallIsLetThroughOnceHooksAnswerNothing: a permission from before stays unused.
func TestNoCallIsLetThroughOnceHooksAnswerNothing(t *testing.T) {
	w := guarded(t, self(t))
	w.allowed(t)
	for _, doors := range []settings.OnOff{false, true} {
		w.set(func() { w.settings.Doors = doors })
		if let := w.event(t, "PreToolUse", repush, false) != ""; let != bool(doors) {
			t.Errorf("hooks answer %t, and it is let through %t", doors, let)
		}
	}
}

// TestAHookThatNeverCameTellsNobody: it was killed between its event and its wait, so a supervisor may tell the agent instead, and it takes
// no more of the turn's budget. One that waits is not ended.
func TestAHookThatNeverCameTellsNobody(t *testing.T) {
	for name, comes := range map[string]bool{"it never came": false, "it waits": true} {
		t.Run(name, func(t *testing.T) {
			w := guarded(t, self(t))
			token, said := w.event(t, "PermissionDenied", pushed, false), make(chan string, 1)
			form := w.event(t, "Elicitation", deploys, false)
			if comes {
				go func() { said <- w.prints(t, token) }()
				for came := false; !came; time.Sleep(time.Millisecond) {
					w.mu.Lock()
					came = w.held[token].came
					w.mu.Unlock()
				}
			}
			denied := func() nudge.Denials {
				list, err := w.cfg.Keeper.Denials()
				if err != nil || len(list) != 1 {
					t.Fatal(list, err)
				}
				return list[0]
			}
			for _, late := range []time.Duration{0, unattendedHook + time.Second} {
				if err := w.EndUnattended(time.Now().Add(late)); err != nil {
					t.Fatal(err)
				}
				if ended := denied().Calls[0].Held.IsZero(); ended != (late > 0 && !comes) {
					t.Errorf("after %v its wait is over: %t", late, ended)
				}
			}
			if _, held := w.heldFor(form, os.Getpid()); held {
				t.Error("the hook of the form is held on")
			}
			holding := 0
			_ = w.cfg.Store.View(func(tx *store.Tx) error {
				for _, h := range tx.Holds() {
					holding += len(h.Held)
				}
				return nil
			})
			if want := map[bool]int{true: 1, false: 0}[comes]; holding != want {
				t.Errorf("%d hooks take from the turn's budget, want %d", holding, want)
			}
			d := denied()
			placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), d.ID, ""), 0, d.Fingerprint(0))
			if err != nil || placed.Reason != "" {
				t.Fatal(placed.Refusal, err)
			}
			if told := placed.Denials.Again(0) == ""; told != comes {
				t.Errorf("the agent is told so by its hook: %t", told)
			}
			if comes && <-said != agents.HooksOf("claude").Guard.Retry {
				t.Error("its hook does not say so")
			}
		})
	}
}
