package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet/pipe"
	"nod/internal/testrun"
)

// standBetween is a program that replaces ssh: it starts the edge of another machine.
func standBetween() {
	work := os.Getenv("HOME")
	edge := exec.Command("nod", "edge", "--stdio")
	edge.Env = append(os.Environ(), "NOD_TMUX_SOCKET="+work+"/t", "NOD_SOCKET="+work+"/there/n", "NOD_STATE_DIR="+work+"/there", "NOD_MACHINES=")
	carryFor(edge, work, map[string]int{"hub": os.Getppid(), "ssh": os.Getpid()}, "edge")
}

// standAsHub is a program that replaces nod-hub, at the bot or at the edge: it starts the real one.
func standAsHub() {
	work, who := os.Args[1], os.Args[2]
	carryFor(exec.Command(work+"/hub-bin/nod-hub", "--stdio"), work, map[string]int{who: os.Getppid()}, who+"'s nod-hub")
}

// carryFor starts a program and carries its input and output. When a frame that work/kill names crosses, it
// kills the process that work/kill names with SIGKILL, if that is one of these or the program itself, which
// is called name.
func carryFor(program *exec.Cmd, work string, victims map[string]int, name string) {
	program.Stderr = os.Stderr
	in, err := program.StdinPipe()
	must(err)
	out, err := program.StdoutPipe()
	must(err)
	must(program.Start())
	victims[name] = program.Process.Pid
	kill := func(at string) {
		plan, err := os.ReadFile(work + "/kill")
		when, who, _ := strings.Cut(strings.TrimSpace(string(plan)), " ")
		if pid := victims[who]; err == nil && when == at && pid != 0 && os.Remove(work+"/kill") == nil {
			must(syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	down, up := pipe.New(os.Stdin, in), pipe.New(out, os.Stdout)
	go func() {
		for crossed(down, kill) {
		}
		_ = in.Close()
	}()
	go func() { // no frame crosses when a key was typed
		for {
			if _, err := os.Stat(work + "/key"); err == nil {
				kill("key")
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for crossed(up, kill) {
	}
	_ = program.Wait()
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// crossed carries one frame, and reports whether there was one.
func crossed(p *pipe.Pipe, at func(string)) bool {
	m, err := p.Read()
	if err != nil {
		return false
	}
	var parts map[string]json.RawMessage
	if m.Frame != nil {
		must(json.Unmarshal(m.Frame, &parts))
	}
	delete(parts, "boot")
	for kind := range parts {
		at("before-" + kind)
	}
	if p.Write(m) != nil {
		return false
	}
	for kind := range parts {
		at("after-" + kind)
	}
	return true
}

// runAgain is a program that runs nod, and restarts it whenever it was killed.
func runAgain() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	for {
		bot := exec.Command("nod", os.Args[1:]...)
		bot.Stderr = os.Stderr
		must(bot.Start())
		ended := make(chan error, 1)
		go func() { ended <- bot.Wait() }()
		select {
		case <-ended:
		case <-stop:
			_ = bot.Process.Kill()
			<-ended
			return
		}
	}
}

// TestKilledBetweenClaimAndReply: whichever process is killed at whichever step of an answer, the key comes
// once, and its outcome is known as soon as any process knows it.
func TestKilledBetweenClaimAndReply(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	cases := []death{
		{"after-begun", "edge"}, {"before-result", "ssh"}, {"before-result", "hub"},
		{"before-request", "ssh"}, {"after-request", "edge"}, {"after-request", "hub"}, {"after-request", "ssh"}, {"after-begun", "ssh"}, {"after-begun", "hub"},
		{"key", "edge"}, {"key", "ssh"}, {"key", "hub"}, {"before-result", "edge"}, {"after-result", "edge"}, {"after-result", "hub"}, {"before-heard", "ssh"},
	}
	killed(t, "killed", cases)
}

// TestKilledBetweenClaimAndReplyOverNATS is the same for a machine that has joined: a nod-hub at each end can
// be killed, too.
func TestKilledBetweenClaimAndReplyOverNATS(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	var cases []death
	for _, when := range []string{"before-request", "after-request", "after-begun", "key", "before-result", "after-result", "before-heard"} {
		for _, who := range []string{"hub", "hub's nod-hub", "edge's nod-hub", "edge"} {
			cases = append(cases, death{when, who})
		}
	}
	killed(t, "killed-nats", cases)
}

// death is a step of an answer, and the process that is killed there.
type death struct{ when, who string }

// killed runs a script with each of these deaths, or in part.
func killed(t *testing.T, script string, cases []death) {
	proof := testrun.Prove(t, len(cases), 5)
	for _, i := range proof.Rounds() {
		t.Run(cases[i].who+" "+cases[i].when, func(t *testing.T) {
			t.Cleanup(func() { proof.Passed(t, i) })
			dies(t, script, cases[i].when, cases[i].who)
		})
	}
}

// dies runs a script in which a process is killed at a step of an answer.
func dies(t *testing.T, script, when, who string) {
	t.Parallel()
	screen, err := os.ReadFile("../../detect/agents/testdata/claude/2.1.329-bash-80x24.ansi")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/" + script + ".txt"},
		Setup: func(env *testscript.Env) error {
			for name, value := range botEnv(env.WorkDir) {
				env.Setenv(name, value)
			}
			env.Setenv("KNOWN", "key typed")
			if who == "edge" { // the edge that typed it may be dead, and its knowledge lost
				env.Setenv("KNOWN", "key typed|ended .* unknown")
			}
			for name, text := range map[string]string{
				"screen.ansi": string(screen), "kill": when + " " + who, "ssh": "#!/bin/sh\nexec between\n",
				"at-hub/nod-hub": "#!/bin/sh\nexec ashub " + env.WorkDir + " hub\n", "at-edge/nod-hub": "#!/bin/sh\nexec ashub " + env.WorkDir + " edge\n",
			} {
				path := filepath.Join(env.WorkDir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil { //nolint:gosec // some are programs
					return err
				}
			}
			env.Setenv("PATH", env.WorkDir+":"+env.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"tmux": privateTmux, "printed": untilPrinted, "answered": untilKey, "met": untilKilled,
			"up": untilUp, "person": asPerson, "nodhub": putHub, "there": goThere, "here": goHere, "saved": saveCode, "joins": untilJoins,
		},
	})
}

// untilKey answers waiting questions until a key was typed.
func untilKey(ts *testscript.TestScript, _ bool, _ []string) {
	waitFor(ts, "the key", func() bool {
		if _, err := os.Stat(ts.MkAbs("key")); err == nil {
			return true
		}
		var queue []control.Nudge
		if ts.Exec("nod", "queue", "--json") != nil || json.Unmarshal([]byte(ts.ReadFile("stdout")), &queue) != nil {
			return false // the bot is just starting
		}
		for _, n := range queue {
			if n.State == "pending" {
				runsOutside(ts, "window", []string{"nod", "reply", n.ID, "y"})
			}
		}
		return false
	})
}

// untilKilled waits until a process was killed as planned.
func untilKilled(ts *testscript.TestScript, _ bool, _ []string) {
	waitFor(ts, "the kill", func() bool {
		_, err := os.Stat(ts.MkAbs("kill"))
		return err != nil
	})
}
