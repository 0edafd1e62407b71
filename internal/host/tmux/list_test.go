package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
)

func TestNewFindsTheSocket(t *testing.T) {
	uid := os.Getuid()
	tests := []struct{ name, dir, want string }{
		{"", "", fmt.Sprintf("/tmp/tmux-%d/default", uid)},
		{"work", "", fmt.Sprintf("/tmp/tmux-%d/work", uid)},
		{"work", "/home/a/tt", fmt.Sprintf("/home/a/tt/tmux-%d/work", uid)},
		{"/run/x/../s", "/home/a/tt", "/run/s"},
	}
	for _, tt := range tests {
		t.Setenv("TMUX_TMPDIR", tt.dir)
		if got := tmux.New(tt.name).Socket(); got != tt.want {
			t.Errorf("New(%q) with TMUX_TMPDIR=%q is at %s, want %s", tt.name, tt.dir, got, tt.want)
		}
	}
}

func TestNeverStartsAServer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	s := tmux.New(socket)
	for what, err := range everything(t.Context(), s) {
		if !errors.Is(err, tmux.ErrNoServer) {
			t.Errorf("%s: %v, want %v", what, err, tmux.ErrNoServer)
		}
	}
	if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a socket was made: %v", err)
	}
}

// everything calls all that asks a server, with arguments that need one.
func everything(ctx context.Context, s *tmux.Server) map[string]error {
	errs := map[string]error{}
	g := tmux.Guard{Pane: "%0"}
	_, errs["List"] = s.List(ctx)
	_, errs["Look"] = s.Look(ctx, "%0")
	_, _, errs["Poll"] = s.Poll(ctx, nil, tmux.Listing{})
	_, errs["Resolve"] = s.Resolve(ctx, "%0")
	errs["Press"] = s.Press(ctx, g, "1")
	errs["Paste"] = s.Paste(ctx, g, "text")
	errs["LeaveMode"] = s.LeaveMode(ctx, g.Life, "%0")
	errs["SetPaneOption"] = s.SetPaneOption(ctx, g.Life, "%0", tmux.AgentOption, "x")
	errs["SetOwner"] = s.SetOwner(ctx, g.Life, "", "me")
	errs["Switch"] = s.Switch(ctx, "c", "%0")
	return errs
}

func TestAHungServerIsToldAtTheDeadline(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	real.Pane("cat", 40, 10)
	real.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := tmux.New(real.Socket).List(ctx); !errors.Is(err, tmux.ErrHung) {
		t.Errorf("%v, want %v", err, tmux.ErrHung)
	}
}

func TestACancelledCallSaysSo(t *testing.T) {
	real := tmuxtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tmux.New(real.Socket).List(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, tmux.ErrHung) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestAStaleSocketIsNoServer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = l.Close()
	if _, err := tmux.New(socket).List(t.Context()); !errors.Is(err, tmux.ErrNoServer) {
		t.Errorf("%v, want %v", err, tmux.ErrNoServer)
	}
}

// noTmux listens at a socket, talks with each caller once and hangs up.
func noTmux(t *testing.T, talk func(net.Conn)) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			talk(conn)
			_ = conn.Close()
		}
	}()
	return socket
}

func TestWhatIsNoTmuxServerIsAnError(t *testing.T) {
	socket := noTmux(t, func(conn net.Conn) { _, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) })
	if l, err := tmux.New(socket).List(t.Context()); err == nil {
		t.Errorf("it was listed as %v", l)
	}
}

func TestListTellsPanes(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	dir := filepath.Join(t.TempDir(), "new\nline %0 dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	first := real.Run("new-session", "-d", "-s", "main", "-n", "edit.or", "-x", "80", "-y", "24", "-c", dir, "-P", "-F", "#{pane_id}", "echo ready; cat")
	real.UntilShows(first, "ready") // before that its folder is not known
	second := real.Run("split-window", "-t", first, "-P", "-F", "#{pane_id}", "printf '\\033]2;título  #{pid}\\033\\\\\\033[?1049hready'; cat")
	real.UntilShows(second, "ready")
	real.Run("new-session", "-d", "-t", "main", "-s", "again") // a grouped session: the same panes once more
	real.Run("set-option", "-p", "-t", second, "@nod-agent", "claude")
	real.Run("set-option", "-p", "-t", second, "@nod-name", "my ägent, #{pid}")
	real.Run("copy-mode", "-t", second)
	real.Run("select-pane", "-d", "-t", first)

	l, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l.Life.Socket != real.Socket || l.Life.PID != real.PID() || time.Since(time.Unix(l.Life.Start, 0)) > time.Minute {
		t.Errorf("life %v", l.Life)
	}
	if len(l.Panes) != 2 {
		t.Fatalf("%d panes, want 2: %+v", len(l.Panes), l.Panes)
	}
	a, b := l.Panes[0], l.Panes[1]
	if a.ID != first || a.Path != dir || !a.InputOff || a.InMode || a.Alternate || a.Width != 80 || a.Where() != "again:0.0" && a.Where() != "main:0.0" {
		t.Errorf("first pane %+v", a)
	}
	if b.ID != second || b.Title != "título  #{pid}" || !b.InMode || !b.Alternate || b.Agent != "claude" ||
		b.Name != "my ägent, #{pid}" || !strings.HasPrefix(b.TTY, "/dev/") || b.PID == a.PID || time.Since(b.Activity) > time.Minute {
		t.Errorf("second pane %+v", b)
	}
}

func TestListOfAServerWithoutPanes(t *testing.T) {
	real := tmuxtest.New(t)
	l, err := tmux.New(real.Socket).List(t.Context())
	if err != nil || len(l.Panes) != 0 || l.Life.PID == 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestListTellsWhoLooks(t *testing.T) {
	real, outer := tmuxtest.New(t), tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := real.Pane("cat", 60, 20)
	beside := real.Run("split-window", "-d", "-t", pane, "-P", "-F", "#{pane_id}", "cat")
	elsewhere := real.Pane("cat", 60, 20)
	if l, err := s.List(t.Context()); err != nil || len(l.Clients) != 0 {
		t.Fatalf("nobody is attached: %v, %v", l.Clients, err)
	}
	before := time.Now().Truncate(time.Second)
	real.Attach(outer, pane, 60, 20)

	l, err := s.List(t.Context())
	if err != nil || len(l.Clients) != 1 {
		t.Fatalf("clients %v, %v", l.Clients, err)
	}
	c := l.Clients[0]
	if c.Pane != pane || !slices.Equal(c.Shows, []string{pane, beside}) || c.Activity.Before(before) || c.Name == "" {
		t.Errorf("client %+v", c)
	}
	real.Run("resize-pane", "-Z", "-t", pane)
	if l, err = s.List(t.Context()); err != nil || !slices.Equal(l.Clients[0].Shows, []string{pane}) {
		t.Errorf("a zoomed window shows %v, %v", l.Clients, err)
	}
	if err := s.Switch(t.Context(), c.Name, elsewhere); err != nil {
		t.Fatal(err)
	}
	if l, err = s.List(t.Context()); err != nil || l.Clients[0].Pane != elsewhere {
		t.Errorf("after the switch: %v, %v", l.Clients, err)
	}
	if err := s.Switch(t.Context(), c.Name, "%999"); !errors.Is(err, tmux.ErrNoPane) {
		t.Errorf("switch to a pane that is not there: %v", err)
	}
	if err := s.Switch(t.Context(), "nobody", pane); err == nil {
		t.Error("switched a client that is not there")
	}
}

func TestControlClientsDoNotLook(t *testing.T) {
	real, outer := tmuxtest.New(t), tmuxtest.New(t)
	pane := real.Pane("cat", 60, 20)
	outer.Pane(fmt.Sprintf("env -u TMUX tmux -C -S '%s' attach", real.Socket), 60, 20)
	for end := time.Now().Add(tmuxtest.Patience); real.Run("list-clients") == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the control client never attached")
		}
	}
	l, err := tmux.New(real.Socket).List(t.Context())
	if err != nil || len(l.Clients) != 0 || l.Panes[0].ID != pane {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestLookReadsOnePane(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "\x1b[31mred\x1b[0m 日本", 40, 6)
	real.Pane("cat", 30, 5)
	look, err := s.Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(look.Capture, "\n")
	if len(rows) != 6 || rows[0] != "\x1b[31mred\x1b[39m 日本" || rows[1] != "READY" {
		t.Errorf("rows %q", rows)
	}
	if look.Pane.ID != pane || look.Pane.Height != 6 || look.Life.PID != real.PID() {
		t.Errorf("look %+v", look)
	}
	for _, none := range []string{"%999", "%", "main:0.0", "", "%0 ; kill-server", "%0x"} {
		if _, err := s.Look(t.Context(), none); !errors.Is(err, tmux.ErrNoPane) {
			t.Errorf("pane %q: %v, want %v", none, err, tmux.ErrNoPane)
		}
	}
}

func TestResolveMatchesExactly(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	id := real.Run("new-session", "-d", "-s", "api-2", "-n", "v1.2", "-P", "-F", "#{pane_id}", "cat")
	twin := real.Run("new-window", "-d", "-t", "api-2:", "-n", "twin", "-P", "-F", "#{pane_id}", "cat")
	real.Run("new-window", "-d", "-t", "api-2:", "-n", "twin", "cat")
	real.Run("new-session", "-d", "-t", "api-2", "-s", "group")
	lone := real.Run("new-session", "-d", "-s", "lone", "-P", "-F", "#{pane_id}", "cat")
	for target, want := range map[string]string{
		id: id, "api-2:0.0": id, "api-2:v1.2.0": id, "group:0.0": id, twin: twin, "api-2:1.0": twin,
		"api-2:0": id, "api-2:v1.2": id, "group:1": twin, "lone": lone, "lone:": lone,
	} {
		if p, err := s.Resolve(t.Context(), target); err != nil || p.ID != want {
			t.Errorf("%s is %s, %v; want %s", target, p.ID, err, want)
		}
	}
	for _, target := range []string{"api:0.0", "lon", "api", "api-2:0.1", "api-2:9", "=api-2:0.0", "api-2:v1.0", ":0.0", "0.0", "%99", "{last}", "%", "a*:0.0"} {
		if p, err := s.Resolve(t.Context(), target); !errors.Is(err, tmux.ErrNoPane) {
			t.Errorf("%s is %s, %v; want %v", target, p.ID, err, tmux.ErrNoPane)
		}
	}
	for _, several := range []string{"api-2:twin.0", "api-2:twin", "api-2", "api-2:", "group"} {
		if p, err := s.Resolve(t.Context(), several); !errors.Is(err, tmux.ErrAmbiguous) {
			t.Errorf("%s, a name of several panes, is %s, %v", several, p.ID, err)
		}
	}
}

func TestPaneOptionsAreOfOnePane(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane, other := real.Pane("cat", 40, 5), real.Pane("cat", 40, 5)
	l, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agent := func() string {
		t.Helper()
		p, err := s.Resolve(t.Context(), pane)
		if err != nil {
			t.Fatal(err)
		}
		return p.Agent
	}
	if err := s.SetPaneOption(t.Context(), l.Life, pane, tmux.AgentOption, "it's #{pid} \\"); err != nil || agent() != "it's #{pid} \\" {
		t.Errorf("@nod-agent is %q, %v", agent(), err)
	}
	if p, err := s.Resolve(t.Context(), other); err != nil || p.Agent != "" {
		t.Errorf("the other pane's is %q, %v", p.Agent, err)
	}
	if err := s.SetPaneOption(t.Context(), l.Life, pane, tmux.AgentOption, ""); err != nil || agent() != "" {
		t.Errorf("taken away it is %q, %v", agent(), err)
	}
	old := l.Life
	old.Start--
	if err := s.SetPaneOption(t.Context(), old, pane, tmux.AgentOption, "x"); !errors.Is(err, tmux.ErrStale) || agent() != "" {
		t.Errorf("in another life: %v, and it is %q", err, agent())
	}
	if err := s.SetPaneOption(t.Context(), l.Life, pane, tmux.AgentOption, "a\nkill-server"); err == nil {
		t.Error("two lines were taken")
	}
}

func TestOneOwnerWins(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	owner := func() string {
		t.Helper()
		l, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return l.Owner
	}
	life := func() tmux.Life {
		l, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return l.Life
	}()
	if err := s.SetOwner(t.Context(), life, "", "1 2, #{x}'}"); err != nil || owner() != "1 2, #{x}'}" {
		t.Fatalf("owner %q, %v", owner(), err)
	}
	if err := s.SetOwner(t.Context(), life, "", "second"); !errors.Is(err, tmux.ErrStale) || owner() != "1 2, #{x}'}" {
		t.Errorf("a second one came: owner %q, %v", owner(), err)
	}
	if err := s.SetOwner(t.Context(), life, "1 2, #{x}'}", "third"); err != nil || owner() != "third" {
		t.Errorf("owner %q, %v", owner(), err)
	}
	life.Start--
	if err := s.SetOwner(t.Context(), life, "third", "fourth"); !errors.Is(err, tmux.ErrStale) || owner() != "third" {
		t.Errorf("in another life: owner %q, %v", owner(), err)
	}
	life.Start++
	if err := s.SetOwner(t.Context(), life, "third", ""); err != nil || owner() != "" {
		t.Errorf("owner %q, %v", owner(), err)
	}
}

func TestSocketsFindsAServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tmux-0")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "my sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	sockets, err := tmux.Sockets()
	if err != nil || !slices.Contains(sockets, socket) {
		t.Errorf("%s is not among %q, %v", socket, sockets, err)
	}
	_ = l.Close()
	if sockets, err = tmux.Sockets(); err != nil || slices.Contains(sockets, socket) {
		t.Errorf("the closed %s is among %q, %v", socket, sockets, err)
	}
}
