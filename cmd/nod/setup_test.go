package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nod/cmd/internal/fleet/join"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// TestSetupFromNothingToTheFirstAnswer is the way of a new user: the token, the link, yes, and an answer on
// the phone.
func TestSetupFromNothingToTheFirstAnswer(t *testing.T) {
	t.Parallel()
	nod, left := builtNod(t), testrun.Rounds(1, 3) // of the ways, which a map gives in any order
	for name, way := range map[string]struct {
		answer func(n *newcomer, m botapi.Record) error
		ends   string
	}{
		"tap yes": {func(n *newcomer, m botapi.Record) error { _, err := n.ann.Tap(m.ID, "✅ Approve"); return err }, "Approved by"},
		"tap no":  {func(n *newcomer, m botapi.Record) error { _, err := n.ann.Tap(m.ID, "❌ Deny"); return err }, "Denied by"},
		"reply y": {func(n *newcomer, m botapi.Record) error { n.ann.ReplyTo(m.ID, "y"); return nil }, "Approved by"},
	} {
		if left--; left < 0 {
			break
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNewcomer(t, nod)
			n.firstAnswer(way.answer, way.ends)
		})
	}
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
	n.tmux.UntilShows(n.pane, "this machine has joined the bot at hub:7443 as gpu1")
}

// TestSetupInterrupted presses Ctrl-C at every question: no change is half done, and the terminal echoes
// again.
func TestSetupInterrupted(t *testing.T) {
	t.Parallel()
	nod := builtNod(t)
	points := []struct {
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
	}
	for _, i := range rand.Perm(len(points))[:testrun.Rounds(2, len(points))] {
		tt := points[i]
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
	counted := regexp.MustCompile(`at most\)… [1-9]`) // seconds, so the Starts from before are known
	n.awaits(func(screen string) bool { return counted.MatchString(lastRow(screen)) })
	mallory.Start("guessed")
	mallory.Start()
	n.awaits(func(screen string) bool {
		return strings.Contains(screen, "! Somebody has pressed Start without this link")
	})
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

// TestSetupFindsAStartBehindManyMessages: Telegram shows the first hundred that nobody has confirmed, and strangers write as they like.
func TestSetupFindsAStartBehindManyMessages(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, builtNod(t))
	mallory := n.tg.Person(666, "Mallory")
	n.starts("--no-hooks")
	n.answers("Token (it is not shown):", setupToken)
	mallory.Start()
	for i := range 250 {
		mallory.Say(fmt.Sprint("hello ", i))
	}
	n.until("Waiting for you to press Start")
	n.opens(n.ann)
	n.until("Is that you")
	n.answers("Is that you", "y", "Write them?", "y", "Send the test question?", "n")
	n.tmux.UntilShows(n.pane, "exit 0")
}

// TestSetupLosesNoAnswer: with supervisors, the messages that nod has yet to read stay where they are.
func TestSetupLosesNoAnswer(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, builtNod(t))
	n.ann.Start()
	for i := range 120 {
		n.ann.Say(fmt.Sprint("answer ", i))
	}
	n.writes(n.settingsPath(), "NOD_TELEGRAM_TOKEN="+setupToken+"\nNOD_SUPERVISORS=4711\nNOD_TELEGRAM_API="+n.api+"\nNOD_TMUX_SOCKET="+n.tmux.Socket+"\n", 0o600)
	before := n.tg.Waiting()
	n.starts("--no-hooks")
	n.answers("Add another person?", "y")
	n.tmux.UntilShows(n.pane, "exit 1")
	if screen := n.tmux.Screen(n.pane); !strings.Contains(screen, "nod setup --supervisor ID") || n.tg.Waiting() != before {
		t.Errorf("%d messages wait, and it says\n%s", n.tg.Waiting(), screen)
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
	n.awaits(func(screen string) bool {
		return strings.Contains(screen, "! no test question: tmux 2.9a is too old: nod needs 3.2 or later.")
	})
	n.tmux.UntilShows(n.pane, "exit 0")
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
