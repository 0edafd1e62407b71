package control

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/nudge"
	"nod/store"
)

// queued queues a human's instruction for a pane, and returns its id.
func (w *world) queued(t *testing.T, pane detect.PaneRef) string {
	t.Helper()
	if err := w.cfg.Keeper.See(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane, Agent: "claude"}, State: screen.Working, At: time.Now(), By: "poll"}); err != nil {
		t.Fatal(err)
	}
	placed, err := w.cfg.Keeper.Submit(pane, nudge.Answer{Said: nudge.Said{Text: "hello"}, Way: nudge.ByCommand}, 0)
	if err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	return placed.ID
}

func reasonOf(err error) deliver.Reason {
	if fault := (*rpc.Fault)(nil); errors.As(err, &fault) {
		return deliver.Reason(fault.Reason)
	}
	return ""
}

func TestInstructionsOverTheSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.queued(t, w.own)
	var list []Instruction
	if err := w.client.Call(t.Context(), "instruction.list", InstructionsParams{Pane: w.own.ID}, &list); err != nil || len(list) != 1 || list[0].ID != id {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := w.client.Call(t.Context(), "instruction.list", InstructionsParams{Pane: w.other.ID}, &list); err != nil || len(list) != 0 {
		t.Errorf("of another pane: %+v, %v", list, err)
	}
	var waited Waited
	if err := w.client.Call(t.Context(), "instruction.wait", WaitParams{ID: id, TimeoutMS: 10}, &waited); err != nil || waited.State != "queued" || waited.ElapsedMS < 0 {
		t.Errorf("%+v, %v", waited, err)
	}
	done := make(chan error, 1)
	go func() {
		done <- w.client.Call(t.Context(), "instruction.wait", WaitParams{ID: id, TimeoutMS: 60_000}, &waited)
	}()
	if err := w.person(t, "instruction.cancel", IDParams{id}, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || waited.State != "cancelled" || waited.Detail == "" || waited.ElapsedMS < 0 {
		t.Errorf("%+v, %v", waited, err)
	}
	for name, call := range map[string]struct {
		method string
		params any
		want   string
	}{
		"no id":       {"instruction.wait", WaitParams{ID: "none"}, "no such instruction"},
		"cancel none": {"instruction.cancel", IDParams{"none"}, "no such instruction"},
		"twice":       {"instruction.cancel", IDParams{id}, "cancelled already"},
		"no agent":    {"instruction.submit", SubmitParams{Pane: w.other.ID, Text: "x"}, "no agent"},
		"no pane":     {"instruction.submit", SubmitParams{Pane: "%99", Text: "x"}, "%99"},
		"list none":   {"instruction.list", InstructionsParams{Pane: "%99"}, "%99"},
		"negative":    {"instruction.submit", SubmitParams{Pane: w.own.ID, Text: "x", TimeoutMS: -1}, "negative"},
		"100 KB":      {"instruction.submit", SubmitParams{Pane: w.own.ID, Text: strings.Repeat("x", 100<<10)}, "100 KB"},
	} {
		if err := w.person(t, call.method, call.params, nil); err == nil || !strings.Contains(err.Error(), call.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnInstructionGoesToTheAgentThatWasShown, and not to a later one in the same pane.
func TestAnInstructionGoesToTheAgentThatWasShown(t *testing.T) {
	w := newWorld(t)
	shown := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.own, Process: proc.ID{PID: 10, Start: 1}, Agent: "claude"}, State: screen.Idle, At: time.Now(), By: "poll"}
	tell := func(now detect.Sighting) error {
		w.set(func() { w.panes = []detect.Sighting{now} })
		if err := w.cfg.Keeper.See(now); err != nil {
			t.Fatal(err)
		}
		return w.person(t, "instruction.submit", SubmitParams{Pane: w.own.ID, Life: shown.Life(), Text: "push it"}, nil)
	}
	for _, other := range []detect.Whereabouts{
		{Pane: w.own, Process: proc.ID{PID: 11, Start: 1}, Agent: "claude"},
		{Pane: w.own, Process: proc.ID{PID: 10, Start: 2}, Agent: "claude"},
		{Pane: w.own, Process: proc.ID{PID: 10, Start: 1}, Agent: "codex"},
	} {
		later := shown
		later.Whereabouts = other
		if err := tell(later); reasonOf(err) != deliver.Changed || !strings.Contains(err.Error(), "Another agent runs in the pane now") {
			t.Errorf("%+v: %v", other, err)
		}
	}
	if err := tell(shown); err != nil {
		t.Error(err)
	}
}

// TestAnInstructionBehindAQuestionNamesIt, the oldest in that pane.
func TestAnInstructionBehindAQuestionNamesIt(t *testing.T) {
	w := newWorld(t)
	first := w.waits(t, w.own)
	second := w.waits(t, w.other)
	for i, pane := range []detect.PaneRef{w.own, w.other} { // an older message asks nothing
		err := w.cfg.Store.Update(func(tx *store.Tx) error {
			done := nudge.Nudge{ID: "k3" + string(rune('a'+i)), Number: 1, Whereabouts: detect.Whereabouts{Pane: pane, Agent: "claude"}, About: nudge.TurnEnded{}}
			done.State, done.Detected = nudge.Pending, tx.Now().Add(-time.Minute)
			tx.Put(&done)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for pane, want := range map[string]string{w.own.ID: first, w.other.ID: second} {
		var made Submitted
		if err := w.person(t, "instruction.submit", SubmitParams{Pane: pane, Text: "go on"}, &made); err != nil || made.Nudge != want || made.Held == "" {
			t.Errorf("%+v, %v, want #%s", made, err, want)
		}
		if i, _, err := w.cfg.Keeper.Instruction(made.ID); err != nil || i.Timeout != nudge.InstructionTimeout {
			t.Errorf("somebody is told after %v, %v", i.Timeout, err)
		}
	}
}

// TestAnInstructionWithoutTextIsAWrongCall and not a refusal: programs distinguish the two.
func TestAnInstructionWithoutTextIsAWrongCall(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{"", " \n\t"} {
		var fault *rpc.Fault
		err := w.client.Call(t.Context(), "instruction.submit", SubmitParams{Pane: w.own.ID, Text: text}, nil)
		if !errors.As(err, &fault) || fault.Code != -32602 || fault.Reason != "" {
			t.Errorf("%q: %+v", text, err)
		}
	}
}
