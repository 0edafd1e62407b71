// Package ordinary opens files whose names others gave, and nothing but files: the opening of a pipe waits for its writer or wakes it, and
// some devices act when they are opened.
package ordinary

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrOther is the error for what is no regular file.
var ErrOther = errors.New("it is no ordinary file")

// Open opens a file for reading.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrOther
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0) // it may be something else by now
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = ErrOther
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// OwnedBy reports whether a file is known to be that user's.
func OwnedBy(info fs.FileInfo, uid int) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == uid
}
