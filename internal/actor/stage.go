package actor

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"nod/internal/host/proc"
)

// Stage is a private tmux server with a window for each agent. The server starts with the first agent.
type Stage struct {
	Socket string // for `tmux -S`

	dir     string
	started bool
}

// NewStage makes a stage with its socket, scripts and programs in dir. The path must be short: a Unix
// socket's path has at most 107 bytes.
func NewStage(dir string) *Stage {
	return &Stage{Socket: filepath.Join(dir, "tmux"), dir: dir}
}

// Play starts an agent on the stage. It runs program with the arguments `actor SCRIPT`, under the agent's
// name, so that the process table looks like the real agent's.
func (s *Stage) Play(program string, script Script) error {
	if err := s.play(program, script); err != nil {
		return fmt.Errorf("start %s: %w", script.Agent, err)
	}
	return nil
}

func (s *Stage) play(program string, script Script) error {
	bin := filepath.Join(s.dir, "bin")
	for _, folder := range []string{bin, script.Dir} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	name := filepath.Join(bin, script.Agent)
	if err := os.Symlink(program, name); err != nil {
		return err
	}
	data, err := json.MarshalIndent(script, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, script.Agent+".json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	window := []string{"new-window", "-d", "-t", "demo:"}
	if !s.started {
		window = []string{"new-session", "-d", "-s", "demo", "-x", "100", "-y", "30"}
	}
	if err := s.tmux(append(window, "-n", script.Agent, "-c", script.Dir, name, "actor", file)...); err != nil {
		return err
	}
	s.started = true
	return nil
}

// Close ends the server and all agents, and returns when they are gone.
func (s *Stage) Close() error {
	if !s.started {
		return nil
	}
	s.started = false
	running := s.processes()
	if err := s.tmux("kill-server"); err != nil && len(running) > 0 {
		return err // without processes the server has ended by itself
	}
	deadline := time.Now().Add(5 * time.Second)
	for _, id := range running {
		for proc.Alive(id) {
			if time.Now().After(deadline) {
				return fmt.Errorf("end the agents: process %d is still there", id.PID)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}

// processes returns the server and the agents; none if the server has ended by itself.
func (s *Stage) processes() []proc.ID {
	out, err := s.command("list-panes", "-a", "-F", "#{pid} #{pane_pid}").Output()
	if err != nil {
		return nil
	}
	var running []proc.ID
	for _, field := range strings.Fields(string(out)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			continue
		}
		if id, err := proc.Of(pid); err == nil { // an error means that it has just ended
			running = append(running, id)
		}
	}
	return running
}

func (s *Stage) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", s.Socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = Environment()
	return cmd
}

func (s *Stage) tmux(args ...string) error {
	if out, err := s.command(args...).CombinedOutput(); err != nil {
		return fmt.Errorf("run tmux %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Environment returns this process's environment without the variables of another bot or tmux server.
func Environment() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "NOD_") && !strings.HasPrefix(e, "TMUX") {
			env = append(env, e)
		}
	}
	return env
}
