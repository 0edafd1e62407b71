package proc

import (
	"path"
	"strings"
)

// Converses reports whether a process can draw in its terminal and read from it: the terminal is its standard
// input and output, or it has opened the terminal itself. It returns true for a live process whose files
// can't be read, such as another user's.
func (p Process) Converses() bool {
	files, err := openFiles(p.PID)
	if err != nil {
		return Alive(p.ID)
	}
	terminal := func(number int) bool { return files[number] == "/dev/tty" || files[number] == "/dev/"+p.Terminal }
	for number := range files {
		if number > 2 && terminal(number) {
			return true
		}
	}
	return terminal(0) && (terminal(1) || terminal(2))
}

// Name returns the usual name of the process's program: the first word of its title without the folder, or
// the name of the script that an interpreter runs.
func (p Process) Name() string {
	name := path.Base(p.Exe)
	if len(p.Args) > 0 && p.Args[0] != "" {
		title, _, _ := strings.Cut(strings.TrimLeft(p.Args[0], "-"), " ") // npm calls itself "npm init"
		name = path.Base(title)
	}
	if file, module := script(p.Args); interpreter(name) && file+module != "" {
		name = module
		if file != "" {
			name = strings.TrimSuffix(path.Base(file), path.Ext(file))
		}
	}
	if name == "." || name == "/" {
		return p.Comm
	}
	return name
}

// ShellRuns reports whether the process is a shell, whatever the name of its script.
func (p Process) ShellRuns() bool { return IsShell(path.Base(p.Exe)) || IsShell(p.Comm) }
