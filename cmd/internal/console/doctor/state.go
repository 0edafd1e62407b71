package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"nod/deploy"
	"nod/store"
)

// database reports whether nod's records can be read.
func (e *examination) database(context.Context) []Finding {
	const check = "database"
	if e.wrong != nil {
		return []Finding{{Check: check, Level: Skipped, Says: "where it lies is not known while the settings are wrong"}}
	}
	path := e.databasePath()
	if info, err := os.Stat(filepath.Dir(path)); err == nil && !info.IsDir() {
		return nil // files reports that
	}
	if e.running.up() {
		return []Finding{ok(check, "the running nod has %s", path)}
	}
	if e.usedBy != "" {
		return []Finding{{check, Broken, fmt.Sprintf("a nod (%s) has %s open, and does not answer at %s", e.usedBy, path, e.settings.Socket), "it was started with another NOD_SOCKET or XDG_RUNTIME_DIR: stop it, or set NOD_SOCKET to where it listens"}}
	}
	err := store.Inspect(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{ok(check, "%s is made at the first start", path)}
	case err != nil:
		return []Finding{{check, Broken, err.Error(), "nod does not start until then"}}
	}
	return []Finding{ok(check, "%s is in order", path)}
}

func (e *examination) databasePath() string {
	return filepath.Join(string(e.settings.StateDir), "nod.db")
}

// disk reports whether there is room for records: nod types no key that it can't record.
func (e *examination) disk(context.Context) []Finding {
	const check = "disk"
	if e.wrong != nil {
		return nil
	}
	folder := existing(string(e.settings.StateDir))
	var disk unix.Statfs_t
	if err := unix.Statfs(folder, &disk); err != nil {
		return []Finding{{check, Broken, fmt.Sprintf("the disk under %s can't be asked: %s", folder, err), "see `df " + deploy.ShellQuote(folder) + "`"}}
	}
	readOnly := int64(disk.Flags)&readOnlyMount != 0
	return []Finding{judgeDisk(folder, disk.Bavail*uint64(disk.Bsize), disk.Files > 0 && disk.Ffree == 0, readOnly)}
}

// readOnlyMount is ST_RDONLY of statvfs(3), on both Linux and macOS.
const readOnlyMount = 1

// With less than fullDisk bytes left nod can't record anything soon; with less than almostFull it is close to
// that.
const (
	fullDisk   = 10 << 20
	almostFull = 200 << 20
)

func judgeDisk(folder string, free uint64, noFiles, readOnly bool) Finding {
	const check = "disk"
	room := fmt.Sprintf("%d MB are free under %s", free>>20, folder)
	switch {
	case readOnly:
		return Finding{check, Broken, folder + " lies on a disk that is mounted read-only", "set NOD_STATE_DIR to a folder that can be written"}
	case noFiles:
		return Finding{check, Broken, "no more files can be made under " + folder, "remove some: `df -i " + deploy.ShellQuote(folder) + "`"}
	case free < fullDisk:
		return Finding{check, Broken, "only " + room + ", and what nod can't note it does not type", "free some space: `df -h " + deploy.ShellQuote(folder) + "`"}
	case free < almostFull:
		return Finding{check, Note, "only " + room, "free some space before it is full: `df -h " + deploy.ShellQuote(folder) + "`"}
	}
	return ok(check, "%s", room)
}

// existing returns the folder, or its nearest parent that exists.
func existing(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}
