package settings

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const complete = "NOD_TELEGRAM_TOKEN=" + goodToken + "\nNOD_SUPERVISORS=1\n"

func newHolder(t *testing.T, env Environment) (*Holder, *lockedBuffer, *[]Settings) {
	t.Helper()
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	log, told := &lockedBuffer{}, &[]Settings{}
	h := NewHolder(env, s, slog.New(slog.NewTextHandler(log, nil)), func(s Settings) { *told = append(*told, s) })
	return h, log, told
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestRefreshTakesWhatChanged(t *testing.T) {
	env := environment(t, complete)
	h, log, told := newHolder(t, env)
	h.Refresh()
	if log.String() != "" || len(*told) != 0 {
		t.Fatalf("an unchanged file was read: %s", log)
	}
	writeFile(t, File(env), complete+"NOD_GRACE=9s\nNOD_SOCKET=/run/other\n", 0o600)
	h.Refresh()
	now := h.Current()
	if now.Grace != 9*time.Second || len(*told) != 1 || (*told)[0].Grace != 9*time.Second {
		t.Errorf("grace %v, told %d times", now.Grace, len(*told))
	}
	if now.Socket == "/run/other" {
		t.Error("took a setting that needs a restart")
	}
	for _, want := range []string{"setting=NOD_GRACE from=20s to=9s", "restart nod to use it", "setting=NOD_SOCKET"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log lacks %q: %s", want, log)
		}
	}
	if strings.Contains(log.String(), "NOD_EXPIRY") {
		t.Errorf("log names what did not change: %s", log)
	}
	rows := map[string]Row{}
	for _, row := range now.Rows() {
		rows[row.Variable] = row
	}
	if r := rows["NOD_GRACE"]; r.Value != "9s" || r.Source != FromFile {
		t.Errorf("got %+v", r)
	}
	if r := rows["NOD_SOCKET"]; r.Value == "/run/other" || r.Source != FromDefault {
		t.Errorf("got %+v", r)
	}
}

// TestWrongFileChangesNothing: the same holds for a file without supervisors or without a token, and for a
// missing file.
func TestWrongFileChangesNothing(t *testing.T) {
	for name, text := range map[string]string{
		"wrong value":    complete + "NOD_IDLE=on\nNOD_GRACE=soon\n",
		"no supervisors": "NOD_TELEGRAM_TOKEN=" + goodToken + "\nNOD_IDLE=on\n",
		"no token":       "NOD_SUPERVISORS=1\nNOD_IDLE=on\n",
		"gone":           "",
	} {
		t.Run(name, func(t *testing.T) {
			env := environment(t, complete)
			h, log, told := newHolder(t, env)
			if text == "" {
				os.Remove(File(env))
			} else {
				writeFile(t, File(env), text, 0o600)
			}
			h.Refresh()
			if h.Current().Idle != IdleSilent || len(h.Current().Supervisors) != 1 || len(*told) != 0 {
				t.Error("changed")
			}
			if strings.Count(log.String(), "settings not changed") != 1 {
				t.Errorf("log: %s", log)
			}
			h.Refresh()
			if strings.Count(log.String(), "settings not changed") != 1 {
				t.Error("the same wrong file was reported twice")
			}
		})
	}
}

func TestChangedTokenIsLoggedMasked(t *testing.T) {
	env := environment(t, complete)
	h, log, _ := newHolder(t, env)
	other := "987654321:BBEhBOweik6ad9r_QXMENQjcrGbqCr4K-xy"
	writeFile(t, File(env), strings.Replace(complete, goodToken, other, 1), 0o600)
	h.Refresh()
	if !strings.Contains(log.String(), "NOD_TELEGRAM_TOKEN") || strings.Contains(log.String(), "BBEh") || strings.Contains(log.String(), "AAEh") {
		t.Errorf("log: %s", log)
	}
}

func TestHangupReadsAgain(t *testing.T) {
	env := environment(t, complete)
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan Settings, 1)
	h := NewHolder(env, s, slog.New(slog.DiscardHandler), func(s Settings) { told <- s })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- h.Watch(ctx) }()
	writeFile(t, File(env), complete+"NOD_IDLE=on\n", 0o600)
	// Before Watch listens, and after it stops, a SIGHUP would end the test. So it is never stopped.
	guard := make(chan os.Signal, 1)
	signal.Notify(guard, syscall.SIGHUP)
	deadline := time.After(5 * time.Second)
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		if err := hangup(); err != nil {
			t.Fatal(err)
		}
		select {
		case s := <-told:
			if s.Idle != IdleOn {
				t.Errorf("idle %s", s.Idle)
			}
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			return
		case <-deadline:
			t.Fatal("SIGHUP was not heard")
		default:
		}
	}
}

func hangup() error { return syscall.Kill(syscall.Getpid(), syscall.SIGHUP) }
