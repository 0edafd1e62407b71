package detect

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"nod/internal/host/proc"
)

// TestAServerThatHasEndedRunsNoMore: where nobody waits for it, it stays in the table of processes, with its name.
func TestAServerThatHasEndedRunsNoMore(t *testing.T) {
	named := filepath.Join(t.TempDir(), "tmux: server")
	if err := os.Symlink("/bin/cat", named); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(named)
	in, err := server.StdinPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if !runsTmux(server.Process.Pid) {
		t.Error("it does not run")
	}
	in.Close()
	for end := time.Now().Add(10 * time.Second); runsTmux(server.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it runs on after its end")
		}
	}
	if line, err := proc.Lineage(server.Process.Pid); err != nil || line[0].Comm != "tmux: server" {
		t.Errorf("it is not in the table: %+v, %v", line, err)
	}
	_ = server.Wait()
}
