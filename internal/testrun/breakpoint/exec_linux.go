package breakpoint

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stops are the calls that wait for the test: those that write, start a program or end one.
var stops = []uint32{unix.SYS_EXECVE, unix.SYS_EXIT_GROUP, unix.SYS_PWRITE64, unix.SYS_FDATASYNC, unix.SYS_WRITE}

// hello is the file by which a watched process hands its calls over.
const hello = 3

// Exec becomes the program of args, each of whose stops waits for the test that started it with Start, and so do those of its
// children. It returns only where that fails.
func Exec(args []string) error {
	runtime.LockOSThread() // a filter is the thread's, and exec leaves that thread alone
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

// filter lets every call of this thread through but the stops, which wait at the descriptor that it gives.
func filter() (int, error) {
	const load, equal, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	code := []unix.SockFilter{{Code: load}} // the number of the call is first
	for i, number := range stops {
		code = append(code, unix.SockFilter{Code: equal, Jt: uint8(len(stops) - i), K: number})
	}
	code = append(code, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW}, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_USER_NOTIF})
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// With the second flag no signal of Go's scheduler breaks off a call that waits: it would come again and be counted twice.
	const listener, unbroken = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	for _, flags := range []uintptr{listener | unbroken, listener} { // kernels before 5.19 have only the first
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
