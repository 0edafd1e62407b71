package monitor

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"nod/internal/host/proc"
)

// childAttributes gives the child its own process group, and a signal if nod is killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// follow reads the job's reports: the pid of the command, which it passes on, and how the command ended.
func (c *child) follow(job int, news io.Reader, started chan<- error) {
	c.job = job
	lines := bufio.NewReader(news)
	first, err := lines.ReadString('\n')
	if err != nil {
		started <- errors.New("it could not be started")
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err == nil {
		c.id = proc.ID{PID: pid}
		if id, err := proc.Of(pid); err == nil {
			c.id = id // on an error it has already ended
		}
	}
	started <- err
	exit, _ := io.ReadAll(lines) // if the job is killed, that is how it ended
	c.exit = strings.TrimSpace(string(exit))
}

// marked lists the processes that were started with the mark in their environment.
func marked(mark string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
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
