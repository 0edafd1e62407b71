// Package console asks a person at a terminal, or reads answers from a pipe. Every wait ends with its
// context, so that Ctrl-C works during a question.
package console

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

	"nod/internal/host/ansi"
	"nod/internal/text/wrap"
)

// Console asks questions.
type Console struct {
	in       *bufio.Reader
	file     *os.File // the file of in; nil if it is no terminal
	out      io.Writer
	terminal bool // a person reads and types here
	yes      bool // answer every question that has a default with yes
}

// New makes a console. With yes, every question to which Enter means yes is answered so.
func New(in io.Reader, out io.Writer, yes bool) *Console {
	c := &Console{in: bufio.NewReader(in), out: out, yes: yes}
	from, okIn := in.(*os.File)
	to, okOut := out.(*os.File)
	if okIn && okOut && term.IsTerminal(int(from.Fd())) && term.IsTerminal(int(to.Fd())) {
		c.file, c.terminal = from, true
	}
	return c
}

// Say prints a line. On a terminal, a long line continues below, indented past its mark.
func (c *Console) Say(format string, args ...any) {
	text := ansi.Harmless(fmt.Sprintf(format, args...))
	body := strings.TrimLeft(text, " ")
	indent := len(text) - len(body)
	for _, mark := range []string{"✓ ", "! ", "✗ "} {
		if strings.HasPrefix(body, mark) {
			fmt.Fprintln(c.out, text[:indent]+mark+wrap.Text(body[len(mark):], indent+2, c.Columns()))
			return
		}
	}
	fmt.Fprintln(c.out, text[:indent]+wrap.Text(body, indent, c.Columns()))
}

// Columns returns the number of columns of the terminal; 0 if there is none.
func (c *Console) Columns() int {
	if !c.terminal {
		return 0
	}
	width, _, err := term.GetSize(int(c.file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// ErrClosed says that the input has ended: Ctrl-D.
var ErrClosed = errors.New("cancelled")

// line reads a line, or gives up when ctx ends. After that nobody may read any more.
func (c *Console) line(ctx context.Context) (string, error) {
	return Read(ctx, func() (string, error) {
		text, err := c.in.ReadString('\n')
		if err != nil && text == "" {
			return "", ErrClosed
		}
		return strings.TrimSpace(text), nil
	})
}

// Secret reads a line without showing it.
func (c *Console) Secret(ctx context.Context, question string) (string, error) {
	fd := int(c.file.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("hide what is typed: %w", err)
	}
	// If Ctrl-C ends the wait, the read goes on until the program ends, and would leave the terminal without
	// echo.
	defer term.Restore(fd, state)
	fmt.Fprint(c.out, question)
	defer fmt.Fprintln(c.out)
	return Read(ctx, func() (string, error) {
		text, err := term.ReadPassword(fd)
		if err != nil {
			return "", ErrClosed
		}
		return strings.TrimSpace(string(text)), nil
	})
}

// Read runs read in the background, because the end of ctx does not interrupt a read from a terminal or a
// pipe.
func Read[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		text T
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
		return *new(T), ctx.Err()
	}
}

// Terminal reports whether a person reads and types here.
func (c *Console) Terminal() bool { return c.terminal }

// Ask asks for a line. On a terminal, a long question is broken between words.
func (c *Console) Ask(ctx context.Context, question string) (string, error) {
	if columns := c.Columns(); columns > 0 && !strings.Contains(question, "\n") {
		question = wrap.Text(question, 0, columns-1) + " "
	}
	fmt.Fprint(c.out, question)
	text, err := c.line(ctx)
	if err != nil {
		fmt.Fprintln(c.out)
	}
	return text, err
}

// Confirm asks a question to which Enter means yes.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	if c.yes {
		c.Say("%s yes", question)
		return true, nil
	}
	return c.choose(ctx, question+" [Y/n] ", true)
}

// Insist asks a question to which only a typed yes means yes, even on a console with yes.
func (c *Console) Insist(ctx context.Context, question string) (bool, error) {
	return c.choose(ctx, question+" [y/N] ", false)
}

func (c *Console) choose(ctx context.Context, question string, otherwise bool) (bool, error) {
	for {
		text, err := c.Ask(ctx, question)
		if err != nil {
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
		c.Say("Please type y or n.")
	}
}

// Wait calls done repeatedly, with pause between the calls, until it returns true or an error, and shows the
// elapsed time. It waits at most limit.
func (c *Console) Wait(ctx context.Context, what string, limit, pause time.Duration, done func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	if !c.terminal {
		c.Say("%s", what)
	}
	defer c.Wipe()
	for {
		c.Progress(what, time.Since(began))
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

// Progress prints a line that the next one replaces, with the time since it began; 0: it names none, for no next line would count it.
func (c *Console) Progress(what string, since time.Duration) {
	if since > 0 {
		what += fmt.Sprintf(" %ds", int(since.Seconds()))
	}
	if c.terminal {
		fmt.Fprint(c.out, "\r\x1b[K"+what)
	}
}

// Wipe removes the line of Progress.
func (c *Console) Wipe() {
	if c.terminal {
		fmt.Fprint(c.out, "\r\x1b[K")
	}
}
