//go:build linux

package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

const nobody = 65534

// init makes of the test's program one that listens: it prints where, and what it is told there.
func init() {
	network, at, ok := strings.Cut(os.Getenv("DOOR_TEST_LISTENS"), " ")
	if !ok {
		return
	}
	listener, err := net.Listen(network, at)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr())
	_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, text, _ := ws.Read(r.Context())
		fmt.Printf("told %s\n", text)
		_ = ws.CloseNow()
	}))
	os.Exit(1)
}

// TestAServerOfAnotherUserIsToldNothing, whatever its name: only a codex of the user's own hears a word of the protocol.
func TestAServerOfAnotherUserIsToldNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root starts a program as another user")
	}
	for _, c := range []struct {
		network, name, told, says string
		uid                       uint32
	}{
		{"tcp", "codex", "told \n", "another user listens there", nobody},
		{"unix", "codex", "told \n", "another user listens there", nobody},
		{"tcp", "sshd", "told \n", "sshd listens there, and no codex", 0},
		{"unix", "sshd", "told \n", "sshd listens there, and no codex", 0},
		{"tcp", "codex", "initialize", "", 0},
		{"unix", "codex", "initialize", "", 0},
	} {
		t.Run(fmt.Sprint(c.network, " ", c.name, " ", c.uid), func(t *testing.T) {
			address, lines := listensAs(t, c.network, c.name, c.uid)
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			defer stop()
			a, err := Reach(ctx, &agents.Server{Agent: "codex", Address: address}, "touch a", OwnServer)
			if a != nil || err == nil || c.says != "" && !strings.Contains(err.Error(), c.says) {
				t.Errorf("it was reached: %v", err)
			}
			if told, err := lines.ReadString('\n'); err != nil || c.told != told && (c.says != "" || !strings.Contains(told, c.told)) {
				t.Errorf("it was %q, %v", told, err)
			}
		})
	}
}

// TestAServerOfAnotherHomeIsNotHeard: what agents of another home ask, as those do that nod's demo or a test runs beside one's own, is not
// this nod's to tell, and no answer to it this nod's to give.
func TestAServerOfAnotherHomeIsNotHeard(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	const here, there = "ws://127.0.0.1:11", "ws://127.0.0.1:12"
	for address, env := range map[string][]string{here: {"HOME=" + home}, there: {"HOME=" + home + "2"}, "ws://127.0.0.1:13": nil, "ws://127.0.0.1:14": {"HOME="}} {
		listens(t, "unix", "codex", &exec.Cmd{Args: []string{"app-server", "--listen", address}, Env: env})
	}
	var heard []string
	for _, s := range listening(proc.NewNames(agents.ServerProgram)) {
		heard = append(heard, s.Address)
	}
	if !slices.Equal(heard, []string{here}) {
		t.Errorf("%q are heard", heard)
	}
	t.Setenv("HOME", "")
	if all := listening(proc.NewNames(agents.ServerProgram)); len(all) > 0 {
		t.Errorf("a nod without a home hears %d servers", len(all))
	}
}

// listensAs starts a program of that name and user that listens, and gives its address and what it prints.
func listensAs(t *testing.T, network, name string, uid uint32) (address string, lines *bufio.Reader) {
	t.Helper()
	return listens(t, network, name, &exec.Cmd{SysProcAttr: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}})
}

// listens starts a program of that name that listens, as cmd has it.
func listens(t *testing.T, network, name string, cmd *exec.Cmd) (address string, lines *bufio.Reader) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "door") // t.TempDir's parent is closed to others, and so may be TMPDIR
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, name)
	if err := errors.Join(os.WriteFile(program, self, 0o755), os.Chmod(program, 0o755)); err != nil { // whatever the umask
		t.Fatal(err)
	}
	at := "127.0.0.1:0"
	if network == "unix" {
		at = filepath.Join(dir, "s")
	}
	cmd.Path, cmd.Args, cmd.Dir = program, append([]string{program}, cmd.Args...), "/"
	cmd.Env = append(cmd.Env, "DOOR_TEST_LISTENS="+network+" "+at)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = io.Copy(io.Discard, out); _ = cmd.Wait() })
	lines = bufio.NewReader(out)
	where, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if where = strings.TrimSpace(where); network == "unix" {
		return "unix://" + where, lines
	}
	return "ws://" + where, lines
}
