package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestAProgramRunsBesideOthers: no process that is started at the same time keeps it from being run.
func TestAProgramRunsBesideOthers(t *testing.T) {
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range Rounds(40, 400) {
				program := filepath.Join(dir, string(rune('a'+i)))
				if err := WriteProgram(program, sh); err != nil {
					t.Error(err)
				}
				if out, err := exec.Command(program, "-c", ":").CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				if err := os.Remove(program); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
