package monitor

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"nod/internal/host/proc"
)

// markName is the variable in the environment of a child, and of all that it starts, that tells whose they are. It finds
// what has left the child's process group, and what a nod that was killed left running.
const markName = "NOD_MONITOR"

const (
	// endWait is how long processes are given to end by themselves before they are killed.
	endWait = 5 * time.Second
	// stopWait is the same while nod itself stops: it has to be done within the time that nod itself is given.
	stopWait = 2 * time.Second
	// killWait is how long a killed process may take to be gone.
	killWait = 5 * time.Second
	endPoll  = 50 * time.Millisecond
)

// child is a running command.
type child struct {
	id     proc.ID
	output *os.File
	exited chan struct{} // the first process has ended; what it left running may not have
	reap   chan struct{} // closed: nothing is left of its group, so that its id may be given away
	ended  chan error    // how it ended
}

func newMark() string { return rand.Text() }

// startChild runs the command of a spec in a process group of its own.
func startChild(s Spec, mark string) (*child, error) {
	path, err := s.program()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the output: %w", err)
	}
	defer write.Close()
	cmd := &exec.Cmd{
		Path: path, Args: s.Argv, Dir: s.Cwd, Env: childEnv(os.Environ(), s.Env, mark),
		Stdout: write, Stderr: write, SysProcAttr: childAttributes(),
	}
	c := &child{output: read, exited: make(chan struct{}), reap: make(chan struct{}), ended: make(chan error, 1)}
	started := make(chan error)
	go func() {
		// The kernel ends the child with the thread that started it, so that thread must last as long as nod.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		awaitExit(cmd.Process.Pid)
		close(c.exited)
		<-c.reap
		c.ended <- cmd.Wait()
	}()
	if err := <-started; err != nil {
		read.Close()
		return nil, fmt.Errorf("run %s: %w", s.Argv[0], err)
	}
	c.id, err = proc.Of(cmd.Process.Pid)
	if err != nil { // it has ended and was reaped by nobody else, so this can't be
		c.id = proc.ID{PID: cmd.Process.Pid}
	}
	return c, nil
}

// end ends all that the child has started and is left, and says how its first process ended.
func (c *child) end(mark string, wait time.Duration) string {
	endProcesses(c.id.PID, mark, wait)
	close(c.reap)
	err := <-c.ended
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.Error()
	}
	if err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// endProcesses ends a process group (0: none) and every process that bears the mark: they are asked to, and killed when
// they have not after a while.
func endProcesses(group int, mark string, wait time.Duration) {
	left := processesOf(group, mark)
	signalAll(left, syscall.SIGTERM)
	for end := time.Now().Add(wait); len(left) > 0 && time.Now().Before(end); left = processesOf(group, mark) {
		time.Sleep(endPoll)
	}
	for end := time.Now().Add(killWait); len(left) > 0 && time.Now().Before(end); left = processesOf(group, mark) {
		signalAll(left, syscall.SIGKILL) // each time: some may have been born since
		time.Sleep(endPoll)
	}
}

func signalAll(pids []int, signal syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal) // it may have ended by now
	}
}

// processesOf lists what lives of a process group and of those that bear the mark.
func processesOf(group int, mark string) []int {
	pids := marked(mark)
	if group > 0 {
		members, _ := proc.Group(group)
		for _, p := range members {
			pids = append(pids, p.PID)
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}

// childEnv is the environment of a child: the bot's own without its settings, of which one is its token, and without
// what systemd tells the bot alone.
func childEnv(own, more []string, mark string) []string {
	var env []string
	for _, e := range own {
		name := cutAt(e, "=")
		if strings.HasPrefix(name, "NOD_") || slices.Contains([]string{"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}, name) {
			continue
		}
		env = append(env, e)
	}
	return append(append(env, more...), markName+"="+mark)
}
