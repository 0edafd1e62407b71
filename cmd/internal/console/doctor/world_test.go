package doctor_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/console/doctor"
	"nod/cmd/internal/control"
	"nod/internal/botapi"
	"nod/internal/host/proc"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/rpc"
	"nod/internal/settings"
)

const (
	token = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"
	ann   = 4711
	nod   = "/opt/nod/bin/nod"
)

// world is a machine without faults: settings, a bot that Ann has started, a tmux server. A test breaks
// something.
type world struct {
	*testing.T
	home string
	env  settings.Environment
	file map[string]string // the settings file's lines
	tg   *botapi.Server
	ann  *botapi.Person
	tmux *tmuxtest.Server
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// The name is short: a Unix socket's path has at most 107 bytes.
	home, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	for _, name := range []string{"TMUX", "TMUX_PANE", "TMUX_TMPDIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	w := &world{
		T: t, home: home, env: settings.Environment{"HOME": home, "XDG_RUNTIME_DIR": home},
		tg: botapi.New(botapi.Options{Token: token, FirstUpdate: 100}), tmux: tmuxtest.New(t),
	}
	w.ann = w.tg.Person(ann, "Ann")
	w.ann.Start()
	w.file = map[string]string{
		"NOD_TELEGRAM_TOKEN": token, "NOD_SUPERVISORS": "4711", "NOD_TELEGRAM_API": w.serve(w.tg), "NOD_TMUX_SOCKET": w.tmux.Socket,
	}
	return w
}

// serve returns the address of a server that ends with the test.
func (w *world) serve(h http.Handler) string {
	s := httptest.NewServer(h)
	w.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func (w *world) path(name string) string { return filepath.Join(w.home, name) }

func (w *world) settingsPath() string { return w.path(".config/nod/nod.env") }

func (w *world) databasePath() string { return w.path(".local/state/nod/nod.db") }

// write makes a file, and makes its folders private.
func (w *world) write(path, text string, mode os.FileMode) {
	w.Helper()
	w.check(os.MkdirAll(filepath.Dir(path), 0o700))
	w.check(os.WriteFile(path, []byte(text), 0o600))
	w.check(os.Chmod(path, mode))
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// lines returns the settings file for the map.
func (w *world) lines() string {
	var b strings.Builder
	for key, value := range w.file {
		b.WriteString(key + "=" + value + "\n")
	}
	return b.String()
}

// settle writes the settings file, unless it exists.
func (w *world) settle() {
	if _, err := os.Lstat(w.settingsPath()); err != nil && w.file != nil {
		w.write(w.settingsPath(), w.lines(), 0o600)
	}
}

// examine runs the doctor.
func (w *world) examine() doctor.Report {
	w.Helper()
	w.settle()
	return doctor.Examine(w.Context(), doctor.Machine{Env: w.env, ServiceEnv: settings.Environment{"HOME": w.home, "XDG_RUNTIME_DIR": w.home}, Program: nod, Version: "1.0"})
}

// programs makes a folder with these scripts, and puts it first into PATH.
func (w *world) programs(scripts map[string]string) {
	dir := w.path("bin")
	for name, text := range scripts {
		w.write(filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n", 0o700)
	}
	w.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// likeness makes a copy of another program under that name, and runs it in a pane.
func (w *world) likeness(name, of string, args ...string) (pane string) {
	w.Helper()
	original, err := exec.LookPath(of)
	w.check(err)
	data, err := os.ReadFile(original)
	w.check(err)
	w.write(w.path("likeness/"+name), string(data), 0o700)
	pane = w.tmux.Pane(strings.Join(append([]string{w.path("likeness/" + name)}, args...), " "), 100, 40)
	pid, err := strconv.Atoi(w.tmux.Run("display-message", "-p", "-t", pane, "#{pane_pid}"))
	w.check(err)
	w.tmux.Until(pane, func(string) bool {
		running, err := proc.Foreground(pid)
		return err == nil && slices.ContainsFunc(running, func(p proc.Process) bool { return filepath.Base(p.Exe) == name })
	})
	return pane
}

// running plays nod at the socket in the settings.
func (w *world) running(health control.Health, panes ...control.Pane) {
	w.Helper()
	if health.Version == "" {
		health.Version = "1.0"
	}
	w.settle()
	used, err := settings.Load(w.env)
	w.check(err)
	w.answers(rpc.Methods{
		"health":    rpc.Method(func(context.Context, struct{}) (control.Health, error) { return health, nil }),
		"pane.list": rpc.Method(func(context.Context, struct{}) ([]control.Pane, error) { return panes, nil }),
		"settings.list": rpc.Method(func(context.Context, struct{}) (control.Settings, error) {
			return control.Settings{Settings: used.Rows()}, nil
		}),
	})
}

// machines sets the machines that the running nod reports.
func (w *world) machines(list ...control.Machine) {
	w.file["NOD_MACHINES"] = "gpu1,gpu2"
	w.settle()
	used, err := settings.Load(w.env)
	w.check(err)
	w.answers(rpc.Methods{
		"health":    rpc.Method(func(context.Context, struct{}) (control.Health, error) { return control.Health{Version: "1.0"}, nil }),
		"pane.list": rpc.Method(func(context.Context, struct{}) ([]control.Pane, error) { return nil, nil }),
		"settings.list": rpc.Method(func(context.Context, struct{}) (control.Settings, error) {
			return control.Settings{Settings: used.Rows()}, nil
		}),
		"machine.list": rpc.Method(func(context.Context, struct{}) ([]control.Machine, error) { return list, nil }),
	})
}

func (w *world) answers(methods rpc.Methods) {
	w.Helper()
	l := w.listen()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- rpc.NewServer(methods, nil, http.NotFoundHandler(), discardLog).Serve(ctx, l) }()
	w.Cleanup(func() {
		cancel()
		<-served
	})
}

func (w *world) listen() net.Listener {
	w.Helper()
	l, err := rpc.Listen(w.path("nod.sock"))
	w.check(err)
	w.Cleanup(func() { l.Close() })
	return l
}

// find returns the findings of a check.
func find(r doctor.Report, check string) (found []doctor.Finding) {
	for _, f := range r.Findings {
		if f.Check == check {
			found = append(found, f)
		}
	}
	return found
}

// quick fails the test if an examination took as long as the thing that it waits for would; its own limit is
// far below, even on a busy machine.
func quick(t *testing.T, began time.Time) {
	t.Helper()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}
