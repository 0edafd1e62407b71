package deploy

import (
	"context"
	_ "embed" // nod.service
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed nod.service
var unitFile string

// unitName is what systemd calls the service.
const unitName = "nod.service"

// systemdService keeps nod as a unit of the user's own manager. The file is where every manager looks for it: a
// shell's XDG_CONFIG_HOME is rarely the manager's.
func systemdService(u unit, home string) Service {
	path := filepath.Join(home, ".config", "systemd", "user", unitName)
	return Service{
		Manager: "systemd", Path: path, Text: unitText(u),
		install: installUnit, uninstall: uninstallUnit, status: unitStatus, log: journal,
		start: startStep("start"), stop: commandStep("", "systemctl", "--user", "stop", unitName), restart: startStep("restart"),
	}
}

// unitText fills in the places of nod.service, in one pass: no value is looked at again. A place that is a whole line may
// become several, or none.
func unitText(u unit) string {
	kind, watchdog := "Type=simple\n", ""
	if u.Runs == Bot {
		kind = "Type=notify\nNotifyAccess=main\n"
		watchdog = "# nod reports while its loops over tmux and Telegram turn, and not by a clock of their own.\nWatchdogSec=60s\n"
	}
	var environment strings.Builder
	for _, v := range u.Set {
		environment.WriteString("Environment=" + unitQuote(v.Name+"="+v.Value) + "\n")
	}
	return strings.NewReplacer(
		"{program}", unitQuote(u.Program), "{runs}", u.Runs, "{path}", unitQuote("PATH="+u.Path),
		"{type}\n", kind, "{environment}\n", environment.String(), "{watchdog}\n", watchdog,
	).Replace(unitFile)
}

// unitQuote makes s one word of a unit's line: systemd.syntax(7). A percent sign would begin a specifier.
func unitQuote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s)
	return `"` + s + `"`
}

func installUnit(s Service) []Step {
	steps := []Step{
		writeStep(s),
		commandStep("", "systemctl", "--user", "daemon-reload"),
		commandStep("nod starts by itself from now on", "systemctl", "--user", "enable", unitName),
		startStep("restart"),
	}
	if me, lingers := lingering(); !lingers {
		steps = append(steps, lingerStep(me))
	}
	return steps
}

func uninstallUnit(s Service) []Step {
	stop := commandStep("nod stops, and does not start by itself any more", "systemctl", "--user", "disable", "--now", unitName)
	stop.Spare = true // it may not be known there
	reload := commandStep("", "systemctl", "--user", "daemon-reload")
	reload.Spare = true
	return []Step{stop, removeStep(s), reload}
}

// startStep starts nod. The verb is systemctl's: restart ends it first where it runs.
func startStep(verb string) Step {
	start := commandStep("nod runs when this returns", "systemctl", "--user", verb, unitName)
	run := start.run
	start.run = func(ctx context.Context) error {
		// After five failed starts a minute systemd takes no further one until it is told to forget them.
		_, _ = output(ctx, "systemctl", "--user", "reset-failed", unitName)
		err := run(ctx)
		if err == nil {
			return nil
		}
		log, _ := output(ctx, "journalctl", "--user", "--unit", unitName, "--lines", "3", "--output", "cat", "--no-pager", "--quiet")
		if log = strings.TrimSpace(log); log != "" {
			return fmt.Errorf("nod did not start. Its log ends with:\n%s", log)
		}
		return fmt.Errorf("nod did not start (%w): `journalctl --user -u nod -n 20` says why", err)
	}
	return start
}

// journal prints the unit's log.
func journal(lines int, follow bool) []string {
	command := []string{"journalctl", "--user", "--unit", unitName, "--no-hostname", "--lines", strconv.Itoa(lines)}
	if follow {
		return append(command, "--follow")
	}
	return append(command, "--no-pager")
}

// lingerStep lets the user's manager, and so nod, run while nobody is logged in.
func lingerStep(me string) Step {
	step := commandStep("nod goes on after your last logout, as tmux does", "loginctl", "enable-linger")
	step.Spare = true
	run := step.run
	step.run = func(ctx context.Context) error {
		if err := run(ctx); err != nil {
			return fmt.Errorf("%w; until `sudo loginctl enable-linger %s` nod stops ten seconds after your last logout, and tmux and the agents go on without it", err, me)
		}
		return nil
	}
	return step
}

// lingering tells this user's name, and whether their manager runs while nobody is logged in.
func lingering() (me string, lingers bool) {
	who, err := user.Current()
	if err != nil {
		return strconv.Itoa(os.Getuid()), false
	}
	_, err = os.Stat(filepath.Join("/var/lib/systemd/linger", who.Username))
	return who.Username, err == nil
}

// statusLimit is how long systemd may take to say how the service is.
const statusLimit = 2 * time.Second

func unitStatus(ctx context.Context, status *ServiceStatus) error {
	_, status.Lingering = lingering()
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	text, err := output(ctx, "systemctl", "--user", "show", unitName)
	if err != nil {
		return noManager(err)
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		number, _ := strconv.Atoi(value) // 0 for what is none
		switch name {
		case "ActiveState":
			status.State = value
		case "UnitFileState":
			status.Enabled = value == "enabled"
		case "MainPID":
			status.PID = number
		case "NRestarts":
			status.Restarts = number
		case "StatusText":
			status.Says = value
		case "ExecMainStatus":
			status.Exit = number
		}
	}
	return nil
}

// noManager is what err means, where the user's manager gives no answer.
func noManager(err error) error {
	me, _ := lingering()
	return &Unmanaged{User: me, Why: err}
}

// managerEnvironment is the environment for systemctl. It finds the user's manager by XDG_RUNTIME_DIR, which cron and sudo
// do not set.
func managerEnvironment() []string {
	env := os.Environ()
	if os.Getenv("XDG_RUNTIME_DIR") == "" {
		env = append(env, "XDG_RUNTIME_DIR=/run/user/"+strconv.Itoa(os.Getuid()))
	}
	return env
}
