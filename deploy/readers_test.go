package deploy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
// still run.
func TestReadersAreThoseOfAllOfPATHAndThoseThatRun(t *testing.T) {
	home := t.TempDir()
	program := func(folder, version, more string) string {
		path := filepath.Join(home, folder, "claude")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\n[ \"$1\" = --version ] && echo '" + version + " (Claude Code)' && exit\n" + more
		if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program("new", "2.1.330", "")
	program("old", "2.1.9", "")
	program(".local/bin", "2.1.300", "")
	runs := func(home, version string) {
		cmd := exec.Command(program("run"+version, version, "read line\n"))
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	runs(home, "2.1.166")
	runs(t.TempDir(), "1.0.1") // with other settings
	path := strings.Join([]string{"", filepath.Join(home, "none"), filepath.Join(home, "new"), filepath.Join(home, "old"), filepath.Join(home, "new")}, ":")
	at := Place{Home: home, Getenv: func(name string) string { return map[string]string{"PATH": path}[name] }}
	var got []string
	for _, r := range at.readers(t.Context(), "claude") {
		got = append(got, strings.TrimSuffix(strings.TrimSpace(r.Version), " (Claude Code)"))
	}
	if want := []string{"2.1.330", "2.1.9", "2.1.300", "2.1.166"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAReaderHasNoTerminal: the file of a running process may be anything, and what it leaves behind in a person's terminal would look like
// that person.
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
