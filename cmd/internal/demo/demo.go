// Package demo shows the whole loop on one machine, without a Telegram account: an emulated Bot API with a
// chat page, a private tmux server with scripted agents, and the real bot.
package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"nod/internal/actor"
)

// opening is printed above the addresses.
const opening = `Three agents are about to ask you for permission. You are the person on the
phone.
`

// next returns the next step for a person who has seen enough. The terminal's ^C is in the row before it.
func next() string {
	how := "To be asked on your own phone: nod setup"
	if _, err := exec.LookPath("nod"); err != nil {
		how = "To be asked on your own phone, install nod as README.md\nsays (in a checkout: deploy/install.sh), then: nod setup"
	}
	return "\nThat was the demo. " + how + "\n"
}

// over is printed when every question has its answer.
const over = `
Every question has its answer: that was the demo. Ctrl-C ends it.
`

// Options of a demo.
type Options struct {
	Listen   string // the address of the chat page
	Auto     bool   // play the person too
	Topics   bool   // each agent gets a topic
	Machines bool   // one agent runs on a second machine
}

// Run runs the demo until ctx ends. With Auto it fails if an answer does not have the expected result.
func Run(ctx context.Context, out io.Writer, o Options) (err error) {
	scripts := shownScripts
	if o.Auto {
		scripts = playedScripts
	}
	d, err := newDemo(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		if closing := d.close(); err == nil {
			err = closing
		}
	}()
	played := scripts(d)
	if err := d.start(played); err != nil {
		return err
	}
	if o.Auto {
		if err := d.play(ctx, out); err != nil {
			return err
		}
		fmt.Fprint(out, next())
		return nil
	}
	if err := d.takesCommands(ctx); err != nil {
		return err
	}
	self, err := os.Executable() // people who build nod to try it have not installed it
	if err != nil {
		return fmt.Errorf("find nod's own program: %w", err)
	}
	fmt.Fprintf(out, opening+`
  chat    %s
  panes   tmux -S %s attach
  log     %s

In another terminal, after: export NOD_SOCKET=%s

  inbox   %s inbox
  page    %[5]s web --open

Ctrl-C ends everything.
`, d.address(), d.stage.Socket, d.botLog, d.socket(), self)
	if d.far != nil {
		fmt.Fprintf(out, "\nOpenCode asks on a second machine, which is called %s:\n\n  panes   tmux -S %s attach\n", farName, d.far.Socket)
	}
	return d.wait(ctx, out, played)
}

// wait waits until ctx ends, and prints once that all questions are answered.
func (d *demo) wait(ctx context.Context, out io.Writer, played []actor.Script) error {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			fmt.Fprint(out, next())
			return nil
		case err := <-d.bot.ended:
			return d.botEnded(err)
		case <-look.C:
			if answered(played) {
				fmt.Fprint(out, over)
				look.Stop()
			}
		}
	}
}

// answered reports whether the last question of each agent has an answer.
func answered(played []actor.Script) bool {
	return !slices.ContainsFunc(played, func(s actor.Script) bool {
		last := s.Steps[len(s.Steps)-1].Command
		log, err := actor.ReadLog(s.Log)
		return err != nil || !slices.ContainsFunc(log, func(e actor.Event) bool {
			return e.Command == last && (e.Kind == "ran" || e.Kind == "denied")
		})
	})
}
