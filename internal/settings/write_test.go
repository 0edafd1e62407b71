package settings

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEditKeepsEveryOtherLine(t *testing.T) {
	changes := []Change{{"NOD_SUPERVISORS", "2"}, {"NOD_TMUX_SOCKET", ""}, {"NOD_HOST", "box"}}
	for before, want := range map[string]string{
		"": "NOD_SUPERVISORS=2\nNOD_HOST=box\n",
		"# mine\n\nNOD_SUPERVISORS=1 \nNOD_CADENCE=0s\n":             "# mine\n\nNOD_SUPERVISORS=2\nNOD_CADENCE=0s\nNOD_HOST=box\n",
		"NOD_CADENCE = '0s'  ":                                       "NOD_CADENCE = '0s'  \nNOD_SUPERVISORS=2\nNOD_HOST=box\n",
		"export NOD_HOST=x\nNOD_TMUX_SOCKET=a,b\n#NOD_HOST=y\n":      "NOD_HOST=box\n#NOD_HOST=y\nNOD_SUPERVISORS=2\n",
		"NOD_SUPERVISORS=1\nNOD_SUPERVISORS=3\nNOD_SUPERVISORSX=4\n": "NOD_SUPERVISORS=2\nNOD_SUPERVISORSX=4\nNOD_HOST=box\n",
		"\ufeffNOD_HOST=x\r\n# windows\r\n":                          "NOD_HOST=box\n# windows\r\nNOD_SUPERVISORS=2\n",
	} {
		if got := edit(before, changes); got != want {
			t.Errorf("%q became\n%q, want\n%q", before, got, want)
		}
	}
}

// TestSavedSettingsArePrivate: even if others could read the file before, or if it is a symlink.
func TestSavedSettingsArePrivate(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles")
	if err := os.WriteFile(real, []byte("NOD_HOST=a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "nod.env")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, filepath.Join(dir, "new", "nod", "nod.env")} {
		if err := Save(path, []Change{{"NOD_SUPERVISORS", "7"}}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		if !Holds(path, []Change{{"NOD_SUPERVISORS", "7"}, {"NOD_CADENCE", ""}}) || Holds(path, []Change{{"NOD_SUPERVISORS", "8"}}) {
			t.Errorf("%s: what it holds is not told from what it does not", path)
		}
		if s, err := Load(Environment{"NOD_CONFIG": path}); err != nil || s.Supervisors[0] != 7 {
			t.Errorf("%s: %v, %v", path, s.Supervisors, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the symlink is gone: %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".nod-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNoValueWritesALineOfItsOwn: a value may be the path of a socket, which others choose.
func TestNoValueWritesALineOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nod.env")
	for _, value := range []string{"/tmp/a\nNOD_SUPERVISORS=666", "/tmp/a\rNOD_SUPERVISORS=666", "/tmp/a\r\n"} {
		if err := Save(path, []Change{{"NOD_SUPERVISORS", "7"}, {"NOD_TMUX_SOCKET", value}}); err == nil {
			t.Errorf("%q is saved", value)
		}
	}
	if text, err := os.ReadFile(path); err == nil {
		t.Errorf("it was written: %q", text)
	}
}
