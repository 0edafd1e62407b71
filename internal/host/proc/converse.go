package proc

import (
	"path"
	"strings"
)

// Converses reports whether a process can draw in its terminal and be answered there: it has that open as its input and its output, or
// has opened it itself. One whose files can't be read, such as another user's, may.
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

// Name is what people call the program that a process runs: the first word of its title, without its folder; of an interpreter, the
// script's.
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

// ShellRuns reports whether a process is a shell, whatever the script calls itself that it runs.
func (p Process) ShellRuns() bool { return IsShell(path.Base(p.Exe)) || IsShell(p.Comm) }
