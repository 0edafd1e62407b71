package testrun

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(InMemory(m)) }

// TestWhatAKilledTestLeftIsRemoved, but not the folder of a running test.
func TestWhatAKilledTestLeftIsRemoved(t *testing.T) {
	if _, err := os.Stat(memory); err != nil {
		t.Skip(err)
	}
	over := exec.Command(os.Args[0], "-test.run=^$")
	if err := over.Run(); err != nil {
		t.Fatal(err)
	}
	left, used := folderOf(t, over.Process.Pid), folderOf(t, os.Getppid())
	removeLeftBehind()
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a killed test left is still there: %v", err)
	}
	for _, dir := range []string{used, os.Getenv("TMPDIR")} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("the folder of one that runs: %v", err)
		}
	}
}

func folderOf(t *testing.T, pid int) string {
	dir := filepath.Join(memory, fmt.Sprintf("%s%d-x", folder, pid))
	if err := os.MkdirAll(filepath.Join(dir, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestATestApart runs in another process, whose environment may be changed.
func TestATestApart(t *testing.T) {
	if !Apart(t) {
		return
	}
	t.Setenv("HOME", t.TempDir())
	if os.Getenv("HOME") == "" || os.Getenv(apart) != t.Name() {
		t.Error("it runs here")
	}
}
