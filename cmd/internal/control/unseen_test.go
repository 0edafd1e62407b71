package control

import (
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/rpc"
	"nod/nudge"
	"nod/nudge/grant"
)

// TestACallThatIsCutTakesASecondTap, as one that is masked does, and a call that is not there is none.
func TestACallThatIsCutTakesASecondTap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.works(t)
	w.agent(t, false)
	long := strings.Repeat("echo x; ", 20_000)
	see := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude"}, State: screen.Working, At: time.Now(), By: "poll"}
	if err := w.cfg.Keeper.See(see); err != nil {
		t.Fatal(err)
	}
	of, _, ok, err := w.cfg.Keeper.Deny(see, nudge.Blocked{Call: grant.Call{Input: long}, Text: long}, 0)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	d, _, err := w.cfg.Keeper.DenialsOf(of.ID)
	if err != nil || !d.Calls[of.Call].Cut() {
		t.Fatalf("it is not cut: %v", err)
	}
	p := DenialParams{ID: d.ID, Call: of.Call, Fingerprint: d.Fingerprint(of.Call), Way: ByPage}
	for _, call := range []int{-1, 1} {
		wrong := p
		wrong.Call = call
		for _, method := range []string{"denial.allow", "denial.leave"} {
			if f := faultOf(t, w.call(t, method, wrong, nil)); f.Reason == "" || strings.Contains(f.Message, "failed inside") {
				t.Errorf("%s of call %d: %+v", method, call, f)
			}
		}
	}
	for _, p.Way = range []Way{"", ByInbox, ByPage} {
		if f := faultOf(t, w.call(t, "denial.allow", p, nil)); f.Needs != needsUnseen || f.Reason != string(deliver.NeedsConfirmation) {
			t.Errorf("%s with one tap: %+v", p.Way, f)
		}
	}
	w.set(func() { w.settings.Redact = true })
	secret, plain := nudge.Denial{Text: "curl ghp_16C7e42F292c6912E7710c838347Ae178B4a"}, nudge.Denial{Text: "curl x", Verb: "use"}
	for way, masks := range map[Way]bool{"": false, ByInbox: true, ByPage: true} {
		if w.showsPart(secret, way) != masks || w.showsPart(plain, way) {
			t.Errorf("%q masks a secret: %t", way, !masks)
		}
	}
	p.Unseen = true
	if err := w.call(t, "denial.allow", p, nil); err != nil {
		t.Errorf("with another one: %v", err)
	}
}

// TestAWishOfNobodyKnownIsTakenBackByAPersonAlone: another caller that nobody knows may be another one.
func TestAWishOfNobodyKnownIsTakenBackByAPersonAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.works(t)
	placed, err := w.cfg.Keeper.Wish(w.own, "go on", nudge.Wisher{Name: "a program that nod can't place"}, 0)
	if err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	for _, agent := range []bool{false, true} {
		w.agent(t, agent)
		if err := w.client.Call(t.Context(), "instruction.cancel", IDParams{placed.Wish.ID}, nil); reasonOf(err) != deliver.CallerIsAgent {
			t.Errorf("an agent %t: %v", agent, err)
		}
	}
	w.agent(t, false)
	if err := w.person(t, "instruction.cancel", IDParams{placed.Wish.ID}, nil); err != nil {
		t.Error(err)
	}
}

// TestAHookThatWasEndedWhileItAskedHasItsNo, and any other is what it says.
func TestAHookThatWasEndedWhileItAskedHasItsNo(t *testing.T) {
	for _, c := range []struct {
		event string
		ended bool
		want  detect.HookKind
	}{
		{"PermissionRequest", false, detect.Asks}, {"PermissionRequest", true, detect.Denied}, {"Stop", false, ""}, {"Stop", true, ""},
	} {
		e, err := hookEvent(rpc.Hook{Agent: "claude", Event: []byte(`{"hook_event_name":"` + c.event + `","session_id":"s"}`), Ended: c.ended, Version: "2.1.330"})
		if err != nil || c.want != "" && e.Kind != c.want || c.want == "" && (e.Kind == detect.Asks || e.Kind == detect.Denied) || e.Version != "2.1.330" {
			t.Errorf("%+v: %s of %q, %v", c, e.Kind, e.Version, err)
		}
	}
}
