package control

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nod/cmd/internal/control/caller"
	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/nudge"
)

// TestAnAgentsBrowserCantAnswer: on the page as on the socket, a process that leads to an agent is refused,
// and so is an unknown one. A browser needs no terminal: its key was given to a human.
func TestAnAgentsBrowserCantAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	browser := exec.Command("sleep", "100")
	browser.Env = []string{"PATH=" + os.Getenv("PATH")}
	browser.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = browser.Process.Kill(), browser.Wait() })
	agents := []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Process: me, Agent: "claude", Where: "main:0.0"}}}
	ann := nudge.Person{ID: "42", Name: "Ann"}
	for name, c := range map[string]struct {
		visitor Visitor
		panes   []detect.Sighting
		want    deliver.Reason // of the refusal; empty if it answers
	}{
		"a browser":                          {Visitor{Processes: []int{browser.Process.Pid}}, nil, ""},
		"the browser of an agent":            {Visitor{Processes: []int{browser.Process.Pid}}, agents, deliver.CallerIsAgent},
		"an agent's beside one of nobody":    {Visitor{Processes: []int{1, browser.Process.Pid}}, agents, deliver.CallerIsAgent},
		"a process that has ended":           {Visitor{Processes: []int{1 << 30}}, nil, deliver.CallerIsAgent},
		"no process that is known":           {Visitor{}, nil, deliver.CallerIsAgent},
		"a Mini App, on its own machine":     {Visitor{KeyAlone: true, By: ann}, agents, ""},
		"what no system tells the caller of": {Visitor{KeyAlone: true}, agents, ""},
	} {
		w.set(func() { w.panes = c.panes })
		_, err := w.CallFor(t.Context(), c.visitor, "nudge.skip", IDParams{w.waits(t, w.other)})
		fault := &rpc.Fault{}
		if errors.As(err, &fault); deliver.Reason(fault.Reason) != c.want || c.want == "" && err != nil {
			t.Errorf("%s: %v (%q), want %q", name, err, fault.Reason, c.want)
		}
	}
}

// TestWhatNodStartsIsNoPerson: an agent's event may have caused the start, and the process's terminal is
// nod's own.
func TestWhatNodStartsIsNoPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	started := exec.Command("sh", "-c", "sleep 100; :")
	started.Env = []string{"PATH=" + os.Getenv("PATH")}
	started.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := started.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = started.Process.Kill(), started.Wait() })
	by := Visitor{Processes: []int{started.Process.Pid}}
	for _, c := range []struct {
		own  int
		want deliver.Reason
	}{{0, ""}, {os.Getpid(), deliver.CallerIsAgent}} {
		w.cfg.Own = c.own
		_, err := w.CallFor(t.Context(), by, "nudge.skip", IDParams{w.waits(t, w.other)})
		fault := &rpc.Fault{}
		if errors.As(err, &fault); deliver.Reason(fault.Reason) != c.want || c.want == "" && err != nil {
			t.Errorf("nod is %d: %v (%q), want %q", c.own, err, fault.Reason, c.want)
		}
	}
	if place := w.place(t.Context(), os.Getpid()); place.Why == "nod itself has started this command." {
		t.Error("nod has started itself")
	}
}

// TestWhatACommandOfNodRunsIsNoPerson: a program that `nod doctor` runs in a person's terminal may be whatever calls itself an agent.
func TestWhatACommandOfNodRunsIsNoPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Process: proc.ID{PID: 1 << 30, Start: 1}, Agent: "claude"}}}
	})
	w.seat = w.sitDown(t, "nod")
	for method, call := range w.access(t, w.own) {
		if refused := isRefusal(t, method, w.person(t, method, call.params, nil)); refused != call.forHumans {
			t.Errorf("%s: refused %t, want %t", method, refused, call.forHumans)
		}
	}
}

// TestAnAnswerByThePageIsTheVisitors: the audit trail names the person who signed in, else the machine's
// owner.
func TestAnAnswerByThePageIsTheVisitors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.works(t)
	for _, by := range []nudge.Person{{}, {ID: "42", Name: "Ann"}} {
		want := by
		if want == (nudge.Person{}) {
			want = person(t.Context())
		}
		text, err := w.CallFor(t.Context(), Visitor{KeyAlone: true, By: by}, "instruction.submit", SubmitParams{Pane: w.other.ID, Text: "go on"})
		var made Submitted
		if err := errors.Join(err, json.Unmarshal(text, &made)); err != nil {
			t.Fatal(err)
		}
		got, found, err := w.cfg.Keeper.Instruction(made.ID)
		if err != nil || !found || got.By != want {
			t.Errorf("%+v, %t, %v: want it to be by %+v", got.By, found, err, want)
		}
	}
}

// TestAPersonBesideAnAgentOnThePageIsNone: an agent may pass its calls on through a person's tunnel.
func TestAPersonBesideAnAgentOnThePageIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.person(t, "health", nil, nil); err != nil {
		t.Fatal(err)
	}
	all, err := proc.All()
	if err != nil {
		t.Fatal(err)
	}
	seat := 0
	for pid, p := range all {
		if line, err := proc.Lineage(pid); p.Comm == "call" && err == nil && slices.Contains(line[0].Args, w.socket) {
			seat = pid
		}
	}
	if place := w.placeVisitor(t.Context(), Visitor{Processes: []int{seat}}); place.Kind != caller.Human {
		t.Fatalf("a person is %+v", place)
	}
	w.agent(t, true)
	for _, pids := range [][]int{{seat, os.Getpid()}, {os.Getpid(), seat}, {seat, 1 << 30}} {
		if place := w.placeVisitor(t.Context(), Visitor{Processes: pids}); place.Kind == caller.Human {
			t.Errorf("%v is %+v", pids, place)
		}
	}
}

// TestWhoAnswersIsNamed: the user that nod runs as. On the page it is by the page, whatever a visitor says.
func TestWhoAnswersIsNamed(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	if got := person(t.Context()); got != (nudge.Person{Name: me.Username}) {
		t.Errorf("it is %+v", got)
	}
	visits := context.WithValue(t.Context(), visitorKey{}, Visitor{KeyAlone: true})
	for way, want := range map[Way]nudge.Way{"": nudge.ByCommand, ByInbox: nudge.ByInbox, ByPage: nudge.ByPage} {
		if a, b := answerTo(t.Context(), "k3f", way), answerTo(visits, "k3f", way); a.Way != want || b.Way != nudge.ByPage {
			t.Errorf("%q is %s, and on the page %s", way, a.Way, b.Way)
		}
		var read Way
		if err := read.UnmarshalText([]byte(way)); err != nil || read != way {
			t.Errorf("%q is read as %q, %v", way, read, err)
		}
	}
}

// TestWithoutAPageNobodyGetsALink.
func TestWithoutAPageNobodyGetsALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Page = nil
	for _, method := range []string{"web.link", "web.revoke"} {
		if f := faultOf(t, w.person(t, method, nil, nil)); f.Reason != string(deliver.NotFound) || !strings.Contains(f.Message, "NOD_WEB") {
			t.Errorf("%s: %+v", method, f)
		}
	}
}
