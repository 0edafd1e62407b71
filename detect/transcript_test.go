package detect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWordsFromTheTranscript(t *testing.T) {
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
		if got, ok := files.lastWords(path, field); !ok || got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if got := cutWords(" " + strings.Repeat("é", 2*wordsLimit)); len([]rune(got)) != wordsLimit {
		t.Errorf("%d runes are kept", len([]rune(got)))
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
	if os.Getuid() == 0 {
		if err := os.Chown(mine, 1, -1); err != nil {
			t.Fatal(err)
		}
		if got := tailOf(mine); got != nil {
			t.Errorf("another user's file was read: %q", got)
		}
	}
}

func FuzzLastAssistant(f *testing.F) {
	f.Add([]byte(`{"message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}`))
	f.Add([]byte(`{"message":{"role":"assistant","content":"x"}}` + "\n" + `{"message":[]}`))
	f.Fuzz(func(t *testing.T, tail []byte) {
		if text := lastAssistant(tail, "message"); text != strings.TrimSpace(text) || text != "" && !strings.Contains(string(tail), "assistant") {
			// The role may be written with escapes; then the text is one all the same.
			if !json.Valid(tail) && !strings.Contains(string(tail), `\u`) {
				t.Errorf("%q", text)
			}
		}
	})
}
