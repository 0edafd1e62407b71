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

// snapshot reads the process table. It ignores skip: one ps reads all of it anyway.
func snapshot(_ func(pid int) bool) (map[int]entry, error) {
	out, err := ps("-A", "-ww", "-o", psTable)
	if err != nil {
		return nil, err
	}
	table := parsePS(out)
	for pid, e := range table {
		// ps prints no number for a session on macOS.
		e.session, _ = unix.Getsid(pid)
		table[pid] = e
	}
	return table, nil
}

// fronts reads the process table, which has the processes of panes and those of their foreground groups.
func fronts([]int) (map[int]entry, error) { return snapshot(nil) }

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
	var args map[int][]string
	if out, err := ps("-ww", "-o", psArgs, "-p", strconv.Itoa(e.PID)); err == nil {
		args = parseArgs(out)
	}
	return describeWith(e, args)
}

func describeWith(e entry, args map[int][]string) Process {
	p := e.process(filepath.Base(e.comm))
	p.Exe, p.Args = e.comm, args[e.PID]
	return p
}

func describeAll(table map[int]entry) (map[int]Process, error) {
	out, err := ps("-A", "-ww", "-o", psArgs)
	if err != nil {
		return nil, err
	}
	args, all := parseArgs(out), make(map[int]Process, len(table))
	for pid, e := range table {
		all[pid] = describeWith(e, args)
	}
	return all, nil
}

// Environment returns the environment that a process was started with. Another user's can't be read.
func Environment(pid int) ([]string, error) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, fmt.Errorf("read the environment of process %d: %w", pid, err)
	}
	return parseProcArgs(data), nil
}

// openFiles returns the names of a process's open files by descriptor, from lsof(8).
func openFiles(pid int) (map[int]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/sbin/lsof", "-n", "-P", "-w", "-p", strconv.Itoa(pid), "-Ffn").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of process %d: %w", pid, err)
	}
	return parseFiles(string(out)), nil
}

// OpenProgram opens the program file that a process runs.
func OpenProgram(pid int) (*os.File, error) {
	e, err := lookUp(pid)
	if err != nil {
		return nil, err
	}
	return os.Open(e.comm)
}

// BootID identifies the current boot; it changes with a reboot.
func BootID() (string, error) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	return id, nil
}
