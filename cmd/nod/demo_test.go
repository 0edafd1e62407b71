package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"nod/internal/host/proc/proctest"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// builtProgram is the program itself, once it was asked for.
var builtProgram struct {
	once sync.Once
	dir  string
	err  error
}

// builtNod is the program itself: the demo runs its own file under the agents' names, and a test binary would
// react differently.
func builtNod(t *testing.T) string {
	t.Helper()
	builtProgram.once.Do(func() {
		if builtProgram.dir, builtProgram.err = os.MkdirTemp("", "nod-built-"); builtProgram.err != nil {
			return
		}
		builtProgram.err = testrun.Build("nod/cmd/nod", filepath.Join(builtProgram.dir, "nod"))
	})
	if builtProgram.err != nil {
		t.Fatal(builtProgram.err)
	}
	return filepath.Join(builtProgram.dir, "nod")
}

// leftBehind returns the demo's folders under tmp.
func leftBehind(t *testing.T, tmp string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tmp, "nod-demo-*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// shortTemp returns a folder whose path is short enough for a Unix socket in it.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestDemo plays the whole demo, which takes a quarter of a minute, mostly pauses. So it starts before the
// parallel tests.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("plays for a quarter of a minute")
	}
	testrun.InFull(t) // TestDemoOfTwoMachines plays the same, and more
	playDemo(t, "--auto")
}

// TestDemoOfTwoMachines plays it with an agent on a second machine.
func TestDemoOfTwoMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("plays for a quarter of a minute")
	}
	if out := playDemo(t, "--auto", "--machines"); !strings.Contains(out, "gpu1") {
		t.Errorf("no second machine:\n%s", out)
	}
}

func playDemo(t *testing.T, args ...string) string {
	t.Helper()
	tmp := shortTemp(t)
	var out bytes.Buffer
	cmd := exec.Command(builtNod(t), append([]string{"demo"}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "TMPDIR="+tmp), &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "every answer landed as decided") {
		t.Errorf("%v\n%s", err, &out)
	}
	if left := leftBehind(t, tmp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return out.String()
}

func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	other := shortTemp(t)
	cmd := exec.Command(builtNod(t), "demo")
	cmd.Env = append(os.Environ(), "TMPDIR="+other)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	page, socket, opens := addressOf(t, stdout)
	if want := builtNod(t) + " web --open"; opens != want {
		t.Errorf("who has only built nod is told to open the page by %q", opens)
	}
	servesBoth(t, socket)
	resp, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the chat page: %s", resp.Status)
	}
	browser, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(page, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	if _, err := fmt.Fprint(browser, "GET / HTTP/1.1\r\nHost: demo\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := browser.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	dir := leftBehind(t, other)
	if len(dir) != 1 {
		t.Fatalf("the demo's folders: %v", dir)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v\n%s", err, &stderr)
	}
	if left := leftBehind(t, other); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if left := mentioning(t, dir[0]); len(left) != 0 {
		t.Errorf("still running: %q", left)
	}
	if left := socketsAt(t, page); len(left) != 0 {
		t.Errorf("sockets that outlive it, though the page is still open in a browser: %q", left)
	}
}

// servesBoth checks that the inbox and the page of the demo with this socket show its agents' questions.
func servesBoth(t *testing.T, socket string) {
	t.Helper()
	dir := shortTemp(t)
	link, err := os.Create(filepath.Join(dir, "link"))
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	done := filepath.Join(dir, "done")
	person := exec.Command("window", "nod", "web")
	person.Env, person.Stdout = append(os.Environ(), socket, proctest.Done+"="+done), link
	if err := person.Run(); err != nil {
		t.Fatal(err)
	}
	if code, err := proctest.Code(done); code != 0 || err != nil {
		t.Fatalf("nod web: exit code %d, %v", code, err)
	}
	text, err := os.ReadFile(link.Name())
	if err != nil {
		t.Fatal(err)
	}
	b, err := browse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if cards, err := b.line("GET", "/feed", ""); err != nil || !strings.Contains(cards, `"title":"claude in api"`) {
		t.Errorf("%v: the page shows %s", err, cards)
	}
	s := tmuxtest.New(t)
	s.UntilShows(s.Pane(socket+" exec nod inbox", 80, 24), "claude in api")
}

// addressOf reads from the demo's output the chat page's address, the setting of its socket, and the command that opens the other page.
func addressOf(t *testing.T, out io.Reader) (chat, socket, opens string) {
	t.Helper()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "export "); ok {
			socket = after
		}
		switch name, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " "); name {
		case "chat":
			chat = strings.TrimSpace(rest)
		case "page":
			go func() { _, _ = io.Copy(io.Discard, out) }() // so that the demo can go on printing
			return chat, socket, strings.TrimSpace(rest)
		}
	}
	t.Fatal("the demo printed no address")
	return "", "", ""
}

// socketsAt returns this machine's TCP sockets with a page's address, in any state, from /proc/net/tcp.
func socketsAt(t *testing.T, page string) (found []string) {
	t.Helper()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return nil // not Linux
	}
	at, err := netip.ParseAddrPort(strings.Trim(strings.TrimPrefix(page, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	local := fmt.Sprintf("0100007F:%04X", at.Port())
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 3 && f[1] == local {
			found = append(found, line)
		}
	}
	return found
}

// mentioning returns the command lines of running processes that contain a path.
func mentioning(t *testing.T, path string) (found []string) {
	t.Helper()
	out, err := exec.Command("ps", "-e", "-o", "args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, path) {
			found = append(found, line)
		}
	}
	return found
}

func TestDemoPageIsForThisMachineAlone(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "localhost:8080": true, "[::1]:8080": true, "127.9.9.9:1": true,
		":8080": false, "0.0.0.0:8080": false, "192.168.1.7:80": false, "example.com:80": false, "8080": false, "": false,
	} {
		if err := onLoopback(address); (err == nil) != ok {
			t.Errorf("--listen %q: %v", address, err)
		}
	}
}
