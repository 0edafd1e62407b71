// Package proctest gives a test a person's terminal: an orphan process runs a command in it, like a window of
// a desktop. The command belongs to no agent, even if an agent runs the test.
package proctest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// The window's environment variables, which it removes from its command's environment.
const (
	inside = "WINDOW_INSIDE" // set once the window has left its parents
	// Done names the file that gets the exit code of the command.
	Done = "WINDOW_DONE"
	// Keys names a FIFO. Text written to it is typed in the window, which closes when the last writer closes
	// it, and the command draws there. Without Keys the command has the window as its controlling terminal
	// and keeps the standard files.
	Keys = "WINDOW_KEYS"
)

// patience is how long a command may take to end after its last output.
const patience = 15 * time.Second

// Window is the program `window COMMAND ARG…`, for the programs of a test. It returns at once; the command goes on.
func Window() { begin(show) }

// Alone is the program `alone COMMAND ARG…`: like Window, but the command has no terminal, as under cron.
func Alone() { begin(runAlone) }

func begin(run func([]string) error) {
	if os.Getenv(inside) == "" {
		run = leave
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "window:", err)
		os.Exit(1)
	}
}

// leave restarts the window in a session of its own, as a child of the first process.
func leave(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{
		Path: self, Args: append([]string{os.Args[0]}, args...), Env: append(os.Environ(), inside+"=1"),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	return cmd.Start()
}

// show runs the command in a terminal that this process makes.
func show(args []string) error {
	done, keys := takeEnv()
	screen, terminal, err := pty.Open()
	if err != nil {
		return err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{terminal}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if keys != "" {
		typed, err := os.Open(keys) // blocks until somebody opens it to type
		if err != nil {
			return err
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
		go func() {
			_, _ = io.Copy(screen, typed)
			os.Exit(0) // the window closes, which hangs up
		}()
	}
	if err := pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		return err
	}
	go func() { _, _ = io.Copy(io.Discard, screen) }()
	return runTo(done, cmd)
}

// runAlone runs the command in this process's own session, which has no terminal.
func runAlone(args []string) error {
	done, _ := takeEnv()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return runTo(done, cmd)
}

// takeEnv reads the window's variables and removes them from the environment that the command inherits.
func takeEnv() (done, keys string) {
	done, keys = os.Getenv(Done), os.Getenv(Keys)
	for _, name := range []string{inside, Done, Keys} {
		os.Unsetenv(name)
	}
	return done, keys
}

// runTo runs a command and writes its exit code to the file done, if that is not empty.
func runTo(done string, cmd *exec.Cmd) error {
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err
	}
	if done == "" {
		return nil
	}
	return os.WriteFile(done, []byte(strconv.Itoa(code)), 0o600)
}

// Open runs a command in a window and returns the file to which the person's keys are written. It is for
// tests whose programs include Window.
func Open(t testing.TB, command ...string) (keys *os.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("window", command...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + t.TempDir(), Keys + "=" + path}
	if err := cmd.Run(); err != nil {
		t.Fatalf("open a window: %v", err)
	}
	keys, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	return keys
}

// Code reads the exit code that a window has written. Call it after the command's output was read to its end.
func Code(done string) (int, error) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(done)
		if err == nil && len(text) > 0 {
			return strconv.Atoi(string(text))
		}
		if time.Now().After(end) {
			return 0, fmt.Errorf("the command in the window has not ended: %w", err)
		}
	}
}
