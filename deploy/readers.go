package deploy

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/text/lazy"
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
	first, _, _ := strings.Cut(strings.TrimSpace(r.Version), "\n") // a licence may follow
	return r.Program + " is " + first
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
	return append(list, at.running(agent)...)
}

// running returns the agent's programs that run with the same settings.
func (at Place) running(agent string) (list []Reader) {
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
		list = append(list, Reader{fmt.Sprintf("%s that runs as process %d", agent, p.PID), runningVersion(p, agent)})
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

var version = lazy.MustCompile(`^\d+\.\d+\.\d+$`)

// manifestAbove is how many folders above a program's file the manifest of its package may be.
const manifestAbove = 4

// runningVersion is the version of a running agent, as its installer wrote it beside the file: in the file's name, or in the manifest of
// its package. Empty if it is not known. The file itself is not run: it may be anything, also what an agent has made that may write into
// one folder alone.
func runningVersion(p proc.Process, agent string) string {
	file := p.File()
	switch {
	case file == "":
		return ""
	case version().MatchString(filepath.Base(file)):
		return filepath.Base(file)
	case file == p.Exe && replaced(p.PID, file):
		return ""
	}
	dir := file
	for range manifestAbove {
		dir = filepath.Dir(dir)
		text, err := readOrdinary(filepath.Join(dir, "package.json"))
		if err != nil {
			continue
		}
		var manifest struct{ Name, Version string }
		if json.Unmarshal(text, &manifest) == nil && strings.Contains(manifest.Name, agent) {
			return manifest.Version
		}
	}
	return ""
}

// replaced reports whether a process runs another file than the one that is there now, as after an update.
func replaced(pid int, file string) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	now, err := os.Stat(file)
	if err != nil {
		return true
	}
	running, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	return err != nil || !os.SameFile(now, running)
}

// versionOf runs program with --version; empty if there is no version within ten seconds.
func versionOf(ctx context.Context, program string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // this terminal is a person's
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}
