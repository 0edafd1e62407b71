package proctest

import (
	"testing"
	"time"

	"nod/internal/host/proc"
)

// AwaitArguments waits until the arguments of a process can be read: Linux lets exec.Cmd.Start return before that.
func AwaitArguments(t testing.TB, pid int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		line, err := proc.Lineage(pid)
		if err == nil && len(line[0].Args) > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d has no arguments: %v", pid, err)
		}
	}
}
