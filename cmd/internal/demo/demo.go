// Package demo shows the whole loop on one machine, without a Telegram account: an emulator of Telegram's Bot
// API with a chat page, a tmux server of its own with scripted agents, and the real bot.
package demo

import (
	"context"
	"fmt"
	"io"
)

// next is what somebody who has seen enough does now. The terminal's ^C stands in the row before it.
const next = `
That was the demo. To be asked on your own phone: nod setup
`

// Run shows the loop with the chat page at the address listen, until ctx ends; with auto it plays the person
// too, and fails where an answer did not land as decided.
func Run(ctx context.Context, out io.Writer, listen string, auto, topics bool) (err error) {
	scripts := shownScripts
	if auto {
		scripts = playedScripts
	}
	d, err := newDemo(listen, topics)
	if err != nil {
		return err
	}
	defer func() {
		if closing := d.close(); err == nil {
			err = closing
		}
	}()
	if err := d.start(scripts, auto); err != nil {
		return err
	}
	if auto {
		if err := d.play(ctx, out); err != nil {
			return err
		}
		fmt.Fprint(out, next)
		return nil
	}
	fmt.Fprintf(out, `Three agents are about to ask you for permission. You are the person on the phone.

  chat    %s
  panes   tmux -S %s attach
  log     %s

Ctrl-C ends everything.
`, d.address(), d.stage.Socket, d.botLog)
	select {
	case <-ctx.Done():
		fmt.Fprint(out, next)
		return nil
	case err := <-d.bot.ended:
		return d.botEnded(err)
	}
}
