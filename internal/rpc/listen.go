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

// maxPath is the longest path that fits a socket address on every system: 104 bytes on macOS, 108 on Linux,
// including the final zero byte.
const maxPath = 103

// ErrInUse says that a running nod already listens on the socket.
var ErrInUse = errors.New("a running nod listens there already")

// Listen makes the socket at path, accessible to its owner only. It replaces the socket of a dead process. If
// somebody listens there it returns ErrInUse; it does not touch any other kind of file.
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
	// Between the two calls the umask decides the mode. The peer's uid is checked in any case.
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, fmt.Errorf("make the socket %s private: %w", path, err)
	}
	return listener, nil
}

// CanListen returns the error with which Listen would fail if nobody listens at path. It changes nothing.
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

// canMakeIn says why no socket could be made in dir. A missing folder is no error: Listen makes it.
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

// lockDirectory creates dir if needed and locks it, so that no second nod looks for a stale socket at the
// same time. It refuses a directory in which somebody else could replace the socket.
func lockDirectory(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: set NOD_SOCKET to a path in a directory of your own", err)
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
	return func() { f.Close() }, nil // closing releases the lock
}

// strange reports whether what owner has is another user's. Root could do anything in our own as well.
func strange(owner, us int) bool { return owner != 0 && owner != us }

func checkDirectory(f *os.File, dir string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if strange(int(owner), os.Getuid()) {
		return fmt.Errorf("the directory %s belongs to another user: set NOD_SOCKET to a path in one of your own", dir)
	}
	// In a sticky directory such as /tmp nobody can replace a file of another user.
	if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others can write to the directory %s: run `chmod go-w %s`, or set NOD_SOCKET to another path", dir, dir)
	}
	return nil
}

// socketAt reports whether there is a socket at path. Any other kind of file is an error.
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
	if there, err := socketAt(path); !there {
		return err
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		conn.Close()
		return ErrInUse
	}
	// Any error other than a refusal may come from a live process that is slow to answer.
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w: %w", ErrInUse, err)
	}
	return os.Remove(path)
}
