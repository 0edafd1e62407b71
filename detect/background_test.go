package detect

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/testrun"
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

// TestAProgramIsAskedOnceAMinute however many events come, with none of what else nod's environment holds.
func TestAProgramIsAskedOnceAMinute(t *testing.T) {
	dir := t.TempDir()
	program, calls := filepath.Join(dir, "claude"), filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\n{ echo \"$* $PWD\"; echo \"group $(($(ps -o pgid= -p $$) - $$))\"; env; } >> %s\necho '[{\"pid\":%d,\"id\":\"a1\",\"sessionId\":\"s1\",\"kind\":\"background\",\"status\":\"idle\"}]'\n", calls, os.Getpid())
	if err := testrun.WriteProgram(program, []byte(script)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("NOD_TELEGRAM_TOKEN", "a secret")
	t.Setenv("CLAUDE_BG_BACKEND", "daemon")
	asked := func() int {
		text, _ := os.ReadFile(calls)
		return strings.Count(string(text), "agents --json /\n")
	}
	synctest.Test(t, func(t *testing.T) {
		b := NewBackground(slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = b.Run(ctx) }()
		for range 3 {
			b.note("claude")
			synctest.Wait()
		}
		if time.Sleep(askEvery - time.Nanosecond); asked() != 1 {
			t.Errorf("it was asked %d times in a minute", asked())
		}
		if got := b.Sessions(); len(got) != 1 || got[0].State != screen.Idle {
			t.Errorf("%+v", got)
		}
		b.tell("claude", "s1", screen.Permission, time.Now())
		if got := b.Sessions(); got[0].State != screen.Permission {
			t.Errorf("after its event it is listed as %s", got[0].State)
		}
		time.Sleep(time.Nanosecond)
		if synctest.Wait(); asked() != 2 {
			t.Errorf("it was asked %d times, with the event that came after it was asked", asked())
		}
		stop()
		synctest.Wait()
	})
	text, err := os.ReadFile(calls)
	if err != nil || strings.Contains(string(text), "secret") || strings.Contains(string(text), "BACKEND") {
		t.Errorf("it was asked so: %s, %v", text, err)
	}
	if !strings.Contains(string(text), "\ngroup 0\n") {
		t.Errorf("it runs in nod's own terminal, as a person's command: %s", text)
	}
}

// TestWhatAnAgentRunsNamesNoProgram that nod runs: its events come from a process called claude, of another program than the one in nod's
// own PATH.
func TestWhatAnAgentRunsNamesNoProgram(t *testing.T) {
	dir := t.TempDir()
	forged, ran := filepath.Join(dir, "claude"), filepath.Join(dir, "ran")
	script := fmt.Sprintf("#!/bin/sh\n[ \"$*\" = \"agents --json\" ] && touch %s\nexec sleep 60\n", ran)
	if err := testrun.WriteProgram(forged, []byte(script)); err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(forged)
	agent.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "CLAUDE_CONFIG_DIR=" + dir}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
	t.Setenv("PATH", t.TempDir())
	b := NewBackground(slog.New(slog.DiscardHandler))
	e := HookEvent{Kind: Stopped}
	e.Agent, e.Caller = "claude", agent.Process.Pid
	b.Heard(e, "2.1.330")
	if !b.due["claude"] {
		t.Fatal("the event is not one at which nod asks")
	}
	b.askDue(t.Context())
	if _, err := os.Stat(ran); err == nil {
		t.Error("nod ran the program that sent the event")
	}
}

// FuzzListed: whatever a program lists, what is told of it names a session by nothing but plain signs, in no pane.
func FuzzListed(f *testing.F) {
	f.Add(fmt.Appendf(nil, `[{"pid":%d,"id":"450ff984; rm","cwd":"/w/api","kind":"background","status":"waiting","waitingFor":"permission prompt"}]`, os.Getpid()))
	f.Add([]byte(`[{"pid":1,"id":"a","kind":"background"},null,{"pid":-9223372036854775808}]`))
	plain := regexp.MustCompile(`^background [0-9A-Za-z-]{1,40}$`)
	f.Fuzz(func(t *testing.T, text []byte) {
		got := listed("claude", text, nil, time.Now())
		for _, s := range got {
			if !plain.MatchString(s.Where) || s.Pane.ID != "" || s.Process.PID <= 0 || s.State == "" {
				t.Errorf("%+v", s)
			}
		}
		if len(got) > maxListed {
			t.Errorf("%d sessions", len(got))
		}
	})
}
