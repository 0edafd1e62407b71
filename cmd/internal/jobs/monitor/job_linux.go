package monitor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"nod/internal/host/proc"
)

// JobCommand is the nod command that is the parent of one monitor's processes.
const JobCommand = "monitor-job"

// jobNews is the descriptor for the job's reports: the pid of the command, and how it ended.
const jobNews = 3

// commandOf returns the command for a monitor's program. It runs below a job process that adopts orphans, so
// that every process that the program ever starts is known by its parents, whatever it does to its session
// and environment.
func commandOf(path string, argv []string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find nod itself: %w", err)
	}
	return &exec.Cmd{Path: self, Args: append([]string{os.Args[0], JobCommand, path}, argv...)}, nil
}

// Job runs the program at path and adopts the orphans below it, until no process is left. If nod ends, it
// ends all of them.
func Job(path string, argv []string) error {
	news := os.NewFile(jobNews, "news")
	unix.CloseOnExec(jobNews)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	nodEnded := make(chan os.Signal, 1)
	signal.Notify(nodEnded, syscall.SIGTERM, syscall.SIGINT)
	command := &exec.Cmd{Path: path, Args: argv, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	if err := command.Start(); err != nil {
		return fmt.Errorf("run %s: %w", path, err)
	}
	fmt.Fprintln(news, command.Process.Pid)
	go func() {
		<-nodEnded
		for wait := time.Millisecond; ; wait = min(2*wait, time.Second) { // what runs as another user, or waits for a dead disk, can't be ended
			signalAll(descendants(os.Getpid()), syscall.SIGKILL) // each time: new ones may have started
			time.Sleep(wait)
		}
	}()
	reapAll(command.Process.Pid, news)
	return nil
}

// reapAll reaps every child, reports how the first one ended, and returns when none is left.
func reapAll(first int, news io.WriteCloser) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return // there are no children
		case pid == first:
			fmt.Fprintln(news, exitOf(status))
			_ = news.Close() // the reader may have ended
		}
	}
}

// exitOf says how a process ended, as os.ProcessState does.
func exitOf(status unix.WaitStatus) string {
	if status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}

// descendants returns the children of a process, including adopted ones, and their descendants.
func descendants(root int) (pids []int) {
	all, err := proc.All()
	if err != nil {
		return nil
	}
	for pid := range all {
		for p, seen := all[pid], 0; p.Parent > 0 && seen < len(all); p, seen = all[p.Parent], seen+1 {
			if p.Parent == root {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}
