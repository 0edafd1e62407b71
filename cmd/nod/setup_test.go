package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/fleet/join"
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

// until waits until the last row with text shows a question. On the way it accepts its own tmux server, and
// no others.
func (n *newcomer) until(question string) {
	n.Helper()
	for {
		screen := n.tmux.Until(n.pane, func(screen string) bool {
			last := lastRow(screen)
			return strings.Contains(last, question) || strings.HasSuffix(last, "Watch it? [Y/n]")
		})
		if strings.Contains(lastRow(screen), question) {
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

// TestSetupFromNothingToTheFirstAnswer is the way of a new user: the token, the link, yes, and an answer on
// the phone.
func TestSetupFromNothingToTheFirstAnswer(t *testing.T) {
	t.Parallel()
	nod := builtNod(t)
	for name, way := range map[string]struct {
		answer func(n *newcomer, m botapi.Record) error
		ends   string
	}{
		"tap yes": {func(n *newcomer, m botapi.Record) error { _, err := n.ann.Tap(m.ID, "✅ Approve"); return err }, "Approved by"},
		"tap no":  {func(n *newcomer, m botapi.Record) error { _, err := n.ann.Tap(m.ID, "❌ Deny"); return err }, "Denied by"},
		"reply y": {func(n *newcomer, m botapi.Record) error { n.ann.ReplyTo(m.ID, "y"); return nil }, "Approved by"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNewcomer(t, nod)
			n.firstAnswer(way.answer, way.ends)
		})
	}
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

// TestSetupOffersToJoin: a code instead of a token joins, and changes no setting; after that there is nothing
// to set up.
func TestSetupOffersToJoin(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, builtNod(t))
	keys := join.NewKeys()
	n.starts()
	n.until("Token (it is not shown):")
	if screen := n.tmux.Screen(n.pane); !strings.Contains(screen, "nod hub invite") {
		t.Errorf("joining is not offered:\n%s", screen)
	}
	n.tmux.Type(n.pane, "nod join "+join.NewCode("127.0.0.1:1", join.Pin(keys.Public().Signer)).String(), "Enter")
	if screen := n.tmux.UntilShows(n.pane, "exit 1"); !strings.Contains(screen, "the program nod-hub is missing") {
		t.Errorf("it does not join:\n%s", screen)
	}
	if _, err := os.Stat(n.settingsPath()); err == nil {
		t.Error("settings were written")
	}
	joined := join.Joined{Name: "gpu1", Keys: join.NewKeys(), Hub: keys.Public().Signer, Address: "hub:7443"}
	if err := joined.Write(join.File(n.settingsPath())); err != nil {
		t.Fatal(err)
	}
	n.types("sh " + n.home + "/start")
	n.tmux.UntilShows(n.pane, "this machine is gpu1 at the bot at hub:7443")
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

// TestSetupInterrupted presses Ctrl-C at every question: no change is half done, and the terminal echoes
// again.
func TestSetupInterrupted(t *testing.T) {
	t.Parallel()
	nod := builtNod(t)
	for _, tt := range []struct {
		at      string
		lead    func(n *newcomer)
		written bool
	}{
		{"Token (it is not shown):", func(*newcomer) {}, false},
		{"Waiting for you to press Start", func(n *newcomer) { n.answers("Token (it is not shown):", setupToken) }, false},
		{"Is that you", func(n *newcomer) { n.answers("Token (it is not shown):", setupToken); n.opens(n.ann) }, false},
		{"Write them? [Y/n]", (*newcomer).toTheSettings, false},
		{"Install hooks? [Y/n]", func(n *newcomer) { n.toTheSettings(); n.answers("Write them?", "") }, true},
		{"Send the test question? [Y/n]", func(n *newcomer) { n.toTheSettings(); n.answers("Write them?", "", "Install hooks?", "") }, true},
		{"Tap ✅ Approve there", func(n *newcomer) {
			n.toTheSettings()
			n.answers("Write them?", "", "Install hooks?", "", "Send the test question?", "")
		}, true},
	} {
		t.Run(tt.at, func(t *testing.T) {
			t.Parallel()
			n := newNewcomer(t, nod)
			n.starts()
			tt.lead(n)
			n.until(tt.at)
			n.tmux.Type(n.pane, "C-c")
			screen := n.tmux.UntilShows(n.pane, "exit 1")
			if want := map[bool]string{false: "stopped: nothing was changed", true: "stopped: the settings are written"}[tt.written]; !strings.Contains(screen, want) {
				t.Errorf("%q is not said:\n%s", want, screen)
			}
			if _, err := os.Stat(n.settingsPath()); (err == nil) != tt.written {
				t.Errorf("the settings file: %v", err)
			}
			if tt.written && n.loads().Ready() != nil {
				t.Errorf("the settings are not whole: %v", n.loads().Rows())
			}
			n.nothingLeft()
			n.tmux.Type(n.pane, "echo seen as typed #visible", "Enter")
			n.tmux.UntilShows(n.pane, "#visible") // echoed by the terminal, and not part of the output
		})
	}
}

// TestSetupListensOnlyToWhoIsConfirmed: a person who opens the link has no rights until the person at the
// terminal confirms them; a refused link is dead, and a wrong code counts for nothing.
func TestSetupListensOnlyToWhoIsConfirmed(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, builtNod(t))
	mallory := n.tg.Person(666, "Ann")
	n.starts("--no-hooks")
	n.answers("Token (it is not shown):", setupToken)
	n.until("Waiting for you to press Start")
	mallory.Start("guessed")
	mallory.Start()
	refused := n.opens(mallory)
	n.until("Is that you")
	if screen := n.tmux.Screen(n.pane); !strings.Contains(screen, `"Ann", user id 666,`) {
		t.Errorf("who it is, is not said:\n%s", screen)
	}
	n.answers("Is that you", "n")
	n.until("Waiting for you to press Start")
	mallory.Start(refused)
	n.opens(n.ann)
	n.until("Is that you")
	n.answers("Is that you", "y", "Write them?", "y", "Send the test question?", "n")
	n.tmux.UntilShows(n.pane, "exit 0")
	if ids := n.loads().Supervisors; len(ids) != 1 || ids[0] != 4711 {
		t.Errorf("supervisors: %v", ids)
	}
	for _, m := range mallory.Messages() {
		if m.From.IsBot {
			t.Errorf("a stranger was told: %s", m.Text)
		}
	}
}

// TestSetupAgainKeepsWhatIsThere: every line of the settings file, and the supervisors.
func TestSetupAgainKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, builtNod(t))
	n.ann.Start()
	before := "# mine\nNOD_TELEGRAM_TOKEN=" + setupToken + "\nNOD_SUPERVISORS=4711\n\nNOD_CADENCE = 0s,1m\nNOD_TELEGRAM_API=" + n.api + "\nNOD_TMUX_SOCKET=" + n.tmux.Socket + "\n"
	n.writes(n.settingsPath(), before, 0o600)
	n.starts()
	n.answers("Add another person?", "n", "Install hooks?", "n")
	n.answers("Send the test question?", "n")
	n.tmux.UntilShows(n.pane, "exit 0")
	if after, err := os.ReadFile(n.settingsPath()); err != nil || string(after) != before {
		t.Errorf("the settings became\n%s\nof\n%s", after, before)
	}
	if s := n.loads(); len(s.Cadence) != 2 || s.Supervisors[0] != 4711 || s.TmuxSocket[0] != n.tmux.Socket {
		t.Errorf("the settings: %v", s.Rows())
	}
	if hooks, err := os.ReadFile(filepath.Join(n.home, ".claude", "settings.json")); err == nil {
		t.Errorf("hooks were installed: %s", hooks)
	}
}

// TestSetupSendsNoTestQuestionWithoutTmux: it says what is missing, and all else is set up.
func TestSetupSendsNoTestQuestionWithoutTmux(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, builtNod(t))
	real, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	n.env = []string{"PATH=" + n.home + "/old:" + os.Getenv("PATH")}
	n.writes(n.home+"/old/tmux", "#!/bin/sh\n[ \"$1\" = -V ] && exec echo tmux 2.9a\nexec "+real+" \"$@\"\n", 0o700)
	n.ann.Start()
	n.writes(n.settingsPath(), "NOD_TELEGRAM_TOKEN="+setupToken+"\nNOD_SUPERVISORS=4711\nNOD_TELEGRAM_API="+n.api+"\nNOD_TMUX_SOCKET="+n.tmux.Socket+"\n", 0o600)
	n.starts("--no-hooks")
	n.answers("Add another person?", "n")
	n.tmux.UntilShows(n.pane, "! no test question: tmux 2.9a is too old: nod needs 3.2 or later.")
	n.tmux.UntilShows(n.pane, "exit 0")
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

func TestSetupWithoutATerminal(t *testing.T) {
	t.Parallel()
	nod := builtNod(t)
	t.Run("everything from flags", func(t *testing.T) {
		n := newNewcomer(t, nod)
		n.ann.Start()
		n.writes(filepath.Join(n.home, "token"), setupToken+"\n", 0o600)
		out := n.runs(0, "--token-file", filepath.Join(n.home, "token"), "--supervisor", "4711", "--yes")
		if s := n.loads(); s.TelegramToken.Reveal() != setupToken || s.Supervisors.String() != "4711" || string(s.TelegramAPI) != n.api {
			t.Errorf("the settings: %v\n%s", s.Rows(), out)
		}
		if _, err := os.Stat(filepath.Join(n.home, ".claude", "settings.json")); err != nil {
			t.Errorf("the hooks: %v", err)
		}
		text, _ := os.ReadFile(n.settingsPath())
		if out := n.runs(1, "--yes", "--supervisor", "4712"); !strings.Contains(out, "nothing was done") {
			t.Errorf("whoever has no terminal adds a supervisor:\n%s", out)
		}
		// An agent chooses its own environment: one in which nothing is set up changes nothing about the file.
		n.writes(filepath.Join(n.home, "empty"), "", 0o600)
		n.env = []string{"NOD_TELEGRAM_TOKEN_FILE=" + filepath.Join(n.home, "empty")}
		if out := n.runs(1, "--token-file", filepath.Join(n.home, "token"), "--supervisor", "4712", "--yes"); !strings.Contains(out, "nothing was done") {
			t.Errorf("whoever has no terminal and an empty token adds a supervisor:\n%s", out)
		}
		n.env = nil
		n.personRuns(0, "--yes")
		if again, _ := os.ReadFile(n.settingsPath()); string(again) != string(text) {
			t.Errorf("a second run made\n%s of\n%s", again, text)
		}
		n.personRuns(0, "--yes", "--supervisor", "4712")
		if s := n.loads(); s.Supervisors.String() != "4711,4712" {
			t.Errorf("supervisors: %v", s.Supervisors)
		}
	})
	for name, tt := range map[string]struct {
		prepare func(n *newcomer)
		args    []string
		code    int
		says    string
	}{
		"nothing to go by":          {func(*newcomer) {}, nil, 2, "nod setup --token-file FILE --supervisor ID --yes"},
		"no yes":                    {func(*newcomer) {}, []string{"--token-file", "TOKEN", "--supervisor", "4711"}, 2, "--yes"},
		"no supervisor":             {func(*newcomer) {}, []string{"--token-file", "TOKEN", "--yes"}, 2, "--supervisor ID"},
		"a supervisor's name":       {func(*newcomer) {}, []string{"--token-file", "TOKEN", "--supervisor", "ann", "--yes"}, 2, "numeric Telegram user ids"},
		"no such token file":        {func(*newcomer) {}, []string{"--token-file", "/none", "--supervisor", "4711", "--yes"}, 1, "/none can't be read: no such file"},
		"others can read the token": {func(n *newcomer) { n.writes(filepath.Join(n.home, "token"), setupToken, 0o644) }, []string{"--token-file", "TOKEN", "--supervisor", "4711", "--yes"}, 1, "chmod 600"},
		"no token in the file":      {func(n *newcomer) { n.writes(filepath.Join(n.home, "token"), "hello", 0o600) }, []string{"--token-file", "TOKEN", "--supervisor", "4711", "--yes"}, 1, "that is no token"},
		"a revoked token":           {func(n *newcomer) { n.tg.Revoke() }, []string{"--token-file", "TOKEN", "--supervisor", "4711", "--yes"}, 78, "Telegram rejects NOD_TELEGRAM_TOKEN"},
		"no network":                {func(n *newcomer) { n.api = "http://127.0.0.1:9" }, []string{"--token-file", "TOKEN", "--supervisor", "4711", "--yes"}, 1, "check the network, a proxy (HTTPS_PROXY) and NOD_TELEGRAM_API; then run `nod setup` again"},
		"a webhook": {func(n *newcomer) {
			n.tg.Fail(botapi.Fault{Method: "getWebhookInfo", Garbage: `{"ok":true,"result":{"url":"https://example.com/x"}}`})
		}, []string{"--token-file", "TOKEN", "--supervisor", "4711", "--yes"}, 1, "https://example.com/x"},
		"a wrong settings file": {func(n *newcomer) { n.writes(n.settingsPath(), "NOD_HSOT=x\n", 0o600) }, []string{"--token-file", "TOKEN", "--supervisor", "4711", "--yes"}, 78, "did you mean NOD_HOST?"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNewcomer(t, nod)
			n.writes(filepath.Join(n.home, "token"), setupToken, 0o600)
			tt.prepare(n)
			before, _ := os.ReadFile(n.settingsPath())
			for i, arg := range tt.args {
				if arg == "TOKEN" {
					tt.args[i] = filepath.Join(n.home, "token")
				}
			}
			if out := n.runs(tt.code, tt.args...); !strings.Contains(out, tt.says) {
				t.Errorf("%q is not said:\n%s", tt.says, out)
			}
			if after, _ := os.ReadFile(n.settingsPath()); string(after) != string(before) {
				t.Errorf("the settings were changed:\n%s", after)
			}
		})
	}
}

// TestSetupSaysWhoCannotBeTold: it names a supervisor who never pressed Start, with the address for that.
func TestSetupSaysWhoCannotBeTold(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, builtNod(t))
	n.writes(filepath.Join(n.home, "token"), setupToken, 0o600)
	out := n.runs(0, "--token-file", filepath.Join(n.home, "token"), "--supervisor", "4711", "--yes", "--no-hooks")
	if want := fmt.Sprintf("supervisor %d: has to open https://t.me/nod_demo_bot and press Start", 4711); !strings.Contains(out, want) {
		t.Errorf("%q is not said:\n%s", want, out)
	}
}
