package deploy

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

// Reader is a program of an agent: one that can be started here, or one that runs and reads the same settings.
type Reader struct {
	Program string // its path; of one that runs, with its pid
	Version string // as `--version` prints it; empty: it can't be read
}

func (r Reader) String() string {
	if r.Version == "" {
		return r.Program + " does not tell its version"
	}
	return r.Program + " is " + strings.TrimSpace(r.Version)
}

// readers finds the programs of an agent: in all of PATH, where Claude Code's own installers put it (a service's PATH lacks both
// folders), and those that run.
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

// running are the programs of an agent that run with the same settings. One that was replaced meanwhile still is what it was.
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
			continue // another user's, or ended
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

// as is the place as a program sees it that has another environment.
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

// versionOf asks a program which version it is; empty where it does not say so soon.
func versionOf(ctx context.Context, program ...string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program[0], append(program[1:], "--version")...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}
