package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console/record"
)

func (p *program) recordCommand() *cobra.Command {
	var file, agent, name string
	c := &cobra.Command{
		Use:   "record PANE",
		Short: "write a screen as a test case or bug report",
		Long: `Writes a pane's screen, with colours and masked secrets, to a file for a test case or a bug report, and
prints how nod reads it. Read the file before you send it: a secret without a typical shape is not
masked. It needs no running bot.

It also writes a label in JSON that describes the screen: its state, part of the question, each answer
and what it grants, and the keys that approve and deny. The label has nod's reading: correct it if nod
is wrong. In a checkout of nod, make capture FILE=... then makes a test of both.`,
		Example:           "  nod record main:2.0 --name 2.1.330-bash",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := p.look(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			recorded := record.Of(look, agent, name)
			if file == "-" {
				fmt.Fprint(p.out, recorded.Screen)
				return nil
			}
			file = cmp.Or(file, recorded.Name+".ansi")
			label := strings.TrimSuffix(file, ".ansi") + ".json"
			if err := writeNew(file, recorded.Screen); err != nil {
				return err
			}
			if err := writeNew(label, recorded.Label); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "wrote %s; nod reads it as\n\n", file)
			printCheck(p.out, recorded.Check)
			fmt.Fprintf(p.out, "\nwrote %s, which says so; correct it where nod is wrong\n", label)
			return nil
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "write to `FILE`, - for standard output; else named by agent, state and size")
	c.Flags().StringVar(&agent, "agent", "", "the agent's `NAME`, where nod does not find it")
	c.Flags().StringVar(&name, "name", "", "the `NAME` of the test: the agent's version and what it asks for, as in 2.1.330-bash")
	return c
}

// writeNew writes a file with mode 0600, whole or not at all. It does not overwrite an existing file.
func writeNew(path, text string) error {
	f, err := newFile(path, "name a file with -o, in a folder of yours")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}
