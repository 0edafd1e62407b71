// Package proc finds the processes in a pane's terminal, from the process table: /proc on Linux, ps(1) on
// macOS.
package proc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ID identifies one process for good: a pid can be reused, a pid with its start time can't.
type ID struct {
	PID   int
	Start uint64 // clock ticks since boot, field 22 of /proc/PID/stat; on macOS unix seconds
}

// Process is one process, with the data that identifies its program.
type Process struct {
	ID
	Parent   int
	Group    int      // its process group
	Session  int      // the pid of its leader; 0 if that is in another pid namespace
	Terminal string   // its controlling terminal, such as "pts/3"; may be empty
	Comm     string   // the kernel's name of it, at most 15 bytes
	Exe      string   // path of the program file; empty if it can't be read
	Args     []string // the command line
}

// entry is one line of the process table.
type entry struct {
	ID
	parent     int
	group      int
	session    int
	terminal   string
	foreground int // the foreground process group of its terminal; below 1 without a terminal
	zombie     bool
	comm       string
}

// process returns the entry as a Process with the name comm.
func (e entry) process(comm string) Process {
	return Process{ID: e.ID, Parent: e.parent, Group: e.group, Session: e.session, Terminal: e.terminal, Comm: comm}
}

// Pseudo reports whether the process's terminal was made by a program, such as a terminal emulator, sshd or
// tmux. Any other terminal is the machine's console.
func (p Process) Pseudo() bool {
	return strings.HasPrefix(p.Terminal, "pts/") || strings.HasPrefix(p.Terminal, "ttys")
}

// Foreground returns the foreground processes of the terminal of the process panePID: the members of the
// process group that gets its keys, the leader first, then by age. The children of a script or of `sh -c` are
// in that group; background and stopped processes are not.
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

// All returns every process that has not ended, by pid.
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

// Group returns the living members of a process group.
func Group(id int) ([]Process, error) {
	table, err := snapshot(nil)
	if err != nil {
		return nil, err
	}
	return members(table, id), nil
}

// Foregrounds is Foreground for several panes with one look at the process table. It leaves out panes whose
// process has ended or has no terminal. Without panes it reads nothing.
func Foregrounds(panePIDs []int) (map[int][]Process, error) {
	if len(panePIDs) == 0 {
		return nil, nil
	}
	table, err := fronts(panePIDs)
	if err != nil {
		return nil, err
	}
	groups := map[int][]entry{}
	for _, e := range table {
		if !e.zombie {
			groups[e.group] = append(groups[e.group], e)
		}
	}
	all := make(map[int][]Process, len(panePIDs))
	for _, pid := range panePIDs {
		if pane, ok := table[pid]; ok && pane.foreground > 0 {
			all[pid] = describeGroup(groups[pane.foreground], pane.foreground)
		}
	}
	return all, nil
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

// describeGroup returns the members of a group, the leader first, then by age.
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

// Of returns the identity of the process that has this pid now.
func Of(pid int) (ID, error) {
	e, err := lookUp(pid)
	if err != nil {
		return ID{}, err
	}
	return e.ID, nil
}

// Alive reports whether exactly this process is still running.
func Alive(id ID) bool {
	e, err := lookUp(id.PID)
	return err == nil && e.ID == id && !e.zombie
}

// lookAgain is the interval at which Await checks: only a process's parent is notified of its end.
const lookAgain = time.Second

// Await blocks until exactly this process has ended, or ctx has.
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

// Lineage returns the process itself, its parent, and so on up to the first process of the system.
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

// ancestors returns the process itself, its parent, and so on up to the first process of the system.
func ancestors(pid int) ([]entry, error) {
	var line []entry
	for pid > 0 {
		e, err := lookUp(pid)
		if err != nil {
			// An error must not be mistaken for a process without parents.
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
