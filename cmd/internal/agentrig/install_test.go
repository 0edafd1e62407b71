//go:build agents

package agentrig

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fakeNPM puts an npm into PATH that takes notes and does what its shell code says; the folder to
// install into is $dir. It returns the file with the notes.
func fakeNPM(t *testing.T, code string) string {
	t.Helper()
	bin := t.TempDir()
	notes := filepath.Join(bin, "notes")
	script := "#!/bin/sh\ndir=$3\necho \"$@\" >> " + notes + "\n" + code + "\n"
	must(t, os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return notes
}

func calls(t *testing.T, notes string) []string {
	t.Helper()
	text, err := os.ReadFile(notes)
	must(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestInstallIsDoneOnceByAllWhoWantIt(t *testing.T) {
	t.Setenv("NOD_AGENT_CACHE", t.TempDir())
	notes := fakeNPM(t, "mkdir $dir/half || exit 9; sleep 0.05; rmdir $dir/half")
	a, err := Find("opencode", "")
	must(t, err)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := Install(t.Context(), a); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := calls(t, notes)
	if len(got) != len(a.packages) {
		t.Fatalf("npm was called %d times, want once for each of %v:\n%s", len(got), a.packages, strings.Join(got, "\n"))
	}
	for i, p := range a.packages {
		if !strings.HasSuffix(got[i], " "+p.name+"@"+p.version) || !strings.Contains(got[i], "--ignore-scripts") {
			t.Errorf("npm %s; want the pinned %s without scripts", got[i], p)
		}
	}
}

func TestInstallThatFailedIsTriedAgain(t *testing.T) {
	t.Setenv("NOD_AGENT_CACHE", t.TempDir())
	notes := fakeNPM(t, `[ -e $dir/node_modules ] && exit 0; mkdir $dir/node_modules; echo "no network" >&2; exit 1`)
	a, err := Find("claude", "")
	must(t, err)
	if _, err := Install(t.Context(), a); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("the error is %v; want npm's words in it", err)
	}
	if _, err := Install(t.Context(), a); err != nil {
		t.Error(err)
	}
	if got := calls(t, notes); len(got) != 2 {
		t.Errorf("npm was called %d times, want 2", len(got))
	}
}

func TestFindNamesWhatThereIsNot(t *testing.T) {
	if a, err := Find("codex", "0.61.0"); err != nil || a.String() != "codex-0.61.0" {
		t.Errorf("found %v, %v", a, err)
	}
	if _, err := Find("codex", "0.0.0"); err == nil {
		t.Error("found a version that is not pinned")
	}
}
