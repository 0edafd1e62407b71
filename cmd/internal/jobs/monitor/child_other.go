//go:build !linux

package monitor

import (
	"syscall"
	"time"

	"nod/internal/host/proc"
)

func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit waits until a child has ended and leaves it unreaped: until then no other group can get its id.
func awaitExit(pid int) {
	id, err := proc.Of(pid)
	for err == nil && proc.Alive(id) {
		time.Sleep(time.Second)
	}
}

// marked finds nothing: the environment of other processes can't be read here.
func marked(string) []int { return nil }
