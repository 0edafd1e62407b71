package main

import (
	"encoding/json"
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

// standBetween is the program that stands in the place of ssh: it starts the edge of another machine, and when a frame crosses that $WORK/kill
// names, it kills with SIGKILL whom that names: the hub, the edge or itself.
func standBetween() {
	work := os.Getenv("HOME")
	edge := exec.Command("nod", "edge", "--stdio")
	edge.Env = append(os.Environ(), "NOD_TMUX_SOCKET="+work+"/t", "NOD_SOCKET="+work+"/there/n", "NOD_STATE_DIR="+work+"/there", "NOD_MACHINES=")
	edge.Stderr = os.Stderr
	in, err := edge.StdinPipe()
	must(err)
	out, err := edge.StdoutPipe()
	must(err)
	must(edge.Start())
	kill := func(at string) {
		plan, err := os.ReadFile(work + "/kill")
		when, who, _ := strings.Cut(strings.TrimSpace(string(plan)), " ")
		if err != nil || when != at || os.Remove(work+"/kill") != nil {
			return
		}
		must(syscall.Kill(map[string]int{"hub": os.Getppid(), "edge": edge.Process.Pid, "ssh": os.Getpid()}[who], syscall.SIGKILL))
	}
	down, up := pipe.New(os.Stdin, in), pipe.New(out, os.Stdout)
	go func() {
		for crossed(down, kill) {
		}
		_ = in.Close()
	}()
	go func() { // a key that was typed crosses with no frame
		for {
			if _, err := os.Stat("key"); err == nil {
				kill("key")
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for crossed(up, kill) {
	}
	_ = edge.Wait()
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
	must(json.Unmarshal(m.Frame, &parts))
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

// runAgain is a program that runs the bot, and again whenever it was killed.
func runAgain() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	for {
		bot := exec.Command("nod", "run")
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

// TestKilledBetweenClaimAndReply: whoever is killed at whichever step of an answer, with no warning, the key comes once, and what became of it is
// known as soon as there is anybody who knows.
func TestKilledBetweenClaimAndReply(t *testing.T) {
	t.Parallel()
	screen, err := os.ReadFile("../../detect/agents/testdata/claude/2.1.329-bash-80x24.ansi")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ when, who string }{
		{"after-begun", "edge"}, {"before-result", "ssh"}, {"before-result", "hub"}, // the ones that tell most
		{"before-request", "ssh"}, {"after-request", "edge"}, {"after-request", "hub"}, {"after-request", "ssh"}, {"after-begun", "ssh"}, {"after-begun", "hub"},
		{"key", "edge"}, {"key", "ssh"}, {"key", "hub"}, {"before-result", "edge"}, {"after-result", "edge"}, {"after-result", "hub"}, {"before-heard", "ssh"},
	}
	for _, c := range cases[:testrun.Rounds(3, len(cases))] {
		t.Run(c.who+" "+c.when, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Files: []string{"testdata/killed.txt"},
				Setup: func(env *testscript.Env) error {
					for name, value := range botEnv(env.WorkDir) {
						env.Setenv(name, value)
					}
					env.Setenv("KNOWN", "key typed")
					if c.who == "edge" { // who typed it may be dead, and know nothing any more
						env.Setenv("KNOWN", "key typed|ended .* unknown")
					}
					for name, text := range map[string]string{"screen.ansi": string(screen), "kill": c.when + " " + c.who, "ssh": "#!/bin/sh\nexec between\n"} {
						if err := os.WriteFile(filepath.Join(env.WorkDir, name), []byte(text), 0o700); err != nil { //nolint:gosec // one of them is a program
							return err
						}
					}
					env.Setenv("PATH", env.WorkDir+":"+env.Getenv("PATH"))
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"tmux": privateTmux, "printed": untilPrinted, "answered": untilKey, "met": untilKilled},
			})
		})
	}
}

// untilKey answers whatever waits, until a key was typed.
func untilKey(ts *testscript.TestScript, _ bool, _ []string) {
	waitFor(ts, "the key", func() bool {
		if _, err := os.Stat(ts.MkAbs("key")); err == nil {
			return true
		}
		var queue []control.Nudge
		if ts.Exec("nod", "queue", "--json") != nil || json.Unmarshal([]byte(ts.ReadFile("stdout")), &queue) != nil {
			return false // the bot starts just now
		}
		for _, n := range queue {
			if n.State == "pending" {
				runsOutside(ts, "window", []string{"nod", "reply", n.ID, "y"})
			}
		}
		return false
	})
}

// untilKilled waits until somebody was killed as planned.
func untilKilled(ts *testscript.TestScript, _ bool, _ []string) {
	waitFor(ts, "the kill", func() bool {
		_, err := os.Stat(ts.MkAbs("kill"))
		return err != nil
	})
}
