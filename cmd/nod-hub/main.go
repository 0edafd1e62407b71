// Command nod-hub speaks NATS for nod, so that nod itself contains no NATS code. It is a hub's server with
// its members, or an edge's connection to its hub. nod starts it and talks to it over standard input and
// output; it ends when those are closed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/pipe"
)

// The linker sets release, as nod's (deploy/stamp). commit and date exist because one set of flags serves
// both programs.
var release, commit, date string

const usage = `nod-hub connects several machines for nod. nod starts it by itself: where NOD_HUB or NOD_NATS is set, on a machine that
was joined with ` + "`nod join`" + `, and while that joins. It has to lie in nod's own folder, or in PATH.
`

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println("nod-hub", release, commit, date)
		return
	}
	if len(os.Args) != 2 || os.Args[1] != "--stdio" {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	// nod ends this program by closing its input. A Ctrl-C at the terminal is meant for nod.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "nod-hub:", err)
		os.Exit(1)
	}
}

// talk is this program's end of the pipe to nod.
type talk struct{ *pipe.Pipe }

// run does the work that the first message requests, until in ends.
func run(ctx context.Context, in io.Reader, out io.Writer) error {
	t := talk{pipe.New(in, out)}
	first, err := t.control()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	switch {
	case first.Serve != nil:
		err = serve(ctx, t, *first.Serve)
	case first.Dial != nil:
		err = dial(ctx, t, first.Dial.Joined)
	case first.Ask != nil:
		err = ask(ctx, t, *first.Ask)
	default:
		err = errors.New("the first message says nothing that is to be done: is nod of another release?")
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// control reads the next control message and skips frames.
func (t talk) control() (c carrier.Control, err error) {
	for {
		m, err := t.Read()
		if err != nil {
			return c, err
		}
		if m.Control != nil {
			return c, json.Unmarshal(m.Control, &c)
		}
	}
}

// say sends a control message. If nod is gone, the next read returns an error.
func (t talk) say(c carrier.Control) {
	text, err := json.Marshal(c)
	if err == nil {
		err = t.Write(pipe.Message{Control: text})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nod-hub: nod was not told:", err)
	}
}

// trouble reports a problem of a part of the program; an empty sentence reports that it is over.
func (t talk) trouble(of, says string) {
	t.say(carrier.Control{Trouble: &carrier.Trouble{Of: of, Says: says}})
}
