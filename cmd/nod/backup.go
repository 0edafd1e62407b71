package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/internal/rpc"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "copy the database while the bot runs",
		Long: `Writes a consistent copy of the database while the bot runs, for its owner alone (mode 0600).
A file that exists is not overwritten. To go back to it, stop the bot, put the copy in the place
of nod.db in the state directory, and start the bot. It asks again about questions still on a screen.

A newer nod that changes the database first leaves a copy beside it, such as nod.db.schema3. An older
nod refuses the changed file and names that copy.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0]) // the bot has another working directory
			if err != nil {
				return fmt.Errorf("find %s: %w", args[0], err)
			}
			var result control.Backup
			err = p.call(cmd.Context(), "store.backup", control.BackupParams{File: path}, &result)
			if errors.Is(err, rpc.ErrNotRunning) {
				if s, wrong := p.settings(); wrong == nil {
					return &failure{code: exitNotUp, err: rpc.ErrNotRunning, hint: "then the database can be copied as it is: " + filepath.Join(string(s.StateDir), "nod.db")}
				}
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(p.out, "wrote %s, %d bytes\n", path, result.Bytes)
			return nil
		},
	}
}
