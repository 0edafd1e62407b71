package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "copy the database while the bot runs",
		Long: `Writes a consistent copy of the database while the bot runs, for its owner alone (mode 0600).
A file that exists is not overwritten. To go back to it, stop the bot and put the copy in the
place of nod.db in the state directory.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0]) // the bot has another working directory
			if err != nil {
				return fmt.Errorf("find %s: %w", args[0], err)
			}
			var result backupResult
			if err := p.call(cmd.Context(), "store.backup", backupParams{File: path}, &result); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "wrote %s, %d bytes\n", path, result.Bytes)
			return nil
		},
	}
}
