package agents

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

var recorded = flag.String("capture", "", "file the screen that nod record wrote to this path, and its label beside it")

// TestFileCapture makes a test of a recorded screen: make capture FILE=...
func TestFileCapture(t *testing.T) {
	if *recorded == "" {
		t.Skip("there is nothing to file: -capture names a screen")
	}
	file, err := fileCapture(*recorded, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("filed as %s", file)
}

// fileCapture puts the screen at path and its label among the captures in folder: as it is, plain, and as a line of the label file,
// in the place of one of the same name. It returns the name.
func fileCapture(path, folder string) (string, error) {
	shown, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	said, err := os.ReadFile(strings.TrimSuffix(path, ".ansi") + ".json")
	if err != nil {
		return "", err
	}
	var l label
	if err := json.Unmarshal(said, &l); err != nil {
		return "", err
	}
	var plain strings.Builder
	for _, row := range screen.Parse(string(shown)).Rows {
		plain.WriteString(row.Text + "\n")
	}
	name := filepath.Join(folder, strings.TrimSuffix(filepath.Clean("/"+l.File), ".txt"))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	for ext, text := range map[string][]byte{".ansi": shown, ".txt": []byte(plain.String())} {
		if err := os.WriteFile(name+ext, text, 0o644); err != nil {
			return "", err
		}
	}
	return l.File, fileLabel(filepath.Join(folder, "labels.jsonl"), said)
}

// fileLabel puts a label among the others, in the order of their files.
func fileLabel(path string, said []byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name := func(line []byte) string {
		var l label
		_ = json.Unmarshal(line, &l) // a line that is none has no name, and stays
		return l.File
	}
	line := bytes.TrimSpace(said)
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	at := slices.IndexFunc(lines, func(other []byte) bool { return name(other) >= name(line) })
	switch {
	case at < 0:
		lines = append(lines, line)
	case name(lines[at]) == name(line):
		lines[at] = line
	default:
		lines = slices.Insert(lines, at, line)
	}
	return os.WriteFile(path, append(bytes.Join(lines, []byte("\n")), '\n'), 0o644)
}

// TestARecordedScreenIsFiledOnce: with its plain form, its label in order, and once more in the place of itself.
func TestARecordedScreenIsFiledOnce(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(from, "x.ansi"), "\x1b[1mYes\x1b[0m\n")
	write(filepath.Join(from, "x.json"), `{"file":"claude/2-bash-80x24.txt","agent":"claude"}`+"\n")
	write(filepath.Join(to, "labels.jsonl"), `{"file":"claude/1-bash-80x24.txt"}`+"\n"+`{"file":"codex/1-bash-80x24.txt"}`+"\n")
	for range 2 {
		if file, err := fileCapture(filepath.Join(from, "x.ansi"), to); err != nil || file != "claude/2-bash-80x24.txt" {
			t.Fatal(file, err)
		}
	}
	want := `{"file":"claude/1-bash-80x24.txt"}` + "\n" + `{"file":"claude/2-bash-80x24.txt","agent":"claude"}` + "\n" + `{"file":"codex/1-bash-80x24.txt"}` + "\n"
	for file, want := range map[string]string{"labels.jsonl": want, "claude/2-bash-80x24.txt": "Yes\n", "claude/2-bash-80x24.ansi": "\x1b[1mYes\x1b[0m\n"} {
		if b, err := os.ReadFile(filepath.Join(to, file)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v, want %q", file, b, err, want)
		}
	}
}
