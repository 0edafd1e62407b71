package deploy

import (
	"context"
	_ "embed" // nod.plist
	"html"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nod/internal/text/lazy"
)

//go:embed nod.plist
var plistFile string

// launchdService runs nod as an agent of the user's login session. It follows Apple's manual pages
// launchd.plist(5) and launchctl(1), and was never run.
func launchdService(u unit, home string) Service {
	log := filepath.Join(home, "Library", "Logs", "nod.log")
	domain := "gui/" + strconv.Itoa(os.Getuid())
	target := domain + "/nod"
	// bootout fails if nod is not loaded, which is just as good.
	stop := commandStep("nod stops, where it runs", "launchctl", "bootout", target)
	stop.Spare = true
	path := filepath.Join(home, "Library", "LaunchAgents", "nod.plist")
	return Service{
		Manager: "launchd", Path: path, Text: plistText(u, log), Unproven: true,
		Start:   commandStep("", "launchctl", "bootstrap", domain, path),
		Stop:    commandStep("", "launchctl", "bootout", target),
		Restart: commandStep("", "launchctl", "kickstart", "-k", target),
		Log: func(lines int, follow bool) []string {
			command := []string{"tail", "-n", strconv.Itoa(lines), log}
			if follow {
				command = slices.Insert(command, 1, "-f")
			}
			return command
		},
		install: func(s Service) []Step {
			return []Step{writeStep(s), stop, commandStep("nod runs, and starts at every login", "launchctl", "bootstrap", domain, s.Path)}
		},
		uninstall: func(s Service) []Step { return []Step{stop, removeStep(s)} },
		status:    func(ctx context.Context, status *ServiceStatus) error { return agentStatus(ctx, target, status) },
	}
}

// plistText fills in the placeholders of nod.plist as unitText does for nod.service. HTML's escapes of <, >,
// &, ' and " are valid in XML.
func plistText(u unit, log string) string {
	var environment strings.Builder
	for _, v := range u.Set {
		environment.WriteString("\t\t<key>" + html.EscapeString(v.Name) + "</key>\n\t\t<string>" + html.EscapeString(v.Value) + "</string>\n")
	}
	return strings.NewReplacer(
		"{program}", html.EscapeString(u.Program), "{runs}", u.Runs, "{path}", html.EscapeString(u.Path),
		"{environment}\n", environment.String(), "{log}", html.EscapeString(log),
	).Replace(plistFile)
}

var launchdFact = lazy.MustCompile(`(?m)^\t(state|pid|runs|last exit code) = (\S+)`)

// agentStatus parses the output of `launchctl print`.
func agentStatus(ctx context.Context, target string, status *ServiceStatus) error {
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	text, err := output(ctx, "launchctl", "print", target)
	if err != nil {
		status.State = "inactive" // launchctl fails if the agent is not loaded
		return nil
	}
	status.Enabled = true
	for _, fact := range launchdFact().FindAllStringSubmatch(text, -1) {
		number, _ := strconv.Atoi(fact[2])
		switch fact[1] {
		case "state":
			status.State = fact[2]
		case "pid":
			status.PID = number
		case "runs":
			status.Restarts = max(number-1, 0)
		case "last exit code":
			status.Exit = number
		}
	}
	return nil
}
