package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// processLimit is how long one tmux process may take. A healthy server answers in milliseconds; a
// machine that swaps takes seconds.
const processLimit = 5 * time.Second

// reply is what a tmux process printed. A complaint is what tmux said about single commands of a
// script, all others of which were carried out.
type reply struct {
	out       string
	complaint string
}

// script has the server carry out one tmux command a line. An error means that the server could not
// be asked or did not finish; the reply says whether a single command failed.
func (s *Server) script(ctx context.Context, lines ...string) (reply, error) {
	return s.run(ctx, strings.NewReader(strings.Join(lines, "\n")+"\n"), "source-file", "-")
}

// commands has the server carry out commands that are arguments. Each is carried out only if the one before did not fail.
func (s *Server) commands(ctx context.Context, commands ...[]string) (reply, error) {
	args := slices.Concat(commands[0])
	for _, command := range commands[1:] {
		args = slices.Concat(args, []string{";"}, command)
	}
	return s.run(ctx, nil, args...)
}

// run starts one tmux process with stdin and waits for it.
func (s *Server) run(ctx context.Context, stdin io.Reader, args ...string) (reply, error) {
	limited, cancel := context.WithTimeout(ctx, processLimit)
	defer cancel()

	cmd := exec.CommandContext(limited, "tmux", append([]string{"-N", "-u", "-S", s.socket}, args...)...)
	cmd.Env = environment()
	cmd.Stdin = stdin
	var stdout, stderr bytes.Buffer
	stdout.Grow(int(s.prints.Load()))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A client gives its standard input and output to the server, so that they stay open when a client of
	// a hung server is killed.
	cmd.WaitDelay = time.Second

	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return reply{}, ErrNoProgram
		}
		return reply{}, fmt.Errorf("start tmux: %w", err)
	}
	err := cmd.Wait()
	s.prints.Store(int64(stdout.Len()))
	r := reply{out: stdout.String(), complaint: strings.TrimSpace(stderr.String())}
	if errors.Is(ctx.Err(), context.Canceled) {
		return reply{}, &interrupted{ctx.Err()}
	}
	if limited.Err() != nil {
		return reply{}, fmt.Errorf("tmux server %s: %w", s.socket, ErrHung)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return reply{}, &interrupted{fmt.Errorf("run tmux: %w", err)}
	}
	if cause := fault(r.complaint); cause != nil {
		return reply{}, fmt.Errorf("tmux server %s: %w", s.socket, cause)
	}
	return r, nil
}

// interrupted is a failure on our own side after the command went out.
type interrupted struct{ cause error }

func (e *interrupted) Error() string { return e.cause.Error() }
func (e *interrupted) Unwrap() error { return e.cause }

// fault is the error that a tmux client's complaint means if it is about the server itself; nil: it is about
// single commands. The texts are those of tmux 3.3a, whose client is not localised.
func fault(complaint string) error {
	switch {
	case strings.HasPrefix(complaint, "error connecting to "):
		if strings.HasSuffix(complaint, "(Permission denied)") || strings.HasSuffix(complaint, "(Operation not permitted)") {
			return ErrDenied
		}
		return ErrNoServer
	case strings.HasPrefix(complaint, "no server running on "):
		return ErrNoServer
	// Exit code 0 in 3.3a, and nothing on standard output.
	case strings.HasPrefix(complaint, "access not allowed"):
		return ErrDenied
	case strings.HasPrefix(complaint, "server exited"), strings.HasPrefix(complaint, "lost server"):
		return fmt.Errorf("%w: %w", errLost, ErrNoServer)
	case strings.HasPrefix(complaint, "protocol version mismatch"),
		strings.Contains(complaint, "too old"),
		strings.Contains(complaint, "usage: tmux"):
		return fmt.Errorf("%w (tmux says: %s)", ErrProtocol, firstLine(complaint))
	}
	return nil
}

// environment is the part of this program's environment that a tmux process gets: nothing that leads tmux
// to another server, and no secret.
func environment() []string {
	env := []string{"LANG=C.UTF-8"}
	for _, name := range []string{"PATH", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
