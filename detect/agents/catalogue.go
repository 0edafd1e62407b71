// Package agents knows what each coding agent draws: the state that a screen shows, its question, the effect of each answer, and the
// keys that approve or deny.
//
// It reads screens and types nothing. Everything that nod knows of an agent is in the file of its name. A larger topic may have a file beside
// it: how the agent asks, with pictures of that (codex_asks.go), or an old version's dialogs (opencode_inline.go). How a dialog is described
// is in shape.go, how a screen is read in read.go. Package screen reads the parts that the screens of all agents have in common.
package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// agent is one agent, as its file describes it. A catalogued agent has dialog, composer and working; any other func may be nil.
type agent struct {
	name    string
	profile Profile
	program proc.Program
	environ []string // variables that it sets for its commands, and a person's shell does not have: NAME, or NAME=VALUE if others set another value

	undrawn     func(l *screen.Layout) *screen.Layout   // leaves out what it draws around its dialogs, before anything is read; nil: nothing is
	overlay     []cover                                 // the views that may cover its screen: the first that does counts
	closed      bool                                    // no dialog with its mark is read by structure alone: its second dialogs look like first ones
	byStructure bool                                    // its dialogs are read by structure alone, so that another agent's would be taken for one
	unseen      bool                                    // nobody has catalogued it
	dialog      func(l *screen.Layout) *screen.Dialog   // recognises a prompt; nil: none of its own is the last live thing on the screen
	composer    func(l *screen.Layout) *screen.Composer // finds its input box; nil: none is live on the screen
	voice       screen.Voice                            // how it draws what it says; zero: not known
	signs
	deadEnds []deadEnd // the messages after which it does nothing until a human acts

	hooks  *Hooks // how it calls a command on its events; nil: it does not, or that was not proven
	policy policy // how it says which calls it asks about, and which of the others it denied
	// repeatsEnter says that it may take Enter as a new line when that comes soon after a burst of text, and that one more
	// on an input box which holds text submits it and does nothing else.
	repeatsEnter bool
}

// signs show, besides its dialogs, whose a screen is, and whether the agent works or asks.
type signs struct {
	working  func(l *screen.Layout) bool           // the screen says that the agent is at work
	volatile func(line *screen.Line) bool          // a line changes for cosmetic reasons
	mark     func(l *screen.Layout) bool           // the screen shows something that no other agent draws
	hint     func(l *screen.Layout) bool           // a weaker mark, which only counts if no agent's mark is on the screen
	cut      func(l *screen.Layout) *screen.Dialog // a prompt for whose menu the pane has no room; nil: none was seen
}

// catalogue lists every known agent. If a screen may be that of several, the first one wins.
var catalogue = []*agent{
	&claude, &codex, &gemini, &qwen, &copilot, &opencode, &kilo, &cursor, &kiro, &auggie, &continueCLI, &pi,
	&cline, &kimi, &crush, &grok, &goose, &aider, &amp, &droid,
}

// Names lists the names of the agents whose screens are catalogued, sorted.
func Names() []string { return namesOf((*agent).known) }

// namesOf lists the names of these agents, sorted.
func namesOf(these func(*agent) bool) (found []string) {
	for _, a := range catalogue {
		if these(a) {
			found = append(found, a.name)
		}
	}
	slices.Sort(found)
	return found
}

// Profile is what a person should know about an agent.
type Profile struct {
	About      string // two sentences
	Yes        string // the meanings of its yes answers other than the one for this once
	AnsweredBy string // how nod answers it; empty in an agent's file: by keys
	Rule       Rule   // how its own settings allow one exact command; zero: they can't, or nobody has tried
}

// Rule is how an agent's own settings allow one exact command without asking, tried on the real program.
type Rule struct {
	File  string // of the project, from its folder
	entry string // JSON, with % for the command
}

// Allows is the entry that allows a command of plain words; empty: the agent has none.
func (r Rule) Allows(command string) string {
	if r.entry == "" {
		return ""
	}
	quoted, _ := json.Marshal(command) // a string can't fail
	return strings.Replace(r.entry, "%", string(quoted[1:len(quoted)-1]), 1)
}

// ProfileOf is an agent's profile; zero: nobody has catalogued it.
func ProfileOf(name string) Profile {
	p := byName(name).profile
	if p != (Profile{}) {
		p.AnsweredBy = cmp.Or(p.AnsweredBy, "keys")
	}
	return p
}

// Of returns the known agent that runs in a terminal's foreground process group, and its process.
func Of(ps []proc.Process) (name string, p proc.Process, ok bool) {
	for _, p := range ps {
		for _, a := range catalogue {
			if a.program.Runs(p) {
				return a.name, p, true
			}
		}
	}
	return "", proc.Process{}, false
}

// MarkIn finds the variable that shows that an agent started a process with this environment: one of the catalogue, or AI_AGENT, which
// any agent may set (Claude Code does). Empty: none.
func MarkIn(environment []string) string {
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if value == "" {
			continue
		}
		known := func(a *agent) bool { return slices.Contains(a.environ, name) || slices.Contains(a.environ, variable) }
		if name == "AI_AGENT" || slices.ContainsFunc(catalogue, known) {
			return name
		}
	}
	return ""
}

// RepeatsEnter reports whether nod presses Enter again while a pasted text is still in the agent's input box. In other agents that key
// may do something else: Qwen's box (0.24.4), once emptied, may hold a suggestion.
func RepeatsEnter(name string) bool { return byName(name).repeatsEnter }

// byName is the agent of that name; if nobody has catalogued it, one without any description.
func byName(name string) *agent {
	for _, a := range catalogue {
		if a.name == name {
			return a
		}
	}
	return &agent{}
}

// known reports whether somebody has catalogued the agent.
func (a *agent) known() bool { return a.dialog != nil }

// Program is the command that starts an agent of that name; if unknown, the name itself.
func Program(name string) string {
	if names := byName(name).program.Names; len(names) > 0 {
		return names[0]
	}
	return name
}

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
