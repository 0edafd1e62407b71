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
	job    int // the process that takes in what it leaves behind; 0: this system has none
	output *os.File
	exit   string        // how the first process ended, where the job says so
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
	news, tells, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for how it ends: %w", err)
	}
	defer tells.Close()
	cmd, err := commandOf(path, s.Argv)
	if err != nil {
		return nil, err
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Cwd, childEnv(os.Environ(), s.Env, mark), write, write
	cmd.ExtraFiles, cmd.SysProcAttr = []*os.File{tells}, childAttributes()
	c := &child{output: read, exited: make(chan struct{}), reap: make(chan struct{}), ended: make(chan error, 1)}
	started := make(chan error)
	go func() {
		defer news.Close()
		// The kernel ends the child with the thread that started it, so that thread must last as long as nod.
		runtime.LockOSThread()
		err := cmd.Start()
		tells.Close()
		started <- err
		if err != nil {
			return
		}
		c.follow(cmd.Process.Pid, news, started)
		close(c.exited)
		<-c.reap
		c.ended <- cmd.Wait()
	}()
	for range 2 { // that it was started, and which process it is
		if err = <-started; err != nil {
			break
		}
	}
	if err != nil {
		close(c.reap)
		read.Close()
		return nil, fmt.Errorf("run %s: %w", s.Argv[0], err)
	}
	return c, nil
}

// end ends all that the child has started and is left, and says how its first process ended, and what can't be ended.
func (c *child) end(mark string, wait time.Duration) (how string, left []int) {
	group := c.id.PID
	if c.job != 0 {
		group = 0 // its members are among what the job has taken in, and its id may be another's by now
	}
	left = endProcesses(group, c.job, mark, wait)
	if len(left) > 0 && c.job != 0 {
		signalAll([]int{c.job}, syscall.SIGKILL) // it would wait for them
	}
	close(c.reap)
	err := <-c.ended
	return c.ending(err), left
}

// ending says how the first process ended.
func (c *child) ending(err error) string {
	if c.exit != "" {
		return c.exit
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.Error()
	}
	if err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// endProcesses ends a process group, what is below a job (0: none), and every process that bears the mark: they are asked
// to, and killed when they have not after a while. It gives what is left all the same.
func endProcesses(group, job int, mark string, wait time.Duration) (left []int) {
	left = processesOf(group, job, mark)
	signalAll(left, syscall.SIGTERM)
	for end := time.Now().Add(wait); len(left) > 0 && time.Now().Before(end); left = processesOf(group, job, mark) {
		time.Sleep(endPoll)
	}
	for end := time.Now().Add(killWait); len(left) > 0 && time.Now().Before(end); left = processesOf(group, job, mark) {
		signalAll(left, syscall.SIGKILL) // each time: some may have been born since
		time.Sleep(endPoll)
	}
	return left
}

func signalAll(pids []int, signal syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal) // it may have ended by now
	}
}

// processesOf lists what lives of a process group, below a job, and of those that bear the mark, but for the job itself.
func processesOf(group, job int, mark string) []int {
	pids := marked(mark)
	if job > 0 {
		pids = append(pids, descendants(job)...)
	}
	if group > 0 {
		members, _ := proc.Group(group)
		for _, p := range members {
			pids = append(pids, p.PID)
		}
	}
	pids = slices.DeleteFunc(pids, func(pid int) bool { return pid == job })
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
