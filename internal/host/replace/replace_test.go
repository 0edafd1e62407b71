package replace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestAFileIsWholeOrAsItWas: what can't be written to its end leaves the old file, and nothing beside it.
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
