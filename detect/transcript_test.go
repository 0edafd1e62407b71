package detect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// TestWordsFromTheTranscript runs in a bubble, as nod gives up after a moment of reading, which a busy machine exceeds.
func TestWordsFromTheTranscript(t *testing.T) { synctest.Test(t, testWordsFromTheTranscript) }

func testWordsFromTheTranscript(t *testing.T) {
	const claudeSays = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Done."},{"type":"tool_use","id":"x"}]}}`
	const codexSays = `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Built."}]}}`
	const human = `{"type":"user","message":{"role":"user","content":"go on"}}`
	const sidechain = `{"isSidechain":true,"message":{"role":"assistant","content":"part"}}`
	dir, files := t.TempDir(), newFileQuestions()
	for name, tt := range map[string]struct{ lines, want string }{
		"claude":                {human + "\n" + claudeSays + "\n", "Done."},
		"codex":                 {codexSays + "\n" + `{"type":"event_msg","payload":{"type":"token_count"}}`, "Built."},
		"a part's words":        {claudeSays + "\n" + sidechain + "\n", "Done."},
		"none since the human":  {claudeSays + "\n" + human + "\n", ""},
		"a line that is cut":    {claudeSays + "\n" + claudeSays[:40], "Done."},
		"far from the end":      {claudeSays + "\n{\"x\":\"" + strings.Repeat("y", transcriptTail) + "\"}\n", ""},
		"a first line half cut": {strings.Repeat("z", transcriptTail) + "\n" + claudeSays + "\n", "Done."},
		"empty":                 {"", ""},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tt.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		field := "message"
		if strings.Contains(tt.lines, "payload") {
			field = "payload"
		}
		if got, ok := inTranscript(files, "words", "an agent", path, lastWords(field)); !ok || got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if got := cutWords(" " + strings.Repeat("é", 2*wordsLimit)); len([]rune(got)) != wordsLimit {
		t.Errorf("%d runes are kept", len([]rune(got)))
	}
}

// TestTheVersionOfARunningAgent: its event tells it, or the newest line of its own transcript, and where neither does nobody
// knows it. It runs in a bubble, as nod gives up after a moment of reading.
func TestTheVersionOfARunningAgent(t *testing.T) { synctest.Test(t, testTheVersionOfARunningAgent) }

func testTheVersionOfARunningAgent(t *testing.T) {
	const old = `{"sessionId":"s","version":"2.0.54","message":{"role":"user","content":"go on"}}` + "\n"
	const now = `{"parentUuid":null,"sessionId":"s","version":"2.1.330","type":"assistant"}` + "\n"
	const none = `{"type":"file-history-snapshot","snapshot":{"version":"9.9.9"}}` + "\n"
	dir, w := t.TempDir(), NewWatcher(WatchConfig{})
	for name, c := range map[string]struct{ agent, told, lines, want string }{
		"one":                         {"claude", "", old, "2.0.54"},
		"a session that was taken up": {"claude", "", old + now + none, "2.1.330"},
		"a later line is cut":         {"claude", "", old + now[:40], "2.0.54"},
		"another type":                {"claude", "", `{"version":2}` + "\n", ""},
		"too long":                    {"claude", "", `{"version":"` + strings.Repeat("1", maxName+1) + `"}`, ""},
		"far from the end":            {"claude", "", old + none[:len(none)-3] + strings.Repeat(" ", transcriptTail) + "}}\n", ""},
		"no line tells it":            {"claude", "", none, ""},
		"empty":                       {"claude", "", "", ""},
		"the event tells it":          {"claude", "2.1.331", old, "2.1.331"},
		"a plugin tells it":           {"opencode", "1.18.33", "", "1.18.33"},
		"another agent's transcript":  {"codex", "", now, ""},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := w.VersionOf(HookEvent{Agent: c.agent, Version: c.told, Transcript: path}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, path := range []string{"", filepath.Join(dir, "none"), "/dev/zero", dir} {
		if got := w.VersionOf(HookEvent{Agent: "claude", Transcript: path}); got != "" {
			t.Errorf("%q tells %q", path, got)
		}
	}
}

func TestOnlyThisUsersFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := string(tailOf(mine)); got != "text\n" {
		t.Errorf("my own file is %q", got)
	}
	t.Chdir(dir)
	for _, path := range []string{pipe, dir, "/dev/zero", "mine", filepath.Join(dir, "none"), ""} {
		if got := tailOf(path); got != nil {
			t.Errorf("%q was read: %q", path, got)
		}
	}
	if info, err := os.Stat("/proc/self/stat"); err == nil && info.Mode().IsRegular() && tailOf("/proc/self/stat") != nil {
		t.Error("what the kernel makes up was read")
	}
	if os.Getuid() == 0 {
		if err := os.Chown(mine, 1, -1); err != nil {
			t.Fatal(err)
		}
		if got := tailOf(mine); got != nil {
			t.Errorf("another user's file was read: %q", got)
		}
	}
}

// TestAPipeThatAnEventNamesIsNotOpened: who waits to write into it would go on.
func TestAPipeThatAnEventNamesIsNotOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		file, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			err = file.Close()
		}
		written <- err
	}()
	for range 2000 {
		if tailOf(pipe) != nil {
			t.Fatal("it was read")
		}
		runtime.Gosched()
	}
	select {
	case <-written:
		t.Fatal("it was opened")
	default:
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY, 0) // lets the writer go
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := <-written; err != nil {
		t.Error(err)
	}
}

func FuzzLastAssistant(f *testing.F) {
	f.Add([]byte(`{"message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}`))
	f.Add([]byte(`{"message":{"role":"assistant","content":"x"}}` + "\n" + `{"message":[]}`))
	f.Fuzz(func(t *testing.T, tail []byte) {
		if text := lastWords("message")(newestFirst(tail)); text != strings.TrimSpace(text) || text != "" && !strings.Contains(string(tail), "assistant") {
			// The role may be written with escapes; then the text is one all the same.
			if !json.Valid(tail) && !strings.Contains(string(tail), `\u`) {
				t.Errorf("%q", text)
			}
		}
		if version := lastVersion("version")(newestFirst(tail)); len(version) > maxName || version != "" && !strings.Contains(string(tail), "{") {
			t.Errorf("the version is %q", version)
		}
	})
}
