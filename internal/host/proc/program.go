package proc

import (
	"path"
	"slices"
	"strings"
)

// Program describes how a program looks in the process table.
type Program struct {
	Names    []string // base names of its program file or its script
	Packages []string // npm packages; their folder is part of the script's path
	Paths    []string // parts of the path of its script
	Modules  []string // Python modules, run with -m
}

// Runs reports whether p is the program, by the name of its program file or by the script that an interpreter
// runs. It ignores other arguments, so `vim claude.md` and `node server.js codex` don't match.
func (g Program) Runs(p Process) bool {
	exe := path.Base(p.Exe)
	if p.Exe != "" && !interpreter(exe) && (g.named(exe) || g.within(p.Exe)) {
		return true
	}
	if len(p.Args) == 0 {
		return p.Exe == "" && g.named(p.Comm)
	}
	first := path.Base(strings.TrimPrefix(p.Args[0], "-"))
	if !interpreter(first) && !interpreter(exe) {
		return p.Exe == "" && g.named(first) || g.named(first) && g.named(p.Comm)
	}
	if g.named(first) && !interpreter(first) {
		return true // a node program may set its own title, with which the command line then begins
	}
	script, module := script(p.Args)
	if module != "" {
		return slices.Contains(g.Modules, module)
	}
	return script != "" && (g.within(script) || g.named(strings.TrimSuffix(strings.TrimSuffix(path.Base(script), ".js"), ".mjs")) && !projectFile(script))
}

// interpreters are programs whose script identifies the actual program.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "python3", "sh", "bash", "MainThread"}

// interpreter reports whether a base name is an interpreter's, of any version.
func interpreter(name string) bool {
	return slices.Contains(interpreters, name) || strings.HasPrefix(name, "python3.") || strings.HasPrefix(name, "node-")
}

// script returns the file, or the Python module, that an interpreter was told to run.
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

func (g Program) named(base string) bool { return base != "" && slices.Contains(g.Names, base) }

// within reports whether a file is in one of the program's packages.
func (g Program) within(file string) bool {
	for _, pkg := range g.Packages {
		if strings.Contains(file, "/node_modules/"+pkg+"/") || strings.Contains(file, "/node_modules/"+pkg+"-") {
			return true
		}
	}
	return slices.ContainsFunc(g.Paths, func(part string) bool { return strings.Contains(file, part) })
}

// projectFile reports whether a script is a file of somebody's project that only shares a program's name: a
// relative path with an extension.
func projectFile(script string) bool {
	return !strings.HasPrefix(script, "/") && strings.Contains(path.Base(script), ".")
}

// File returns the file of the program that p runs: its program file, or its interpreter's script. It is empty if that is unknown, for
// example if a script has set another title.
func (p Process) File() string {
	file, _ := script(p.Args)
	switch {
	case p.Exe == "":
		return ""
	case !interpreter(path.Base(p.Exe)) && (len(p.Args) == 0 || !interpreter(path.Base(p.Args[0]))):
		return p.Exe
	case path.IsAbs(file):
		return file
	}
	return ""
}
