package proc

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// LastRead returns when a terminal was last read, by any process that has it open. Linux keeps that time in
// steps of eight seconds, so that it does not reveal how somebody types (tty_update_time in
// drivers/tty/tty_io.c).
func LastRead(terminal string) (time.Time, error) {
	var stat unix.Stat_t
	if err := unix.Stat("/dev/"+terminal, &stat); err != nil {
		return time.Time{}, fmt.Errorf("ask when %s was read: %w", terminal, err)
	}
	return time.Unix(stat.Atim.Unix()), nil
}

// Started returns the start time of a process, by the current wall clock.
func Started(id ID) time.Time {
	const ticks = 100 // per second; the kernel's USER_HZ on every machine that Go runs on
	return time.Now().Add(time.Duration(id.Start)*time.Second/ticks - Uptime())
}

// NewReads starts recording, until Close.
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

// Run processes the kernel's events, until Close.
func (r *Reads) Run() {
	raw, err := r.events.SyscallConn()
	if err == nil {
		_ = raw.Read(func(fd uintptr) (ended bool) { r.note(int(fd)); return false })
	}
}

// Note processes the events of all reads so far. Run does so too, but later on a busy machine.
func (r *Reads) Note() {
	raw, err := r.events.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { r.note(int(fd)) }) // an error means that it is closed
	}
}

// note processes all pending events.
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
			if what := binary.NativeEndian.Uint32(buffer[at+4:]); what&unix.IN_IGNORED != 0 { // the terminal has ended, and another may get its name
				delete(r.last, watch)
				maps.DeleteFunc(r.watches, func(_ string, ended int32) bool { return ended == watch })
			} else {
				r.last[watch] = append(r.last[watch][max(len(r.last[watch])-remembered+1, 0):], time.Now())
			}
			at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buffer[at+12:]))
		}
	}
}
