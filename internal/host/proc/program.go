package proc

import (
	"path"
	"slices"
	"strings"
)

// Program is how a program looks in the process table.
type Program struct {
	Names    []string // base names of its program file or its script
	Packages []string // npm packages; their folder is part of the script's path
	Paths    []string // parts of the path of its script
	Modules  []string // Python modules, run with -m
}

// Runs reports whether p is the program: by the name of its program file, or by the script that an interpreter runs. Other arguments
// are not looked at, so that `vim claude.md` and `node server.js codex` are neither.
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
		return true // node programs may set their own title: the command line then begins with it
	}
	script, module := script(p.Args)
	if module != "" {
		return slices.Contains(g.Modules, module)
	}
	return script != "" && (g.within(script) || g.named(strings.TrimSuffix(strings.TrimSuffix(path.Base(script), ".js"), ".mjs")) && !projectFile(script))
}

// interpreters run a script that says which program it really is.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "python3", "sh", "bash", "MainThread"}

// interpreter reports whether a base name is that of an interpreter, whatever its version.
func interpreter(name string) bool {
	return slices.Contains(interpreters, name) || strings.HasPrefix(name, "python3.") || strings.HasPrefix(name, "node-")
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

func (g Program) named(base string) bool { return base != "" && slices.Contains(g.Names, base) }

// within reports whether a file lies in one of the program's packages.
func (g Program) within(file string) bool {
	for _, pkg := range g.Packages {
		if strings.Contains(file, "/node_modules/"+pkg+"/") || strings.Contains(file, "/node_modules/"+pkg+"-") {
			return true
		}
	}
	return slices.ContainsFunc(g.Paths, func(part string) bool { return strings.Contains(file, part) })
}

// projectFile reports whether a script is a file of somebody's project that merely has a program's name: a
// relative path with an ending.
func projectFile(script string) bool {
	return !strings.HasPrefix(script, "/") && strings.Contains(path.Base(script), ".")
}

// Program is how the program that p runs is started: its file, or its interpreter and script. Empty: that can't be told, as where a
// script's program has given itself another title.
func (p Process) Program() []string {
	file, _ := script(p.Args)
	switch {
	case p.Exe == "":
		return nil
	case !interpreter(path.Base(p.Exe)) && (len(p.Args) == 0 || !interpreter(path.Base(p.Args[0]))):
		return []string{p.Exe}
	case path.IsAbs(file):
		return []string{p.Exe, file}
	}
	return nil
}
