package deploy

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/host/proc"
)

// TestNoReaderOfTheFileGetsAnEventThatItDoesNotKnow: one unknown name makes a version ignore all of its
// hooks, or fail at its start.
func TestNoReaderOfTheFileGetsAnEventThatItDoesNotKnow(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		var read []Reader
		oldest := []int{9, 9, 9}
		unread := false
		for range r.IntN(5) {
			version := []int{1 + r.IntN(2), r.IntN(3), r.IntN(400)}
			if r.IntN(8) == 0 {
				unread = true
				read = append(read, Reader{"/opt/claude", []string{"", "node v", "error: no"}[r.IntN(3)]})
				continue
			}
			if slices.Compare(version, oldest) < 0 {
				oldest = version
			}
			read = append(read, Reader{"/opt/claude", fmt.Sprintf("%d.%d.%d (Claude Code)\n", version[0], version[1], version[2])})
		}
		unread = unread || len(read) == 0
		at := Place{Home: t.TempDir(), Getenv: func(string) string { return "" }, Readers: func(string) []Reader { return read }}
		h := hook(t, "claude", at, "")
		must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
		written := text(t, h.Path)
		for event, since := range map[string][]int{"PermissionRequest": {2, 0, 0}, "PostToolUseFailure": {2, 1, 0}, "PermissionDenied": {2, 1, 166}, "Elicitation": {2, 1, 166}} {
			want := slices.Compare(oldest, since) >= 0 && (!unread || event == "PermissionRequest")
			if got := strings.Contains(written, `"`+event+`"`); got != want {
				t.Fatalf("%v: %s = %v, want %v", read, event, got, want)
			}
			if want == strings.Contains(h.Missing(), event) || !want && len(read) > 0 && h.Older == "" {
				t.Fatalf("%v: it lacks %q, says %q", read, h.Lacks, h.Missing())
			}
		}
	}
}

// TestReadersAreThoseOfAllOfPATHAndThoseThatRun with the same settings: after an update the old version may
// still run. The file of a running process may be anything, also what a confined agent has made, so its version
// is read where the file lies, and nothing of it is run.
func TestReadersAreThoseOfAllOfPATHAndThoseThatRun(t *testing.T) {
	home := t.TempDir()
	ran := filepath.Join(home, "ran")
	write := func(path, text string) string {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program := func(folder, version string) {
		write(folder+"/claude", "#!/bin/sh\n[ \"$1\" = --version ] && echo '"+version+" (Claude Code)'\n")
	}
	program("new", "2.1.330")
	program("old", "2.1.9")
	program(".local/bin", "2.1.300")
	runs := func(home, path string) {
		cmd := exec.Command(path)
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	script := "#!/bin/sh\n[ \"$1\" = --version ] && touch " + ran + "\nread line\n"
	manifest := `{"name": "@anthropic-ai/claude-code", "version": "2.1.166"}`
	write("npm/package.json", manifest)
	runs(home, write("npm/bin/claude", script))
	write("project/package.json", `{"name": "project", "version": "3.0.0"}`)
	runs(home, write("project/claude", script))
	write("other/package.json", manifest)
	runs(t.TempDir(), write("other/claude", script)) // with other settings
	path := strings.Join([]string{"", filepath.Join(home, "none"), filepath.Join(home, "new"), filepath.Join(home, "old"), filepath.Join(home, "new")}, ":")
	at := Place{Home: home, Getenv: func(name string) string { return map[string]string{"PATH": path}[name] }}
	var got []string
	for _, r := range at.readers(t.Context(), "claude") {
		got = append(got, strings.TrimSuffix(strings.TrimSpace(r.Version), " (Claude Code)"))
	}
	slices.Sort(got[min(3, len(got)):]) // processes come in any order
	if want := []string{"2.1.330", "2.1.9", "2.1.300", "", "2.1.166"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the program of a running process was run")
	}
}

// TestTheVersionOfARunningProgram is in its name, or in the manifest of its package. One that was replaced is another by now.
func TestTheVersionOfARunningProgram(t *testing.T) {
	dir := t.TempDir()
	binary, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "anthropic.claude-code", "version": "2.1.166"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{"2.1.170": {"2.1.170", "2.1.170"}, "claude": {"2.1.166", ""}} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(file, "1000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		version := func() string {
			line, err := proc.Lineage(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			return runningVersion(line[0], "claude")
		}
		before := version()
		if err := errors.Join(os.Remove(file), os.WriteFile(file, nil, 0o700)); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{before, version()}; got != want && runtime.GOOS == "linux" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestAReaderHasNoTerminal: what a program of PATH leaves behind in a person's terminal would look like that person.
func TestAReaderHasNoTerminal(t *testing.T) {
	home := t.TempDir()
	program := filepath.Join(home, "claude")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nkill -0 -$$ && echo 2.1.330 leads a session of its own\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := Place{Home: home, Getenv: func(name string) string { return map[string]string{"PATH": home}[name] }}
	if read := at.readers(t.Context(), "claude"); len(read) != 1 || read[0].Version == "" {
		t.Errorf("it runs in the session of this test: %v", read)
	}
}

// TestAReaderIsNamedInOneLine, however much its --version prints.
func TestAReaderIsNamedInOneLine(t *testing.T) {
	r := Reader{"/opt/claude", "2.1.166 (Claude Code)\nCopyright by somebody\n"}
	if got := r.String(); got != "/opt/claude is 2.1.166 (Claude Code)" {
		t.Errorf("it is called %q", got)
	}
}
