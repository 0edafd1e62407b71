package breakpoint

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stops are the calls that wait for the test: writes, and the start and end of programs.
var stops = []uint32{unix.SYS_EXECVE, unix.SYS_EXIT_GROUP, unix.SYS_PWRITE64, unix.SYS_FDATASYNC, unix.SYS_WRITE}

// hello is the descriptor by which a watched process passes its calls to the test.
const hello = 3

// Exec replaces this process with the program of args. Each of its stops, and of its children's, waits for
// the test that called Start. It returns only on failure.
func Exec(args []string) error {
	runtime.LockOSThread() // a filter belongs to a thread, and exec keeps only the calling thread
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	calls, err := filter()
	if err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	if err := unix.Sendmsg(hello, []byte{0}, unix.UnixRights(calls), nil, 0); err != nil {
		return fmt.Errorf("hand the calls over: %w", err)
	}
	unix.CloseOnExec(hello)
	return unix.Exec(path, args, os.Environ())
}

// filter installs a filter for this thread that lets every call through except the stops. They wait at the
// descriptor that it returns.
func filter() (int, error) {
	const load, equal, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	code := []unix.SockFilter{{Code: load}} // the call's number is the first word
	for i, number := range stops {
		code = append(code, unix.SockFilter{Code: equal, Jt: uint8(len(stops) - i), K: number})
	}
	code = append(code, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW}, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_USER_NOTIF})
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// With the second flag no signal of Go's scheduler interrupts a waiting call: it would be repeated and
	// counted twice.
	const listener, unbroken = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	for _, flags := range []uintptr{listener | unbroken, listener} { // kernels before 5.19 have only the first flag
		fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
		if errno == 0 {
			return int(fd), nil
		}
		if errno != unix.EINVAL {
			return 0, errno
		}
	}
	return 0, unix.EINVAL
}
