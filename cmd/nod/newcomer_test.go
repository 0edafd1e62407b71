package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nod/internal/botapi"
	"nod/internal/host/proc/proctest"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/settings"
)

const setupToken = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"

// newcomer is a person with a new account on a machine with tmux and Claude Code, and a phone.
type newcomer struct {
	*testing.T
	nod  string
	home string
	tg   *botapi.Server
	api  string
	ann  *botapi.Person
	tmux *tmuxtest.Server
	pane string
	keys *os.File // of a person who looks at the pane
	env  []string // more of it
}

func newNewcomer(t *testing.T, nod string) *newcomer {
	t.Helper()
	home := shortTemp(t)
	n := &newcomer{T: t, nod: nod, home: home, tg: botapi.New(botapi.Options{Token: setupToken}), tmux: tmuxtest.New(t)}
	n.ann = n.tg.Person(4711, "Ann")
	server := httptest.NewServer(n.tg)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	n.api = server.URL
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	return n
}

// environment is that of a login shell, with the address of the emulator.
func (n *newcomer) environment() []string {
	return append([]string{
		"HOME=" + n.home, "XDG_RUNTIME_DIR=" + n.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + n.home,
		"NOD_TELEGRAM_API=" + n.api,
	}, n.env...)
}

// starts runs `nod setup` as a person in a pane.
func (n *newcomer) starts(args ...string) {
	n.Helper()
	line := "env " + strings.Join(n.environment(), " ") + " " + n.nod + " setup --no-service " + strings.Join(args, " ")
	n.writes(filepath.Join(n.home, "start"), "trap : INT; "+line+"; echo exit $?; exec sh\n", 0o600)
	n.pane = n.tmux.Pane("", 110, 60)
	n.tmux.Run("set-option", "-w", "-t", n.pane, "window-size", "manual", ";", "resize-window", "-t", n.pane, "-x", "110", "-y", "60")
	n.keys = proctest.Open(n, "tmux", "-u", "-S", n.tmux.Socket, "attach-session", "-f", "ignore-size", "-t", n.pane)
	for n.tmux.Run("list-clients") == "" {
		time.Sleep(10 * time.Millisecond)
	}
	n.types("sh " + n.home + "/start")
}

// types types a text as the person, and Enter.
func (n *newcomer) types(text string) {
	n.Helper()
	if _, err := n.keys.WriteString(text + "\r"); err != nil {
		n.Fatal(err)
	}
}

// answers waits for each question in turn and types the answer. A tmux server of the user who runs the tests
// may add a question.
func (n *newcomer) answers(pairs ...string) {
	n.Helper()
	for i := 0; i < len(pairs); i += 2 {
		n.until(pairs[i])
		if pairs[i+1] == setupToken {
			n.tmux.Type(n.pane, setupToken, "Enter") // no person is so fast that the terminal still echoes
			continue
		}
		n.types(pairs[i+1])
	}
}

// until waits until the last row with text shows a question.
func (n *newcomer) until(question string) {
	n.Helper()
	n.awaits(func(screen string) bool { return strings.Contains(lastRow(screen), question) })
}

// awaits waits for a screen. On the way it accepts its own tmux server, and no others.
func (n *newcomer) awaits(shown func(screen string) bool) {
	n.Helper()
	for {
		screen := n.tmux.Until(n.pane, func(screen string) bool {
			return shown(screen) || strings.HasSuffix(lastRow(screen), "Watch it? [Y/n]")
		})
		if shown(screen) {
			return
		}
		answer := "n"
		if asked := screen[strings.LastIndex(screen, "! tmux uses"):]; strings.Contains(asked, n.tmux.Socket) {
			answer = "y"
		}
		n.types(answer)
		n.tmux.Until(n.pane, func(now string) bool { return now != screen })
	}
}

func lastRow(screen string) string {
	rows := strings.Split(strings.TrimRight(screen, "\n "), "\n")
	return strings.TrimRight(rows[len(rows)-1], " ")
}

// opens presses Start on the last link that the terminal shows.
func (n *newcomer) opens(who *botapi.Person) (code string) {
	n.Helper()
	n.until("Waiting for you to press Start")
	links := regexp.MustCompile(`https://t\.me/nod_demo_bot\?start=([A-Za-z0-9_-]+)`).FindAllStringSubmatch(n.tmux.Screen(n.pane), -1)
	if len(links) == 0 {
		n.Fatalf("no link:\n%s", n.tmux.Screen(n.pane))
	}
	code = links[len(links)-1][1]
	who.Start(code)
	return code
}

func (n *newcomer) settingsPath() string { return filepath.Join(n.home, ".config", "nod", "nod.env") }

// loads reads the settings as a service does.
func (n *newcomer) loads() settings.Settings {
	n.Helper()
	s, err := settings.Load(settings.Environment{"HOME": n.home})
	if err != nil {
		n.Fatal(err)
	}
	return s
}

// nothingLeft checks that no process, folder or partial file is left.
func (n *newcomer) nothingLeft() {
	n.Helper()
	if left := mentioning(n.T, filepath.Join(n.home, "nod-setup-")); len(left) > 0 {
		n.Errorf("still running: %q", left)
	}
	for _, pattern := range []string{"nod-setup-*", ".config/nod/.nod-*", ".claude/.nod-*"} {
		if left, _ := filepath.Glob(filepath.Join(n.home, pattern)); len(left) > 0 {
			n.Errorf("left behind: %v", left)
		}
	}
}

// fromNothing answers up to the first question after the settings are written.
func (n *newcomer) toTheSettings() {
	n.Helper()
	n.answers("Token (it is not shown):", setupToken)
	n.opens(n.ann)
	n.answers("Is that you", "y")
	n.until("Write them? [Y/n]")
}

// firstAnswer runs setup and answers the test question, whose message in the chat ends with those words.
func (n *newcomer) firstAnswer(answer func(*newcomer, botapi.Record) error, ends string) {
	t := n.T
	t.Helper()
	n.ann.Say("hi")
	n.starts()
	n.toTheSettings()
	if _, err := os.Stat(n.settingsPath()); err == nil {
		t.Error("the settings were written before they were agreed to")
	}
	n.answers("Write them?", "", "Install hooks?", "", "Send the test question?", "")
	ctx, cancel := context.WithTimeout(t.Context(), tmuxtest.Patience)
	defer cancel()
	m, err := n.ann.Await(ctx, func(m botapi.Record) bool { return strings.Contains(m.Text, "touch it-works") && m.Markup != nil })
	if err != nil {
		t.Fatalf("no test question: %v\n%s", err, n.tmux.Screen(n.pane))
	}
	n.until("Tap ✅ Approve there")
	if err := answer(n, m); err != nil {
		t.Fatal(err)
	}
	screen := n.tmux.UntilShows(n.pane, "exit 0")
	if !strings.Contains(screen, "the whole way works") {
		t.Errorf("the screen:\n%s", screen)
	}
	if strings.Contains(screen, strings.TrimPrefix(setupToken, "123456789:")) {
		t.Errorf("the token is shown:\n%s", screen)
	}
	s := n.loads()
	if s.TelegramToken.Reveal() != setupToken || len(s.Supervisors) != 1 || s.Supervisors[0] != 4711 || !strings.Contains(strings.Join(s.TmuxSocket, ","), n.tmux.Socket) {
		t.Errorf("the settings: %v", s.Rows())
	}
	if info, err := os.Stat(n.settingsPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the settings file: %v, %v", info, err)
	}
	if hooks, err := os.ReadFile(filepath.Join(n.home, ".claude", "settings.json")); err != nil || !strings.Contains(string(hooks), n.nod+" hook claude") {
		t.Errorf("the hooks: %s, %v", hooks, err)
	}
	n.nothingLeft()
	if m, _ := n.ann.Message(m.ID); m.Markup != nil || !strings.Contains(m.Text, ends) {
		t.Errorf("setup left its question open in the chat: %q, %+v", m.Text, m.Markup)
	}
	n.nothingToReport()
	n.greetedOnce()
}

// greetedOnce: the nod that starts then answers neither setup's pairing nor earlier messages.
func (n *newcomer) greetedOnce() {
	n.Helper()
	var said []string
	for _, m := range n.ann.Messages() {
		if m.From.IsBot && !strings.Contains(m.Text, "touch it-works") {
			said = append(said, m.Text)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "/help") {
		n.Errorf("the newcomer is greeted with %q", said)
	}
}

// nothingToReport starts nod after setup: it sends nothing to the chat.
func (n *newcomer) nothingToReport() {
	n.Helper()
	before := n.ann.Messages()
	ctx, stop := context.WithCancel(n.Context())
	cmd := exec.CommandContext(ctx, n.nod, "run")
	cmd.Env = n.environment()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		n.Fatal(err)
	}
	defer func() { stop(); _ = cmd.Wait() }()
	for end := time.Now().Add(tmuxtest.Patience); ; time.Sleep(100 * time.Millisecond) {
		status := exec.Command(n.nod, "status")
		status.Env = n.environment()
		if out, err := status.CombinedOutput(); err == nil {
			break
		} else if time.Now().After(end) {
			n.Fatalf("nod does not start: %s", out)
		}
	}
	time.Sleep(3 * time.Second) // by then it has reported what it found at its start
	for i, m := range n.ann.Messages() {
		if i >= len(before) || m.Text != before[i].Text || (m.Markup == nil) != (before[i].Markup == nil) {
			n.Errorf("the first start after setup says %q", m.Text)
		}
	}
}

func (n *newcomer) writes(path, text string, mode os.FileMode) {
	n.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		n.Fatal(err)
	}
}

// runs runs `nod setup` without a terminal.
func (n *newcomer) runs(code int, args ...string) (out string) {
	n.Helper()
	ctx, cancel := context.WithTimeout(n.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.nod, append([]string{"setup", "--no-service"}, args...)...)
	cmd.Env = n.environment()
	text, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		n.Errorf("setup %v exits with %d, want %d:\n%s", args, got, code, text)
	}
	if strings.Contains(string(text), strings.TrimPrefix(setupToken, "123456789:")) {
		n.Errorf("the token is shown:\n%s", text)
	}
	return string(text)
}

// personRuns is runs for a person who has a terminal and does not use it.
func (n *newcomer) personRuns(code int, args ...string) {
	n.Helper()
	done := filepath.Join(n.home, "done")
	_ = os.Remove(done) // of an earlier run
	cmd := exec.Command("window", append([]string{n.nod, "setup", "--no-service"}, args...)...)
	cmd.Env = append(n.environment(), proctest.Done+"="+done)
	text, _ := cmd.CombinedOutput()
	if got, err := proctest.Code(done); got != code || err != nil {
		n.Errorf("setup %v exits with %d, want %d, %v:\n%s", args, got, code, err, text)
	}
}
