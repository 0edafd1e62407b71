package proc

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// allNamesEvery is how often Names reads every process. Its other reads skip the processes that are known not to matter; a pid can be
// reused, and a program may do something unusual.
const allNamesEvery = time.Minute

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
