//go:build agents

package agentrig

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mark is the variable by which the processes of a run are known, also those that left the pane.
const mark = "NOD_AGENTRIG"

// cleanUp ends every process of the run at root and removes its files.
func cleanUp(t testing.TB, root string) {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := processesOf(root)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Errorf("processes of the agent do not end: %v", left)
			break
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		}
	}
	if err := os.RemoveAll(root); err != nil {
		t.Errorf("remove the agent's home: %v", err)
	}
}

// processesOf is every process that carries the mark of the run at root, or works inside it.
func processesOf(root string) []int {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	var pids []int
	for _, dir := range dirs {
		// A process that has ended, or is not ours, can't be read and is none of the run.
		environ, _ := os.ReadFile(dir + "/environ")
		cwd, _ := os.Readlink(dir + "/cwd")
		marked := bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+mark+"="+root+"\x00"))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && pid != os.Getpid() && (marked || strings.HasPrefix(cwd, root+"/")) {
			pids = append(pids, pid)
		}
	}
	return pids
}
