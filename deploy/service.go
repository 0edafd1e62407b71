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

// A Service is nod as a service of the user's own, which goes on in the background: a systemd user unit, or on
// macOS a launchd agent. NewService makes one. It does nothing before it is asked: Install and Uninstall list what
// is to be done, for a person to read, and each Step does its part when it is run.
type Service struct {
	Manager string // "systemd" or "launchd"
	Path    string // of the unit's file
	Text    string // what Install writes there
	// Unproven says that nobody has seen it at work yet.
	Unproven bool

	install, uninstall   func(Service) []Step
	start, stop, restart Step
	log                  func(lines int, follow bool) []string
	status               func(context.Context, *ServiceStatus) error
}

// A Step is one thing that is done for a service.
type Step struct {
	Does string // "systemctl --user enable nod.service"
	Why  string // for a person; empty: Does says it
	// Spare says that the service is as good without it as this machine allows: an error is to be shown, and the
	// next step follows.
	Spare bool

	run func(context.Context) error
}

// Run does it. The error is a sentence with a next step.
func (s Step) Run(ctx context.Context) error { return s.run(ctx) }

// ServiceStatus is how the service is.
type ServiceStatus struct {
	Manager   string `json:"manager"`
	Path      string `json:"path"`
	Installed bool   `json:"installed"` // the file is there
	Current   bool   `json:"current"`   // and it is what Install would write now
	Enabled   bool   `json:"enabled"`   // it starts by itself
	State     string `json:"state"`     // as the manager calls it: active, inactive, failed, …
	Says      string `json:"says"`      // what nod tells the manager of itself; empty: nothing
	PID       int    `json:"pid"`       // 0: it does not run
	Restarts  int    `json:"restarts"`  // since somebody started it
	Exit      int    `json:"exit"`      // of the last run that has ended
	// Lingering says that it goes on when the user has logged out.
	Lingering bool `json:"lingering"`
}

// Runs reports whether nod is up.
func (s ServiceStatus) Runs() bool { return s.State == "active" || s.State == "running" }

// ErrNoManager says that nothing keeps services for this user here.
var ErrNoManager = errors.New("no service manager is available")

// Unmanaged says that the manager of services gives a user no answer. Why is for doctor: it helps few.
type Unmanaged struct {
	User string
	Why  error
}

func (e *Unmanaged) Error() string {
	return "systemd is not available for " + e.User + ": keep nod running in a tmux window. For a service, log in as " + e.User +
		" by ssh or at a console, not by su or sudo, and run `nod service install`"
}

// Unwrap gives what it is, and why.
func (e *Unmanaged) Unwrap() []error { return []error{ErrNoManager, e.Why} }

// What a service runs: the bot, or the edge of a machine that has joined another one's.
const (
	Bot  = "run"
	Edge = "edge"
)

// NewService is the service for the nod at the absolute path program, which runs Bot or Edge. env is where that nod finds its settings: HOME
// and, where they are set, the XDG directories and NOD_CONFIG. The service gets the same, since its manager does not
// know the shell's.
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

// Install lists what puts the service in place and starts it, or starts it again where it runs.
func (s Service) Install() []Step { return s.install(s) }

// Uninstall lists what stops the service and takes it away.
func (s Service) Uninstall() []Step { return s.uninstall(s) }

// Start is what starts nod where it does not run.
func (s Service) Start() Step { return s.start }

// Stop is what ends nod until it is started again, at the latest by the next boot or login.
func (s Service) Stop() Step { return s.stop }

// Restart is what ends nod and starts it again, so that it reads every setting.
func (s Service) Restart() Step { return s.restart }

// Log is the command that prints the last lines of nod's log, and with follow goes on with what comes.
func (s Service) Log(lines int, follow bool) []string { return s.log(lines, follow) }

// Status asks how the service is. It takes a few seconds at most.
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

// unit is what differs from one machine to the next.
type unit struct {
	Program string
	Runs    string // Bot or Edge
	Path    string // PATH, in which tmux is found
	Set     []variable
}

type variable struct{ Name, Value string }

// passedOn are the variables that lead nod to its settings and records.
func passedOn(env map[string]string) []variable {
	var set []variable
	for _, name := range []string{"NOD_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if value := env[name]; filepath.IsAbs(value) {
			set = append(set, variable{name, value})
		}
	}
	return set
}

// servicePath is the service's PATH: the usual folders, and before them the one of the tmux that this shell finds,
// which speaks with the user's servers.
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
	return Step{Does: "write " + s.Path, run: func(context.Context) error {
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
	return Step{Does: "remove " + s.Path, run: func(context.Context) error { return removeIfThere(s.Path) }}
}

// commandStep runs a program, and says what it complained about.
func commandStep(why string, command ...string) Step {
	return Step{Does: strings.Join(command, " "), Why: why, run: func(ctx context.Context) error {
		_, err := output(ctx, command...)
		return err
	}}
}

// commandLimit is how long a command may take. nod is given a minute to start.
const commandLimit = 90 * time.Second

// output runs a program and gives what it printed.
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
