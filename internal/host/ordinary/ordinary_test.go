package ordinary

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyFilesAreOpened: nobody waits at a pipe, and a link leads to its file.
func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), os.Symlink(file, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{file: nil, link: nil, pipe: ErrOther, dir: ErrOther, os.DevNull: ErrOther, file + "s": fs.ErrNotExist} {
		f, info, err := Open(path)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if err != nil {
			continue
		}
		if info.Size() != 1 {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
