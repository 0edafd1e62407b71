package replace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAFileIsWholeOrAsItWas: if writing fails, the old file stays, and no other file is left beside it.
func TestAFileIsWholeOrAsItWas(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Text(path, 0o640, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := File(path, 0o600, func(w io.Writer) error {
		_, _ = w.Write([]byte("ne"))
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestAFileStaysItsOwners: root preserves the owner, and nobody else can put their own file in its place.
func TestAFileStaysItsOwners(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := Text(path, 0o600, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if os.Chown(path, 1234, 1235) != nil {
		t.Skip("only root can give a file away")
	}
	if err := Text(path, 0o600, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if is := info.Sys().(*syscall.Stat_t); is.Uid != 1234 || is.Gid != 1235 || info.Mode().Perm() != 0o600 {
		t.Errorf("it belongs to %d:%d, mode %v", is.Uid, is.Gid, info.Mode())
	}
}
