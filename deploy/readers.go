package deploy

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

// Reader is an agent's program that reads its settings here: it can be started here, or it is running.
type Reader struct {
	Program string // its path; with the pid if it is running
	Version string // as `--version` prints it; empty if it can't be read
}

func (r Reader) String() string {
	if r.Version == "" {
		return r.Program + " does not tell its version"
	}
	return r.Program + " is " + strings.TrimSpace(r.Version)
}

// readers finds the programs of an agent: in PATH, in the two folders of Claude Code's installers, which a
// service's PATH lacks, and among the running processes.
func (at Place) readers(ctx context.Context, agent string) (list []Reader) {
	folders := append(filepath.SplitList(at.Getenv("PATH")), filepath.Join(at.Home, ".local", "bin"), filepath.Join(at.Home, "."+agent, "local"))
	asked := map[string]bool{}
	for _, folder := range folders {
		program, err := exec.LookPath(filepath.Join(folder, agent))
		if err != nil || folder == "" {
			continue
		}
		file, err := filepath.EvalSymlinks(program)
		if err != nil || asked[file] {
			continue
		}
		asked[file] = true
		list = append(list, Reader{program, versionOf(ctx, program)})
	}
	return append(list, at.running(ctx, agent)...)
}

// running returns the agent's programs that run with the same settings. A process keeps its version when its
// file is replaced.
func (at Place) running(ctx context.Context, agent string) (list []Reader) {
	all, err := proc.All()
	if err != nil {
		return nil
	}
	settings := agents.HooksOf(agent).Settings
	for _, p := range all {
		name, _, is := agents.Of([]proc.Process{p})
		if !is || name != agent {
			continue
		}
		environment, err := proc.Environment(p.PID)
		if err != nil || at.as(environment).settingsOf(settings) != at.settingsOf(settings) {
			continue // another user's, or it has exited
		}
		i := Reader{Program: fmt.Sprintf("%s that runs as process %d", agent, p.PID)}
		if program := p.Program(); len(program) > 0 {
			if runtime.GOOS == "linux" {
				program[0] = fmt.Sprintf("/proc/%d/exe", p.PID)
			}
			i.Version = versionOf(ctx, program...)
		}
		list = append(list, i)
	}
	return list
}

// as returns the place as seen by a program with another environment.
func (at Place) as(environment []string) Place {
	getenv := func(name string) string {
		for _, v := range environment {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	return Place{Home: getenv("HOME"), Getenv: getenv}
}

// versionOf runs program with --version; empty if there is no version within ten seconds.
func versionOf(ctx context.Context, program ...string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program[0], append(program[1:], "--version")...)
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // this terminal is a person's
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}
