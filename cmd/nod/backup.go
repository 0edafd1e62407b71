package main

import (
	"context"
	"encoding/json"
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
A file that exists is not overwritten, and an agent can't make a copy. To go back to it, stop the bot,
put the copy in the place of nod.db in the state directory, and start the bot. It asks again about
questions still on a screen.

A newer nod that changes the database first leaves a copy beside it, such as nod.db.schema3. An older
nod refuses the changed file and names that copy.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("find %s: %w", args[0], err)
			}
			f, err := newFile(path, "name another file, in a folder of yours")
			if err != nil {
				return err
			}
			size, err := p.copyTo(cmd.Context(), f)
			if err = errors.Join(err, f.Close()); err != nil {
				_ = os.Remove(path)
			}
			if errors.Is(err, rpc.ErrNotRunning) {
				if s, wrong := p.settings(); wrong == nil {
					return &failure{code: exitNotUp, err: rpc.ErrNotRunning, hint: "then the database can be copied as it is: " + filepath.Join(string(s.StateDir), "nod.db")}
				}
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(p.out, "wrote %s, %d bytes\n", path, size)
			return nil
		},
	}
}

// newFile makes a file for its owner alone, which must not exist. next is the next step where it can't.
func newFile(path, next string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, &failure{code: exitFailed, err: fmt.Errorf("%s exists already and was left as it is", path), hint: next}
	case err != nil:
		return nil, &failure{code: exitFailed, err: fmt.Errorf("make the file: %w", err), hint: next}
	}
	return f, nil
}

// copyTo writes the running bot's database to f.
func (p *program) copyTo(ctx context.Context, f *os.File) (size int64, err error) {
	client, err := p.bot()
	if err != nil {
		return 0, err
	}
	defer client.Close()
	var last control.BackupPart
	err = client.Stream(ctx, "store.backup", nil, func(line json.RawMessage) error {
		last = control.BackupPart{}
		if err := json.Unmarshal(line, &last); err != nil {
			return fmt.Errorf("read the copy: %w", err)
		}
		n, err := f.Write(last.Data)
		size += int64(n)
		return err
	})
	if err == nil && (size == 0 || last.Size != size) {
		err = errors.New("the copy broke off: nod was stopped, or its disk is full (see its log)")
	}
	return size, errors.Join(err, f.Sync())
}
