package taught

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
)

// question is a dialog in a language that nod does not speak.
const question = `
╭────────────────────────────────────────╮
│ Werkzeug: Shell                        │
│ rm -rf build                           │
│ Soll dieser Befehl ausgeführt werden?  │
│ ❯ Ja                                   │
│   Ja, immer                            │
│   Nein                                 │
╰────────────────────────────────────────╯
`

func german(name string) agents.Taught {
	return agents.Taught{
		Name: name, Agent: "acme", Head: "Werkzeug: Shell", Labels: []string{"Ja", "Ja, immer", "Nein"}, Once: "Ja", No: "Nein",
		On: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
	}
}

func TestWrittenIsReadAgain(t *testing.T) {
	folder := Folder(filepath.Join(t.TempDir(), "taught"))
	want := german("shell")
	want.Keys = map[string]string{"Nein": "n"}
	path, err := folder.Write(want, question)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, strings.TrimSuffix(path, suffix) + screenSuffix} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info.Mode(), err)
		}
	}
	got, problems := folder.Read()
	if len(got) != 1 || len(problems) > 0 || got[0].Name != "shell" || got[0].Keys["Nein"] != "n" || got[0].Day() != "21 Nov" || folder.Screen("shell") != question {
		t.Fatalf("%+v %v", got, problems)
	}
	if was, err := folder.Forget("shell"); !was || err != nil {
		t.Errorf("forget: %v %v", was, err)
	}
	if left, _ := os.ReadDir(string(folder)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestABrokenFileTeachesNothing: what is wrong with it is said with what to do, and the others stay.
func TestABrokenFileTeachesNothing(t *testing.T) {
	folder := Folder(t.TempDir())
	if _, err := folder.Write(german("good"), question); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(string(folder), "good.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, says string }{
		"no TOML":                   {"labels = [", "line 1 is no TOML"},
		"a word that means nothing": {string(good) + "\nalways = true\n", `"always" is nothing that such a file says`},
		"another name":              {string(good) + "\nname = \"shell\"\n", `"name" is nothing that such a file says`},
		"a lasting yes":             {strings.Replace(strings.ReplaceAll(string(good), `"Ja"`, `"Allow always"`), "Werkzeug", "Werkzeug", 1), "its words say that it lasts"},
		"Enter as a key":            {string(good) + "[keys]\n\"Ja\" = \"Enter\"\n", "takes what is marked"},
		"Escape as yes":             {string(good) + "[keys]\n\"Ja\" = \"Escape\"\n", "it can only mean no"},
		"a label that is not there": {strings.Replace(string(good), `once = "Ja"`, `once = "Sicher"`, 1), "none of its labels"},
		"nothing":                   {"", "it names no agent"},
	} {
		if err := os.WriteFile(filepath.Join(string(folder), "bad.toml"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		read, problems := folder.Read()
		if len(read) != 1 || len(problems) != 1 || !strings.Contains(problems[0].Error(), c.says) || !strings.Contains(problems[0].Error(), "nod teach --forget bad") {
			t.Errorf("%s: %d read, %v", name, len(read), problems)
		}
	}
}

// TestAFileThatOthersMayWriteTeachesNothing: it decides what is approved.
func TestAFileThatOthersMayWriteTeachesNothing(t *testing.T) {
	folder := Folder(t.TempDir())
	path, err := folder.Write(german("shell"), question)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	if read, problems := folder.Read(); len(read) != 0 || len(problems) != 1 {
		t.Errorf("%v %v", read, problems)
	}
}

// TestWhatIsNoOrdinaryFileIsNotRead: a pipe would hold nod up for good, and a device or a huge file fill its memory.
func TestWhatIsNoOrdinaryFileIsNotRead(t *testing.T) {
	f := Folder(t.TempDir())
	at := func(name string) string { return filepath.Join(string(f), name) }
	for _, suffix := range []string{suffix, screenSuffix} {
		if err := errors.Join(syscall.Mkfifo(at("pipe"+suffix), 0o600), os.Symlink("/dev/zero", at("zero"+suffix)), os.Mkdir(at("dir"+suffix), 0o700),
			os.WriteFile(at("huge"+suffix), bytes.Repeat([]byte("#"), 2*maxFile), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	all, problems := f.Read()
	if len(all) > 0 || len(problems) != 4 {
		t.Errorf("%v, %v", all, problems)
	}
	for _, name := range []string{"pipe", "zero", "dir", "huge"} {
		if screen := f.Screen(name); screen != "" {
			t.Errorf("%s is a screen of %d bytes", name, len(screen))
		}
	}
}

// TestAProblemNamesNoCommandWithAStrangeName: somebody may paste it into a shell.
func TestAProblemNamesNoCommandWithAStrangeName(t *testing.T) {
	f := Folder(t.TempDir())
	if err := os.WriteFile(filepath.Join(string(f), "-rf $(id).toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, problems := f.Read()
	if len(problems) != 1 || strings.Contains(problems[0].Error(), "--forget") || !strings.Contains(problems[0].Error(), "or remove the file") {
		t.Errorf("%v", problems)
	}
}

func TestHolderReadsWhatChanged(t *testing.T) {
	folder := Folder(filepath.Join(t.TempDir(), "taught"))
	h := NewHolder(folder, slog.New(slog.DiscardHandler))
	state := func() screen.State {
		h.Refresh()
		return h.Read("acme", screen.Parse(question)).State
	}
	if got := state(); got != screen.Question {
		t.Fatalf("before: %s", got)
	}
	path, err := folder.Write(german("shell"), question)
	if err != nil {
		t.Fatal(err)
	}
	if got := state(); got != screen.Permission {
		t.Errorf("taught: %s", got)
	}
	if err := os.WriteFile(path, []byte("labels = ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != screen.Question {
		t.Errorf("with a broken file: %s", got)
	}
}

// TestShared reads each dialog that everybody has on the screen that it was taught on.
func TestShared(t *testing.T) {
	files, err := fs.Glob(shared, "shared/*"+suffix)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		data, err := fs.ReadFile(shared, path)
		if err != nil {
			t.Fatal(err)
		}
		lesson, err := parse(nameOf(path), data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := fs.ReadFile(shared, strings.TrimSuffix(path, suffix)+screenSuffix)
		if err != nil {
			t.Errorf("%s has no screen: %v", path, err)
			continue
		}
		if r := agents.ReadTaught([]agents.Taught{lesson}, lesson.Agent, screen.Parse(string(text))); r.Prompt == nil || r.Prompt.Taught == "" {
			t.Errorf("%s is not found again on its own screen: %s %q", path, r.State, r.Why)
		}
	}
}
