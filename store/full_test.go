package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"nod/internal/testrun"
	"nod/nudge"
)

// fullDir names the directory of a child process whose disk fills up.
const fullDir = "NOD_TEST_FULL_DIR"

// fullAtFirstDir names the directory of a child process that has no room for a new database.
const fullAtFirstDir = "NOD_TEST_FULL_AT_FIRST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(fullAtFirstDir); dir != "" {
		fmt.Println(makeWithoutRoom(dir))
		os.Exit(0)
	}
	if dir := os.Getenv(fullDir); dir != "" {
		fmt.Println(fillUp(dir))
		os.Exit(0)
	}
	if dir := os.Getenv(damagedDir); dir != "" {
		useDamaged(dir)
		os.Exit(0)
	}
	os.Exit(testrun.InMemory(m))
}

// fillUp writes records until the disk takes no more. A limit on the length of files is in for
// the disk: it holds for one process and needs no rights.
func fillUp(dir string) error {
	s, err := Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := put(s, "k3f"); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 256 << 10, Max: 256 << 10}); err != nil {
		return err
	}
	for i := range 10_000 {
		if err := put(s, fmt.Sprintf("n%d", i)); err != nil {
			return errors.Join(err, s.View(func(tx *Tx) error {
				if tx.Nudge("k3f") == nil {
					return errors.New("and what was written before is lost")
				}
				return nil
			}))
		}
	}
	return errors.New("the disk never filled up")
}

// makeWithoutRoom makes a database where the disk takes half of its first pages.
func makeWithoutRoom(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 8 << 10, Max: 8 << 10}); err != nil {
		return err
	}
	_, err := Open(filepath.Join(dir, "nod.db"))
	return err
}

// A disk that is full at the first start leaves no file that counts as damaged once there is room.
func TestFullDiskAtTheFirstStart(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), fullAtFirstDir+"="+dir)
	said, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if !strings.Contains(string(said), "is full") {
		t.Errorf("it said %q", said)
	}
	s, err := Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(s, "k3f"), s.Close()); err != nil {
		t.Error(err)
	}
}

func put(s *Store, id string) error {
	return s.Update(func(tx *Tx) error {
		tx.Put(&nudge.Nudge{ID: id, About: nudge.Silence{}, Answering: nudge.Answering{State: nudge.Pending}, Tail: []string{strings.Repeat("x", 2000)}})
		return nil
	})
}

func TestFullDiskIsASentenceAndLosesNothing(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), fullDir+"="+dir)
	said, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if !strings.Contains(string(said), "is full") || !strings.Contains(string(said), "free some space") || strings.Contains(string(said), "lost") {
		t.Errorf("it said %q", said)
	}
	s, err := Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if err := put(s, "new"); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
