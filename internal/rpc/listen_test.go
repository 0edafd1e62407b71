package rpc

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// below lists everything below a folder, with its mode.
func below(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			return fs.SkipDir
		}
		list = append(list, path+" "+entry.Type().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestCanListenKnowsWhatListenFinds with random files at a socket's path and above it.
func TestCanListenKnowsWhatListenFinds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	one := func(of ...func(string) error) func(string) error { return of[r.IntN(len(of))] }
	mode := func(m fs.FileMode) func(string) error { return func(path string) error { return os.Chmod(path, m) } }
	keep := func(string) error { return nil }
	for range 300 {
		root, err := os.MkdirTemp("", "nodsocket")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(root, 0o700); _ = os.RemoveAll(root) })
		dir := filepath.Join(root, "d")
		folder := func(path string) error { return os.MkdirAll(path, 0o700) }
		file := func(path string) error { return os.WriteFile(path, nil, 0o600) }
		above := one(folder, folder, folder, keep, file)
		path := filepath.Join(dir, []string{"s", "e/s", "e/f/s"}[r.IntN(3)])
		if r.IntN(4) == 0 {
			path += strings.Repeat("x", max(0, 100+r.IntN(8)-len(path)))
		}
		at := one(keep, keep, file, folder, func(path string) error { return os.Symlink("none", path) },
			func(path string) error { return syscall.Mkfifo(path, 0o600) },
			func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
			func(path string) error {
				l, err := net.Listen("unix", path)
				if err == nil {
					t.Cleanup(func() { l.Close() })
				}
				return err
			})
		if err := above(dir); err != nil {
			t.Fatal(err)
		}
		_ = at(path) // fails if its folder does not exist
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			if err := one(keep, mode(0o500), mode(0o300), mode(0o600), mode(0o770), mode(0o1777))(dir); err != nil {
				t.Fatal(err)
			}
		}
		before := below(t, root)
		can := CanListen(path)
		if after := below(t, root); !slices.Equal(before, after) {
			t.Fatalf("asking changed %q to %q", before, after)
		}
		l, err := Listen(path)
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, ErrInUse) && (err == nil) != (can == nil) {
			t.Fatalf("at %s among %q: Listen says %v, CanListen said %v", path, before, err, can)
		}
		_ = os.Chmod(dir, 0o700)
	}
}
