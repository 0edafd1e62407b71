// Package replace writes files atomically: a reader, even after a crash, sees either the old file or the new
// one.
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

// File replaces or creates the file at path with the output of write. Its folder must exist.
func File(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".nod-*") // has mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), keepOwner(f, path), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// keepOwner gives f to the owner of the file at path: root may write into another user's folder, and the
// owner must still be able to read the file.
func keepOwner(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // the file is new
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

// Text is File with the content as a byte slice.
func Text(path string, mode fs.FileMode, text []byte) error {
	return File(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
