package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nod/deliver"
)

func (p *program) tellCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "tell PANE TEXT…",
		Short: "give an idle agent its next instruction",
		Long: `Gives an idle agent its next instruction. The text goes only to a pane whose agent is idle with
an empty input box, or asks for words; never into a permission prompt and never into a shell.
Words are joined by blanks.`,
		Example:           "  nod tell main:2.0 run the tests",
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			var result outcomeResult
			text := strings.Join(operands(args[1:]), " ")
			if err := p.call(cmd.Context(), "pane.tell", tellParams{Pane: args[0], Text: text}, &result); err != nil {
				return err
			}
			sentence := result.Outcome
			if result.Detail != "" {
				sentence = oneLine(result.Detail)
			}
			if result.Outcome != string(deliver.Delivered) {
				return errors.New(sentence)
			}
			fmt.Fprintln(p.out, sentence)
			return nil
		},
	}
	// Words that begin with a dash belong to the text.
	c.Flags().SetInterspersed(false)
	return c
}
