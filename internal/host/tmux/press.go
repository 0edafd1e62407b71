package tmux

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Press types keys, tmux key names, into the guarded pane if the guard holds in that very moment:
// all of them, or none. nil means that tmux handed them to the pane's terminal, not that the program
// there has read them: look again.
//
// ErrStale, with ErrNoPane where the pane or its server is gone: nothing was typed. ErrUnsure: it may have
// been, or will be if a server that hung goes on before the deadline (the context's, or five seconds).
// After any other error nothing was typed.
func (s *Server) Press(ctx context.Context, g Guard, keys ...string) error {
	if len(keys) == 0 {
		return errors.New("no key was named")
	}
	typing := "send-keys -t " + g.Pane + " --"
	for _, key := range keys {
		if !ValidKey(key) {
			return fmt.Errorf("%q is no tmux key name, and tmux would type its letters; names are Enter, Escape, Up, C-c or one character", key)
		}
		typing += " " + quote(key)
	}
	if err := s.guarded(ctx, g, typing, ""); err != nil {
		return fmt.Errorf("press %s in pane %s: %w", strings.Join(keys, " "), g.Pane, err)
	}
	return nil
}

// Paste pastes text into the guarded pane if the guard holds in that very moment, in brackets where
// the program asked for them; to one that did not, each newline is an Enter. Control characters other
// than newline and tab are left out, since ESC[201~ inside the text would end the brackets. Its errors
// are those of Press.
func (s *Server) Paste(ctx context.Context, g Guard, text string) error {
	text = printable(text)
	if text == "" {
		return errors.New("there is nothing to paste")
	}
	buffer := "nod-" + rand.Text()
	if _, err := s.run(ctx, strings.NewReader(text), "load-buffer", "-b", buffer, "-"); err != nil {
		return fmt.Errorf("hand text to tmux: %w", err)
	}
	drop := "delete-buffer -b " + buffer
	// The guard's "not dead" is vital here: paste-buffer into a dead pane ends a 3.3a server.
	err := s.guarded(ctx, g, "paste-buffer -d -p -b "+buffer+" -t "+g.Pane, drop)
	if err != nil {
		return fmt.Errorf("paste into pane %s: %w", g.Pane, err)
	}
	return nil
}

// LeaveMode ends copy mode, or whatever mode covers the pane; the person who scrolled loses the place.
// The program in the pane gets nothing.
func (s *Server) LeaveMode(ctx context.Context, life Life, pane string) error {
	condition := "#{==:" + lifeAndPane + "," + fmt.Sprintf("%d %d %s", life.PID, life.Start, pane) + "}"
	if err := s.either(ctx, pane, condition, "copy-mode -q -t "+pane, ""); err != nil {
		return fmt.Errorf("leave copy mode of pane %s: %w", pane, err)
	}
	return nil
}

const lifeAndPane = "#{pid} #{start_time} #{pane_id}"

func (s *Server) guarded(ctx context.Context, g Guard, then, otherwise string) error {
	deadline := time.Now().Add(processLimit)
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(deadline) {
		deadline = sooner
	}
	err := s.either(ctx, g.Pane, g.condition(deadline), then, otherwise)
	var stopped *interrupted
	if errors.Is(err, ErrHung) || errors.Is(err, errLost) || errors.As(err, &stopped) {
		return fmt.Errorf("%w: %w", ErrUnsure, err)
	}
	return err
}

// either has the server carry out then if condition holds for the pane, else otherwise, in one step:
// if-shell -F decides, and its commands follow before the server reads anything else.
func (s *Server) either(ctx context.Context, pane, condition, then, otherwise string) error {
	if !validPane(pane) {
		return fmt.Errorf("%q is no pane id: %w", pane, ErrNoPane)
	}
	done, not := rand.Text(), rand.Text()
	then += " ; display-message -p " + done
	refused := "display-message -p -t " + pane + " " + quote(not+" "+lifeAndPane+" "+takesKeys)
	if otherwise != "" {
		refused = otherwise + " ; " + refused
	}
	r, err := s.script(ctx, strings.Join([]string{"if-shell -F -t", pane, quote(condition), quote(then), quote(refused)}, " "))
	switch {
	case err != nil:
		return err
	case strings.HasPrefix(r.out, done):
		return nil
	case strings.HasPrefix(r.out, not):
		return refusal(strings.Fields(r.out)[1:], pane)
	}
	return fmt.Errorf("%w: tmux says %q", ErrUnsure, firstLine(r.complaint))
}

// refusal says why a condition did not hold, from the pid, start time, pane id and takesKeys of the
// pane that was meant.
func refusal(now []string, pane string) error {
	if len(now) < 4 || now[2] != pane {
		return fmt.Errorf("%w: %w", ErrStale, ErrNoPane)
	}
	for i, what := range []string{"its program has ended", "it is in copy mode", "its input is turned off", "its window is synchronised"} {
		if flags := now[3]; len(flags) > i && flags[i] == '1' {
			return fmt.Errorf("%w (%s)", ErrStale, what)
		}
	}
	return ErrStale
}

// printable is text as it may be pasted.
func printable(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '�':
			return -1
		}
		return r
	}, text)
}
