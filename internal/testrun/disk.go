package testrun

import (
	"flag"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// FillDisk makes every commit of a database fail until the returned func is called or the test ends. A limit on the length of files
// plays the full disk, for the whole process. It leaves room for the two meta pages, which are written last, so that neither is torn.
func FillDisk(t testing.TB) (room func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = uint64(2 * os.Getpagesize())
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	room = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(room)
	return room
}

// Logs reports whether go test keeps a log of what this run reads, so that it need not run again, as it does without -count. A test that reads
// much can't fill the disk then: the log may grow while the disk is full, and go test takes that for a failure.
func Logs() bool {
	f := flag.Lookup("test.testlogfile")
	return f != nil && f.Value.String() != ""
}
