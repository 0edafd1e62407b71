package control

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
	"nod/store"
)

// TestAMonitorIsStartedShownAndStopped, with all that it was started with.
func TestAMonitorIsStartedShownAndStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	var started MonitorStarted
	p := MonitorParams{Name: "ci", Match: "FAIL", Debounce: "45s", Argv: []string{"sh", "-c", "echo FAIL; pwd; echo $OF; exec sleep 1000"}, Cwd: dir, Env: []string{"OF=monitor"}}
	if err := w.person(t, "monitor.start", p, &started); err != nil || started.Name != "ci" || started.PID == 0 {
		t.Fatalf("%+v, %v", started, err)
	}
	var logs Logs
	for end := time.Now().Add(20 * time.Second); !strings.Contains(logs.Logs, "monitor\n"); time.Sleep(20 * time.Millisecond) {
		if err := w.client.Call(t.Context(), "monitor.logs", LogsParams{Name: "ci"}, &logs); err != nil || time.Now().After(end) {
			t.Fatalf("it has written %q, %v", logs.Logs, err)
		}
	}
	if !strings.Contains(logs.Logs, "FAIL\n") || !strings.Contains(logs.Logs, dir) || logs.End != int64(len(logs.Logs)) {
		t.Errorf("it has written %+v", logs)
	}
	var shown Monitor
	show := func() Monitor {
		t.Helper()
		shown = Monitor{}
		if err := w.client.Call(t.Context(), "monitor.show", NameParams{"ci"}, &shown); err != nil {
			t.Fatal(err)
		}
		return shown
	}
	m := show()
	if m.Status != "running" || m.PID != started.PID || m.Debounce != "45s" || m.Match != "FAIL" || m.Cwd != dir || m.Ended != nil || !slices.Equal(m.Argv, p.Argv) || len(m.Env) != 1 || m.MatchCount != 1 || !slices.Equal(m.Recent, []string{"FAIL"}) {
		t.Errorf("it is shown as %+v", m)
	}
	listed := func(all bool) (list []Monitor) {
		t.Helper()
		if err := w.client.Call(t.Context(), "monitor.list", MonitorsParams{All: all}, &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := listed(false); len(list) != 1 || list[0].Name != "ci" {
		t.Errorf("listed are %+v", list)
	}
	if err := w.person(t, "monitor.stop", NameParams{"ci"}, nil); err != nil {
		t.Fatal(err)
	}
	if m = show(); m.Status != "stopped" || m.Ended == nil || m.Exit == "" {
		t.Errorf("it has ended as %+v", m)
	}
	if list, all := listed(false), listed(true); len(list) != 0 || len(all) != 1 {
		t.Errorf("running are %+v, and all %+v", list, all)
	}
	again := MonitorStarted{}
	if err := w.person(t, "monitor.restart", NameParams{"ci"}, &again); err != nil || again.Name != "ci" || again.PID == started.PID || show().Status != "running" {
		t.Errorf("again it is %+v, %v", again, err)
	}
	if err := w.person(t, "monitor.stop", NameParams{"ci"}, nil); err != nil {
		t.Error(err)
	}
}

// TestAMonitorThatCantBeStartedSaysWhy, and one that is not there.
func TestAMonitorThatCantBeStartedSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for want, p := range map[string]MonitorParams{
		"a time such as 60s":         {Name: "ci", Match: "x", Argv: []string{"true"}, Cwd: "/", Debounce: "soon"},
		"no monitor was started":     {Name: "ci", Match: "(", Argv: []string{"true"}, Cwd: "/"},
		"no monitor was started: no": {Name: "ci", Match: "x", Argv: []string{"none-such"}, Cwd: "/"},
		"%999":                       {Name: "ci", Match: "x", Pane: "%999"},
	} {
		var started MonitorStarted
		if err := w.person(t, "monitor.start", p, &started); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, ": no")) || started != (MonitorStarted{}) {
			t.Errorf("%+v: %+v, %v", p, started, err)
		}
	}
	for _, method := range []string{"monitor.show", "monitor.stop", "monitor.restart"} {
		if err := w.person(t, method, NameParams{"none"}, nil); err == nil || !strings.Contains(err.Error(), `no monitor "none"`) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if err := w.person(t, "monitor.logs", LogsParams{Name: "none"}, nil); err == nil || !strings.Contains(err.Error(), `no monitor "none"`) {
		t.Errorf("its output: %v", err)
	}
}

// TestAMonitorReadsAPane, named by its place.
func TestAMonitorReadsAPane(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var started MonitorStarted
	if err := w.person(t, "monitor.start", MonitorParams{Name: "build", Match: "x", Pane: w.own.ID}, &started); err != nil || started != (MonitorStarted{Name: "build"}) {
		t.Fatalf("%+v, %v", started, err)
	}
	var shown Monitor
	if err := w.client.Call(t.Context(), "monitor.show", NameParams{"build"}, &shown); err != nil || shown.Status != "running" || !strings.Contains(shown.Pane, ":") || shown.PID != 0 || shown.Debounce != "1m0s" {
		t.Errorf("%+v, %v", shown, err)
	}
}

// TestHabitsAreListed of one agent or of all: what was approved often enough, with the line that allows it.
func TestHabitsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	approved := func(agent, subject string, times int) {
		for range times {
			err := w.cfg.Store.Update(func(tx *store.Tx) error {
				id := nudge.NewID(func(id string) bool { return !tx.Unused(id) })
				n := nudge.Nudge{ID: id, Number: 1, Whereabouts: detect.Whereabouts{Pane: w.own, Agent: agent, Project: "api"}}
				n.About = nudge.Permission{Prompt: &screen.Prompt{Content: screen.Content{Agent: agent, Subject: subject, Lead: 1}}}
				n.Detected, n.Ended, n.State = tx.Now(), tx.Now(), nudge.Delivered
				n.Claim = &nudge.Claim{Said: nudge.Said{Decision: screen.Approve}, At: tx.Now()}
				tx.Put(&n)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	approved("claude", "go test ./...", 3)
	approved("codex", "ls -l", 2)
	for _, c := range []struct {
		p    HabitParams
		want []string
	}{
		{HabitParams{}, []string{"claude", "codex"}}, {HabitParams{Least: 3}, []string{"claude"}}, {HabitParams{Agent: "codex"}, []string{"codex"}}, {HabitParams{Agent: "amp"}, nil},
	} {
		var list []Habit
		if err := w.client.Call(t.Context(), "habit.list", c.p, &list); err != nil {
			t.Fatal(err)
		}
		var agents []string
		for _, h := range list {
			agents = append(agents, h.Agent)
			if h.Agent == "claude" && (h.Call != "go test ./..." || h.Times != 3 || h.Project != "api" || !strings.HasSuffix(h.File, ".json") || !strings.Contains(h.Entry, "go test ./...") || h.Why != "") {
				t.Errorf("listed is %+v", h)
			}
		}
		if !slices.Equal(agents, c.want) {
			t.Errorf("%+v lists those of %q, want %q", c.p, agents, c.want)
		}
	}
}

// TestACheckSaysWhatNodReads: the keys that approve are those of a permission alone.
func TestACheckSaysWhatNodReads(t *testing.T) {
	prompt := func() *screen.Prompt {
		return &screen.Prompt{
			Content: screen.Content{Shape: "claude.bash", Question: "Proceed?", Subject: "make", Options: []screen.Option{{Key: "1", Label: "Yes"}}},
			Ways:    screen.Ways{Approve: []string{"1"}, Deny: []string{"2"}}, Fingerprint: "f",
		}
	}
	unlit := prompt()
	unlit.Highlighted = -1
	for _, c := range []struct {
		state  screen.State
		prompt *screen.Prompt
		asks   bool
		keys   bool
	}{
		{screen.Permission, prompt(), true, true}, {screen.Question, prompt(), true, false}, {screen.Permission, unlit, true, true},
		{screen.Idle, prompt(), false, false}, {screen.Working, nil, false, false}, {screen.Permission, nil, false, false},
	} {
		got := CheckOf(screen.Reading{Agent: "claude", State: c.state, Prompt: c.prompt})
		if got.Agent != "claude" || got.State != c.state || (got.Prompt != nil) != c.asks {
			t.Errorf("%s: %+v", c.state, got)
			continue
		}
		if !c.asks {
			continue
		}
		p := got.Prompt
		if p.Subject != "make" || p.Shape != "claude.bash" || p.Fingerprint != "f" || len(p.Options) != 1 || (p.Highlighted == nil) != (c.prompt == unlit) || p.Approve == nil ||
			slices.Equal(p.Approve, []string{"1"}) != c.keys || slices.Equal(p.Deny, []string{"2"}) != c.keys {
			t.Errorf("%s: %+v", c.state, p)
		}
	}
}

// TestDeniedCallsThatWaitAreInTheQueue, each of them that somebody may still decide about.
func TestDeniedCallsThatWaitAreInTheQueue(t *testing.T) {
	call := func(text string) nudge.Denial {
		return nudge.Denial{Text: text, Sum: strings.Repeat(text, 20), Lead: 1}
	}
	left := call("rm")
	left.Left = true
	d := nudge.Denials{ID: "k3f", Calls: []nudge.Denial{call("make"), left, call("ls")}}
	d.Pane, d.Agent = detect.PaneRef{ID: "%3"}, "claude"
	got := deniedOf([]nudge.Denials{d})
	if len(got) != 2 || got[0].Subject != "make" || got[0].Call != 0 || got[1].Subject != "ls" || got[1].Call != 2 || got[1].ID != "k3f" || got[1].Kind != "denied" || got[1].Fingerprint != d.Fingerprint(2) {
		t.Errorf("in the queue are %+v", got)
	}
}
