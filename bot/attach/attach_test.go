package attach_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/bot/attach"
	"nod/internal/testrun"
)

func TestOldFilesGoAndOthersStay(t *testing.T) {
	dir := t.TempDir()
	old := func(name string, age time.Duration) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone, young, others := old("20260101-000000-01234567.png", 8*24*time.Hour), old("20260101-000000-01234568", 6*24*time.Hour), old("mine.png", 100*24*time.Hour)
	kept, err := attach.Keep(dir, "x.txt", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{young, others, kept} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("a file of last week is still there")
	}
}

// TestAProgramGetsTheVoiceAndNothingOfNods: no setting is in its environment, no shell reads its arguments, and the file that it
// gets is its owner's alone and goes.
func TestAProgramGetsTheVoiceAndNothingOfNods(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("NOD_TELEGRAM_TOKEN", "123:secret")
	t.Setenv("OTHER", "stays")
	script := filepath.Join(dir, "words")
	text := "#!/bin/sh\nfor last; do :; done\ncp -p \"$last\" copy\nstat -c %a \"$last\"\necho \"$last\" >path\nenv >env\necho \"$1\"\nprintf 'two\\033[31m words\\n'\n"
	if err := testrun.WriteProgram(script, []byte(text)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	words, err := attach.WriteDown(t.Context(), []string{script, "$(touch pwned);"}, filepath.Join(dir, "files"), []byte("voice"))
	if err != nil || words != "600 $(touch pwned); two words" {
		t.Errorf("%q, %v", words, err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if read("copy") != "voice" {
		t.Errorf("it got %q", read("copy"))
	}
	if env := read("env"); strings.Contains(env, "NOD_") || !strings.Contains(env, "OTHER=stays") {
		t.Errorf("its environment is\n%s", env)
	}
	for _, gone := range []string{strings.TrimSpace(read("path")), "pwned"} {
		if _, err := os.Stat(gone); err == nil {
			t.Errorf("%s is there", gone)
		}
	}
}

func TestAProgramThatNeverEndsIsBounded(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "words")
	if err := testrun.WriteProgram(script, []byte("#!/bin/sh\nyes word | head -c 200000\n")); err != nil {
		t.Fatal(err)
	}
	words, err := attach.WriteDown(t.Context(), []string{script}, dir, []byte("voice"))
	if err != nil || len(words) > 16<<10 {
		t.Errorf("%d bytes, %v", len(words), err)
	}
}
