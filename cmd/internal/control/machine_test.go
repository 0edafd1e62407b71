package control

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nod/cmd/internal/control/caller"
	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/nudge"
)

// TestAPidOfAnotherMachineIsNobodyHere: if an agent on gpu1 has the pid of a shell here, that shell is no
// agent, and neither is a hook below it.
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
	place := caller.Place{Kind: caller.Agent, Agents: []proc.ID{me}, Certain: true}
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

// TestASessionEndsOnlyWithWhatItLoses once that was said.
func TestASessionEndsOnlyWithWhatItLoses(t *testing.T) {
	w := newWorld(t)
	w.cfg.Errand = func(_ context.Context, _ string, e launch.Errand) (launch.Done, error) {
		if !e.Sure {
			return launch.Done{Lost: []string{"An instruction waits."}}, nil
		}
		return launch.Done{Sessions: []launch.Row{{Session: launch.Session{Pane: detect.PaneRef{ID: "%7"}}}}}, nil
	}
	for sure, want := range map[bool]deliver.Reason{false: deliver.NeedsConfirmation, true: ""} {
		err := w.person(t, "session.end", EndParams{Name: "gpu1:api", Sure: sure}, nil)
		if (err == nil) != sure || reasonOf(err) != want {
			t.Errorf("sure %t: %v", sure, err)
		}
	}
	for _, do := range []string{"session.new", "session.restart"} {
		var made Session
		var err error
		if do == "session.new" {
			w.cfg.Errand = func(_ context.Context, _ string, e launch.Errand) (launch.Done, error) {
				return launch.Done{Sessions: []launch.Row{{Session: launch.Session{Pane: detect.PaneRef{ID: "%8"}}}}}, nil
			}
			err = w.person(t, do, SessionParams{Name: "gpu1:web", Agent: "claude", Cwd: "/"}, &made)
		} else {
			err = w.person(t, do, EndParams{Name: "gpu1:web", Sure: true}, &made)
		}
		if err != nil || made != (Session{Name: "gpu1:web", Pane: "%8"}) {
			t.Errorf("%s: %+v, %v", do, made, err)
		}
	}
	me := person(t.Context()).Name
	var noted []string
	for _, e := range w.log(t) {
		if e.Kind == nudge.SessionStarted || e.Kind == nudge.SessionEnded {
			noted = append(noted, e.Kind+" "+e.Pane+" "+e.Subject+" by "+e.By)
		}
	}
	want := []string{nudge.SessionEnded + " %7 gpu1:api in  by " + me, nudge.SessionStarted + " %8 gpu1:web in  by " + me, nudge.SessionStarted + " %8 gpu1:web in  by " + me}
	if !slices.Equal(noted, want) {
		t.Errorf("noted are %q, want %q", noted, want)
	}
	for _, failed := range []launch.Done{{Error: "no"}, {Lost: []string{"work"}}, {}} {
		w.cfg.Errand = func(context.Context, string, launch.Errand) (launch.Done, error) {
			failed.Sessions = []launch.Row{{Session: launch.Session{Pane: detect.PaneRef{ID: "%9"}}}}
			if failed.Error == "" && len(failed.Lost) == 0 {
				return failed, errors.New("away")
			}
			return failed, nil
		}
		if err := w.person(t, "session.end", EndParams{Name: "gpu1:web", Sure: true}, nil); err == nil {
			t.Errorf("%+v is no failure", failed)
		}
	}
	for _, e := range w.log(t) {
		if e.Pane == "%9" {
			t.Errorf("noted is what was not done: %+v", e)
		}
	}
}

// TestAMonitorElsewhereReadsAnAgentsPaneAlone: by its id or place.
func TestAMonitorElsewhereReadsAnAgentsPaneAlone(t *testing.T) {
	e := NewEdge(EdgeConfig{Panes: func() []detect.Sighting {
		return []detect.Sighting{
			{Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{ID: "%1"}, Where: "main:0.0"}}, {Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{ID: "%2"}, Where: "main:1.0"}},
		}
	}})
	for name, want := range map[string]string{"%2": "%2", "main:1.0": "%2", "%3": "", "main": "", "": ""} {
		if ref, _, err := e.monitorPane(t.Context(), name); ref.ID != want || (err == nil) != (want != "") {
			t.Errorf("%q: %v, %v", name, ref, err)
		}
	}
}

// TestAnEdgeRemembersSoManyDeniedCalls and no more.
func TestAnEdgeRemembersSoManyDeniedCalls(t *testing.T) {
	e := NewEdge(EdgeConfig{})
	for i := range 2*mostDenied + 1 {
		e.remember(strconv.Itoa(i), proc.ID{PID: 1})
		if len(e.denied) > mostDenied || e.denied[strconv.Itoa(i)].PID != 1 {
			t.Fatalf("%d are remembered, with the last %t", len(e.denied), e.denied[strconv.Itoa(i)].PID == 1)
		}
	}
}

// TestWhatDoesNotRunIsNotStopped: the caller is told.
func TestWhatDoesNotRunIsNotStopped(t *testing.T) {
	w := newWorld(t)
	if err := w.person(t, "monitor.stop", NameParams{"none"}, nil); err == nil {
		t.Error("a monitor that does not exist was stopped")
	}
}

// TestAMachineBeforeASessionsNameIsAsked, and no other machine. A list covers all machines, and says which
// ones did not answer.
func TestAMachineBeforeASessionsNameIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := []string{}
	w.cfg.Machines = func() []Machine {
		return []Machine{{Name: "gpu1", State: "here"}, {Name: "gpu2", State: "away"}, {Name: "gpu3", State: "old"}}
	}
	w.cfg.Errand = func(_ context.Context, machine string, e launch.Errand) (launch.Done, error) {
		switch machine {
		case "gpu2":
			return launch.Done{}, errors.New("it is away")
		case "gpu3":
			return launch.Done{Error: "it knows no sessions"}, nil
		}
		if e.Do != launch.DoList {
			asked = append(asked, machine+" "+e.Do+" "+e.Name)
		}
		return launch.Done{Sessions: []launch.Row{{Session: launch.Session{Spec: launch.Spec{Name: "api"}, Pane: detect.PaneRef{ID: "%7"}}, State: "idle"}}}, nil
	}
	for _, name := range []string{"gpu1:api", "nobody:api", "gpu1:", "api"} {
		for _, do := range []string{launch.DoNew, launch.DoEnd} {
			o, err := w.doSessions(t.Context(), launch.Errand{Do: do, Spec: launch.Spec{Name: name, Agent: "claude", Cwd: "/"}})
			if there := name == "gpu1:api"; err != nil || there != (o.Error == "") || there && o.Sessions[0].Name != name {
				t.Errorf("%s %s: %+v, %v", do, name, o, err)
			}
		}
	}
	if !slices.Equal(asked, []string{"gpu1 new api", "gpu1 end api"}) {
		t.Errorf("asked were %q", asked)
	}
	var rows []string
	o, err := w.doSessions(t.Context(), launch.Errand{Do: launch.DoList})
	for _, row := range o.Sessions {
		rows = append(rows, row.Name+" "+row.State)
	}
	if err != nil || !slices.Equal(rows, []string{"gpu1:api idle", "gpu2: away", "gpu3: old"}) {
		t.Errorf("%q, %v", rows, err)
	}
	var listed []SessionRow
	if err := w.client.Call(t.Context(), "session.list", nil, &listed); err != nil || len(listed) != 3 || listed[0] != (SessionRow{Name: "gpu1:api", Pane: "%7", State: "idle"}) {
		t.Errorf("listed are %+v, %v", listed, err)
	}
}

// TestTheChatStartsAnAgentOnAnotherMachine as that machine lets it: its folder comes first, then the start, and its own words if it refuses.
func TestTheChatStartsAnAgentOnAnotherMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	started := 0
	w.cfg.Errand = func(_ context.Context, machine string, e launch.Errand) (launch.Done, error) {
		switch {
		case machine != "gpu1" || e.Do != launch.DoLaunch || e.Name != "api" || e.By != "ann":
			t.Errorf("%s is asked for %+v", machine, e)
		case e.Cwd == "away":
			return launch.Done{}, rpc.Refuse("away", "gpu1 is away")
		case e.Cwd == "off":
			return launch.Done{Error: "off"}, nil
		case !e.Sure:
			return launch.Done{Lost: []string{"/src/" + e.Cwd}}, nil
		}
		started++
		return launch.Done{Sessions: []launch.Row{{Session: launch.Session{Spec: e.Spec, Pane: w.own}}}}, nil
	}
	for _, c := range []struct {
		folder     string
		sure       bool
		want, fail string
	}{{"x", false, "/src/x", ""}, {"/src/x", true, "", ""}, {"away", false, "", "gpu1 is away"}, {"off", true, "", "off"}} {
		folder, err := w.Launch(t.Context(), launch.Errand{Do: launch.DoLaunch, Spec: launch.Spec{Name: "gpu1:api", Agent: "claude", Cwd: c.folder}, Sure: c.sure, By: "ann"})
		if folder != c.want || (err == nil) != (c.fail == "") || err != nil && err.Error() != c.fail {
			t.Errorf("%+v: %q, %v", c, folder, err)
		}
	}
	if started != 1 {
		t.Errorf("started %d times", started)
	}
}

// TestAMachineAndASessionOfOneName: what may mean a pane of either is refused, and what only works here says so of a pane elsewhere.
func TestAMachineAndASessionOfOneName(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // its first session is called 0
	far := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{Machine: "0", ID: "%1"}, Name: "0.0", Project: "0:api", Where: "far:0.0"}}
	w.set(func() { w.panes = []detect.Sighting{far} })
	w.cfg.Machines = func() []Machine { return []Machine{{Name: "0", State: "here"}} }
	if ref, err := w.findPane(t.Context(), "0:0.0"); err == nil || !strings.Contains(err.Error(), "0:far:0.0") {
		t.Errorf("it is %v, %v", ref, err)
	}
	for method, params := range map[string]any{"pane.capture": CaptureParams{Pane: "0:0.0"}, "pane.check": PaneParams{"0:0.0"}, "pane.send": SendParams{"0:0.0", []string{"y"}}, "pane.unwatch": PaneParams{"0:0.0"}} {
		if f := faultOf(t, w.person(t, method, params, nil)); f.Reason != string(deliver.Ambiguous) || !strings.Contains(f.Message, "0:far:0.0") {
			t.Errorf("%s: %+v", method, f)
		}
	}
	if ref, err := w.findPane(t.Context(), "0:api"); err != nil || ref != far.Pane {
		t.Errorf("it is %v, %v", ref, err)
	}
	for _, name := range []string{"0:api", "0:nobody"} {
		if _, ref, err := w.find(t.Context(), name); err == nil || !strings.Contains(err.Error(), "on 0") {
			t.Errorf("%s is %v, %v", name, ref, err)
		}
	}
}
