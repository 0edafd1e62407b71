package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"nod/cmd/internal/control"
	"nod/cmd/internal/demo"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/nudge"
)

// Time limits for the parts of the test question.
const (
	startTime  = 20 * time.Second
	tellTime   = 30 * time.Second
	answerTime = 5 * time.Minute
	closeTime  = 20 * time.Second
)

// try proves the whole way: a scripted agent asks in its own tmux server, the running nod sends the question,
// and types the answer. Without a terminal nobody can answer, so it does nothing.
func (s *setup) try(ctx context.Context) (err error) {
	if !s.Terminal() || s.Desk {
		return nil
	}
	s.Say("")
	if err := tmux.Usable(ctx); err != nil {
		s.Say("! no test question: %s. After that, `nod setup` asks it.", err)
		return nil
	}
	s.Say("The proof: a scripted agent asks you something, in a tmux server of its own. Answer it on your phone.")
	yes, err := s.Confirm(ctx, "Send the test question?")
	if err != nil || !yes {
		return err
	}
	if !s.nodRuns(ctx) {
		bot, err := s.startNod(ctx)
		if err != nil {
			return err
		}
		defer bot.stop()
	}
	question, err := demo.Ask(s.Program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, question.Close()) }()
	return s.follow(ctx, question)
}

// follow makes nod watch the question, and prints the progress.
func (s *setup) follow(ctx context.Context, question *demo.Question) error {
	client := rpc.Dial(string(s.now.Socket))
	defer client.Close()
	if err := client.Call(ctx, "server.try", control.TryParams{Socket: question.Socket}, nil); err != nil {
		return fmt.Errorf("have the running nod watch the test question: %w", err)
	}
	told, err := s.Wait(ctx, "The agent asks; nod tells you…", tellTime, 200*time.Millisecond, func(ctx context.Context) (bool, error) {
		var open []control.Nudge
		if err := client.Call(ctx, "nudge.list", nil, &open); err != nil {
			return false, ctx.Err() // it is called again
		}
		return slices.ContainsFunc(open, func(n control.Nudge) bool { return n.Server == question.Socket && n.Reminder > 0 }), nil
	})
	if err != nil {
		return err
	}
	if !told {
		return s.untold(ctx, client)
	}
	s.Say("✓ nod has sent it to your phone: %s", question.Command)
	var state string
	_, err = s.Wait(ctx, "Tap ✅ Approve there, or reply y or n…", answerTime, 200*time.Millisecond, func(context.Context) (bool, error) {
		state, err = question.State()
		return state == demo.Approved || state == demo.Denied, err
	})
	if err != nil {
		return err
	}
	if state == demo.Approved || state == demo.Denied {
		if err := s.closed(ctx, client, question); err != nil {
			return err
		}
	}
	switch state {
	case demo.Approved:
		s.Say("✓ your yes was typed into the pane, and the command ran: the whole way works")
		return nil
	case demo.Denied:
		s.Say("✓ your no was typed into the pane, and the command did not run: the whole way works")
		return nil
	}
	return errors.New("no answer came within five minutes: nod is set up; `nod doctor` looks for what is wrong, `nod setup` sends it again")
}

// closed waits until nod has seen that the answer arrived, and has updated the chat and removed its buttons.
// If nod and the question ended before that, the next nod would report both as an accident.
func (s *setup) closed(ctx context.Context, client *rpc.Client, question *demo.Question) error {
	done, err := s.Wait(ctx, "nod looks whether the answer landed, and closes the question…", closeTime, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		var all []control.Nudge
		if err := client.Call(ctx, "nudge.list", control.ListParams{All: true}, &all); err != nil {
			return false, ctx.Err() // it is called again
		}
		return !slices.ContainsFunc(all, func(n control.Nudge) bool {
			return n.Server == question.Socket && (n.Open > 0 || !nudge.State(n.State).Over())
		}), nil
	})
	if err == nil && !done {
		s.Say("! the question is still open in the chat; the nod that runs next closes it")
	}
	return err
}

// untold says why no message was sent, according to the running nod.
func (s *setup) untold(ctx context.Context, client *rpc.Client) error {
	var health control.Health
	if err := client.Call(ctx, "health", nil, &health); err == nil && len(health.Problems) > 0 {
		return fmt.Errorf("nod could not send the test question: %s", strings.Join(health.Problems, "; "))
	}
	return errors.New("nod did not send the test question within half a minute: `nod doctor` looks for what is wrong")
}

// trialNod is a nod that runs only during the test question.
type trialNod struct {
	cmd   *exec.Cmd
	ended chan error
	log   string
}

// startNod runs nod with the settings that were written.
func (s *setup) startNod(ctx context.Context) (*trialNod, error) {
	dir, err := os.MkdirTemp("", "nod-setup-")
	if err != nil {
		return nil, fmt.Errorf("start nod: %w", err)
	}
	n := &trialNod{log: filepath.Join(dir, "log"), ended: make(chan error, 1)}
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start nod: %w", err)
	}
	defer log.Close()
	n.cmd = exec.Command(s.Program, "run")
	n.cmd.Stdout, n.cmd.Stderr = log, log
	n.cmd.Env = s.environment()
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is for setup, which then ends the trial nod
	if err := n.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start nod: %w", err), os.RemoveAll(dir))
	}
	go func() { n.ended <- n.cmd.Wait() }()
	up, err := s.Wait(ctx, "Starting nod…", startTime, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		select {
		case err := <-n.ended:
			n.ended <- err
			return false, fmt.Errorf("nod does not start; it says:\n%s", n.said())
		default:
			return s.nodRuns(ctx), nil
		}
	})
	if err == nil && !up {
		err = fmt.Errorf("nod did not start within %s; it says:\n%s", startTime, n.said())
	}
	if err != nil {
		n.stop()
		return nil, err
	}
	return n, nil
}

// environment returns this process's environment with the variables that nod took out of it, except the
// token, which is in the settings file.
func (s *setup) environment() []string {
	env := os.Environ()
	for name, value := range s.Env {
		if name != "NOD_TELEGRAM_TOKEN" && strings.HasPrefix(name, "NOD_") {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// said returns the end of the trial nod's log.
func (n *trialNod) said() string {
	data, _ := os.ReadFile(n.log) // without a log there are no lines
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// stop ends the trial nod and removes its log.
func (n *trialNod) stop() {
	_ = n.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-n.ended:
	case <-time.After(5 * time.Second):
		_ = n.cmd.Process.Kill()
		<-n.ended
	}
	_ = os.RemoveAll(filepath.Dir(n.log))
}
