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

// unitName is the name of the service's unit.
const unitName = "nod.service"

// systemdService runs nod as a unit of the user's own manager. It does not use XDG_CONFIG_HOME for the file:
// the shell's is rarely the manager's, and every manager reads ~/.config.
func systemdService(u unit, home string) Service {
	path := filepath.Join(home, ".config", "systemd", "user", unitName)
	return Service{
		Manager: "systemd", Path: path, Text: unitText(u),
		install: installUnit, uninstall: uninstallUnit, status: unitStatus, Log: journal,
		Start: startStep("start"), Stop: commandStep("", "systemctl", "--user", "stop", unitName), Restart: startStep("restart"),
	}
}

// unitText fills in the placeholders of nod.service in one pass, so that no value is scanned for
// placeholders. A placeholder that is a whole line can become several lines, or none.
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

// unitQuote quotes s as one word of a unit's line, see systemd.syntax(7). It doubles percent signs, which
// would begin a specifier, and writes a line break as two characters.
func unitQuote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`, "\r", `\r`).Replace(s)
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
	stop.Spare = true // systemd may not know the unit
	reload := commandStep("", "systemctl", "--user", "daemon-reload")
	reload.Spare = true
	return []Step{stop, removeStep(s), reload}
}

// startStep starts nod. verb is systemctl's; restart first stops a running nod.
func startStep(verb string) Step {
	start := commandStep("nod runs when this returns", "systemctl", "--user", verb, unitName)
	run := start.Run
	start.Run = func(ctx context.Context) error {
		// After five failed starts within a minute systemd refuses to start the unit until reset-failed.
		_, _ = output(ctx, "systemctl", "--user", "reset-failed", unitName)
		err := run(ctx)
		if err == nil {
			return nil
		}
		log, _ := output(ctx, "journalctl", "--user", "--unit", unitName, "--lines", "3", "--output", "cat", "--no-pager", "--quiet")
		if log = strings.TrimSpace(log); log != "" {
			return fmt.Errorf("nod did not start. Its log ends with:\n%s", log)
		}
		return fmt.Errorf("nod did not start (%w): `nod service logs` says why", err)
	}
	return start
}

// journal returns the command that prints the unit's log.
func journal(lines int, follow bool) []string {
	command := []string{"journalctl", "--user", "--unit", unitName, "--no-hostname", "--lines", strconv.Itoa(lines)}
	if follow {
		return append(command, "--follow")
	}
	return append(command, "--no-pager")
}

// lingerStep keeps the user's manager, and so nod, running while nobody is logged in.
func lingerStep(me string) Step {
	step := commandStep("nod goes on after your last logout, as tmux does", "loginctl", "enable-linger")
	step.Spare = true
	run := step.Run
	step.Run = func(ctx context.Context) error {
		if err := run(ctx); err != nil {
			return fmt.Errorf("%w; until `sudo loginctl enable-linger %s` nod stops ten seconds after your last logout, and tmux and the agents go on without it", err, me)
		}
		return nil
	}
	return step
}

// lingering returns this user's name, and whether their manager runs while nobody is logged in.
func lingering() (me string, lingers bool) {
	who, err := user.Current()
	if err != nil {
		return strconv.Itoa(os.Getuid()), false
	}
	_, err = os.Stat(filepath.Join("/var/lib/systemd/linger", who.Username))
	return who.Username, err == nil
}

// statusLimit is how long systemd may take to report the state of the service.
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
		number, _ := strconv.Atoi(value) // 0 if value is not a number
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

// noManager wraps err, which says that the user's manager does not answer.
func noManager(err error) error {
	me, _ := lingering()
	return &Unmanaged{User: me, Why: err}
}

// managerEnvironment returns the environment for systemctl. It finds the user's manager by XDG_RUNTIME_DIR,
// which cron and sudo do not set.
func managerEnvironment() []string {
	env := os.Environ()
	if os.Getenv("XDG_RUNTIME_DIR") == "" {
		env = append(env, "XDG_RUNTIME_DIR=/run/user/"+strconv.Itoa(os.Getuid()))
	}
	return env
}
