// Package proc tells which processes run in a pane's terminal, from the process table: /proc on
// Linux, ps(1) on macOS.
package proc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ID names one process for good: a pid is used again, a pid with its start time is not.
type ID struct {
	PID   int
	Start uint64 // clock ticks since boot, field 22 of /proc/PID/stat; on macOS unix seconds
}

// Process is one process and what tells which program it runs.
type Process struct {
	ID
	Parent   int
	Group    int      // its process group
	Session  int      // the pid of its leader; 0 where that one is in another pid namespace
	Terminal string   // its controlling terminal, such as "pts/3"; empty: it has none
	Comm     string   // the kernel's name of it, at most 15 bytes
	Exe      string   // path of the program file; empty where it may not be read
	Args     []string // the command line
}

// entry is one line of the process table.
type entry struct {
	ID
	parent     int
	group      int
	session    int
	terminal   string
	foreground int // the foreground process group of its terminal; below 1 where it has no terminal
	zombie     bool
	comm       string
}

// process is what the table tells of a process, whose name is comm.
func (e entry) process(comm string) Process {
	return Process{ID: e.ID, Parent: e.parent, Group: e.group, Session: e.session, Terminal: e.terminal, Comm: comm}
}

// Pseudo reports whether a terminal was made by a program, such as a terminal's window, sshd or tmux. One that is none is
// the machine's own console.
func (p Process) Pseudo() bool {
	return strings.HasPrefix(p.Terminal, "pts/") || strings.HasPrefix(p.Terminal, "ttys")
}

// Foreground tells who is in the foreground of the terminal that the process panePID runs in: all
// members of the process group that its keys go to, the group's leader first, then the oldest. A
// script's or `sh -c`'s children are in it with the script; what is in the background or stopped is not.
func Foreground(panePID int) ([]Process, error) {
	table, err := snapshot(nil)
	if err != nil {
		return nil, err
	}
	pane, ok := table[panePID]
	if !ok {
		return nil, fmt.Errorf("process %d has ended", panePID)
	}
	if pane.foreground < 1 {
		return nil, fmt.Errorf("process %d has no terminal", panePID)
	}
	return members(table, pane.foreground), nil
}

// All describes every process that has not ended, by its pid.
func All() (map[int]Process, error) {
	table, err := snapshot(nil)
	if err != nil {
		return nil, err
	}
	for pid, e := range table {
		if e.zombie {
			delete(table, pid)
		}
	}
	return describeAll(table)
}

// Group lists what lives of a process group.
func Group(id int) ([]Process, error) {
	table, err := snapshot(nil)
	if err != nil {
		return nil, err
	}
	return members(table, id), nil
}

func members(table map[int]entry, group int) []Process {
	var found []entry
	for _, e := range table {
		if e.group == group && !e.zombie {
			found = append(found, e)
		}
	}
	return describeGroup(found, group)
}

// describeGroup describes the members of a group, its leader first, then the oldest.
func describeGroup(found []entry, group int) []Process {
	slices.SortFunc(found, func(a, b entry) int {
		if (a.PID == group) != (b.PID == group) {
			if a.PID == group {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	processes := make([]Process, 0, len(found))
	for _, e := range found {
		processes = append(processes, describe(e))
	}
	return processes
}

// Of is the identity of the process that has this pid now.
func Of(pid int) (ID, error) {
	e, err := lookUp(pid)
	if err != nil {
		return ID{}, err
	}
	return e.ID, nil
}

// Alive reports whether this very process still runs.
func Alive(id ID) bool {
	e, err := lookUp(id.PID)
	return err == nil && e.ID == id && !e.zombie
}

// lookAgain is how often Await looks: only a process's parent is told of its end.
const lookAgain = time.Second

// Await blocks until this very process has ended, or ctx has.
func Await(ctx context.Context, id ID) {
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for Alive(id) {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// Lineage describes the process itself, its parent, and so on up to the first process of the system.
func Lineage(pid int) ([]Process, error) {
	line, err := ancestors(pid)
	if err != nil {
		return nil, err
	}
	processes := make([]Process, 0, len(line))
	for _, e := range line {
		processes = append(processes, describe(e))
	}
	return processes, nil
}

// Ancestors is the process itself, its parent, and so on up to the first process of the system.
func Ancestors(pid int) ([]ID, error) {
	line, err := ancestors(pid)
	ids := make([]ID, 0, len(line))
	for _, e := range line {
		ids = append(ids, e.ID)
	}
	return ids, err
}

func ancestors(pid int) ([]entry, error) {
	var line []entry
	for pid > 0 {
		e, err := lookUp(pid)
		if err != nil {
			// Who can't tell its line must not pass for one who has none.
			return nil, fmt.Errorf("trace the parents of a process: %w", err)
		}
		if slices.ContainsFunc(line, func(child entry) bool { return child.ID == e.ID }) {
			return nil, fmt.Errorf("trace the parents of a process: process %d is its own ancestor", pid)
		}
		line = append(line, e)
		pid = e.parent
	}
	return line, nil
}
