package memory

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// GiveBack gives back the pages of the program's own file, and of another that the process maps and only reads: its database. A start reads
// six times as much of the program as the months after it, and most records are read once; where there is enough memory the system keeps
// it all. A page that is needed again comes from the file. Where a mapping may be written, or was before it became read-only, its pages
// stay: the file has no copy of them. The mappings of both files must stay where they are until it returns, since what took their place
// would lose its memory.
func GiveBack(database string) error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("find the program's file: %w", err)
	}
	if database, err = filepath.EvalSymlinks(database); err != nil {
		return fmt.Errorf("find the database: %w", err)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return fmt.Errorf("read what is in memory: %w", err)
	}
	for m, err := range mappings(smaps) {
		if err != nil {
			return fmt.Errorf("read what is in memory: %w", err)
		}
		if m.file != program && m.file != database || m.writes || m.changed {
			continue
		}
		// By its number, because a slice of these addresses would be no memory of Go's.
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("give back the pages of %s: %w", m.file, errno)
		}
	}
	return nil
}
