package detect

import (
	"encoding/json"
	"testing"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// TestAPaneOfThisMachineIsNamedAsEver: keys and records of the store hold these names.
func TestAPaneOfThisMachineIsNamedAsEver(t *testing.T) {
	here := PaneRef{Server: tmux.Life{Socket: "/s", PID: 1, Start: 2}, ID: "%3"}
	there := here
	there.Machine = "gpu1"
	for ref, want := range map[PaneRef][2]string{
		here:                  {"%3@/s,1,2", `{"Server":{"Socket":"/s","PID":1,"Start":2},"ID":"%3"}`},
		there:                 {"gpu1:%3@/s,1,2", `{"Machine":"gpu1","Server":{"Socket":"/s","PID":1,"Start":2},"ID":"%3"}`},
		{Machine: "gpu1"}:     {"gpu1:@,0,0", `{"Machine":"gpu1","Server":{"Socket":"","PID":0,"Start":0},"ID":""}`},
		{Server: tmux.Life{}}: {"@,0,0", `{"Server":{"Socket":"","PID":0,"Start":0},"ID":""}`},
	} {
		written, err := json.Marshal(ref)
		if err != nil {
			t.Fatal(err)
		}
		if ref.String() != want[0] || string(written) != want[1] {
			t.Errorf("%+v is %q and %s, want %q", ref, ref, written, want)
		}
	}
}

// TestAProcessOfAnotherMachineIsNobodyHere: a pid says nothing without its machine.
func TestAProcessOfAnotherMachineIsNobodyHere(t *testing.T) {
	process := proc.ID{PID: 7, Start: 8}
	if !(Whereabouts{Process: process}).Runs(process) {
		t.Error("the agent's own process is not known")
	}
	for name, w := range map[string]Whereabouts{
		"another machine": {Pane: PaneRef{Machine: "gpu1"}, Process: process},
		"another process": {Process: proc.ID{PID: 7, Start: 9}},
	} {
		if w.Runs(process) {
			t.Errorf("%s: taken for the agent", name)
		}
	}
	if (Whereabouts{}).Runs(proc.ID{}) {
		t.Error("no process is taken for an agent")
	}
}

// TestAPaneOfAnotherMachineIsNotWatchedHere, though the very same server and pane run here.
func TestAPaneOfAnotherMachineIsNotWatchedHere(t *testing.T) {
	pane := PaneRef{Server: tmux.Life{Socket: "/s", PID: 1, Start: 2}, ID: "%3"}
	w := NewWatcher(WatchConfig{})
	w.servers["/s"] = newServerWatcher(w, tmux.New("/s"), ownerMark{}, func() {})
	if w.serverOf(pane) == nil {
		t.Fatal("the pane of this machine is not found")
	}
	pane.Machine = "gpu1"
	if w.serverOf(pane) != nil {
		t.Error("gpu1's pane is taken for one of this machine")
	}
	if _, err := w.History(t.Context(), pane, 5); err == nil {
		t.Error("gpu1's pane was read here")
	}
}
