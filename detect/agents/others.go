package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// Others are the members of a terminal's foreground process group that are neither an agent nor what it was started by. The agent is its
// own process, whatever bears its name (a program that starts itself again, or another one of its package, or what runs it elsewhere), what a
// shell's script runs that is the agent, and all that is between these.
func Others(name string, own proc.ID, front []proc.Process) []proc.Process {
	program := proc.Program{Names: []string{name}, Packages: []string{name}}
	if a := byName(name); a.known() {
		program = a.program
	}
	members, its := map[int]proc.Process{}, map[int]bool{}
	for _, p := range front {
		members[p.PID] = p
		if p.ID == own || program.Runs(p) || carries(p, name) {
			its[p.PID] = true
		}
	}
	for range front { // as often as a line of shells may be long
		for _, p := range front {
			if parent, ok := members[p.Parent]; ok && its[p.Parent] && parent.ShellRuns() {
				its[p.PID] = true
			}
		}
	}
	for _, p := range front {
		for at, ok := p, its[p.PID]; ok; at, ok = members[at.Parent] {
			its[at.PID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(front), func(p proc.Process) bool { return its[p.PID] })
}

// carriers are programs that give their terminal to a command which they run elsewhere: in a container, on another machine, as another user.
var carriers = []string{"docker", "podman", "nerdctl", "ssh", "sudo", "doas"}

// carries reports whether a process runs an agent elsewhere, as its command line says. Gemini's sandbox is such a container, started by
// its own program (0.61.0, its source).
func carries(p proc.Process, name string) bool {
	return slices.Contains(carriers, p.Name()) && slices.ContainsFunc(p.Args, func(arg string) bool { return strings.Contains(arg, name) })
}

// Drew reports whether a reading holds what only the agent draws: the input box of one that nod knows, or its sign of work. Any program may
// have drawn a menu, even one that looks like a dialog of that agent.
func Drew(r screen.Reading) bool {
	a := byName(r.Agent)
	return a.known() && !a.byStructure && r.Prompt == nil && (r.Composer != nil || r.State == screen.Working || r.State == screen.Overlay)
}
