package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
			if err := writeEmpty(path); err != nil {
				return err
			}
			var result control.Backup
			err = p.call(cmd.Context(), "store.backup", control.BackupParams{File: path}, &result)
			if err != nil {
				_ = os.Remove(path) // it is empty
			}
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

// writeEmpty makes the file for the copy.
func writeEmpty(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &failure{code: exitFailed, err: fmt.Errorf("%s exists already and was left as it is", path), hint: "name another file"}
	case err != nil:
		return &failure{code: exitFailed, err: fmt.Errorf("write the copy: %w", err), hint: "name a file in a folder of yours that exists"}
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}
