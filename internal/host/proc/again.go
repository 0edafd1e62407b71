package proc

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Repeated reads skip the processes that are known not to matter. They still read every process from time to
// time, because a pid can be reused, and because a program may do something unusual.
const (
	allSessionsEvery = 10 * time.Second
	allNamesEvery    = time.Minute
)

// Fronts finds the foreground processes of panes. It remembers the session of each process: a process can
// leave its session only for a new one (setsid(2)), so a process in another session than the pane's is never
// in its foreground. The zero value is ready to use.
type Fronts struct {
	mu       sync.Mutex
	all      time.Time   // time of the last full read
	sessions map[int]int // by pid, as of the last look
}

// Foregrounds is Foreground for several panes with one look at the process table. It leaves out panes whose
// process has ended or has no terminal. Without panes it reads nothing.
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

// look reads the processes of the panes' sessions, and those whose session is unknown.
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

// Names finds processes by the beginning of the kernel's name for them. It remembers processes that had
// another name in two looks: a process gets its final name soon after it starts, when it executes its
// program.
type Names struct {
	beginning string

	mu     sync.Mutex
	all    time.Time   // time of the last full read
	others map[int]int // number of looks in which a process had another name
}

// NewNames makes Names. It reads nothing.
func NewNames(beginning string) *Names { return &Names{beginning: beginning} }

// Find returns the processes whose names begin with n's beginning, by pid.
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
