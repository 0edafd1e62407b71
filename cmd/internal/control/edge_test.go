package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/text/redact"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// lone is an edge without a hub: the test itself is the agent in its pane, the agent's hooks, and the hub.
type lone struct {
	*Edge
	full, doors, decided bool
	escaped              time.Time
	unasked              []reason.Why
	word                 thereWord // what the hub says
	answer               AskAnswer // and to a question
	asked                []string  // the methods that it was called with
	about                any
	limited              bool // the last call had a time limit
}

func alone(t *testing.T) *lone {
	t.Helper()
	e := &lone{full: true, doors: true}
	agent := detect.Whereabouts{Pane: detect.PaneRef{Server: tmux.Life{Socket: "/tmp/t", PID: 42}, ID: "%1"}, Agent: "claude", Process: self(t)}
	e.Edge = NewEdge(EdgeConfig{
		Doors: &door.Doors{}, Hook: func(detect.HookEvent) bool { return true }, Versions: func(detect.HookEvent) string { return "2.1.330" },
		Escaped: func(detect.HookEvent) time.Time { return e.escaped }, Answers: func() bool { return e.doors }, Health: func() []string { return nil },
		Panes:   func() []detect.Sighting { return []detect.Sighting{{Whereabouts: agent, Unasked: e.unasked}} },
		Sockets: func() []string { return nil }, Mask: redact.Mask, Full: func() bool { return e.full }, Decided: func(string) bool { return e.decided },
		Call: func(ctx context.Context, method string, params, result any) error {
			e.asked, e.about = append(e.asked, method), params
			_, e.limited = ctx.Deadline()
			switch into := result.(type) {
			case *thereWord:
				*into = e.word
			case *AskAnswer:
				*into = e.answer
			}
			return nil
		},
		Log: slog.New(slog.DiscardHandler),
	})
	return e
}

// hears sends an event of a hook, and returns the word with which that may wait.
func (e *lone) hears(t *testing.T, name, fields string, ended bool) string {
	t.Helper()
	text := `{"hook_event_name":"` + name + `","session_id":"s","cwd":"/p","permission_mode":"auto","tool_name":"Bash"` + fields + `}`
	token, err := e.hook(t.Context(), rpc.Hook{Agent: "claude", Tmux: "/tmp/t,42,0", Pane: "%1", PID: os.Getpid(), Ended: ended, Event: json.RawMessage(text)})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestTheHubsWordIsForTheHookThatAsked: no other hook prints it, and without NOD_EDGE=full none but a denial.
func TestTheHubsWordIsForTheHookThatAsked(t *testing.T) {
	guard := agents.HooksOf("claude").Guard
	lets, stops, retry := thereWord{Word: nudge.Lets}, thereWord{Word: nudge.Stops}, thereWord{Retry: true}
	for _, c := range []struct {
		method   string
		settings bool // deny the call
		word     thereWord
		full     bool
		print    string
		said     bool // that the call went through is told
	}{
		{"denial.before", false, lets, true, "through", true}, {"denial.before", false, lets, false, "", false}, {"denial.before", false, stops, true, guard.Deny, false},
		{"denial.before", false, stops, false, guard.Deny, false}, {"denial.before", false, retry, true, "", false}, {"denial.before", false, thereWord{}, true, "", false},
		{"denial.blocked", false, retry, true, guard.Retry, false}, {"denial.blocked", false, retry, false, "", false}, {"denial.blocked", false, lets, true, "", false},
		{"denial.blocked", false, stops, true, "", false}, {"denial.blocked", true, retry, true, "allow", true}, {"denial.blocked", true, retry, false, "", false},
		{"denial.blocked", true, thereWord{}, true, "", false}, {"denial.turn", false, lets, true, "", false},
	} {
		e := alone(t)
		e.full, e.word = c.full, c.word
		e.word.Denied = keeper.Denied{ID: "d1"}
		h := &edgeHook{method: c.method, guard: guard, allow: "allow", through: func() (string, string) { return "through", "call" }, call: thereCall{Blocked: nudge.Blocked{Settings: c.settings}}}
		if print, _ := e.askAbout(t.Context(), h); print != c.print || (h.said.ID != "") != c.said || e.limited != (c.method != "denial.blocked") {
			t.Errorf("%+v prints %q, tells %+v, limited %t", c, print, h.said, e.limited)
		}
		if _, all := e.about.(thereCall); all != (c.method != "denial.turn") {
			t.Errorf("%s sends %T", c.method, e.about)
		}
		e.asked = nil
		if err := e.said(t.Context(), h); err != nil || slices.Equal(e.asked, []string{"denial.said"}) != c.said {
			t.Errorf("%+v: the hub is told %q, %v", c, e.asked, err)
		}
	}
}

// TestAnEdgeThatTakesNoYesTakesNoneInAnyState: a bot that was taken over may say that time is up, and name an answer for that.
func TestAnEdgeThatTakesNoYesTakesNoneInAnyState(t *testing.T) {
	e := alone(t)
	for _, state := range []nudge.State{nudge.Delivered, nudge.Expired, nudge.Gone, nudge.Pending, nudge.Unknown, "another"} {
		for said, no := range map[string]bool{"yes": false, "no": true, "main": false} {
			for _, e.full = range []bool{true, false} {
				e.answer = AskAnswer{Answer: said, Because: "so", State: string(state)}
				got, err := e.waitAsk(t.Context(), IDParams{"k3f"})
				switch may := e.full || no; {
				case may && (err != nil || got != e.answer):
					t.Errorf("%s in state %s, full %t: %+v, %v", said, state, e.full, got, err)
				case !may && (got.Answer+got.Because != "" || (err != nil) != (state == nudge.Delivered) || err == nil && got.State != string(state)):
					t.Errorf("%s in state %s: %+v, %v", said, state, got, err)
				}
			}
		}
	}
}

// TestAnEdgeAsksOnlyAboutWhatMayBeDecided: all other hooks wait for no hub.
func TestAnEdgeAsksOnlyAboutWhatMayBeDecided(t *testing.T) {
	e := alone(t)
	call := strings.Replace(repush, "--force", "origin", 1)
	if e.hears(t, "UserPromptSubmit", "", false) != "" || e.hears(t, "PreToolUse", repush, false) != "" {
		t.Error("it asks, and no call was denied")
	}
	first, second := e.hears(t, "PermissionDenied", pushed, false), e.hears(t, "PermissionDenied", call, false)
	if first == "" || second == "" || first == second {
		t.Errorf("two denials wait as %q and %q", first, second)
	}
	for _, fields := range []string{repush, call} {
		token := e.hears(t, "PreToolUse", fields, false)
		if h := e.heldFor(token, os.Getpid()); h == nil || h.method != "denial.before" || e.heldFor(token, os.Getppid()) != nil {
			t.Errorf("a call that was denied is held as %+v", h)
		}
		e.letGo(token)
		if e.heldFor(token, os.Getpid()) != nil {
			t.Error("it is held after it was let go")
		}
	}
	e.remember("another's", proc.ID{PID: 1})
	if h := e.heldFor(e.hears(t, "UserPromptSubmit", "", false), os.Getpid()); h == nil || h.method != "denial.turn" {
		t.Errorf("the next turn is %+v", h)
	}
	if e.hears(t, "UserPromptSubmit", "", false) != "" || !e.mayBeDecided("another's") {
		t.Error("the calls of the turn before are not forgotten, or another agent's are")
	}
	e.decided = true
	if e.hears(t, "PreToolUse", repush, false) == "" {
		t.Error("it does not ask about what the hub has decided")
	}
	if e.hears(t, "PreToolUse", `,"tool_input":{"command":"a","command":"b"}`, false) != "" {
		t.Error("it asks about a call that can't be compared")
	}
	if e.doors = false; e.hears(t, "PreToolUse", repush, false) != "" {
		t.Error("it asks where hooks answer nothing")
	}
	e.doors = true
	for name, origin := range map[string]detect.Origin{
		"another pane": {ServerPID: 42, Pane: "%2", Caller: os.Getpid()}, "another server": {ServerPID: 43, Pane: "%1", Caller: os.Getpid()}, "nobody": {ServerPID: 42, Pane: "%1"},
	} {
		if token, ours := e.guarded(detect.HookEvent{Agent: "claude", Kind: detect.Blocked, Origin: origin}, false); token != "" || ours {
			t.Errorf("%s denies a call", name)
		}
	}
	if _, ours := e.guarded(detect.HookEvent{Agent: "codex", Kind: detect.Blocked, Origin: detect.Origin{ServerPID: 42, Pane: "%1", Caller: os.Getpid()}}, false); ours {
		t.Error("an agent without a guard denies a call")
	}
	own := e.cfg.Panes()
	own[0].Agent = "codex"
	e.cfg.Panes = func() []detect.Sighting { return own }
	for agent := range map[string]bool{"codex": true, "claude": true} { // one without a guard in its own pane, and one with a guard in another's
		for _, kind := range []detect.HookKind{detect.Blocked, detect.Before, detect.Asks, detect.Submitted} {
			if _, ours := e.guarded(detect.HookEvent{Agent: agent, Kind: kind, Origin: detect.Origin{ServerPID: 42, Pane: "%1", Caller: os.Getpid()}}, false); ours {
				t.Errorf("%s is heard about %s", agent, kind)
			}
		}
	}
}

// TestWhatSettingsDenyIsAskedThere: it is the hub's where the agent draws no dialog, and else a door of its own opens, if hooks answer.
func TestWhatSettingsDenyIsAskedThere(t *testing.T) {
	e := alone(t)
	silent := []reason.Why{{Kind: reason.OnlyHookAsks}}
	for _, c := range []struct {
		unasked     []reason.Why
		doors       bool
		held, opens bool
	}{{silent, true, true, true}, {silent, false, true, true}, {nil, true, false, true}, {nil, false, false, false}} {
		e.unasked, e.doors = c.unasked, c.doors
		token := e.hears(t, "PermissionRequest", repush, false)
		h := e.heldFor(token, os.Getpid())
		if (token != "") != c.opens || (h != nil) != c.held || h != nil && (!h.call.Settings || h.method != "denial.blocked") {
			t.Errorf("%+v: %q, %+v", c, token, h)
		}
	}
}

// TestHowACallIsLetThroughThere: by a dialog that shows it, where the agent draws one for the session itself.
func TestHowACallIsLetThroughThere(t *testing.T) {
	guard := agents.HooksOf("claude").Guard
	for _, c := range []struct {
		fields string
		silent bool
		print  string
	}{{repush, false, guard.Ask}, {repush, true, guard.Allow}, {repush + `,"agent_id":"a1"`, false, guard.Allow}, {strings.Replace(repush, "command", "path", 1) + `,"tool_name":"Write"`, false, guard.Allow}} {
		e := alone(t)
		e.decided = true
		h := e.heldFor(e.hears(t, "PreToolUse", c.fields, false), os.Getpid())
		if c.silent {
			e.unasked = []reason.Why{{Kind: reason.OnlyHookAsks}}
			h = e.heldFor(e.hears(t, "PreToolUse", c.fields, false), os.Getpid())
		}
		if h == nil {
			t.Fatalf("%+v is not held", c)
		}
		if print, asks := h.through(); print != c.print || (asks != "") != (c.print == guard.Ask) {
			t.Errorf("%+v prints %q, asks about %q", c, print, asks)
		}
	}
}

// TestWhatIsSentOfADeniedCall: its texts masked, and the time since a person stopped the agent with what is not a denial.
func TestWhatIsSentOfADeniedCall(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	e := alone(t)
	e.decided = true
	for _, c := range []struct {
		event   string
		escaped time.Time
		ago     bool
	}{{"PermissionDenied", time.Now().Add(-time.Minute), false}, {"PreToolUse", time.Now().Add(-time.Minute), true}, {"PreToolUse", time.Time{}, false}, {"UserPromptSubmit", time.Now().Add(-time.Minute), true}} {
		e.escaped = c.escaped
		h := e.heldFor(e.hears(t, c.event, strings.Replace(pushed, "--force", secret, 1), false), os.Getpid())
		if h == nil {
			t.Fatalf("%+v is not held", c)
		}
		if ago := h.call.Escaped; (ago != 0) != c.ago || ago < 0 || ago > 2*time.Minute {
			t.Errorf("%s: stopped %v ago", c.event, ago)
		}
		if text, _ := json.Marshal(h.call); strings.Contains(string(text), secret) {
			t.Errorf("%s sends %s", c.event, text)
		}
	}
}

// TestEscapeThereIsToldOfADenialAlone, by the process of its hook.
func TestEscapeThereIsToldOfADenialAlone(t *testing.T) {
	me := os.Getpid()
	for _, c := range []struct {
		method       string
		held, caller int
		told         bool
	}{{"denial.blocked", me, me, true}, {"denial.before", me, me, false}, {"denial.blocked", me, me + 1, false}, {"denial.blocked", 0, 0, false}} {
		e := alone(t)
		e.held["x"] = &edgeHook{caller: c.held, method: c.method}
		e.guarded(detect.HookEvent{Agent: "claude", Kind: detect.Denied, Origin: detect.Origin{Caller: c.caller}}, true)
		e.letGo("y") // it goes on
		if slices.Equal(e.asked, []string{"denial.escape"}) != c.told {
			t.Errorf("%+v: the hub is told %q", c, e.asked)
		}
	}
}

// TestAHookThatEndedIsHeldNoMore, and one that lives is.
func TestAHookThatEndedIsHeldNoMore(t *testing.T) {
	e := alone(t)
	over := exec.CommandContext(t.Context(), "true")
	if err := over.Run(); err != nil {
		t.Fatal(err)
	}
	gone, lives := e.hold(&edgeHook{caller: over.Process.Pid}), e.hold(&edgeHook{caller: os.Getpid()})
	e.hold(&edgeHook{caller: os.Getpid()})
	if e.heldFor(gone, over.Process.Pid) != nil || e.heldFor(lives, os.Getpid()) == nil {
		t.Errorf("held are %v", e.held)
	}
}

// TestAnEdgeSaysWhatIsTheBots, and how it is itself.
func TestAnEdgeSaysWhatIsTheBots(t *testing.T) {
	e := alone(t)
	if h, err := e.health(t.Context(), none{}); err != nil || h.Status != "ok" {
		t.Errorf("it is %+v, %v", h, err)
	}
	e.cfg.Health = func() []string { return []string{"The hub is away."} }
	if h, err := e.health(t.Context(), none{}); err != nil || h.Status != "degraded" || len(h.Problems) != 1 {
		t.Errorf("it is %+v, %v", h, err)
	}
}

// answersThere replies as a person at the machine of the edge.
func (w *twoMachines) answersThere(t *testing.T, p ReplyParams) (r ReplyResult, f rpc.Fault) {
	t.Helper()
	err := w.person(t, "nudge.reply", p, &r)
	return r, faultOf(t, err)
}

// TestAPersonThereAllowsWhatWasShown: their yes is a yes, their no is none, and words are for the chat.
func TestAPersonThereAllowsWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newTwoMachines(t)
	shown := ""
	w.consent = func(yes bool) (string, bool, bool) { return shown, yes, shown != "gone" }
	for _, c := range []struct {
		shown, answer, words, outcome, says string
	}{
		{"", "n", "", Noted, "is not allowed"}, {"git push", "y", "", Noted, "is allowed once"}, {"git push", "n", "", Shown, "To allow this"},
	} {
		shown = c.shown
		if r, f := w.answersThere(t, ReplyParams{ID: "k3f", Answer: c.answer, Words: c.words}); r.Outcome != c.outcome || !strings.Contains(r.Detail, c.says) {
			t.Errorf("%+v: %+v, %+v", c, r, f)
		}
	}
	shown = "gone"
	if _, f := w.answersThere(t, ReplyParams{ID: "k3f", Answer: "y"}); f.Reason != string(deliver.Expired) {
		t.Errorf("what nobody asked: %+v", f)
	}
	asked := len(w.words)
	for _, p := range []ReplyParams{{ID: "k3f", Answer: "y", Words: "and push"}, {ID: "k3f", Answer: "2"}, {ID: "k3f"}} {
		if _, f := w.answersThere(t, p); f.Code != wrongParams {
			t.Errorf("%+v: %+v", p, f)
		}
	}
	if len(w.words) != asked {
		t.Errorf("it counts: %v", w.words[asked:])
	}
	for _, method := range []string{"nudge.list", "nudge.skip", "session.none"} {
		f := faultOf(t, w.client.Call(t.Context(), method, nil, nil))
		if bots := f.Reason == string(deliver.NotOwner); bots != (method != "session.none") {
			t.Errorf("%s: %+v", method, f)
		}
	}
}

// TestAProgramThereIsTheBotsToo: it is named, waits as long as the hub lets it, and withdraws its own question by the id alone.
func TestAProgramThereIsTheBotsToo(t *testing.T) {
	w := newTwoMachines(t)
	w.set(func() { w.settings.Expiry = 2 * time.Hour })
	for _, c := range []struct{ asked, lasts time.Duration }{{0, 2 * time.Hour}, {10 * time.Minute, 10 * time.Minute}} {
		var asked Asked
		if err := w.client.Call(t.Context(), "ask.create", AskParams{Question: "Deploy?", TimeoutMS: c.asked.Milliseconds()}, &asked); err != nil {
			t.Fatal(err)
		}
		n, _, err := w.cfg.Keeper.Find(asked.ID)
		if program, _ := asker(os.Getpid()); err != nil || n.Agent != program {
			t.Errorf("%q asks, not %q: %v", n.Agent, program, err)
		}
		if left := time.Until(n.Expires); left > c.lasts || left < c.lasts-time.Minute {
			t.Errorf("for %v it waits %v", c.asked, left)
		}
		if err := w.client.Call(t.Context(), "ask.cancel", CancelParams{ID: asked.ID}, nil); err != nil {
			t.Errorf("its own question: %v", err)
		}
		w.full = false
		var answer AskAnswer
		if err := w.client.Wait(t.Context(), "ask.wait", IDParams{asked.ID}, &answer); err != nil || answer.State == string(nudge.Delivered) {
			t.Errorf("a question that is over without an answer: %+v, %v", answer, err)
		}
		w.full = true
	}
}

// TestAProgramThereWaitsOnWhileItsHubIsOutOfReach: what it is told is no end, and it asks again. A refusal of the hub is one.
func TestAProgramThereWaitsOnWhileItsHubIsOutOfReach(t *testing.T) {
	e := alone(t)
	var failed error
	e.cfg.Call = func(context.Context, string, any, any) error { return failed }
	failed = fmt.Errorf("ask the hub: %w", ErrNoHub)
	if answer, err := e.waitAsk(t.Context(), IDParams{"k3f"}); err != nil || nudge.State(answer.State).Over() {
		t.Errorf("out of reach: %+v, %v", answer, err)
	}
	failed = errors.New("no program asked that")
	if answer, err := e.waitAsk(t.Context(), IDParams{"k3f"}); err == nil {
		t.Errorf("refused: %+v", answer)
	}
}

// TestARequestThereEndsWithItsTool: its hook can't wait any longer.
func TestARequestThereEndsWithItsTool(t *testing.T) {
	e := alone(t)
	token := e.hears(t, "PermissionRequest", repush, false)
	e.hears(t, "PostToolUse", repush, false)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := e.cfg.Doors.Wait(ctx, token, os.Getpid()); !errors.Is(err, door.ErrNone) {
		t.Errorf("its hook ends with %v", err)
	}
}

// TestAnEventThatNoPaneIsKnownForOpensNothing there.
func TestAnEventThatNoPaneIsKnownForOpensNothing(t *testing.T) {
	e := alone(t)
	e.cfg.Hook = func(detect.HookEvent) bool { return false }
	if e.hears(t, "PermissionDenied", pushed, false) != "" || e.hears(t, "PermissionRequest", repush, false) != "" {
		t.Error("its hook may wait")
	}
}

// TestNoMachineSpeaksForAnother, whatever pane it names, and its texts are cut.
func TestNoMachineSpeaksForAnother(t *testing.T) {
	agent := thereAgent{Pane: detect.PaneRef{Machine: "gpu1", ID: "%1"}}
	call := thereCall{thereAgent: agent, Blocked: nudge.Blocked{Text: strings.Repeat("x", 2*maxShare)}}
	for _, machine := range []string{"gpu1", "gpu2"} {
		if of, took := agent.of(machine), call.taken(machine); of.Pane.Machine != machine || took.Pane.Machine != machine || len(took.Text) != maxShare {
			t.Errorf("%s speaks for %s and %s, with %d bytes", machine, of.Pane, took.Pane, len(took.Text))
		}
	}
}

// TestADenialThereIsNamedToItsEdge, which tells by that name that the call went through.
func TestADenialThereIsNamedToItsEdge(t *testing.T) {
	w := newTwoMachines(t)
	p := thereCall{thereAgent: thereAgent{Pane: w.own, Process: self(t)}, Blocked: nudge.Blocked{Call: grant.Call{Tool: "Bash"}, Text: "make"}}
	ctx, stop := context.WithCancel(t.Context())
	stop() // its hook does not wait
	word, err := w.blockedThere(ctx, p.taken("gpu1"))
	if err != nil || word.ID == "" || word.ID != w.denied(t).ID || word.Retry {
		t.Errorf("%+v, %v", word, err)
	}
}
