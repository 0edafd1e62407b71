package control

import (
	"os"
	"testing"

	"nod/cmd/internal/control/caller"
	"nod/detect"
	"nod/internal/host/proc"
)

// TestAPidOfAnotherMachineIsNobodyHere: an agent of gpu1 that has the pid of somebody's shell here makes no agent of that shell, and
// none of a hook.
func TestAPidOfAnotherMachineIsNobodyHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	there := w.own
	there.Machine = "gpu1"
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: there, Process: me, Agent: "claude", Project: "api"}}}
	})
	if found := w.house().watched(); len(found) != 0 {
		t.Errorf("whoever asks is compared with gpu1's agents: %v", found)
	}
	place := caller.Place{Kind: caller.Agent, Agents: []proc.ID{me}}
	if s, found := w.ownPane(place); found {
		t.Errorf("an agent here shares the files of %s", s.Pane)
	}
	if !w.isOther(place, there, proc.ID{}) {
		t.Error("an agent here is taken for gpu1's, which asks")
	}
	lineage := []proc.Process{
		{ID: proc.ID{PID: 1 << 30, Start: 1}, Exe: "/usr/bin/nod", Args: []string{"nod", "hook", "claude"}},
		{ID: me, Comm: "claude", Exe: "/opt/claude", Args: []string{"claude"}},
	}
	if w.watches(detect.SenderOf(lineage)) {
		t.Error("a hook here counts as one of gpu1's agent")
	}
	e := detect.HookEvent{Agent: "claude", Origin: detect.Origin{Pane: there.ID, ServerPID: there.Server.PID, Caller: os.Getpid()}}
	if _, ok := w.paneOf(e); ok {
		t.Error("a hook here speaks for gpu1's pane")
	}
	if found := w.called("api"); len(found) != 0 {
		t.Errorf("gpu1's pane is typed into here: %v", found)
	}
}
