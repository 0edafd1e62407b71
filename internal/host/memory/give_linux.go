package memory

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// GiveBack gives the pages of the program's own file back. A start reads six times as many as the months after
// it, and where there is enough memory the system keeps them all. A page that is needed again comes from the
// file, as at the start. Where a mapping may be written, or was before it became read-only, its pages stay:
// the file has no copy of them.
func GiveBack() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("find the program's file: %w", err)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return fmt.Errorf("read what is in memory: %w", err)
	}
	for m, err := range mappings(smaps) {
		if err != nil {
			return fmt.Errorf("read what is in memory: %w", err)
		}
		if m.file != program || m.writes || m.changed {
			continue
		}
		// By its number, because a slice of these addresses would be no memory of Go's.
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("give back the program's pages: %w", errno)
		}
	}
	return nil
}
