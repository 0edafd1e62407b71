package share_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"nod/cmd/internal/control/share"
)

// TestOnlyAProjectsOwnFilesAreShared: regular files, no links, in a project, of limited size, without
// secrets.
func TestOnlyAProjectsOwnFilesAreShared(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(root, "api")
	write := func(path string, data []byte) string {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(to, path string) string {
		path = filepath.Join(root, path)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	picture := append([]byte("\x89PNG\r\n\x1a\n\xff\xfe"), bytes.Repeat([]byte{0xff, 0x00}, 4000)...)
	good := write("api/out/report.txt", []byte("all tests pass"))
	outside := write("apikeys.txt", []byte("x"))
	pipe := filepath.Join(project, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, refused string }{
		{good, ""},
		{write("api/shot.png", picture), ""},
		{project + "/out/../out/report.txt", ""},
		{outside, "no project"},
		{project + "/../apikeys.txt", "no project"},
		{"/etc/hostname", "no project"},
		{link(outside, "api/link"), "link"},
		{link(filepath.Join(root), "api/up") + "/apikeys.txt", "link"},
		{link(good, "api/inner"), "link"},
		{pipe, "no ordinary file"},
		{project + "/out", "no ordinary file"},
		{project + "/none", "no such file"},
		{write("api/empty", nil), "is empty"},
		{write("api/largest", bytes.Repeat([]byte{0xff, 0}, share.MaxSize/2)), ""},
		{write("api/large", make([]byte, share.MaxSize+1)), "larger than 10 MB"},
		{write("api/.env", []byte("DB_PASSWORD=hunter2-Zx81kq\n")), "looks like a secret"},
		{write("api/latin1.env", []byte("# f\xfcr dev\nDB_PASSWORD=hunter2-Zx81kq\n")), "looks like a secret"},
		{write("api/utf16.env", utf16le("DB_PASSWORD=hunter2-Zx81kq\r\n")), "looks like a secret"},
		{write("api/utf16.txt", utf16le("all tests pass\r\n")), ""},
		{write("api/long.log", []byte(strings.Repeat("a row of a log\n", 200_000))), "too long a text"},
	} {
		f, err := share.Read(c.path, []string{root + "/nowhere", "/", project}, true)
		switch {
		case c.refused == "" && (err != nil || len(f.Data) == 0):
			t.Errorf("%s: %v", c.path, err)
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused) || strings.Count(err.Error(), filepath.Clean(c.path)) > 1 || f.Data != nil):
			t.Errorf("%s: %v, want %q", c.path, err, c.refused)
		}
	}
	if _, err := share.Read(filepath.Join(project, ".env"), []string{project}, false); err != nil {
		t.Errorf("without masking: %v", err)
	}
}

// utf16le returns a text as some programs on Windows write it.
func utf16le(text string) []byte {
	data := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return data
}

func TestAHomeIsNoProject(t *testing.T) {
	home := t.TempDir()
	repository := filepath.Join(home, "src", "api")
	if err := os.MkdirAll(filepath.Join(repository, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, versioned := range []bool{false, true} {
		if versioned { // its dotfiles
			if err := os.Mkdir(filepath.Join(home, ".git"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for folder, want := range map[string]string{
			home: "", filepath.Dir(home): "", "/": "", repository: repository, repository + "/cmd/x": repository, home + "/notes": home + "/notes",
		} {
			if got := share.ProjectOf(folder, home); got != want {
				t.Errorf("%s: %q, want %q", folder, got, want)
			}
		}
	}
}

// TestNoCheckoutAroundAHomeIsAProject, and neither is a home by its other name: tmux names a pane's folder without links.
func TestNoCheckoutAroundAHomeIsAProject(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, link := filepath.Join(dir, "home", "ann"), filepath.Join(dir, "ann")
	if err := errors.Join(os.MkdirAll(home, 0o700), os.Mkdir(filepath.Join(dir, ".git"), 0o700), os.Symlink(home, link)); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{home: "", filepath.Dir(home): "", dir: "", home + "/notes": home + "/notes"} {
		for _, home := range []string{home, link} {
			if got := share.ProjectOf(folder, home); got != want {
				t.Errorf("%s with the home %s: %q, want %q", folder, home, got, want)
			}
		}
	}
}
