package proc

import (
	"errors"
	"os"
	"sync"
	"time"
)

// ReadGrain is how much older LastRead may be than what it tells of.
const ReadGrain = 8 * time.Second

// Terminal is the controlling terminal of a process, such as "pts/3"; empty: it has none, or has ended.
func Terminal(pid int) string {
	e, err := lookUp(pid)
	if err != nil {
		return ""
	}
	return e.terminal
}

// Reads tells when terminals were read, to the moment. Whatever shows a program at a terminal, such as tmux, reads each key that is
// pressed there; a key that another program makes up is read from nowhere.
type Reads struct {
	events *os.File

	mu      sync.Mutex
	watches map[string]int32      // of terminals
	last    map[int32][]time.Time // by watch, the last remembered of them
}

// ErrNewTerminal says of a terminal that it is watched from now on.
var ErrNewTerminal = errors.New("nobody has asked for this terminal before")

// remembered is more reads than there are while one of them is asked for.
const remembered = 16

// Of is when a terminal was read last, until a time; zero: not since it is watched.
func (r *Reads) Of(terminal string, until time.Time) (read time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if watch, known := r.watches[terminal]; known {
		for _, at := range r.last[watch] {
			if !at.After(until) {
				read = at
			}
		}
		return read, nil
	}
	watch, err := r.watch(terminal)
	if err != nil {
		return time.Time{}, err
	}
	r.watches[terminal] = watch
	return time.Time{}, ErrNewTerminal
}

// Close ends it.
func (r *Reads) Close() error { return r.events.Close() }
