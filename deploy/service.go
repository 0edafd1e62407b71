package deploy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"nod/internal/host/replace"
)

// A Service is nod as a background service of the user: a systemd user unit, or a launchd agent on macOS.
// NewService makes one. Install and Uninstall only list the steps, so that a person can read them first; each
// Step acts when it is run.
type Service struct {
	Manager string // "systemd" or "launchd"
	Path    string // of the unit file
	Text    string // what Install writes to Path
	// Unproven says that nobody has seen this kind of service work yet.
	Unproven bool

	Start   Step // starts nod if it is not running
	Stop    Step // the next boot or login starts nod again
	Restart Step // stops and starts nod, so that it reads every setting
	// Log returns the command that prints the last lines of nod's log; with follow it keeps printing new ones.
	Log func(lines int, follow bool) []string

	install, uninstall func(Service) []Step
	status             func(context.Context, *ServiceStatus) error
}

// A Step is one action on a service.
type Step struct {
	Does string // "systemctl --user enable nod.service"
	Why  string // for a person; empty if Does says enough
	// Spare says that the step may fail: the error is shown and the next step runs.
	Spare bool
	// Run performs the step. The error is a sentence with a next step.
	Run func(context.Context) error
}

// ServiceStatus is the state of the service.
type ServiceStatus struct {
	Manager   string `json:"manager"`
	Path      string `json:"path"`
	Installed bool   `json:"installed"` // the file exists
	Current   bool   `json:"current"`   // the file is what Install would write now
	Enabled   bool   `json:"enabled"`   // it starts by itself
	State     string `json:"state"`     // in the manager's words: active, inactive, failed, …
	Says      string `json:"says"`      // the status text that nod gives the manager; may be empty
	PID       int    `json:"pid"`       // 0 if it is not running
	Restarts  int    `json:"restarts"`  // since a person started it
	Exit      int    `json:"exit"`      // exit code of the last run that ended
	// Lingering says that nod keeps running after the user has logged out.
	Lingering bool `json:"lingering"`
}

// Runs reports whether nod is running.
func (s ServiceStatus) Runs() bool { return s.State == "active" || s.State == "running" }

// ErrNoManager says that no service manager is available to this user.
var ErrNoManager = errors.New("no service manager is available")

// Unmanaged says that the service manager does not answer this user. Why is for doctor; it helps few people.
type Unmanaged struct {
	User string
	Why  error
}

func (e *Unmanaged) Error() string {
	return "systemd is not available for " + e.User + ": keep nod running in a tmux window; " + e.Remedy()
}

// Remedy says how this user gets a service all the same.
func (e *Unmanaged) Remedy() string {
	return "for a service, log in as " + e.User + " by ssh or at a console, not by su or sudo, and run `nod service install`"
}

// Unwrap returns ErrNoManager and Why.
func (e *Unmanaged) Unwrap() []error { return []error{ErrNoManager, e.Why} }

// The subcommands that a service can run: the bot, or the edge of a machine that has joined another one's
// bot.
const (
	Bot  = "run"
	Edge = "edge"
)

// NewService returns the service for the nod at the absolute path program. runs is Bot or Edge. env is where
// that nod finds its settings: HOME and, if set, the XDG directories and NOD_CONFIG. The service gets the
// same variables, since its manager does not know the shell's.
func NewService(program, runs string, env map[string]string) (Service, error) {
	home := env["HOME"]
	if home == "" {
		return Service{}, errors.New("the service's file belongs into the home directory, and HOME is not set: set it")
	}
	unit := unit{Program: program, Runs: runs, Path: servicePath(), Set: passedOn(env)}
	switch runtime.GOOS {
	case "linux":
		return systemdService(unit, home), nil
	case "darwin":
		return launchdService(unit, home), nil
	}
	return Service{}, fmt.Errorf("%w: nod knows systemd and launchd; let `nod run` be started by what starts programs on %s", ErrNoManager, runtime.GOOS)
}

// Install lists the steps that install the service and start it, or restart it if it is running.
func (s Service) Install() []Step { return s.install(s) }

// Uninstall lists the steps that stop the service and remove it.
func (s Service) Uninstall() []Step { return s.uninstall(s) }

// Status reads the state of the service. It takes a few seconds at most.
func (s Service) Status(ctx context.Context) (ServiceStatus, error) {
	status := ServiceStatus{Manager: s.Manager, Path: s.Path}
	text, err := os.ReadFile(s.Path)
	switch {
	case err == nil:
		status.Installed, status.Current = true, string(text) == s.Text
	case !errors.Is(err, fs.ErrNotExist):
		return status, fmt.Errorf("read the service's file: %w", err)
	}
	return status, s.status(ctx, &status)
}

// unit holds the values that differ between machines.
type unit struct {
	Program string
	Runs    string // Bot or Edge
	Path    string // PATH, to find tmux
	Set     []variable
}

type variable struct{ Name, Value string }

// passedOn returns the variables that lead nod to its settings and records.
func passedOn(env map[string]string) []variable {
	var set []variable
	for _, name := range []string{"NOD_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if value := env[name]; filepath.IsAbs(value) {
			set = append(set, variable{name, value})
		}
	}
	return set
}

// servicePath returns the PATH of the service: the usual folders, and before them the folder of the shell's
// tmux, which is the version that the user's servers speak.
func servicePath() string {
	folders := []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"}
	if tmux, err := exec.LookPath("tmux"); err == nil && filepath.IsAbs(tmux) {
		if folder := filepath.Dir(tmux); !slices.Contains(folders, folder) {
			folders = append([]string{folder}, folders...)
		}
	}
	return strings.Join(folders, ":")
}

// writeStep writes the service's file.
func writeStep(s Service) Step {
	return Step{Does: "write " + s.Path, Run: func(context.Context) error {
		if err := os.MkdirAll(filepath.Dir(s.Path), 0o755); err != nil {
			return fmt.Errorf("make the service's folder: %w", err)
		}
		if err := replace.Text(s.Path, 0o644, []byte(s.Text)); err != nil {
			return fmt.Errorf("write the service's file: %w", err)
		}
		return nil
	}}
}

func removeStep(s Service) Step {
	return Step{Does: "remove " + s.Path, Run: func(context.Context) error { return removeIfThere(s.Path) }}
}

// commandStep runs a program. Its error has what the program printed to stderr.
func commandStep(why string, command ...string) Step {
	return Step{Does: strings.Join(command, " "), Why: why, Run: func(ctx context.Context) error {
		_, err := output(ctx, command...)
		return err
	}}
}

// commandLimit is how long a command may take. nod itself has a minute to start.
const commandLimit = 90 * time.Second

// output runs a program and returns what it printed.
func output(ctx context.Context, command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = managerEnvironment()
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		said := strings.Join(strings.Fields(stderr.String()), " ")
		return stdout.String(), fmt.Errorf("`%s` failed: %s", strings.Join(command, " "), cmp.Or(said, err.Error()))
	}
	return stdout.String(), nil
}
