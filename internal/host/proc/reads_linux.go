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
	return &Reads{events: os.NewFile(uintptr(fd), "inotify"), watches: map[string]int32{}, last: map[int32]time.Time{}}, nil
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
	for buffer := make([]byte, 4096); ; {
		n, err := r.events.Read(buffer)
		if err != nil {
			return
		}
		r.mu.Lock()
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			r.last[int32(binary.NativeEndian.Uint32(buffer[at:]))] = time.Now()
			at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buffer[at+12:]))
		}
		r.mu.Unlock()
	}
}
