// Package replace writes files whole or not at all: whoever reads one meanwhile, or after a crash, sees the old file or the
// new one.
package replace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File puts what write writes in the place of the file at path, or makes it. Its folder has to exist.
func File(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".nod-*") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Text is File with what is to be written at hand.
func Text(path string, mode fs.FileMode, text []byte) error {
	return File(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
