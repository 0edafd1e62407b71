package control

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/nudge/grant"
)

// agent makes this test's own process the agent of a pane, so that it calls as one; with false it calls as a
// person.
func (w *world) agent(t *testing.T, is bool) {
	t.Helper()
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Process: me, Agent: "claude", Where: "main:0.0"}}, {Whereabouts: detect.Whereabouts{Pane: w.other, Agent: "claude"}}}
	})
	w.human = !is
	if !is {
		w.set(func() { w.panes = nil })
	}
}

// call calls a method from this test's own process, or as a person if that is no agent.
func (w *world) call(t *testing.T, method string, params, result any) error {
	t.Helper()
	if w.human {
		return w.person(t, method, params, result)
	}
	return w.client.Call(t.Context(), method, params, result)
}

// works shows the agents of both panes at work.
func (w *world) works(t *testing.T) {
	t.Helper()
	for _, pane := range []detect.PaneRef{w.own, w.other} {
		if err := w.cfg.Keeper.See(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane, Agent: "claude"}, State: screen.Working, At: time.Now(), By: "poll"}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatAnAgentQueuesIsAWish: for its own pane and for another, whatever the settings say, and it can
// decide about no wish.
func TestWhatAnAgentQueuesIsAWish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.works(t)
	for _, may := range []settings.AgentsMay{settings.AgentsNever, settings.AgentsOthers} {
		w.set(func() { w.settings.AgentsMayAnswer = may })
		for _, pane := range []detect.PaneRef{w.own, w.other} {
			w.agent(t, true)
			var made Submitted
			if err := w.call(t, "instruction.submit", SubmitParams{Pane: pane.ID, Text: "! make clean"}, &made); err != nil || made.Position != 0 || made.Held == "" {
				t.Fatalf("%+v, %v", made, err)
			}
			if queued, err := w.cfg.Keeper.Instructions(nil); err != nil || len(queued) != 0 {
				t.Fatalf("queued %+v, %v", queued, err)
			}
			var list []Instruction
			if err := w.call(t, "instruction.list", InstructionsParams{Pane: pane.ID}, &list); err != nil || len(list) != 1 ||
				list[0].ID != made.ID || list[0].State != "wish" || list[0].Text != "! make clean" || list[0].Fingerprint == "" {
				t.Fatalf("%+v, %v", list, err)
			}
			call := func(method string, params any) deliver.Reason {
				return reasonOf(w.call(t, method, params, nil))
			}
			for method, params := range map[string]any{
				"wish.send": WishParams{ID: made.ID, Fingerprint: list[0].Fingerprint}, "wish.drop": WishParams{ID: made.ID, Fingerprint: list[0].Fingerprint},
			} {
				if reason := call(method, params); reason != deliver.CallerIsAgent {
					t.Errorf("%s: %q", method, reason)
				}
			}
			w.agent(t, false)
			if reason := call("nudge.reply", ReplyParams{ID: made.ID, Answer: "y"}); reason != deliver.Wish {
				t.Errorf("a y is refused for %q", reason)
			}
			for _, method := range []string{"wish.send", "wish.drop"} {
				if reason := call(method, WishParams{ID: made.ID, Fingerprint: list[0].Fingerprint + "x"}); reason != deliver.Changed {
					t.Errorf("%s: other words are refused for %q", method, reason)
				}
				fault := (*rpc.Fault)(nil)
				if err := w.call(t, method, WishParams{ID: made.ID}, nil); !errors.As(err, &fault) || fault.Code != -32602 {
					t.Errorf("%s without a fingerprint: %v", method, err)
				}
			}
			var waited Waited
			if err := w.call(t, "instruction.wait", WaitParams{ID: made.ID, TimeoutMS: 10}, &waited); err != nil || waited.State != "wish" {
				t.Errorf("%+v, %v", waited, err)
			}
			var state State
			if err := w.call(t, "wish.send", WishParams{ID: made.ID, Fingerprint: list[0].Fingerprint}, &state); err != nil || state.State != "sent" {
				t.Errorf("%+v, %v", state, err)
			}
			if err := w.call(t, "instruction.wait", WaitParams{ID: made.ID, TimeoutMS: 10}, &waited); err != nil || waited.State == "wish" || waited.State == string(nudge.WishSent) {
				t.Errorf("sent, it is %+v, %v", waited, err)
			}
			queued, err := w.cfg.Keeper.Instructions(nil)
			if err != nil || len(queued) != 1 || queued[0].ID != made.ID || queued[0].By != person(t.Context()) || queued[0].Text != "! make clean" {
				t.Errorf("queued %+v, %v", queued, err)
			}
			if reason := call("wish.send", WishParams{ID: made.ID, Fingerprint: list[0].Fingerprint}); reason != deliver.Answered {
				t.Errorf("sent twice: %q", reason)
			}
			w.agent(t, true)
			if reason := call("instruction.cancel", IDParams{made.ID}); may == settings.AgentsNever && reason != deliver.CallerIsAgent {
				t.Errorf("an agent cancels a human's: %q", reason)
			}
			w.agent(t, false)
			_ = call("instruction.cancel", IDParams{made.ID})
		}
	}
}

// TestWhatIsMaskedTakesASecondTap: on the page and in the inbox, whose tap does not say what its human saw.
func TestWhatIsMaskedTakesASecondTap(t *testing.T) {
	const secret = " ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	w := newWorld(t)
	w.works(t)
	w.set(func() { w.settings.Redact = true })
	w.agent(t, false)
	for _, c := range []struct {
		text   string
		way    Way
		unseen bool
		needs  string
	}{
		{"use" + secret, ByPage, false, "unseen"}, {"use" + secret, ByInbox, false, "unseen"}, {"use" + secret, ByPage, true, ""},
		{"use it", ByPage, false, ""}, {"take" + secret, "", false, ""}, // the command line masks nothing
	} {
		wish, err := w.cfg.Keeper.Wish(w.own, c.text, nudge.Wisher{Name: "codex"}, 0)
		if err != nil || wish.Reason != "" {
			t.Fatal(wish.Refusal, err)
		}
		denied, _, _, err := w.cfg.Keeper.Deny(detect.Sighting{Whereabouts: wish.Wish.Whereabouts}, nudge.Blocked{Call: grant.Call{Input: c.text}, Text: c.text}, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, _, err := w.cfg.Keeper.DenialsOf(denied.ID)
		if err != nil {
			t.Fatal(err)
		}
		for method, params := range map[string]any{
			"wish.send":    WishParams{ID: wish.Wish.ID, Fingerprint: wish.Wish.Fingerprint(), Way: c.way, Unseen: c.unseen},
			"denial.allow": DenialParams{ID: d.ID, Call: denied.Call, Fingerprint: d.Fingerprint(denied.Call), Way: c.way, Unseen: c.unseen},
		} {
			fault := &rpc.Fault{}
			if err := w.call(t, "denial.allow", DenialParams{ID: d.ID, Unseen: true}, nil); !errors.As(err, &fault) || fault.Code != -32602 {
				t.Errorf("without a fingerprint: %v", err)
			}
			fault = &rpc.Fault{}
			if err := w.call(t, method, params, nil); errors.As(err, &fault) && fault.Needs != c.needs || (err == nil) != (c.needs == "") {
				t.Errorf("%s of %+v: %v, needs %q", method, c, err, fault.Needs)
			}
		}
	}
}

// TestAnAgentTakesBackItsOwnWishAlone, and a human any wish. A caller that waits for the wish is told.
func TestAnAgentTakesBackItsOwnWishAlone(t *testing.T) {
	w := newWorld(t)
	w.works(t)
	w.agent(t, true)
	var mine Submitted
	if err := w.call(t, "instruction.submit", SubmitParams{Pane: w.own.ID, Text: "go on"}, &mine); err != nil {
		t.Fatal(err)
	}
	cancel := func(id string) (c Cancelled, err error) {
		err = w.call(t, "instruction.cancel", IDParams{id}, &c)
		return c, err
	}
	waited := make(chan Waited, 1)
	go func() {
		var how Waited
		_ = w.client.Call(t.Context(), "instruction.wait", WaitParams{ID: mine.ID, TimeoutMS: 60_000}, &how)
		waited <- how
	}()
	if c, err := cancel(mine.ID); err != nil || c.State != "dropped" {
		t.Errorf("its own: %+v, %v", c, err)
	}
	if how := <-waited; how.State != "dropped" || !strings.Contains(how.Detail, "the agent itself") {
		t.Errorf("waited %+v", how)
	}
	for _, of := range []nudge.Wisher{{Name: "codex", Agent: proc.ID{PID: 1, Start: 1}}, {Name: "a program that nod can't place"}} {
		w.agent(t, true)
		placed, err := w.cfg.Keeper.Wish(w.own, "go on", of, 0)
		if err != nil || placed.Reason != "" {
			t.Fatal(placed.Refusal, err)
		}
		if _, err := cancel(placed.Wish.ID); reasonOf(err) != deliver.CallerIsAgent {
			t.Errorf("that of %s: %v", of.Name, err)
		}
		w.agent(t, false)
		if _, err := cancel(placed.Wish.ID); err != nil {
			t.Errorf("a human: %v", err)
		}
	}
}

// TestTheLimitsOfWishes: five a pane, 4,000 characters of any width, and exceeding them is a refusal and not
// a wrong call.
func TestTheLimitsOfWishes(t *testing.T) {
	w := newWorld(t)
	w.works(t)
	w.agent(t, true)
	submit := func(pane detect.PaneRef, text string) error {
		return w.call(t, "instruction.submit", SubmitParams{Pane: pane.ID, Text: text}, nil)
	}
	wide := []string{"a", "é", "漢", "🙏", "\u200e"}[rand.IntN(5)]
	if err := submit(w.own, strings.Repeat(wide, 4001)); reasonOf(err) != deliver.Wish || !strings.Contains(err.Error(), "4001") {
		t.Errorf("too long: %v", err)
	}
	for range 5 {
		if err := submit(w.own, strings.Repeat(wide, 4000)); err != nil {
			t.Error(err)
		}
	}
	if err := submit(w.own, "one more"); reasonOf(err) != deliver.Wish || !strings.Contains(err.Error(), "5 wishes") {
		t.Errorf("the sixth: %v", err)
	}
	if err := submit(w.other, "for another pane"); err != nil {
		t.Error(err)
	}
}

// TestAFileOfAnAgentIsAWish: nothing is sent to the chat yet, and a file that has changed since is not sent
// either.
func TestAFileOfAnAgentIsAWish(t *testing.T) {
	w := newWorld(t)
	self, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "report.txt")
	if err := os.WriteFile(path, []byte("all tests pass"), 0o600); err != nil {
		t.Fatal(err)
	}
	moved := exec.Command("tmux", "-S", w.own.Server.Socket, "respawn-pane", "-k", "-c", dir, "-t", w.own.ID, "exec cat")
	if out, err := moved.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	agent := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.own, Process: self, Agent: "claude", Where: "main:0.0"}, State: screen.Working, At: time.Now()}
	w.set(func() { w.panes = []detect.Sighting{agent} })
	for end := time.Now().Add(5 * time.Second); !slices.Contains(w.projects(t.Context()), dir) && time.Now().Before(end); { // tmux learns of it a moment later
		time.Sleep(10 * time.Millisecond)
	}
	if err := w.cfg.Keeper.See(agent); err != nil {
		t.Fatal(err)
	}
	sent := ""
	w.cfg.Share = func(name string, data []byte, _ string) { w.set(func() { sent += name + ": " + string(data) + "\n" }) }
	var shared Shared
	if err := w.client.Call(t.Context(), "file.share", ShareParams{Path: path, Caption: "look"}, &shared); err != nil || shared.Wish == "" {
		t.Fatalf("%+v, %v", shared, err)
	}
	wish, found, err := w.cfg.Keeper.WishOf(shared.Wish)
	if err != nil || !found || wish.File == nil || wish.Text != path+" (14 bytes)\nlook" {
		t.Fatalf("%+v, %v", wish, err)
	}
	if data, err := w.ReadShared(*wish.File); err != nil || string(data) != "all tests pass" {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadShared(*wish.File); err == nil || !strings.Contains(err.Error(), "another content") {
		t.Errorf("changed: %v", err)
	}
	w.set(func() { w.panes[0].Process.Start++ })
	if err := w.client.Call(t.Context(), "file.share", ShareParams{Path: path}, &shared); err == nil {
		t.Error("a caller who is nobody's agent was heard")
	}
	w.set(func() {
		if sent != "" {
			t.Errorf("sent without a tap: %s", sent)
		}
	})
	if err := os.WriteFile(path, []byte("all tests pass"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fingerprint string
		want        deliver.Reason
	}{{wish.Fingerprint() + "x", deliver.Changed}, {wish.Fingerprint(), ""}, {wish.Fingerprint(), deliver.Answered}} {
		if err := w.person(t, "wish.send", WishParams{ID: wish.ID, Fingerprint: c.fingerprint}, nil); reasonOf(err) != c.want || (err == nil) != (c.want == "") {
			t.Errorf("it is refused for %v, want %q", err, c.want)
		}
	}
	w.set(func() {
		if sent != "report.txt: all tests pass\n" {
			t.Errorf("sent %q", sent)
		}
	})
	shared = Shared{}
	err = w.person(t, "file.share", ShareParams{Path: path, Caption: strings.Repeat("x", longestCaption)}, &shared)
	w.set(func() {
		if err != nil || shared.Wish != "" || strings.Count(sent, "all tests pass") != 2 {
			t.Errorf("for a person: %+v, %v, sent %q", shared, err, sent)
		}
	})
}

// TestAWishIsDroppedOnlyAsItWasDrawn, and one that is not there is not.
func TestAWishIsDroppedOnlyAsItWasDrawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.works(t)
	placed, err := w.cfg.Keeper.Wish(w.own, "go on", nudge.Wisher{Name: "claude"}, 0)
	if err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	drawn := placed.Wish.Fingerprint()
	for _, c := range []struct {
		id, fingerprint string
		reason          deliver.Reason
	}{{"none", drawn, deliver.NotFound}, {placed.Wish.ID, drawn + "x", deliver.Changed}, {placed.Wish.ID, drawn, ""}, {placed.Wish.ID, drawn, deliver.Answered}} {
		var state State
		err := w.person(t, "wish.drop", WishParams{ID: c.id, Fingerprint: c.fingerprint}, &state)
		if reasonOf(err) != c.reason || (err == nil) != (c.reason == "") || err == nil && state.State != string(nudge.WishDropped) {
			t.Errorf("%+v: %+v, %v", c, state, err)
		}
	}
}

// TestAWishOfAnAgentThatNobodyWatchesSaysSo.
func TestAWishOfAnAgentThatNobodyWatchesSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.works(t)
	o := startOutside(t, w)
	var made Submitted
	if err := o.call(t, "instruction.submit", SubmitParams{Pane: w.own.ID, Text: "go on"}, &made); err != nil {
		t.Fatal(err)
	}
	if wish, _, err := w.cfg.Keeper.WishOf(made.ID); err != nil || wish.From != (nudge.Wisher{Name: "an agent that nod does not watch"}) {
		t.Errorf("it is a wish of %+v, %v", wish.From, err)
	}
}
