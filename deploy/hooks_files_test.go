package deploy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestHooksFollowSymlinks(t *testing.T) {
	at := place(t, "2.1.329")
	real := filepath.Join(t.TempDir(), "dotfiles.json")
	if err := os.WriteFile(real, []byte("{}"), 0o640); err != nil {
		t.Fatal(err)
	}
	h := hook(t, "claude", at, "")
	if err := os.MkdirAll(filepath.Dir(h.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, h.Path); err != nil {
		t.Fatal(err)
	}
	must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
	if info, err := os.Lstat(h.Path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the symlink is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if !strings.Contains(text(t, real), "hook claude") {
		t.Error("the file behind the symlink was not changed")
	}
	must(t, true, func() (bool, error) { return h.Uninstall() })
	if got := text(t, real); got != "{}" {
		t.Errorf("after uninstall: %s", got)
	}
}

// TestALinkWithoutItsFileIsFollowed: people who keep their settings elsewhere want them there, and the link
// kept.
func TestALinkWithoutItsFileIsFollowed(t *testing.T) {
	for name, relative := range map[string]bool{"absolute": false, "relative": true} {
		t.Run(name, func(t *testing.T) {
			at := place(t, "2.1.329")
			h := hook(t, "claude", at, "{}")
			kept := filepath.Join(at.Home, "dotfiles")
			to := func(path string) string {
				if relative {
					path, _ = filepath.Rel(filepath.Dir(h.Path), path)
				}
				return path
			}
			file, between := filepath.Join(kept, "claude.json"), filepath.Join(filepath.Dir(h.Path), "between")
			for _, err := range []error{os.Mkdir(kept, 0o755), os.Remove(h.Path), os.Symlink(to(between), h.Path), os.Symlink(to(file), between)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
			if s, err := h.State("/bin/nod"); s != Installed || err != nil {
				t.Errorf("%s, %v", s, err)
			}
			if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
				t.Errorf("the file behind the links: %v, %v", info, err)
			}
			must(t, true, func() (bool, error) { return h.Uninstall() })
			if left, err := os.ReadDir(kept); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if got, err := os.Readlink(h.Path); err != nil || got != to(between) {
				t.Errorf("the link: %q, %v", got, err)
			}
		})
	}
}

// TestALinkIntoNoFolderIsRefused: nod does not create the folder that a link points into, since it may be a
// disk that is not mounted.
// An agent that may write only into its own settings' folder makes nod write nowhere else.
func TestTheCopyFollowsNoLink(t *testing.T) {
	h := hook(t, "claude", place(t, "2.1.214"), settingsFiles["indented"])
	elsewhere := filepath.Join(t.TempDir(), ".bash_profile")
	if err := os.Symlink(elsewhere, h.Path+".before-nod"); err != nil {
		t.Fatal(err)
	}
	must(t, true, func() (bool, error) { return h.Install("/usr/bin/nod") })
	if got := text(t, elsewhere); got != "(no file)" {
		t.Errorf("written through the link: %q", got)
	}
	must(t, true, h.Uninstall)
	if got := text(t, h.Path); got != settingsFiles["indented"] {
		t.Errorf("restored: %q", got)
	}
}

func TestALinkIntoNoFolderIsRefused(t *testing.T) {
	at := place(t, "2.1.329")
	h := hook(t, "claude", at, "{}")
	gone := filepath.Join(at.Home, "mnt", "claude.json")
	if err := os.Remove(h.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(gone, h.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Install("/bin/nod"); err == nil || !strings.Contains(err.Error(), "is a link to "+gone) {
		t.Errorf("%v", err)
	}
	if got, err := os.Readlink(h.Path); err != nil || got != gone {
		t.Errorf("the link: %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Dir(gone)); err == nil {
		t.Error("its folder was made")
	}
}

// TestOnlyOrdinaryFilesAreRead: a pipe without a writer would block nod forever.
func TestOnlyOrdinaryFilesAreRead(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link to a pipe": func(path string) error { return os.Symlink(path+"-pipe", path) },
		"folder":         func(path string) error { return os.Mkdir(path, 0o700) },
		"device":         func(path string) error { return os.Symlink("/dev/zero", path) },
		"socket":         func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
		"a terabyte": func(path string) error { // that takes no room on the disk
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := hook(t, "claude", place(t, "2.1.329"), "{}")
			if err := syscall.Mkfifo(h.Path+"-pipe", 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(h.Path); err != nil {
				t.Fatal(err)
			}
			if err := put(h.Path); err != nil {
				t.Fatal(err)
			}
			ended := make(chan map[string]error, 1)
			go func() { ended <- all(h) }()
			select {
			case said := <-ended:
				for did, err := range said {
					if err == nil || !strings.Contains(err.Error(), "is no ordinary file") && !strings.Contains(err.Error(), "is too large") {
						t.Errorf("%s: %v", did, err)
					}
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it hangs")
			}
		})
	}
}
