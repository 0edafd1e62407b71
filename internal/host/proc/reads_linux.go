package proc

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// LastRead is when a terminal was last read, by whatever has it open. Linux keeps that time in steps of eight seconds, so that it tells
// nobody how somebody types (tty_update_time in drivers/tty/tty_io.c).
func LastRead(terminal string) (time.Time, error) {
	var stat unix.Stat_t
	if err := unix.Stat("/dev/"+terminal, &stat); err != nil {
		return time.Time{}, fmt.Errorf("ask when %s was read: %w", terminal, err)
	}
	return time.Unix(stat.Atim.Unix()), nil
}

// Started is when a process was started, by the wall clock as it is now.
func Started(id ID) time.Time {
	const ticks = 100 // a second; the kernel's USER_HZ on every machine that Go runs on
	return time.Now().Add(time.Duration(id.Start)*time.Second/ticks - Uptime())
}

// NewReads begins to take notes, until Close.
func NewReads() (*Reads, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch terminals: %w", err)
	}
	return &Reads{events: os.NewFile(uintptr(fd), "inotify"), watches: map[string]int32{}, last: map[int32][]time.Time{}}, nil
}

func (r *Reads) watch(terminal string) (int32, error) {
	raw, err := r.events.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("watch %s: %w", terminal, err)
	}
	watch := -1
	if err2 := raw.Control(func(fd uintptr) { watch, err = unix.InotifyAddWatch(int(fd), "/dev/"+terminal, unix.IN_ACCESS) }); err2 != nil {
		err = err2
	}
	if err != nil {
		return 0, fmt.Errorf("watch %s: %w", terminal, err)
	}
	return int32(watch), nil
}

// Run takes the notes, until Close.
func (r *Reads) Run() {
	raw, err := r.events.SyscallConn()
	if err == nil {
		_ = raw.Read(func(fd uintptr) (ended bool) { r.note(int(fd)); return false })
	}
}

// Note takes note of all that was read before. Run does so too, but somewhat later where the machine is busy.
func (r *Reads) Note() {
	raw, err := r.events.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { r.note(int(fd)) }) // else it is closed
	}
}

// note takes note of what waits to be noted.
func (r *Reads) note(fd int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for buffer := make([]byte, 4096); ; {
		n, err := unix.Read(fd, buffer)
		if err != nil || n <= 0 {
			return
		}
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			watch := int32(binary.NativeEndian.Uint32(buffer[at:]))
			r.last[watch] = append(r.last[watch][max(len(r.last[watch])-remembered+1, 0):], time.Now())
			at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buffer[at+12:]))
		}
	}
}
