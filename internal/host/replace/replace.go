// Package replace writes files whole or not at all: whoever reads one meanwhile, or after a crash, sees the old file or the
// new one.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// File puts what write writes in the place of the file at path, or makes it. Its folder has to exist.
func File(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".nod-*") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), keepOwner(f, path), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// keepOwner gives f to whom the file at path belongs: root writes into another's folder too, who could not read it then.
func keepOwner(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // it is a new file
	}
	owner := info.Sys().(*syscall.Stat_t)
	if int(owner.Uid) == os.Geteuid() {
		return nil
	}
	if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("%s belongs to another user, who has to do this: %w", path, err)
	}
	return nil
}

// Text is File with what is to be written at hand.
func Text(path string, mode fs.FileMode, text []byte) error {
	return File(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
