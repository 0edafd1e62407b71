package rpc

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxPath is what a socket's address holds on every system: 104 bytes on macOS, 108 on Linux, with
// the zero byte at its end.
const maxPath = 103

// ErrInUse says that a running nod listens on the socket already.
var ErrInUse = errors.New("a running nod listens there already")

// Listen makes the socket at path, for its owner alone. A socket file that a dead process left is
// replaced; one that somebody listens on is left alone, with ErrInUse; whatever else is at
// path is left alone as well.
func Listen(path string) (net.Listener, error) {
	if err := checkLength(path); err != nil {
		return nil, err
	}
	unlock, err := lockDirectory(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("make the socket %s: %w", path, err)
	}
	defer unlock()
	if err := removeStale(path); err != nil {
		return nil, fmt.Errorf("make the socket %s: %w", path, err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("make the socket %s: %w", path, err)
	}
	// Between the two calls the mode is the umask's; the peer's uid is checked whatever it is.
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, fmt.Errorf("make the socket %s private: %w", path, err)
	}
	return listener, nil
}

// CanListen says why Listen would fail at path where nobody listens yet. It changes nothing.
func CanListen(path string) error {
	if err := checkLength(path); err != nil {
		return err
	}
	err := canMakeIn(filepath.Dir(path))
	if err == nil {
		_, err = socketAt(path)
	}
	if err != nil {
		return fmt.Errorf("make the socket %s: %w", path, err)
	}
	return nil
}

// canMakeIn says why no socket could be made in dir. Listen makes folders that are missing.
func canMakeIn(dir string) error {
	there := dir
	for _, err := os.Lstat(there); errors.Is(err, fs.ErrNotExist); _, err = os.Lstat(there) {
		there = filepath.Dir(there)
	}
	if info, err := os.Stat(there); err != nil {
		return err
	} else if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: there, Err: syscall.ENOTDIR}
	}
	if there == dir {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := checkDirectory(f, dir); err != nil {
			return err
		}
	}
	if err := unix.Access(there, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write into", Path: there, Err: err}
	}
	return nil
}

func checkLength(path string) error {
	if len(path) > maxPath {
		return fmt.Errorf("the socket's path %s is longer than %d bytes: set NOD_SOCKET to a shorter one", path, maxPath)
	}
	return nil
}

// lockDirectory makes dir if it does not exist, refuses it where somebody else could put another
// socket in our place, and keeps a second nod from looking for a stale socket at the same moment.
func lockDirectory(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := checkDirectory(f, dir); err != nil {
		f.Close()
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return func() { f.Close() }, nil // closing gives the lock back
}

func checkDirectory(f *os.File, dir string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if owner != 0 && int(owner) != os.Getuid() {
		return fmt.Errorf("the directory %s belongs to another user: set NOD_SOCKET to a path in one of your own", dir)
	}
	// In a sticky directory such as /tmp nobody can replace what belongs to another.
	if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others can write to the directory %s: run `chmod go-w %s`, or set NOD_SOCKET to another path", dir, dir)
	}
	return nil
}

// socketAt reports whether a socket's file is at path, and refuses whatever else does.
func socketAt(path string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Mode()&fs.ModeSocket == 0:
		return false, errors.New("there is something else that is no socket: move it away, or set NOD_SOCKET to another path")
	}
	return true, nil
}

func removeStale(path string) error {
	if there, err := socketAt(path); err != nil || !there {
		return err
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		conn.Close()
		return ErrInUse
	}
	// Anything but a refusal may be a live process that is slow to answer.
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w: %w", ErrInUse, err)
	}
	return os.Remove(path)
}
