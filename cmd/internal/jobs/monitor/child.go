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

// markName is an environment variable of a child, inherited by its descendants, that says whose they are. It
// finds processes that left the child's process group, and those that a killed nod left running.
const markName = "NOD_MONITOR"

const (
	// endWait is how long processes may take to end by themselves before they are killed.
	endWait = 5 * time.Second
	// stopWait is the same while nod itself stops, within the time that nod is given for that.
	stopWait = 2 * time.Second
	// killWait is how long a killed process may take to disappear.
	killWait = 5 * time.Second
	endPoll  = 50 * time.Millisecond
)

// child is a running command.
type child struct {
	id     proc.ID
	job    int // the process that adopts its orphans; 0 if this system has none
	output *os.File
	exit   string        // how the first process ended, if the job reports it
	exited chan struct{} // closed when the first process has ended; its descendants may still run
	reap   chan struct{} // closed when its group is empty, so that its id may be reused
	ended  chan error    // receives how it ended
}

func newMark() string { return rand.Text() }

// startChild runs the command of a spec in its own process group.
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
		// The kernel ends the child with the thread that started it, so that thread must live as long as nod.
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
	for range 2 { // the start, and the process's identity
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

// end ends all remaining processes of the child. It returns how the first process ended, and the processes
// that could not be ended.
func (c *child) end(mark string, wait time.Duration) (how string, left []int) {
	group := c.id.PID
	if c.job != 0 {
		group = 0 // its members are among those below the job, and its id may have been reused
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

// endProcesses ends a process group, the processes below a job (0 for none), and every process with the mark:
// it asks them to end, and kills them if they have not after wait. It returns those that are still running.
func endProcesses(group, job int, mark string, wait time.Duration) (left []int) {
	left = processesOf(group, job, mark)
	signalAll(left, syscall.SIGTERM)
	for end := time.Now().Add(wait); len(left) > 0 && time.Now().Before(end); left = processesOf(group, job, mark) {
		time.Sleep(endPoll)
	}
	for end := time.Now().Add(killWait); len(left) > 0 && time.Now().Before(end); left = processesOf(group, job, mark) {
		signalAll(left, syscall.SIGKILL) // each time: new ones may have started
		time.Sleep(endPoll)
	}
	return left
}

func signalAll(pids []int, signal syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal) // it may have ended
	}
}

// processesOf lists the living processes of a group, those below a job, and those with the mark, except the
// job itself.
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

// childEnv returns the environment of a child: the bot's own without nod's settings, which include the token,
// and without systemd's variables for the bot.
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
