// Package testrun says how tests run: in which of two speeds, how many at once, and where their files are.
package testrun

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Rounds is how many rounds a random test makes, in full as in `make test`, or fast, so that `go test ./...` answers while its author
// still looks at it. Before a test has begun it is not asked: Go would take what it knows of a fast run for one in full.
func Rounds(fast, inFull int) int {
	if os.Getenv("FULL_TESTS") != "" {
		return inFull
	}
	return fast
}

// AtOnce runs up to n parallel tests at once, unless -parallel says otherwise. It is for a package whose tests wait for terminals
// and timers more than they compute. Its TestMain calls it.
func AtOnce(n int) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", strconv.Itoa(n))
	}
}

// InMemory runs a package's tests with their files in memory where the system has a folder for that: a test that writes a thousand
// times would wait for the disk a thousand times. Its TestMain calls it and exits with the code. Such tests also make much garbage and
// keep little, so it is collected less often.
func InMemory(m *testing.M) (code int) {
	debug.SetGCPercent(400)
	removeLeftBehind()
	dir, err := os.MkdirTemp(memory, fmt.Sprintf("%s%d-", folder, os.Getpid()))
	if err != nil {
		return m.Run()
	}
	defer os.RemoveAll(dir)
	_ = os.Setenv("TMPDIR", dir)
	return m.Run()
}

// memory is where a system has files in memory, and folder how the name of a test's begins, before the process.
const (
	memory = "/dev/shm"
	folder = "nod-test-"
)

// removeLeftBehind removes the folders of tests that were killed: nobody else frees the memory.
func removeLeftBehind() {
	left, _ := filepath.Glob(filepath.Join(memory, folder+"*"))
	for _, dir := range left {
		process, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), folder), "-")
		if pid, err := strconv.Atoi(process); err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			_ = os.RemoveAll(dir)
		}
	}
}

// Build puts a program of this module, or of one that it needs, at a path. Go keeps what it links for `go run`, not for `go build`.
func Build(pkg, path string) error {
	if out, err := exec.Command("go", "run", "-exec", "cp", pkg, path).CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// Apart runs a test in a process of its own, beside whatever else runs: one that waits, and changes what tests of one process share,
// such as the environment. It reports whether this is that process; else the test is over.
func Apart(t *testing.T) bool {
	t.Helper()
	if os.Getenv(apart) == t.Name() {
		return true
	}
	exactly := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	cmd := exec.Command(os.Args[0], "-test.run="+exactly, "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), apart+"="+t.Name())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "=== RUN   "+t.Name()+"\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	return false
}

// apart is the variable that names the test for which a process was started.
const apart = "NOD_TEST_APART"
