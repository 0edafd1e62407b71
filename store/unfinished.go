package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// firstPages is how many pages bbolt writes into a new file, in one step.
const firstPages = 4

// isNew reports whether there is no database at path yet.
func isNew(path string) bool {
	info, err := os.Stat(path)
	return os.IsNotExist(err) || err == nil && info.Size() == 0
}

// emptyUnfinished empties a new database whose first pages were cut off by a full disk: there is nothing in it, and with a rest of
// them it would count as damaged. A file that another nod has locked, or has finished meanwhile, stays.
func emptyUnfinished(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	if info, err := f.Stat(); err != nil || info.Size() >= firstPages*int64(os.Getpagesize()) {
		return err
	}
	return f.Truncate(0)
}
