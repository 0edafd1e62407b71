package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// watchEvery is the interval at which a watched status is read. A read costs the bot less than a poll of
// tmux.
const watchEvery = 2 * time.Second

// Escape sequences for the alternate screen without a cursor, and back. Each frame is written in one piece
// over the one before, so that nothing flickers.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	topLeft     = "\x1b[H"
	clearRow    = "\x1b[K"
	clearBelow  = "\x1b[J"
)

// watchStatus shows the status until ctx ends, even while nod is not running.
func (p *program) watchStatus(ctx context.Context) error {
	terminal, ok := p.out.(*os.File)
	if !ok || !isTerminal(p.out) {
		return misuse("--watch takes a terminal: use `nod status`, or `nod log --follow` for a script")
	}
	if _, err := p.settings(); err != nil {
		return err
	}
	fmt.Fprint(p.out, enterScreen)
	defer fmt.Fprint(p.out, leaveScreen)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		columns, rows, err := term.GetSize(int(terminal.Fd()))
		if err != nil {
			return fmt.Errorf("ask the terminal's size: %w", err)
		}
		text := frame{columns: columns, colours: colour(p.out)}
		p.writeFrame(ctx, &text)
		lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
		lines = lines[:min(len(lines), rows)]
		fmt.Fprint(p.out, topLeft+clearRow+strings.Join(lines, "\r\n"+clearRow)+clearBelow)
		select {
		case <-ctx.Done():
			return nil // watching ends by Ctrl-C
		case <-tick.C:
		}
	}
}

// writeFrame writes the current status. An error is a row of it.
func (p *program) writeFrame(ctx context.Context, text *frame) {
	inner := *p
	inner.out, inner.err = text, text
	if s, err := inner.readStatus(ctx); err == nil {
		inner.printStatus(s, time.Now())
	} else if ctx.Err() == nil {
		inner.report(inner.root(), err)
	}
}

// frame collects the output for a terminal.
type frame struct {
	bytes.Buffer
	columns int
	colours bool
}
