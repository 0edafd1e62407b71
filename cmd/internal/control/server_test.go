package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/proc/proctest"
	"nod/internal/reason"
	"nod/internal/settings"
	"nod/internal/testrun"
	"nod/nudge"
)

const remote = "ws://127.0.0.1:4500"

var codexAt = agents.ServerOf("codex", []string{"codex", "--remote", remote})

// client is a pane of a codex that was started with these arguments, asking about a subject.
func client(t *testing.T, w *world, subject string, args ...string) detect.Sighting {
	t.Helper()
	// More than one command, or the shell becomes it and has other arguments.
	cmd := exec.Command("sh", append([]string{"-c", "while :; do sleep 1; done", "codex"}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	id, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	proctest.AwaitArguments(t, id.PID)
	s := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "codex", Process: id}, State: screen.Working, At: time.Now()}
	if subject != "" {
		s.State, s.Prompt = screen.Permission, &screen.Prompt{Content: screen.Content{Subject: subject}}
	}
	return s
}

// atServer is a request that arrived some time ago.
func atServer(command string) door.Asked {
	return door.Asked{
		Server: codexAt, Process: proc.ID{PID: 1, Start: 1}, Since: time.Now().Add(-time.Minute),
		ServerRequest: agents.ServerRequest{Thread: "t", Item: "i", Folder: "/home/me/api", Text: command, Reason: "May it?", Once: true},
	}
}

func servedWorld(t *testing.T) (w *world, told *[]detect.HookEvent) {
	t.Helper()
	w, told = newWorld(t), &[]detect.HookEvent{}
	w.set(func() { w.settings.Doors, w.settings.Expiry = true, time.Hour })
	w.cfg.Outside = func(e detect.HookEvent) { *told = append(*told, e) }
	return w, told
}

// TestWhatAPaneShowsIsNotAskedTwice: a request belongs to an agent outside tmux only if no watched pane may
// show it.
func TestWhatAPaneShowsIsNotAskedTwice(t *testing.T) {
	long := "make " + strings.Repeat("x", 100)
	for name, c := range map[string]struct {
		command, subject string
		args             []string
		young, asked     bool
	}{
		"no pane yet":            {"touch a", "-", nil, true, true},
		"it has ended":           {"touch a", "touch a", []string{"--remote", remote}, false, true},
		"it is another agent's":  {"touch a", "touch a", []string{"--remote", remote}, false, true},
		"it can't be read":       {"touch a", "touch a", []string{"--remote", remote}, false, false},
		"no pane":                {"touch a", "-", nil, false, true},
		"it shows it":            {"touch a", "$ touch a", []string{"--remote", remote}, false, false},
		"it shows a part":        {long, "$ " + long[:60] + "\n[… 3 lines]", []string{"--remote", remote}, false, false},
		"it wraps it":            {"touch a b", "touch a\nb", []string{"--remote=" + remote}, false, false},
		"it shows another":       {"touch a", "touch b", []string{"--remote", remote}, false, true},
		"it shows nothing":       {"touch a", "", []string{"--remote", remote}, false, true},
		"it may show it yet":     {"touch a", "", []string{"--remote", remote}, true, false},
		"another server's":       {"touch a", "touch a", []string{"--remote", "ws://127.0.0.1:4501"}, true, true},
		"no server's":            {"touch a", "touch a", nil, true, true},
		"another server's, told": {"touch a", "touch a", []string{"--remote", "ws://127.0.0.1:4501"}, false, true},
		"its pid is another's":   {"touch a", "$ touch a", []string{"--remote", remote}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := servedWorld(t)
			if c.subject != "-" {
				s := client(t, w, c.subject, c.args...)
				switch name {
				case "its pid is another's":
					s.Process.Start--
				case "it has ended":
					s.Process.PID = 1 << 30
				case "it is another agent's":
					s.Agent = "claude"
				case "it can't be read":
					s.Prompt = nil
				}
				w.set(func() { w.panes = []detect.Sighting{s} })
			}
			a := atServer(c.command)
			if c.young {
				a.Since = time.Now()
			}
			door, done := w.AskedAt(a)
			if done != c.asked || (door != nil) != c.asked {
				t.Errorf("asked %t, want %t", done, c.asked)
			}
		})
	}
}

// TestAServersRequestIsAQuestionOfAnAgentOutside: it is shown whole, and its answer goes only to its own
// door.
func TestAServersRequestIsAQuestionOfAnAgentOutside(t *testing.T) {
	w, told := servedWorld(t)
	a := atServer("touch a\ntouch b")
	opened, done := w.AskedAt(a)
	open, err := w.cfg.Keeper.List(false)
	if !done || err != nil || len(open) != 1 || len(*told) > 0 {
		t.Fatalf("%t, %v, asked %+v, told %+v", done, err, open, *told)
	}
	n := open[0]
	p := n.Prompt()
	if want := "touch a\ntouch b\nIn /home/me/api\nReason: May it?"; p.Subject != want || p.Lead != 2 || n.Agent != "codex" || n.Project != "api" || n.Process != a.Process || !n.Program().Door {
		t.Errorf("asked %+v of %+v", p, n.Whereabouts)
	}
	if w.cfg.Doors.Of(n.ID) != opened {
		t.Error("its answer goes elsewhere")
	}
	w.EndedAt(n.ID, door.ErrElsewhere)
	if n, _, _ := w.cfg.Keeper.Find(n.ID); n.State != nudge.Recovered {
		t.Errorf("it is %s", n.State)
	}
}

// TestWhatIsNoCommandIsToldAlone.
func TestWhatIsNoCommandIsToldAlone(t *testing.T) {
	w, told := servedWorld(t)
	a := atServer("")
	a.Once, a.Verb, a.Text = false, "change files", "main.go"
	door, done := w.AskedAt(a)
	open, _ := w.cfg.Keeper.List(false)
	if door != nil || !done || len(open) > 0 || len(*told) != 1 || (*told)[0].Tool != "change files" || (*told)[0].Cwd != a.Folder || string((*told)[0].Input) != `"main.go\nMay it?"` {
		t.Errorf("%t, asked %+v, told %+v", done, open, *told)
	}
	s := client(t, w, "touch b", "--remote", remote)
	w.set(func() { w.panes = []detect.Sighting{s} })
	if _, done := w.AskedAt(a); done {
		t.Error("a pane that asks may show it, in whatever words")
	}
}

// TestARequestThatIsTooLongIsToldAlone.
func TestARequestThatIsTooLongIsToldAlone(t *testing.T) {
	w, told := servedWorld(t)
	if opened, done := w.AskedAt(atServer(strings.Repeat("x", 300<<10))); opened != nil || !done || len(*told) != 1 {
		t.Errorf("done %t, told %d", done, len(*told))
	}
}

// TestARequestThatTakesNoAnswerIsToldAlone: so many wait already, of its server or in all, that no answer to it could come.
func TestARequestThatTakesNoAnswerIsToldAlone(t *testing.T) {
	for name, full := range map[string]func(w *world) (before int){
		"its server asks too much": func(w *world) (before int) {
			for i := 0; ; i++ {
				if opened, _ := w.AskedAt(atServer(fmt.Sprint("touch ", i))); opened == nil {
					return i
				}
			}
		},
		"too many doors": func(w *world) int {
			for i := 0; w.cfg.Doors.OpenAt(fmt.Sprint("other", i), time.Now()) != nil; i++ {
			}
			return 0
		},
	} {
		w, told := servedWorld(t)
		before := full(w)
		*told = nil
		opened, done := w.AskedAt(atServer("make"))
		open, err := w.cfg.Keeper.List(false)
		if opened != nil || !done || err != nil || len(open) != before || len(*told) != 1 || !strings.Contains(string((*told)[0].Input), "make") {
			t.Errorf("%s: %t, %v, %d asked, told %+v", name, done, err, len(open), *told)
		}
	}
}

// TestAHookOfASessionWhoseServerIsHeardTellsNothingMore: the server itself reports its requests.
func TestAHookOfASessionWhoseServerIsHeardTellsNothingMore(t *testing.T) {
	w, _ := servedWorld(t)
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"codex": sh, "nod": sh, "hook": []byte("read line\n")} {
		if err := testrun.WriteProgram(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(dir, "codex"), "-c", "exec 3<&0; ./nod hook codex <&3 & echo $!; wait")
	cmd.Dir = dir
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	hook := 0
	if _, err := fmt.Fscan(out, &hook); err != nil {
		t.Fatal(err)
	}
	server, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	e := detect.HookEvent{Agent: "codex", Kind: detect.Asks}
	e.Caller = hook
	w.cfg.Served = func(proc.ID) bool { return true }
	if w.served(detect.HookEvent{Agent: "codex", Kind: detect.Asks}) {
		t.Error("whoever sent it, its server is heard")
	}
	for heard, want := range map[proc.ID]bool{server: true, {PID: 1, Start: 1}: false} {
		w.cfg.Served = func(process proc.ID) bool { return process == heard }
		for end := time.Now().Add(5 * time.Second); want && !w.served(e) && time.Now().Before(end); time.Sleep(10 * time.Millisecond) { // until the shell has become nod
		}
		if got := w.served(e); got != want {
			t.Errorf("%v is heard: %t, want %t", heard, got, want)
		}
	}
}

// deniedAt is a call that a reviewer denied some time ago.
func deniedAt(thread, command string) door.Denied {
	d := door.Denied{Server: codexAt, Process: proc.ID{PID: 1, Start: 1}, Since: time.Now().Add(-time.Minute)}
	d.Thread, d.Event = thread, fmt.Sprintf("{%q:%q}", "command", command)
	d.DeniedCall = agents.DeniedCall{Text: command, Folder: "/home/me/api", Reason: "Not asked for."}
	return d
}

// TestADenialThatNoPaneShowsIsToldOutside, once, whole, and allowed only through its server.
func TestADenialThatNoPaneShowsIsToldOutside(t *testing.T) {
	w, _ := servedWorld(t)
	s := client(t, w, "", "--remote", remote)
	w.set(func() { w.panes = []detect.Sighting{s} })
	young := deniedAt("t", "git push")
	young.Since = time.Now()
	if w.DeniedAt(young, false) {
		t.Error("a pane may show it yet")
	}
	if !w.DeniedAt(deniedAt("t", "git push"), true) {
		t.Error("a pane shows it")
	}
	if list, _ := w.cfg.Keeper.Denials(); len(list) > 0 {
		t.Errorf("told %+v", list)
	}
	for _, d := range []door.Denied{deniedAt("t", "git push\necho two"), deniedAt("u", "git push\necho two"), deniedAt("t", strings.Repeat("x", 70<<10))} {
		if !w.DeniedAt(d, false) {
			t.Error("nobody was told")
		}
	}
	list, err := w.cfg.Keeper.Denials()
	if err != nil || len(list) != 1 || len(list[0].Calls) != 3 {
		t.Fatalf("told %+v, %v", list, err)
	}
	d := list[0]
	for i, c := range d.Calls[:2] {
		thread := []string{"t", "u"}[i]
		if c.Text != "git push\necho two" || c.Taking != nudge.ByServer || !c.Flaw.IsZero() || c.Count != 1 || !strings.Contains(c.Review, `"Thread":"`+thread+`"`) || d.Where != "outside tmux" {
			t.Errorf("told %+v", c)
		}
	}
	if c := d.Calls[2]; c.Flaw.IsZero() || c.Review != "" {
		t.Errorf("too much is kept: %d bytes", len(c.Review))
	}
	// Nobody listens there, so nothing is passed on, and the person is told why.
	ctx, stop := context.WithCancel(t.Context())
	passed := make(chan error, 1)
	go func() { passed <- w.PassReviews(ctx) }()
	for call, off := range []bool{false, true} {
		w.set(func() { w.settings.Doors = settings.OnOff(!off) })
		a := nudge.Answer{Nudge: d.ID, By: nudge.Person{ID: "42"}, Ref: nudge.Ref{Place: "42"}}
		if placed, err := w.cfg.Keeper.AllowDenied(a, call, d.Fingerprint(call)); err != nil || placed.Reason != "" {
			t.Fatal(placed, err)
		}
		for end := time.Now().Add(10 * time.Second); d.Calls[call].Flaw.IsZero(); d, _, _ = w.cfg.Keeper.DenialsOf(d.ID) {
			if time.Now().After(end) {
				t.Fatalf("it is %+v", d.Calls[call])
			}
			time.Sleep(time.Millisecond)
		}
		if c := d.Calls[call]; c.Flaw.Kind != reason.DenialUnserved || strings.Contains(c.Flaw.What, "NOD_DOORS") != off || c.Grant.State != "" {
			t.Errorf("with doors off %t it is %+v", off, c)
		}
	}
	stop()
	if err := <-passed; err != nil {
		t.Error(err)
	}
	w.set(func() { w.panes = nil })
	if !w.DeniedAt(young, false) {
		t.Error("no pane can show it, and nobody is told")
	}
	for _, process := range []proc.ID{{PID: 2, Start: 2}, young.Process} {
		w.TurnAt("codex", process)
		if d, _, err := w.cfg.Keeper.DenialsOf(d.ID); err != nil || d.TurnOver != (process == young.Process) {
			t.Errorf("the session of %v goes on, and its turn is over: %t, %v", process, d.TurnOver, err)
		}
	}
}
