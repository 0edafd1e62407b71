package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"nod/cmd/internal/control/caller"
	"nod/deliver"
	"nod/internal/rpc"
)

// BackupPart is one value of store.backup, which streams a copy of the database.
type BackupPart struct {
	Data []byte `json:"data,omitempty"` // the next bytes of the copy
	Size int64  `json:"size,omitempty"` // the length of the whole copy; in the last value only
}

// backupPart is the length of a BackupPart's data, backupTime how long its caller may take to read the copy.
const (
	backupPart = 64 << 10
	backupTime = time.Minute
)

// backup streams the copy to its caller, who writes it: nod opens no file that a caller names, because a sandboxed agent may reach the
// socket but not that file. For the same reason neither an agent nor who may be one gets a copy: it has what the socket shows nobody. The copy is first written whole,
// since a caller that reads slowly would hold up all changes of the database.
func (c *Control) backup(ctx context.Context, _ none) (rpc.Stream, error) {
	if place := c.caller(ctx); place.Kind != caller.Human && !place.Unattended {
		return nil, rpc.Refuse(string(deliver.CallerIsAgent), place.Refusal())
	}
	return func(_ context.Context, emit func(any) error) error {
		c.copying.Lock() // one copy at a time takes room on the disk
		defer c.copying.Unlock()
		end := time.Now().Add(backupTime)
		spool, err := unnamed(string(c.cfg.Settings().StateDir))
		if err != nil {
			return fmt.Errorf("copy the database: %w", err)
		}
		defer spool.Close()
		size, err := c.cfg.Store.Backup(spool)
		if err != nil {
			return err
		}
		for part, from := make([]byte, backupPart), int64(0); from < size; {
			n, err := spool.ReadAt(part, from)
			if err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("copy the database: %w", err)
			}
			if emit(BackupPart{Data: part[:n]}) != nil || time.Now().After(end) {
				return nil // the caller hung up, or does not read
			}
			from += int64(n)
		}
		return emit(BackupPart{Size: size})
	}, nil
}

// unnamed makes a file in dir that is gone when it is closed.
func unnamed(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "backup-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
