package bench

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"nod/internal/botapi"
	"nod/internal/host/tmux/tmuxtest"
)

const token = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"

// rig is a nod of its own, with a tmux server and a Telegram that nobody else has.
type rig struct {
	*tmuxtest.Server
	ann  *botapi.Person
	home string
	env  []string
	nod  *exec.Cmd
}

// newRig makes all of a rig but nod, which start starts.
func newRig(b *testing.B) *rig {
	b.Helper()
	telegram := botapi.New(botapi.Options{Token: token})
	r := &rig{Server: tmuxtest.New(b), ann: telegram.Person(1, "Ann")}
	r.ann.Start()
	web := httptest.NewServer(telegram)
	b.Cleanup(web.Close)
	var err error
	if r.home, err = os.MkdirTemp("", "nodbench"); err != nil { // b.TempDir leaves no room in the path of a socket
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(r.home) })
	r.env = []string{
		"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "NOD_TELEGRAM_TOKEN=" + token, "NOD_TELEGRAM_API=" + web.URL,
		"NOD_SUPERVISORS=1", "NOD_TMUX_SOCKET=" + r.Socket, "NOD_SOCKET=" + filepath.Join(r.home, "nod.sock"), "NOD_STATE_DIR=" + filepath.Join(r.home, "state"),
		"NOD_POLL_INTERVAL=1s", "NOD_GRACE=0s", "NOD_PRESENCE=0s", "NOD_IDLE=off",
	}
	return r
}

// start starts nod and returns how long it took until it was ready, as it tells systemd.
func (r *rig) start(b *testing.B) time.Duration {
	b.Helper()
	address := &net.UnixAddr{Net: "unixgram", Name: filepath.Join(r.home, "ready")}
	_ = os.Remove(address.Name)
	conn, err := net.ListenUnixgram("unixgram", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	var said bytes.Buffer
	r.nod = exec.Command(*program, "run")
	r.nod.Env, r.nod.Stderr = append(r.env, "NOTIFY_SOCKET="+address.Name), &said
	began := time.Now()
	if err := r.nod.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.stop)
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	for told := make([]byte, 4096); ; {
		n, err := conn.Read(told)
		if err != nil {
			b.Fatalf("nod is not ready: %v\n%s", err, said.String())
		}
		if bytes.Contains(told[:n], []byte("READY=1")) {
			took := time.Since(began)
			_ = conn.SetReadDeadline(time.Time{})
			go func() { _, _ = io.Copy(io.Discard, conn) }() // as systemd, which hears nod's reports
			return took
		}
	}
}

func (r *rig) stop() {
	if r.nod == nil {
		return
	}
	_ = r.nod.Process.Signal(syscall.SIGCONT)
	_ = r.nod.Process.Signal(syscall.SIGTERM)
	_ = r.nod.Wait()
	r.nod = nil
}

// recorded is a screen as Claude Code drew it, with what puts the cursor at the top left corner of an empty terminal before it.
func recorded(b *testing.B, name string) string {
	b.Helper()
	text, err := os.ReadFile("../../../detect/agents/testdata/claude/2.1.329-" + name + "-120x40.ansi")
	if err != nil {
		b.Fatal(err)
	}
	return "\x1b[2J\x1b[H" + string(bytes.ReplaceAll(bytes.TrimRight(text, "\n"), []byte("\n"), []byte("\r\n")))
}

// short is n, or a tenth of it in a trial.
func short(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}

// must is a value that can't fail but where the machine is broken.
func must[T any](b *testing.B) func(T, error) T {
	return func(v T, err error) T {
		b.Helper()
		if err != nil {
			b.Fatal(fmt.Errorf("the bench itself: %w", err))
		}
		return v
	}
}
