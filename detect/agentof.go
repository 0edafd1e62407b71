package detect

import (
	"path"
	"slices"
	"strings"

	"nod/internal/proc"
)

// program is how an agent's process looks in the process table.
type program struct {
	names    []string // base names of its program file or its script
	packages []string // npm packages; their folder is part of the script's path
	paths    []string // parts of the path of its script
	modules  []string // Python modules, run with -m
}

// AgentOf tells which known agent runs in a terminal's foreground process group, and which member it is:
// by the name of its program file, or by the script that an interpreter runs. Other arguments are not
// looked at, so that `vim claude.md` and `node server.js codex` are no agents.
func AgentOf(ps []proc.Process) (name string, p proc.Process, ok bool) {
	for _, p := range ps {
		for _, a := range catalogue {
			if a.program.runs(p) {
				return a.name, p, true
			}
		}
	}
	return "", proc.Process{}, false
}

// interpreters run a script that says which program it really is.
var interpreters = set("node nodejs bun deno python python3 sh bash MainThread")

func (g program) runs(p proc.Process) bool {
	exe := path.Base(p.Exe)
	if p.Exe != "" && !interpreter(exe) {
		if g.named(exe) || g.within(p.Exe) {
			return true
		}
	}
	if len(p.Args) == 0 {
		return p.Exe == "" && g.named(p.Comm)
	}
	first := path.Base(strings.TrimPrefix(p.Args[0], "-"))
	if !interpreter(first) && !interpreter(exe) {
		return p.Exe == "" && g.named(first) || g.named(first) && g.named(p.Comm)
	}
	if g.named(first) && !interpreter(first) {
		return true // node programs may set their own title: the command line then begins with it
	}
	script, module := script(p.Args)
	if module != "" {
		return slices.Contains(g.modules, module)
	}
	return script != "" && (g.within(script) || g.named(strings.TrimSuffix(strings.TrimSuffix(path.Base(script), ".js"), ".mjs")) && !projectFile(script))
}

// interpreter reports whether a base name is that of an interpreter, whatever its version.
func interpreter(name string) bool {
	return interpreters[name] || strings.HasPrefix(name, "python3.") || strings.HasPrefix(name, "node-")
}

// script is the file that an interpreter was told to run, or the Python module.
func script(args []string) (file, module string) {
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-m" && i+1 < len(args):
			return "", args[i+1]
		case a == "-e" || a == "-c" || a == "--eval" || a == "-p":
			return "", ""
		case a == "-r" || a == "--require" || a == "--import" || a == "--loader":
			i++
		case !strings.HasPrefix(a, "-"):
			return a, ""
		}
	}
	return "", ""
}

func (g program) named(base string) bool { return base != "" && slices.Contains(g.names, base) }

// within reports whether a file lies in one of the agent's packages.
func (g program) within(file string) bool {
	for _, pkg := range g.packages {
		if strings.Contains(file, "/node_modules/"+pkg+"/") || strings.Contains(file, "/node_modules/"+pkg+"-") {
			return true
		}
	}
	for _, part := range g.paths {
		if strings.Contains(file, part) {
			return true
		}
	}
	return false
}

// projectFile reports whether a script is a file of somebody's project that merely has an agent's name: a
// relative path with an ending.
func projectFile(script string) bool {
	return !strings.HasPrefix(script, "/") && strings.Contains(path.Base(script), ".")
}
