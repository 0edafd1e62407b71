package testrun

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// FillDiskOf is FillDisk for the file at path alone, if this process has it open: every write to it fails as on a full disk. Reads of what is
// mapped into memory go on. Tests beside it, and what the testing package writes, have room.
func FillDiskOf(t testing.TB, path string) (room func()) {
	t.Helper()
	fd, err := openAs(path)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := syscall.Dup(fd) // it keeps the lock of the file, too
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if err := syscall.Dup3(int(full.Fd()), fd, syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Pwrite(fd, []byte{0}, 0); err != syscall.ENOSPC {
		t.Errorf("a write to the full disk: %v", err)
	}
	filled := true
	room = func() {
		if !filled {
			return
		}
		filled = false
		if err := syscall.Dup3(kept, fd, syscall.O_CLOEXEC); err != nil {
			t.Error(err)
		}
		_ = syscall.Close(kept)
	}
	t.Cleanup(room)
	return room
}

// openAs is the one descriptor by which this process has the file at path open.
func openAs(path string) (fd int, err error) {
	fd = -1
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return fd, err
	}
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fd, err
	}
	for _, e := range all {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err != nil || to != path {
			continue
		}
		if fd >= 0 {
			return -1, fmt.Errorf("%s is open twice", path)
		}
		if fd, err = strconv.Atoi(e.Name()); err != nil {
			return -1, err
		}
	}
	if fd < 0 {
		return fd, fmt.Errorf("%s is not open", path)
	}
	return fd, nil
}
