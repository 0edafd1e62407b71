package monitor

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// childAttributes: a process group of its own, and an end with nod even where nod is killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits until a child has ended and leaves it unreaped: until then no other group can get its id.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// marked lists the processes that were started with the mark in their environment.
func marked(mark string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	want := []byte("\x00" + markName + "=" + mark + "\x00")
	for _, file := range files {
		environ, err := os.ReadFile(file) // another user's can't be read
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), want) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
