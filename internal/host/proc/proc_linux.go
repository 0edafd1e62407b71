package proc

import (
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// argsLimit is how much of a command line is read, in bytes. The part that identifies an agent is at its
// beginning.
const argsLimit = 16 << 10

// snapshot reads the process table, except the processes for which skip returns true; skip may be nil. It
// leaves out processes that end meanwhile.
func snapshot(skip func(pid int) bool) (map[int]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	table := map[int]entry{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || skip != nil && skip(pid) {
			continue
		}
		if e, err := lookUp(pid); err == nil {
			table[pid] = e
		}
	}
	return table, nil
}

// fronts reads the processes of panes, and the members of the foreground groups of their terminals. The group of any other process is
// asked of the kernel: its line in the process table costs fifty times as much.
func fronts(panePIDs []int) (map[int]entry, error) {
	panes, groups := make(map[int]entry, len(panePIDs)), make(map[int]bool, len(panePIDs))
	for _, pid := range panePIDs {
		if e, err := lookUp(pid); err == nil {
			panes[pid], groups[e.foreground] = e, true
		}
	}
	table, err := snapshot(func(pid int) (skip bool) {
		if _, is := panes[pid]; is {
			return true
		}
		group, err := syscall.Getpgid(pid)
		return err == nil && !groups[group]
	})
	if err != nil {
		return nil, err
	}
	maps.Copy(table, panes)
	return table, nil
}

func lookUp(pid int) (entry, error) {
	// The kernel returns the whole line, about 350 bytes, in one read.
	var line [1024]byte
	n, err := readInto(line[:], pid, "stat")
	if err != nil {
		return entry{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return parseStat(string(line[:n]))
}

// readInto reads the beginning of a file about a process. It does so without os.File: with hundreds of processes, that one's additional
// system calls are more than half of the cost.
func readInto(room []byte, pid int, file string) (n int, err error) {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/"+file, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	return syscall.Read(fd, room)
}

func describe(e entry) Process {
	p := e.process(e.comm)
	// A program file that was replaced, as by an update, is still the running program.
	if exe, err := os.Readlink("/proc/" + strconv.Itoa(e.PID) + "/exe"); err == nil {
		p.Exe = strings.TrimSuffix(exe, " (deleted)")
	}
	var line [argsLimit]byte
	if n, err := readInto(line[:], e.PID, "cmdline"); err == nil && n > 0 {
		p.Args = strings.Split(strings.TrimSuffix(string(line[:n]), "\x00"), "\x00")
	}
	return p
}

func describeAll(table map[int]entry) (map[int]Process, error) {
	all := make(map[int]Process, len(table))
	for pid, e := range table {
		all[pid] = describe(e)
	}
	return all, nil
}

// Environment returns the environment that a process was started with. Another user's can't be read.
func Environment(pid int) ([]string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, fmt.Errorf("read the environment of process %d: %w", pid, err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00"), nil
}

// OpenProgram opens the program file of a process, even if the file was replaced since.
func OpenProgram(pid int) (*os.File, error) { return os.Open("/proc/" + strconv.Itoa(pid) + "/exe") }

// BootID identifies the current boot; it changes with a reboot.
func BootID() (string, error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	return strings.TrimSpace(string(id)), nil
}

// openFiles returns the names of a process's open files by descriptor.
func openFiles(pid int) (map[int]string, error) {
	folder := "/proc/" + strconv.Itoa(pid) + "/fd"
	dir, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("list the files of process %d: %w", pid, err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list the files of process %d: %w", pid, err)
	}
	files := make(map[int]string, len(names))
	for _, name := range names {
		number, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// Leave out a file that was closed meanwhile.
		if files[number], err = os.Readlink(folder + "/" + name); err != nil {
			delete(files, number)
		}
	}
	return files, nil
}
