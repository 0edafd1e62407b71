package control

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/settings"
)

// TestAMachineIsInvitedForAWhile by a person, if this nod listens for machines, and only one that has joined is forgotten.
func TestAMachineIsInvitedForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	w.set(func() { w.settings.Machines = settings.Machines{{Name: "gpu1"}} })
	for method, params := range map[string]any{"hub.invite": InviteParams{ForMS: 1000}, "machine.forget": MachineParams{"lab"}} {
		if f := faultOf(t, w.call(t, method, params, nil)); f.Reason != string(deliver.NotFound) {
			t.Errorf("%s without NOD_HUB: %+v", method, f)
		}
	}
	var done []string
	var fails error
	w.cfg.Hub = &Hub{
		Invite: func(_ context.Context, address string, lasts time.Duration) (Invite, error) {
			done = append(done, address+" "+lasts.String())
			return Invite{Code: "c", Address: address}, fails
		},
		Forget: func(_ context.Context, name string) error { done = append(done, name); return fails },
	}
	for _, ms := range []int64{-1, longestInvite.Milliseconds() + 1, math.MinInt64, math.MaxInt64 / 1_000_000 * 1_000} {
		if f := faultOf(t, w.call(t, "hub.invite", InviteParams{ForMS: ms}, nil)); f.Code != wrongParams {
			t.Errorf("for %d: %+v", ms, f)
		}
	}
	var invite Invite
	if err := w.call(t, "hub.invite", InviteParams{Address: "h:1", ForMS: longestInvite.Milliseconds()}, &invite); err != nil || invite.Code != "c" {
		t.Errorf("for a day: %+v, %v", invite, err)
	}
	if err := w.call(t, "hub.invite", nil, &invite); err != nil {
		t.Errorf("for the usual time: %v", err)
	}
	if f := faultOf(t, w.call(t, "machine.forget", MachineParams{"gpu1"}, nil)); f.Reason != string(deliver.NotOwner) {
		t.Errorf("one in NOD_MACHINES: %+v", f)
	}
	if err := w.call(t, "machine.forget", MachineParams{"lab"}, nil); err != nil {
		t.Error(err)
	}
	if !slices.Equal(done, []string{"h:1 24h0m0s", " 10m0s", "lab"}) {
		t.Errorf("done is %q", done)
	}
	fails = errors.New("it is off")
	for method, params := range map[string]any{"hub.invite": InviteParams{ForMS: 1000}, "machine.forget": MachineParams{"lab"}} {
		if f := faultOf(t, w.call(t, method, params, nil)); f.Message != "it is off" {
			t.Errorf("%s: %+v", method, f)
		}
	}
}

// TestAPaneElsewhereIsNamedInFull: by its machine, and there by its id, its place, its agent's name or its project.
func TestAPaneElsewhereIsNamedInFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	there := func(machine, id, where, project string) detect.Sighting {
		return detect.Sighting{Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{Machine: machine, ID: id}, Where: where, Project: project}}
	}
	w.set(func() {
		w.panes = []detect.Sighting{there("gpu2", "%1", "main:0.0", "gpu2:api"), there("gpu1", "%1", "main:0.0", "gpu1:api"), there("gpu1", "%2", "main:1.0", "gpu1:web"), there("gpu1", "%3", "main:2.0", "gpu1:web")}
	})
	for name, c := range map[string]struct{ id, says string }{
		"gpu1:%1": {"%1", ""}, "gpu1:main:1.0": {"%2", ""}, "gpu1:api": {"%1", ""}, "gpu1:none": {"", "No agent is seen"}, "gpu1:web": {"", "gpu1:main:1.0, gpu1:main:2.0"}, "gpu1:": {"", "No agent is seen"},
	} {
		ref, err := w.findPane(t.Context(), name)
		if ref.ID != c.id || c.id != "" && ref.Machine != "gpu1" || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s is %v, %v", name, ref, err)
		}
	}
	for _, name := range []string{"gpu2:api", "gpu1", "%9"} { // gpu2 has not joined
		if ref, there, err := w.elsewhere(name); there || err != nil || ref.ID != "" {
			t.Errorf("%s is %v, %t, %v", name, ref, there, err)
		}
	}
	if ref, err := w.findPane(t.Context(), w.other.ID); err != nil || ref != w.other {
		t.Errorf("a pane here is %v, %v", ref, err)
	}
}
