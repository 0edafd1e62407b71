package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func ps(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/ps", args...)
	cmd.Env = []string{"LC_ALL=C", "TZ=" + os.Getenv("TZ")}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("read the process table with ps: %w", err)
	}
	return string(out), nil
}

func snapshot() (map[int]entry, error) {
	out, err := ps("-A", "-ww", "-o", psTable)
	if err != nil {
		return nil, err
	}
	return parsePS(out), nil
}

func lookUp(pid int) (entry, error) {
	out, err := ps("-ww", "-o", psTable, "-p", strconv.Itoa(pid))
	if err != nil {
		return entry{}, err
	}
	e, ok := parsePS(out)[pid]
	if !ok {
		return entry{}, fmt.Errorf("process %d has ended", pid)
	}
	return e, nil
}

func describe(e entry) Process {
	p := Process{ID: e.ID, Group: e.group, Comm: filepath.Base(e.comm), Exe: e.comm}
	if out, err := ps("-ww", "-o", psArgs, "-p", strconv.Itoa(e.PID)); err == nil {
		p.Args = parseArgs(out)[e.PID]
	}
	return p
}

// OpenProgram opens the program file that a process runs.
func OpenProgram(pid int) (*os.File, error) {
	e, err := lookUp(pid)
	if err != nil {
		return nil, err
	}
	return os.Open(e.comm)
}

// BootID names this run of the machine; it is another after a reboot.
func BootID() (string, error) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	return id, nil
}
