package proc

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// What is read again and again leaves out the processes of which it remembers that they can't matter. Every process is read now and then
// nevertheless, for a pid may be used again, and a process may do what programs do not.
const (
	allSessionsEvery = 10 * time.Second
	allNamesEvery    = time.Minute
)

// Fronts tells who is in the foreground of panes. It remembers which session a process is in: that can be left only for a new one
// (setsid(2)), so that who is in another session than a pane's is not in its foreground. The zero value is ready.
type Fronts struct {
	mu       sync.Mutex
	all      time.Time   // when every process was read last
	sessions map[int]int // of the processes of the last look
}

// Foregrounds is Foreground for many panes with one look at the process table. A pane whose process
// has ended or has no terminal is missing from the result. For no pane nothing is read.
func (f *Fronts) Foregrounds(panePIDs []int) (map[int][]Process, error) {
	if len(panePIDs) == 0 {
		return nil, nil
	}
	table, err := f.look(panePIDs)
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

// look reads the processes of the panes' sessions, and those whose session is not known.
func (f *Fronts) look(panePIDs []int) (map[int]entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	wanted := map[int]bool{}
	for _, pid := range panePIDs {
		session, known := f.sessions[pid]
		if !known {
			f.all = time.Time{}
		}
		wanted[session] = true
	}
	if time.Since(f.all) >= allSessionsEvery {
		f.all, f.sessions = time.Now(), nil
	}
	sessions := map[int]int{}
	table, err := snapshot(func(pid int) (skip bool) {
		session, known := f.sessions[pid]
		if skip = known && !wanted[session]; skip {
			sessions[pid] = session
		}
		return skip
	})
	if err != nil {
		return nil, err
	}
	for pid, e := range table {
		sessions[pid] = e.session
	}
	f.sessions = sessions
	return table, nil
}

// Names finds processes by how their names begin, as the kernel has them. It remembers which had another name at two looks: a
// process gets its name within moments of its beginning, when its program is started.
type Names struct {
	beginning string

	mu     sync.Mutex
	all    time.Time   // when every process was read last
	others map[int]int // at how many looks a process had another name
}

// NewNames makes Names. It reads nothing.
func NewNames(beginning string) *Names { return &Names{beginning: beginning} }

// Find lists the processes whose names begin so, in order of their pids.
func (n *Names) Find() ([]Process, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.all) >= allNamesEvery {
		n.all, n.others = time.Now(), nil
	}
	others := map[int]int{}
	table, err := snapshot(func(pid int) (skip bool) {
		if skip = n.others[pid] >= 2; skip {
			others[pid] = n.others[pid]
		}
		return skip
	})
	if err != nil {
		return nil, err
	}
	var found []Process
	for pid, e := range table {
		switch {
		case !strings.HasPrefix(e.comm, n.beginning):
			others[pid] = n.others[pid] + 1
		case !e.zombie:
			found = append(found, describe(e))
		}
	}
	n.others = others
	slices.SortFunc(found, func(a, b Process) int { return cmp.Compare(a.PID, b.PID) })
	return found, nil
}
