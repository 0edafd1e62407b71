package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/internal/host/tmux"
)

func (p *program) sendCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "send PANE KEY…",
		Short: "type keys by hand",
		Long: `Types keys into a pane by hand: nod does not check what they answer. Keys have tmux's names: one
character, or Enter, Escape, Up, C-c, … PANE is an id or session:window.pane, and no other name: an agent
can rename its own session.`,
		Example:           "  nod send main:2.0 1\n  nod send %12 Escape",
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			keys := operands(args[1:])
			if err := checkKeys(keys); err != nil {
				return err
			}
			var result control.Sent
			if err := p.call(cmd.Context(), "pane.send", control.SendParams{Pane: args[0], Keys: keys}, &result); err != nil {
				return err
			}
			p.say("typed %s into %s", strings.Join(result.Typed, " "), args[0])
			return nil
		},
	}
	c.Flags().SetInterspersed(false)
	return c
}

// operands drops the -- that some people write between a pane and the text for it.
func operands(words []string) []string {
	if len(words) > 1 && words[0] == "--" {
		return words[1:]
	}
	return words
}

// checkKeys refuses an invalid key name, which tmux would type letter by letter.
func checkKeys(keys []string) error {
	for _, key := range keys {
		if !tmux.ValidKey(key) {
			return &failure{
				code: exitUsage,
				err:  fmt.Errorf("%q is no key that tmux knows: nothing was typed", key),
				hint: "keys are single characters or names such as Enter, Escape, Space, Up, BSpace, C-c; `nod tell` types text",
			}
		}
	}
	return nil
}
