package breakpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Point is a system call that a watched process is about to make.
type Point struct {
	Kind  string // its observable meaning: "commit sync", "tmux if-shell begins"
	Child int    // pid of the child that makes it; 0 for the watched process itself
}

// Watched is a process whose stops wait for the test.
type Watched struct {
	at       func(Point)
	process  *os.Process
	calls    int // the descriptor of the waiting calls
	children map[int]string
}

// Start starts a command that calls Exec at once, and calls at before every point. If at kills the process,
// the call never happens. at is called by one goroutine, which ends with the last process of the command.
func Start(cmd *exec.Cmd, at func(Point)) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	here, there := os.NewFile(uintptr(pair[0]), "here"), os.NewFile(uintptr(pair[1]), "there")
	defer here.Close()
	cmd.ExtraFiles = []*os.File{there}
	err = cmd.Start()
	there.Close()
	if err != nil {
		return err
	}
	calls, err := handedOver(pair[0])
	if err != nil {
		_ = cmd.Process.Kill()
		return err
	}
	w := &Watched{at: at, process: cmd.Process, calls: calls, children: map[int]string{}}
	go w.watch()
	return nil
}

func handedOver(socket int) (int, error) {
	space := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), space, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(space[:n])
	if err != nil || len(messages) == 0 {
		return 0, errors.New("the command ended before it handed its calls over")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return fds[0], nil
}

// The kernel's description of a call and the answer to it: struct seccomp_notif and struct seccomp_notif_resp
// of <linux/seccomp.h>.
type (
	call struct {
		id     uint64
		thread uint32
		_      uint32
		number int32
		_      uint32
		_      uint64
		args   [6]uint64
	}
	reply struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
)

// The numbers of SECCOMP_IOCTL_NOTIF_RECV and SECCOMP_IOCTL_NOTIF_SEND, and of the answer "continue".
const (
	receive = 0xc0502100
	send    = 0xc0182101
	goOn    = 1
)

func (w *Watched) watch() {
	defer unix.Close(w.calls)
	for {
		poll := []unix.PollFd{{Fd: int32(w.calls), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			return
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			if poll[0].Revents != 0 {
				return // the last process that had these calls is gone
			}
			continue
		}
		var c call
		if !w.control(receive, unsafe.Pointer(&c)) {
			continue // its process was killed meanwhile
		}
		if p := w.point(c); p.Kind != "" {
			w.at(p)
		}
		w.control(send, unsafe.Pointer(&reply{id: c.id, flags: goOn}))
	}
}

func (w *Watched) control(what uintptr, with unsafe.Pointer) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.calls), what, uintptr(with))
	return errno == 0
}

// point returns the meaning of a call; the zero Point if nobody can observe it.
func (w *Watched) point(c call) Point {
	process := w.process.Pid
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", process, c.thread)); err != nil {
		return w.childPoint(c)
	}
	switch c.number {
	case unix.SYS_PWRITE64:
		if strings.HasSuffix(file(process, c.args[0]), ".db") {
			return Point{Kind: "commit writes"}
		}
	case unix.SYS_FDATASYNC:
		if strings.HasSuffix(file(process, c.args[0]), ".db") {
			return Point{Kind: "commit syncs"}
		}
	case unix.SYS_WRITE:
		socket, ok := strings.CutPrefix(file(process, c.args[0]), "socket:[")
		if !ok {
			break
		}
		if local(process, strings.TrimSuffix(socket, "]")) {
			return Point{Kind: "socket speaks"}
		}
		return Point{Kind: "telegram asked"}
	}
	return Point{}
}

// childPoint returns the point of a tmux child: its start or its end.
func (w *Watched) childPoint(c call) Point {
	id := int(c.thread)
	switch c.number {
	case unix.SYS_EXECVE:
		// tmux -N -u -S SOCKET COMMAND
		if args := arguments(id, c.args[1]); len(args) > 5 && filepath.Base(args[0]) == "tmux" {
			w.children[id] = "tmux " + args[5]
			return Point{Kind: w.children[id] + " begins", Child: id}
		}
	case unix.SYS_EXIT_GROUP:
		if name := w.children[id]; name != "" {
			delete(w.children, id)
			return Point{Kind: name + " ends", Child: id}
		}
	}
	return Point{}
}

func file(process int, descriptor uint64) string {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", process, int32(descriptor)))
	if err != nil {
		return ""
	}
	return name
}

// local reports whether a socket is a Unix socket of this machine.
func local(process int, inode string) bool {
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/unix", process))
	return err == nil && (bytes.Contains(all, []byte(" "+inode+" ")) || bytes.Contains(all, []byte(" "+inode+"\n")))
}

// arguments returns the first words of an argument list in another process.
func arguments(process int, list uint64) []string {
	memory, err := os.Open("/proc/" + strconv.Itoa(process) + "/mem")
	if err != nil {
		return nil
	}
	defer memory.Close()
	var words []string
	for i := range uint64(8) {
		var pointer [8]byte
		if _, err := memory.ReadAt(pointer[:], int64(list+8*i)); err != nil {
			return nil
		}
		at := binary.NativeEndian.Uint64(pointer[:])
		if at == 0 {
			break
		}
		words = append(words, text(memory, at))
	}
	return words
}

func text(memory *os.File, at uint64) string {
	buf := make([]byte, 256)
	n, _ := memory.ReadAt(buf, int64(at)) // the list may end with its page
	word, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(word)
}
