// Package tmuxtest gives a test a tmux server of its own: a private socket, no configuration file,
// killed when the test ends.
//
// A test never waits a fixed time for a screen. It says with Until what must be seen, and where that
// does not come, the failure prints what was there instead.
package tmuxtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Patience is how long Until waits. It is long because two shared cores can be busy with something
// else; a test that passes never waits that long.
const Patience = time.Minute

// Server is one private tmux server.
type Server struct {
	Socket string // absolute path, for `tmux -S`

	t   testing.TB
	env []string
}

// New starts a tmux server that lives, empty or not, until the test ends. A test on a machine
// without tmux fails: nod is nothing without it.
func New(t testing.TB) *Server {
	t.Helper()
	// Not t.TempDir: with a long test name it leaves no room in the 107 bytes of a socket's path.
	dir, err := os.MkdirTemp("", "nodtmux")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Socket: filepath.Join(dir, "s"),
		t:      t,
		env: []string{
			"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "ENV=",
			"LANG=C.UTF-8", "TERM=xterm-256color", "PS1=$ ",
		},
	}
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(dir)
	})
	s.Start()
	return s
}

// Start starts the server again, after Kill. Its pane ids begin at %0 again.
func (s *Server) Start() {
	s.t.Helper()
	s.Run("start-server", ";", "set-option", "-g", "exit-empty", "off")
}

// Kill ends the server and every program in it, and returns when nobody answers at its socket.
func (s *Server) Kill() {
	s.end()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		conn, err := net.Dial("unix", s.Socket)
		switch {
		case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
			return
		case err == nil: // otherwise too many wait to be accepted
			_ = conn.Close()
		}
	}
	s.t.Errorf("the tmux server at %s does not end", s.Socket)
}

// PID is the server's process id.
func (s *Server) PID() int {
	s.t.Helper()
	pid, err := strconv.Atoi(s.Run("display-message", "-p", "#{pid}"))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// Run runs one tmux command line on the server and returns what it printed, without the last
// newline. It fails the test where tmux reports an error.
func (s *Server) Run(args ...string) string {
	s.t.Helper()
	out, err := s.try(args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *Server) try(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", s.Socket}, args...)...)
	cmd.Env = s.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

// Pane starts command, a shell command line, in a pane of w columns and h rows, alone in a detached
// session of its own, and returns the pane's id. An empty command starts a plain shell.
func (s *Server) Pane(command string, w, h int) string {
	s.t.Helper()
	args := []string{
		"new-session", "-d", "-P", "-F", "#{pane_id} #{pane_width}x#{pane_height}",
		"-x", strconv.Itoa(w), "-y", strconv.Itoa(h),
	}
	if command != "" {
		args = append(args, command)
	}
	pane, size, _ := strings.Cut(s.Run(args...), " ")
	if size != fmt.Sprintf("%dx%d", w, h) {
		// tmux 3.2a gives a session that is made detached the size of a terminal that is none. What sets the size right keeps
		// clients from changing it until it is taken back.
		s.Run("resize-window", "-t", pane, "-x", strconv.Itoa(w), "-y", strconv.Itoa(h), ";",
			"set-option", "-w", "-t", pane, "window-size", "latest")
	}
	return pane
}

// Type types keys into a pane: tmux key names, or text that tmux knows no key of.
func (s *Server) Type(pane string, keys ...string) {
	s.t.Helper()
	s.Run(append([]string{"send-keys", "-t", pane, "--"}, keys...)...)
}

// Screen is what the pane shows, as plain text, without the blank rows at its end.
func (s *Server) Screen(pane string) string {
	s.t.Helper()
	return strings.TrimRight(s.Run("capture-pane", "-p", "-t", pane), "\n")
}

// Until waits until the pane's screen satisfies seen and returns that screen. Where that does not
// happen within Patience it fails the test and prints the last screen.
func (s *Server) Until(pane string, seen func(screen string) bool) string {
	s.t.Helper()
	var screen string
	pause := 5 * time.Millisecond // longer each time: to ask is to start tmux
	for end := time.Now().Add(Patience); ; pause = min(2*pause, 100*time.Millisecond) {
		screen = s.Screen(pane)
		if seen(screen) {
			return screen
		}
		if time.Now().After(end) {
			s.t.Fatalf("pane %s never showed what the test waits for; it shows:\n%s", pane, screen)
		}
		time.Sleep(pause)
	}
}

// UntilShows waits until the pane's screen contains text.
func (s *Server) UntilShows(pane, text string) string {
	s.t.Helper()
	return s.Until(pane, func(screen string) bool { return strings.Contains(screen, text) })
}

// Attach shows a pane to a person: it attaches a real client of this server, which runs in a pane of
// outer, another server. Keys typed there with outer.Type are that person's keys. It returns the pane
// of outer.
func (s *Server) Attach(outer *Server, pane string, w, h int) string {
	s.t.Helper()
	before := s.Run("list-clients")
	client := outer.Pane(fmt.Sprintf("env -u TMUX tmux -u -S '%s' attach-session -t '%s'", s.Socket, pane), w, h)
	for end := time.Now().Add(Patience); s.Run("list-clients") == before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("no client attached; its terminal shows:\n%s", outer.Screen(client))
		}
	}
	return client
}

// Freeze stops the server's process, so that it answers nobody, and returns a func that lets it go
// on. The test's end lets it go on as well.
func (s *Server) Freeze() (thaw func()) {
	s.t.Helper()
	pid := s.PID()
	signal := func(how string) {
		if out, err := exec.Command("kill", "-"+how, strconv.Itoa(pid)).CombinedOutput(); err != nil {
			s.t.Logf("kill -%s %d: %s", how, pid, out)
		}
	}
	thawed := false
	thaw = func() {
		if !thawed {
			signal("CONT")
		}
		thawed = true
	}
	s.t.Cleanup(thaw)
	signal("STOP")
	return thaw
}
