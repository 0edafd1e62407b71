package detect

import (
	"path"
	"slices"
	"strings"

	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/text/lazy"
)

// speakerRole says who sent an event, judged by the process that sent it.
type speakerRole int

const (
	unknownSpeaker speakerRole = iota // unknown, or no agent of this pane
	nestedAgent                       // an agent that the pane's agent runs
	belowAgent                        // another program below the pane's agent, such as a command or its child
	ownAgent                          // the pane's agent
)

// speaker is the sender of an event.
type speaker struct {
	role    speakerRole
	process proc.ID // of ownAgent: the process whose hook it is
	depth   int     // the number of processes between it and the pane's agent
}

// ancestor is one process of the line that an event came through.
type ancestor struct {
	proc.ID
	group int
	agent string // the agent's name; empty: it is no agent
	hook  bool   // it is `nod hook`, or a shell that runs only that
}

// Sender is where an event came from: the process that sent it and its parents, as they were while it waited. nil: unknown.
type Sender []ancestor

// SenderOf describes a line of processes, the sender first.
func SenderOf(lineage []proc.Process) (s Sender) {
	for i, p := range lineage {
		a := ancestor{ID: p.ID, group: p.Group}
		if name, _, ok := agents.Of([]proc.Process{p}); ok {
			a.agent = name
		} else if i == 0 {
			a.hook = isHook(p)
		} else {
			a.hook = startsHook(p)
		}
		s = append(s, a)
	}
	return s
}

// speaker says who the sender of an event is, given the agent process of the pane.
//
// An agent calls a hook itself or through a shell, and some start themselves through wrappers. So an event is the agent's
// own if only `nod hook`, shells that run only that, and more processes of the same agent in the same process group are
// between the two. A command that an agent runs, or a program that the command starts, has another program in between:
// it may call `nod hook` as well, and must not pass for the agent.
//
// This keeps out accidents and habits: a script, a package's postinstall, a second agent. It can't keep out a program of
// the same user that is made to deceive: if the agent starts it as its own child, it can turn itself into `nod hook` by
// exec, which leaves no trace.
func (s Sender) speaker(agent string, process proc.ID) speaker {
	at := slices.IndexFunc(s, func(a ancestor) bool { return a.ID == process })
	if at < 0 {
		return speaker{}
	}
	between := s[:at]
	nearest := slices.IndexFunc(between, func(a ancestor) bool { return a.agent != "" })
	if nearest < 0 {
		nearest = at
	}
	for _, a := range between[nearest:] {
		if a.agent != agent || a.group != s[at].group {
			return speaker{role: nestedAgent}
		}
	}
	for _, a := range between[:nearest] {
		if !a.hook {
			return speaker{role: belowAgent}
		}
	}
	return speaker{role: ownAgent, process: s[nearest].ID, depth: at - nearest}
}

// AgentAbove finds the agent that a process runs in, given the process and its ancestors: the name of the nearest one, and
// the process of the outermost.
func AgentAbove(lineage []proc.Process) (name string, outermost proc.ID, ok bool) {
	for _, p := range lineage {
		if agent, _, is := agents.Of([]proc.Process{p}); is {
			if !ok {
				name, ok = agent, true
			}
			outermost = p.ID
		}
	}
	return name, outermost, ok
}

// isHook reports whether a process is `nod hook AGENT`.
func isHook(p proc.Process) bool {
	return path.Base(p.Exe) == "nod" && len(p.Args) == 3 && p.Args[1] == "hook"
}

// startsHook reports whether a process is a shell that was given `nod hook AGENT` as its whole command. Some systems
// report a command line only as words, so the words behind -c count as one.
func startsHook(p proc.Process) bool {
	if len(p.Args) == 0 {
		return false
	}
	program := path.Base(p.Exe)
	if program == "busybox" { // many programs in one: it is the one by whose name it was started
		program = path.Base(strings.TrimPrefix(p.Args[0], "-"))
	}
	if !proc.IsShell(program) {
		return false
	}
	given := false // -c
	for i, arg := range p.Args[1:] {
		switch {
		case arg == "--norc", arg == "--noprofile", arg == "--login":
		case strings.HasPrefix(arg, "-") && strings.Trim(arg[1:], "cl") == "":
			given = given || strings.Contains(arg, "c")
		default:
			return given && isHookCommand(strings.Join(p.Args[1+i:], " "))
		}
	}
	return false
}

// hookCommand is a command as `nod hooks install` writes it: the program's path, quoted if necessary, and two words.
var hookCommand = lazy.MustCompile(`^(?:exec )?(?:([\w/.+@-]+)|'((?:[^']|'\\'')+)') hook [a-z][a-z0-9-]*$`)

// isHookCommand reports whether a command runs only `nod hook AGENT`.
func isHookCommand(command string) bool {
	found := hookCommand().FindStringSubmatch(command)
	return found != nil && path.Base(found[1]+found[2]) == "nod"
}

// Speaks reports whether the event is the own word of the agent that runs as process: nothing is between the two but
// the hook that the agent calls.
func (s Sender) Speaks(agent string, process proc.ID) bool {
	return s.speaker(agent, process).role == ownAgent
}

// Agent is the agent whose own word the event is, and its process; ok is false where something else is between the two.
func (s Sender) Agent() (agent string, process proc.ID, ok bool) {
	at := slices.IndexFunc(s, func(a ancestor) bool { return a.agent != "" })
	if at < 0 {
		return "", proc.ID{}, false
	}
	nearest := s[at]
	return nearest.agent, nearest.ID, s.Speaks(nearest.agent, nearest.ID)
}

// Through reports whether a process is among those that the event came through.
func (s Sender) Through(process proc.ID) bool {
	return slices.ContainsFunc(s, func(a ancestor) bool { return a.ID == process })
}

// Lives reports whether the agents that the event came through still run.
func (s Sender) Lives() bool {
	return !slices.ContainsFunc(s, func(a ancestor) bool { return a.agent != "" && !proc.Alive(a.ID) })
}
