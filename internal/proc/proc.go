// Package proc tells which processes run in a pane's terminal, from the process table.
package proc

// ID names one process for good: a pid is used again, a pid with its start time is not.
type ID struct {
	PID   int
	Start uint64 // clock ticks since boot, field 22 of /proc/PID/stat
}

// Process is one member of a terminal's foreground process group.
type Process struct {
	ID
	Comm string   // the kernel's name of it, at most 15 bytes
	Exe  string   // path of the program file; empty where it may not be read
	Args []string // the command line
}
