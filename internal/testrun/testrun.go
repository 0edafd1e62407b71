// Package testrun controls how tests run: at which of two speeds, how many at once, and where their files
// are.
package testrun

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Rounds returns the number of rounds of a random test: inFull in `make test`, otherwise fast, so that `go
// test ./...` is quick. Call it only within a test: else Go would reuse the cached result of a fast run for a
// full one.
func Rounds(fast, inFull int) int {
	if Full() {
		return inFull
	}
	return fast
}

// Full says whether this is a run in full. As Rounds, it is called only within a test.
func Full() bool { return os.Getenv("FULL_TESTS") != "" }

// Proving says whether this is a run of `make proofs`. As Rounds, it is called only within a test.
func Proving() bool { return os.Getenv("PROOFS") != "" }

// OneProcessor gives a fast run one processor, except with -race. It is for packages whose tests run on fake
// time: each event wakes the next, and with a second processor the same work takes a sixth longer. Call it in
// TestMain.
func OneProcessor() {
	info, ok := debug.ReadBuildInfo()
	races := ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if !Full() && !races {
		runtime.GOMAXPROCS(1)
	}
}

// InFull skips a test that `go test ./...` leaves out: it needs sshd, a broker, several shells or many races,
// waits for many seconds, or proves again what another test proves. `make test` runs it, and so do `make
// proofs` and a run with a given seed.
func InFull(t *testing.T) {
	t.Helper()
	if !Full() && !Proving() && os.Getenv("SEED") == "" {
		t.Skip("this takes FULL_TESTS=1, as make test has it")
	}
}

// AtOnce runs up to n parallel tests at once, unless -parallel is set. It is for packages whose tests mostly
// wait for terminals and timers. Call it in TestMain.
func AtOnce(n int) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", strconv.Itoa(n))
	}
}

// InMemory runs a package's tests with their files in memory, if the system has a folder for that: a test
// with a thousand writes would wait for the disk a thousand times. Call it in TestMain and exit with the
// code. Such tests make much garbage and keep little, so it also collects garbage less often.
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

// memory is the system's folder for files in memory. folder is the beginning of a test folder's name,
// followed by the pid.
const (
	memory = "/dev/shm"
	folder = "nod-test-"
)

// removeLeftBehind removes the folders of tests that were killed: nothing else frees the memory.
func removeLeftBehind() {
	left, _ := filepath.Glob(filepath.Join(memory, folder+"*"))
	for _, dir := range left {
		process, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), folder), "-")
		if pid, err := strconv.Atoi(process); err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			_ = os.RemoveAll(dir)
		}
	}
}

// Build builds a program of this module, or of a dependency, at path. It uses `go run`, because Go caches the
// linked program only there and not for `go build`.
func Build(pkg, path string) error {
	if out, err := exec.Command("go", "run", "-exec", "cp", pkg, path).CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// Apart runs a test in a process of its own, in parallel with everything else. It is for a test that waits
// and changes state that tests of one process share, such as the environment. It returns true in that
// process; if it returns false, the test is over.
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

// apart is the variable with the name of the test that a process was started for.
const apart = "NOD_TEST_APART"
