//go:build !linux

package monitor

import (
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"

	"nod/internal/host/proc"
)

// JobCommand is the command of nod that is the parent of one monitor's processes, where the system knows such parents.
const JobCommand = "monitor-job"

// Job fails: no process takes in another's orphans here.
func Job(string, []string) error { return errors.New("this system needs no monitor-job") }

func commandOf(path string, argv []string) (*exec.Cmd, error) {
	return &exec.Cmd{Path: path, Args: argv}, nil
}

func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// follow waits until a child has ended and leaves it unreaped: until then no other group can get its id.
func (c *child) follow(pid int, _ io.Reader, started chan<- error) {
	id, err := proc.Of(pid)
	if c.id = id; err != nil { // it has ended and was reaped by nobody else, so this can't be
		c.id = proc.ID{PID: pid}
	}
	started <- nil
	for err == nil && proc.Alive(id) {
		time.Sleep(time.Second)
	}
}

// descendants and marked find nothing: what has left its parents is not known here.
func descendants(int) []int { return nil }

func marked(string) []int { return nil }
