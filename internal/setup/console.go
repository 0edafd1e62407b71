package setup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"nod/internal/ansi"
	"nod/internal/wrap"
)

// console is where a person is asked.
type console struct {
	in       *bufio.Reader
	file     *os.File // what in reads; nil: no terminal
	out      io.Writer
	terminal bool // a person reads and types here
	yes      bool // every question that has a default is answered with yes
}

func newConsole(in io.Reader, out io.Writer, yes bool) *console {
	c := &console{in: bufio.NewReader(in), out: out, yes: yes}
	from, okIn := in.(*os.File)
	to, okOut := out.(*os.File)
	if okIn && okOut && term.IsTerminal(int(from.Fd())) && term.IsTerminal(int(to.Fd())) {
		c.file, c.terminal = from, true
	}
	return c
}

// say prints a line. On a terminal a long one goes on below, behind its mark.
func (c *console) say(format string, args ...any) {
	text := ansi.Harmless(fmt.Sprintf(format, args...))
	body := strings.TrimLeft(text, " ")
	indent := len(text) - len(body)
	for _, mark := range []string{"✓ ", "! ", "✗ "} {
		if strings.HasPrefix(body, mark) {
			fmt.Fprintln(c.out, text[:indent]+mark+wrap.Text(body[len(mark):], indent+2, c.columns()))
			return
		}
	}
	fmt.Fprintln(c.out, text[:indent]+wrap.Text(body, indent, c.columns()))
}

// columns is how many columns the terminal has; 0 where there is none.
func (c *console) columns() int {
	if !c.terminal {
		return 0
	}
	width, _, err := term.GetSize(int(c.file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// errClosed says that nobody types any more: Ctrl-D.
var errClosed = errors.New("the input has ended")

// line reads a line, or gives up when ctx ends: then nobody reads any more.
func (c *console) line(ctx context.Context) (string, error) {
	return await(ctx, func() (string, error) {
		text, err := c.in.ReadString('\n')
		if err != nil && text == "" {
			return "", errClosed
		}
		return strings.TrimSpace(text), nil
	})
}

// secret reads a line without showing it.
func (c *console) secret(ctx context.Context, question string) (string, error) {
	fd := int(c.file.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("hide what is typed: %w", err)
	}
	// Where Ctrl-C ends the wait, the read goes on until the program has ended, and would leave the terminal mute.
	defer term.Restore(fd, state)
	fmt.Fprint(c.out, question)
	defer fmt.Fprintln(c.out)
	return await(ctx, func() (string, error) {
		text, err := term.ReadPassword(fd)
		if err != nil {
			return "", errClosed
		}
		return strings.TrimSpace(string(text)), nil
	})
}

// await reads in the background, since nothing else ends the read of a terminal.
func await(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := read()
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// confirm asks a question to which Enter means yes.
func (c *console) confirm(ctx context.Context, question string) (bool, error) {
	if c.yes {
		c.say("%s yes", question)
		return true, nil
	}
	return c.ask(ctx, question+" [Y/n] ", true)
}

// insist asks a question to which only a typed yes means yes, whatever was said in advance.
func (c *console) insist(ctx context.Context, question string) (bool, error) {
	return c.ask(ctx, question+" [y/N] ", false)
}

func (c *console) ask(ctx context.Context, question string, otherwise bool) (bool, error) {
	for {
		fmt.Fprint(c.out, question)
		text, err := c.line(ctx)
		if err != nil {
			fmt.Fprintln(c.out)
			return false, err
		}
		switch strings.ToLower(text) {
		case "":
			return otherwise, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		c.say("Please type y or n.")
	}
}

// wait calls done again and again, with a pause between, until it is true or fails, and shows how long that takes.
func (c *console) wait(ctx context.Context, what string, limit, pause time.Duration, done func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	if !c.terminal {
		c.say("%s", what)
	}
	defer c.wipe()
	for {
		c.progress(what, time.Since(began))
		if yes, err := done(ctx); err != nil || yes {
			return yes, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return false, nil
			}
			return false, ctx.Err()
		}
	}
}

// progress shows a line that the next one replaces.
func (c *console) progress(what string, since time.Duration) {
	if c.terminal {
		fmt.Fprintf(c.out, "\r\x1b[K%s %ds", what, int(since.Seconds()))
	}
}

func (c *console) wipe() {
	if c.terminal {
		fmt.Fprint(c.out, "\r\x1b[K")
	}
}
