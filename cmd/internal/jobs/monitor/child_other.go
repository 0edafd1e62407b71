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

// JobCommand is the nod command that is the parent of one monitor's processes, on systems that support it.
const JobCommand = "monitor-job"

// Job fails: on this system no process can adopt another's orphans.
func Job(string, []string) error { return errors.New("this system needs no monitor-job") }

func commandOf(path string, argv []string) (*exec.Cmd, error) {
	return &exec.Cmd{Path: path, Args: argv}, nil
}

func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// follow waits until a child has ended and leaves it unreaped: until it is reaped no other group can get its
// id.
func (c *child) follow(pid int, _ io.Reader, started chan<- error) {
	id, err := proc.Of(pid)
	if c.id = id; err != nil { // impossible: it has ended, and nobody else reaps it
		c.id = proc.ID{PID: pid}
	}
	started <- nil
	for err == nil && proc.Alive(id) {
		time.Sleep(time.Second)
	}
}

// descendants and marked return nothing: this system does not show processes that left their parents.
func descendants(int) []int { return nil }

func marked(string) []int { return nil }
