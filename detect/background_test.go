package detect

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
)

// TestSessionsInTheBackgroundAreListed: those that run, with what they do; an interactive one has a pane or a window of its own.
func TestSessionsInTheBackgroundAreListed(t *testing.T) {
	me := os.Getpid()
	text := fmt.Sprintf(`[
		{"pid":%d,"cwd":"/w/api","kind":"interactive","sessionId":"a","status":"idle"},
		{"pid":%d,"id":"450ff984","cwd":"/w/api","kind":"background","sessionId":"b","status":"waiting","waitingFor":"permission prompt","state":"blocked"},
		{"pid":%d,"id":"450ff985; rm","cwd":"/w/api","kind":"background","sessionId":"c","status":"busy"},
		{"pid":-1,"id":"450ff986","cwd":"/w/api","kind":"background","sessionId":"d","status":"busy"}]`, me, me, me)
	now := time.Now()
	got := listed("claude", []byte(text), nil, now)
	if len(got) != 1 || got[0].Where != "background 450ff984" || got[0].State != screen.Permission || got[0].Project != "api" || got[0].Process.PID != me || got[0].Pane.ID != "" {
		t.Fatalf("%+v", got)
	}
	if again := listed("claude", []byte(text), got, now.Add(time.Hour)); !again[0].Since.Equal(now) {
		t.Errorf("it waits since %v", again[0].Since)
	}
	other := strings.Replace(text, `"waiting","waitingFor":"permission prompt"`, `"busy"`, 1)
	if again := listed("claude", []byte(other), got, now.Add(time.Hour)); again[0].State != screen.Working || again[0].Since.Equal(now) {
		t.Errorf("%+v", again)
	}
	for _, text := range []string{"", "{}", `[{"pid":"x"}]`, "nothing"} {
		if got := listed("claude", []byte(text), got, now); len(got) > 0 {
			t.Errorf("%q lists %+v", text, got)
		}
	}
}

// TestAProgramIsAskedOnceAMinute however many events come, with none of what else the agent's environment holds.
func TestAProgramIsAskedOnceAMinute(t *testing.T) {
	dir := t.TempDir()
	program, calls := filepath.Join(dir, "claude"), filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\n{ echo \"$* $PWD\"; env; } >> %s\necho '[{\"pid\":%d,\"id\":\"a1\",\"sessionId\":\"s1\",\"kind\":\"background\",\"status\":\"idle\"}]'\n", calls, os.Getpid())
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	b := NewBackground(slog.New(slog.DiscardHandler))
	env := namesAlone([]string{"ANTHROPIC_API_KEY=sk-secret", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "CLAUDE_BG_BACKEND=daemon"})
	for range 3 {
		b.note("claude", program, env)
		if wait := b.askDue(t.Context()); wait < 0 || wait > askEvery {
			t.Errorf("it waits for %v", wait)
		}
	}
	text, err := os.ReadFile(calls)
	if err != nil || strings.Count(string(text), "agents --json /\n") != 1 || strings.Contains(string(text), "secret") || strings.Contains(string(text), "BACKEND") {
		t.Errorf("it was asked so: %s, %v", text, err)
	}
	if got := b.Sessions(); len(got) != 1 || got[0].State != screen.Idle {
		t.Errorf("%+v", got)
	}
	b.tell("claude", "s1", screen.Permission, time.Now())
	if got := b.Sessions(); got[0].State != screen.Permission {
		t.Errorf("after its event it is listed as %s", got[0].State)
	}
	b.programs[0].asked = time.Now().Add(-askEvery)
	if wait := b.askDue(t.Context()); wait != 0 {
		t.Errorf("it waits for %v", wait)
	}
	if text, _ = os.ReadFile(calls); strings.Count(string(text), "agents --json /\n") != 2 {
		t.Errorf("it was asked so a minute later: %s", text)
	}
}
