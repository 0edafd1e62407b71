package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/internal/host/ansi"
)

// screenLines is the default number of lines for a pane of another machine.
const screenLines = 50

// captureThere reads a pane of another machine through the bot. there is false if the target names no
// machine.
func (p *program) captureThere(ctx context.Context, target string, lines int) (text string, there bool, err error) {
	machine, _, named := strings.Cut(target, ":")
	var machines []control.Machine
	if !named || p.call(ctx, "machine.list", nil, &machines) != nil || !slices.ContainsFunc(machines, func(m control.Machine) bool { return m.Name == machine }) {
		return "", false, nil
	}
	if lines == 0 {
		lines = screenLines
	}
	var got control.Capture
	err = p.call(ctx, "pane.capture", control.CaptureParams{Pane: target, Lines: lines}, &got)
	return ansi.Harmless(got.Content), true, err
}

func (p *program) captureCommand() *cobra.Command {
	var lines int
	var colours bool
	c := &cobra.Command{
		Use:   "capture PANE",
		Short: "print a pane",
		Long: `Prints what a pane shows, without control sequences; --color keeps colours. It needs no running bot,
except for a pane of another machine, such as gpu1:api or gpu1:main:2.0.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines < 0 {
				return misuse("--lines takes a number of lines from 0")
			}
			if text, there, err := p.captureThere(cmd.Context(), args[0], lines); there {
				fmt.Fprint(p.out, text)
				return err
			}
			server, pane, err := p.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			look, err := server.History(cmd.Context(), pane.ID, lines)
			if err != nil {
				return err
			}
			fmt.Fprintln(p.out, look.Text(lines, colours))
			return nil
		},
	}
	c.Flags().IntVar(&lines, "lines", 0, "print the last `N` lines, also from above the screen; 0: the screen")
	c.Flags().BoolVar(&colours, "color", false, "keep colours")
	return c
}
