package proc

import (
	"errors"
	"os"
	"sync"
	"time"
)

// ReadGrain is the resolution of LastRead: it may be this much too early.
const ReadGrain = 8 * time.Second

// Terminal returns the controlling terminal of a process, such as "pts/3"; empty if it has none or has ended.
func Terminal(pid int) string {
	e, err := lookUp(pid)
	if err != nil {
		return ""
	}
	return e.terminal
}

// Reads records exactly when terminals were read. A program that shows another one at a terminal, such as
// tmux, reads each key that is pressed there, whereas a synthetic key is not read from any terminal.
type Reads struct {
	events *os.File

	mu      sync.Mutex
	watches map[string]int32      // by terminal
	last    map[int32][]time.Time // by watch, the last remembered ones
}

// ErrNewTerminal says that the watch of a terminal has just begun.
var ErrNewTerminal = errors.New("nobody has asked for this terminal before")

// remembered is how many reads are kept: more than can happen before somebody asks for one.
const remembered = 16

// Of returns the last read of a terminal up to the time until; zero if there was none since the watch began.
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

// Close ends the recording.
func (r *Reads) Close() error { return r.events.Close() }
