package doctor_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/cmd/internal/console/doctor"
	"nod/cmd/internal/control"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

var discardLog = slog.New(slog.DiscardHandler)

// TestEverythingHangsAtOnce: each check has its own time limit.
func TestEverythingHangsAtOnce(t *testing.T) {
	if !testrun.Apart(t) {
		return
	}
	w := newWorld(t)
	w.Cleanup(w.tmux.Freeze())
	w.listen()
	w.tg.Fail(botapi.Fault{Delay: time.Minute, Times: -1})
	w.claudeSettings("{}")
	w.programs(map[string]string{"claude": "sleep 60"})
	began := time.Now()
	r := w.examine()
	quick(t, began)
	if r.OK {
		t.Errorf("nothing is broken:\n%s", shown(r))
	}
}

// waits are the cases of TestBroken in which the doctor waits a second or two.
var waits = []string{"Telegram is slow", "tmux hangs", "systemd hangs", "nod does not answer"}

// TestBroken breaks one thing at a time on a machine without faults. It checks the report as a person reads
// it: the level, what is wrong, and the next step.
func TestBroken(t *testing.T) {
	for _, tt := range []struct {
		name        string
		break_      func(w *world)
		check       string
		level       doctor.Level
		says, next  string // parts of the texts
		onlyAsRoot  bool
		neverAsRoot bool
	}{
		{"nothing", func(w *world) {}, "settings", doctor.OK, "/.config/nod/nod.env", "", false, false},

		// Settings.
		{"nothing is set up", func(w *world) { w.file = nil }, "settings", doctor.Broken, "nothing is set up yet", "run `nod setup`", false, false},
		{"no token", func(w *world) { delete(w.file, "NOD_TELEGRAM_TOKEN") }, "settings", doctor.Broken, "NOD_TELEGRAM_TOKEN is not set", "nod setup", false, false},
		{"no supervisor", func(w *world) { delete(w.file, "NOD_SUPERVISORS") }, "settings", doctor.Broken, "NOD_SUPERVISORS is not set", "nod setup", false, false},
		{"a supervisor's name", func(w *world) { w.file["NOD_SUPERVISORS"] = "@ann" }, "settings", doctor.Broken, "NOD_SUPERVISORS must be numeric", "nod.env", false, false},
		{"a group's id", func(w *world) { w.file["NOD_SUPERVISORS"] = "-100123" }, "settings", doctor.Broken, "a group's negative id", "nod.env", false, false},
		{"a token that is cut off", func(w *world) { w.file["NOD_TELEGRAM_TOKEN"] = "123456789:AAEh" }, "settings", doctor.Broken, "NOD_TELEGRAM_TOKEN must be a bot's token", "nod.env", false, false},
		{"a setting's name is misspelt", func(w *world) { w.file["NOD_SUPERVISOR"] = "1" }, "settings", doctor.Broken, "did you mean NOD_SUPERVISORS?", "nod.env", false, false},
		{"a wrong time", func(w *world) { w.file["NOD_POLL_INTERVAL"] = "2" }, "settings", doctor.Broken, "NOD_POLL_INTERVAL must be a time", "nod.env", false, false},
		{"a time out of range", func(w *world) { w.file["NOD_POLL_INTERVAL"] = "2h" }, "settings", doctor.Broken, "from 100ms to 1m", "nod.env", false, false},
		{"wrong quiet hours", func(w *world) { w.file["NOD_QUIET"] = "22-7" }, "settings", doctor.Broken, "NOD_QUIET must be", "nod.env", false, false},
		{"a cadence that falls", func(w *world) { w.file["NOD_CADENCE"] = "5m,1m" }, "settings", doctor.Broken, "NOD_CADENCE must be", "nod.env", false, false},
		{"a state directory that depends on where nod is started", func(w *world) { w.file["NOD_STATE_DIR"] = "state" }, "settings", doctor.Broken, "NOD_STATE_DIR must be an absolute path", "nod.env", false, false},
		{"a relative tmux socket", func(w *world) { w.file["NOD_TMUX_SOCKET"] = "tmux/s" }, "settings", doctor.Broken, "NOD_TMUX_SOCKET must be names", "nod.env", false, false},
		{"an address that is none", func(w *world) { w.file["NOD_TELEGRAM_API"] = "api.telegram.org" }, "settings", doctor.Broken, "NOD_TELEGRAM_API must be an address", "nod.env", false, false},
		{"a line without =", func(w *world) { w.write(w.settingsPath(), "hello\n", 0o600) }, "settings", doctor.Broken, "must be KEY=value", "nod.env", false, false},
		{"a setting twice", func(w *world) { w.write(w.settingsPath(), w.lines()+"NOD_SUPERVISORS=1\n", 0o600) }, "settings", doctor.Broken, "is set twice", "nod.env", false, false},
		{"others can read the settings", func(w *world) { w.write(w.settingsPath(), w.lines(), 0o644) }, "settings", doctor.Broken, "can be read by others (mode 0644): run `chmod 600 ", "`nod config` then shows", false, false},
		{"the settings belong to another user", func(w *world) { w.write(w.settingsPath(), w.lines(), 0) }, "settings", doctor.Broken, "can't be read: permission denied", "nod.env", false, true},
		{"the settings are a folder", func(w *world) { w.check(os.MkdirAll(w.settingsPath(), 0o700)) }, "settings", doctor.Broken, "is no ordinary file", "nod.env", false, false},
		{"the settings are a log", func(w *world) { w.write(w.settingsPath(), strings.Repeat("#\n", 1<<20), 0o600) }, "settings", doctor.Broken, "too large", "nod.env", false, false},
		{"NOD_CONFIG names no file", func(w *world) { w.env["NOD_CONFIG"] = w.path("other.env") }, "settings", doctor.Broken, "other.env can't be read: no such file", "other.env", false, false},
		{"the token file is not there", func(w *world) { w.tokenFile("none", "", 0) }, "settings", doctor.Broken, "NOD_TELEGRAM_TOKEN_FILE must name a file", "nod.env", false, false},
		{"others can read the token file", func(w *world) { w.tokenFile("token", token, 0o640) }, "settings", doctor.Broken, "(mode 0640): run `chmod 600 ", "nod.env", false, false},
		{"a misspelt setting in this shell", func(w *world) { w.env["NOD_IDEL"] = "on" }, "settings", doctor.Note, "NOD_IDEL is no setting of nod: did you mean NOD_IDLE? (environment)", "write it right", false, false},
		{"a setting only this shell has", func(w *world) { w.env["NOD_SUPERVISORS"] = "4711,12" }, "settings", doctor.Note, "NOD_SUPERVISORS comes from this shell's environment", "write it into", false, false},
		{"a setting that needs a restart", func(w *world) { w.restartNeeded() }, "settings", doctor.Note, "NOD_DIGEST was changed", "nod service restart", false, false},

		// Files.
		{"others can replace the settings", func(w *world) { w.mode(filepath.Dir(w.settingsPath()), 0o777) }, "files", doctor.Note, "open to others (mode 0777)", "chmod go-w ", false, false},
		{"others can read the records", func(w *world) { w.mode(filepath.Dir(w.databasePath()), 0o755) }, "files", doctor.Note, "open to others (mode 0755)", "chmod 700 ", false, false},
		{"others can read the database", func(w *world) { w.database(); w.check(os.Chmod(w.databasePath(), 0o644)) }, "files", doctor.Note, "nod.db is open to others", "chmod 600 ", false, false},
		{"the database is root's", func(w *world) {
			w.write(w.databasePath(), "", 0o600)
			w.check(os.Chown(w.databasePath(), 65534, 65534))
		}, "files", doctor.Broken, "nod.db belongs to another user", "sudo chown", true, false},
		{"the state directory is a file", func(w *world) { w.write(filepath.Dir(w.databasePath()), "", 0o600) }, "files", doctor.Broken, "is no folder", "NOD_STATE_DIR", false, false},
		{"the state directory can't be written", func(w *world) { w.mode(filepath.Dir(w.databasePath()), 0o500) }, "files", doctor.Broken, "nod can't write into", "chmod u+rwx", false, false},

		// Telegram.
		{"the token was revoked", func(w *world) { w.tg.Revoke() }, "token", doctor.Broken, "Telegram rejects NOD_TELEGRAM_TOKEN (telegram getMe: 401 Unauthorized)", "@BotFather", false, false},
		{"nobody listens", func(w *world) { w.file["NOD_TELEGRAM_API"] = "http://127.0.0.1:9" }, "network", doctor.Broken, "connection refused", "check the network", false, false},
		{"the name is not known", func(w *world) { w.file["NOD_TELEGRAM_API"] = "http://nod.invalid" }, "network", doctor.Broken, "nod.invalid", "DNS", false, false},
		{"Telegram is slow", func(w *world) { w.tg.Fail(botapi.Fault{Delay: 10 * time.Second}) }, "network", doctor.Broken, "did not answer within 2s", "check the network", false, false},
		{"the connection breaks", func(w *world) { w.tg.Fail(botapi.Fault{DropBefore: true, Times: -1}) }, "network", doctor.Broken, "EOF", "check the network", false, false},
		{"a proxy answers", func(w *world) { w.tg.Fail(botapi.Fault{HTML: 502}) }, "network", doctor.Broken, "HTTP 502 with a body that is no Bot API answer", "a proxy", false, false},
		{"a hotel's login page answers", func(w *world) { w.tg.Fail(botapi.Fault{Garbage: "<html>Welcome"}) }, "network", doctor.Broken, "no Bot API answer", "login page", false, false},
		{"Telegram is out of order", func(w *world) { w.tg.Fail(botapi.Fault{Code: 500}) }, "network", doctor.Broken, "500 Internal Server Error", "check the network", false, false},
		{"Telegram asks to slow down", func(w *world) { w.tg.Fail(botapi.Fault{Code: 429, RetryAfter: 7}) }, "network", doctor.Broken, "Too Many Requests", "try again in 7s", false, false},
		{"somebody else's certificate", func(w *world) { w.tlsServer(time.Now().Add(time.Hour)) }, "network", doctor.Broken, "unknown authority", "ca-certificates", false, false},
		{"the clock is years off", func(w *world) { w.tlsServer(time.Now().Add(-time.Hour)) }, "network", doctor.Broken, "expired", "timedatectl", false, false},
		{"the clock is ahead", func(w *world) { w.clock(-10 * time.Minute) }, "clock", doctor.Broken, "ahead of Telegram's", "timedatectl", false, false},
		{"the clock is behind", func(w *world) { w.clock(3 * time.Minute) }, "clock", doctor.Broken, "behind Telegram's", "timedatectl", false, false},
		{"the clock is a little off", func(w *world) { w.clock(-40 * time.Second) }, "clock", doctor.Note, "ahead of Telegram's", "timedatectl", false, false},
		{"a webhook is set", func(w *world) { w.api("setWebhook?url=https://example.com/hook") }, "webhook", doctor.Broken, "Telegram lets nobody poll: https://example.com/hook", "nod setup", false, false},
		{"another program polls", func(w *world) { w.otherPoller() }, "poller", doctor.Broken, "another program polls with this bot's token", "/revoke", false, false},
		{"Ann never pressed Start", func(w *world) { w.file["NOD_SUPERVISORS"] = "12" }, "chat", doctor.Broken, "supervisor 12 hears nothing", "press Start", false, false},
		{"Ann blocked the bot", func(w *world) { w.ann.Block() }, "chat", doctor.Broken, "supervisor 4711 hears nothing: this person has blocked the bot", "unblock", false, false},
		{"one of two blocked the bot", func(w *world) {
			w.file["NOD_SUPERVISORS"] = "4711,4712"
			b := w.tg.Person(4712, "Bob")
			b.Start()
			b.Block()
		}, "chat", doctor.Note, "supervisor 4712 hears nothing", "unblock", false, false},
		{"a watcher never pressed Start", func(w *world) { w.file["NOD_WATCHERS"] = "13" }, "chat", doctor.Note, "watcher 13 hears nothing", "press Start", false, false},
		{"the group is none of the bot's", func(w *world) { w.inGroup(-1009999999999) }, "chat", doctor.Broken, "group -1001234567890 hears nothing: the bot is in no group with that id", "add the bot", false, false},
		{"the bot was put out of the group", func(w *world) { w.inGroup(-1001234567890); w.ann.In(-1001234567890).Block() }, "chat", doctor.Broken, "group -1001234567890 hears nothing: the bot was put out of it", "add the bot", false, false},
		{"the group has no topics", func(w *world) { w.inGroup(-1001234567890) }, "topics", doctor.Note, "group -1001234567890 has none", "turn Topics on", false, false},
		{"the bot may not make topics", func(w *world) {
			w.inGroup(-1001234567890)
			w.tg.Forum(-1001234567890, "agents", false)
		}, "topics", doctor.Note, "the bot may make none in group -1001234567890", "administrator", false, false},
		{"the group is as it should be", func(w *world) {
			w.inGroup(-1001234567890)
			w.tg.Forum(-1001234567890, "agents", true)
		}, "chat", doctor.OK, "in group -1001234567890, and may make topics there", "", false, false},
		{"no topics in private chats", func(w *world) { w.file["NOD_TOPICS"] = "on" }, "topics", doctor.Note, "this bot has none", "Threaded Mode", false, false},

		// tmux.
		{"no tmux", func(w *world) { w.Setenv("PATH", w.path("bin")) }, "tmux", doctor.Broken, "no tmux in PATH", "apt-get install tmux", false, false},
		{"an old tmux", func(w *world) { w.programs(map[string]string{"tmux": "echo tmux 3.1c"}) }, "tmux", doctor.Broken, "tmux 3.1c is too old", "3.2 or later", false, false},
		{"a tmux that does not run", func(w *world) { w.programs(map[string]string{"tmux": "exit 127"}) }, "tmux", doctor.Broken, "exit status 127", "tmux -V", false, false},
		{"tmux is not started yet", func(w *world) { w.tmux.Kill() }, "server", doctor.Note, "no tmux server runs at", "start tmux", false, false},
		{"tmux hangs", func(w *world) { w.Cleanup(w.tmux.Freeze()) }, "server", doctor.Broken, "does not answer", "stopped or busy", false, false},
		{"another tmux program than the server's", func(w *world) { w.mixedTmux() }, "server", doctor.Broken, "do not understand each other", "start the server again", false, false},
		{"tmux listens elsewhere", func(w *world) { w.tmux.Kill(); w.strayServer(nil) }, "other socket", doctor.Broken, "where nod does not look", "nod config set NOD_TMUX_SOCKET ", false, false},
		{"tmux listens elsewhere too", func(w *world) { w.strayServer(nil) }, "other socket", doctor.Note, "where nod does not look", "nod config set NOD_TMUX_SOCKET ", false, false},
		{"tmux runs as another user", func(w *world) { w.strayServer(&syscall.Credential{Uid: 65534, Gid: 65534}) }, "other user", doctor.Note, "tmux also runs for nobody (1 server)", "as that user", true, false},
		{"another nod has the server", func(w *world) { w.otherNod() }, "another nod", doctor.Broken, "watches the tmux server at", "kill ", false, false},
		{"no agent", func(w *world) {}, "agents", doctor.Note, "none runs in a watched pane yet", "start one in tmux", false, false},
		{"a pane that is left alone", func(w *world) {
			w.tmux.Run("set-option", "-p", "-t", w.tmux.Pane("sleep 600", 80, 24), "@nod-agent", "off")
		}, "agents", doctor.Note, "none runs in a watched pane yet", "start one in tmux", false, false},
		{"an ssh", func(w *world) { w.likeness("ssh", "sleep", "600") }, "behind", doctor.Note, "ssh runs in", "@nod-agent AGENT", false, false},
		{"claude behind ssh", func(w *world) { w.hiddenClaude("ssh") }, "behind", doctor.Note, "claude seems to run behind ssh", "@nod-agent claude", false, false},
		{"claude in a container", func(w *world) { w.hiddenClaude("docker") }, "behind", doctor.Note, "claude seems to run behind docker", "@nod-agent claude", false, false},

		// Hooks.
		{"no hooks", func(w *world) { w.claudeSettings("{}") }, "hooks", doctor.Note, "claude does not tell nod when it waits", "nod hooks install claude", false, false},
		{"hooks of a nod that is gone", func(w *world) { w.hooked("/old/nod") }, "hooks", doctor.Note, "calls another nod", "nod hooks install claude", false, false},
		{"an agent's file that does not parse", func(w *world) { w.claudeSettings("{") }, "hooks", doctor.Note, "it is not JSON", "nod works without them", false, false},
		{"an agent whose settings turn hooks off", func(w *world) { w.claudeSettings(`{"disableAllHooks": true}`) }, "hooks", doctor.Note, "claude: disableAllHooks: no hook runs", "change it there", false, false},
		{"an agent that has not read its hooks", func(w *world) {
			w.hooked(nod)
			w.running(control.Health{UptimeMS: 3_600_000}, control.Pane{Agent: "claude"})
		}, "hooks", doctor.Note, "has not since nod started 1h ago", "next start", false, false},

		// The bot.
		{"nod is not running", func(w *world) {}, "nod", doctor.Note, "it is not running", "the line service below", false, false},
		{"a file at the socket's path", func(w *world) { w.write(w.path("nod.sock"), "", 0o600) }, "nod", doctor.Broken, "no socket", "NOD_SOCKET", false, false},
		{"the socket's folder is a file", func(w *world) {
			w.write(w.path("f"), "", 0o600)
			w.file["NOD_SOCKET"] = w.path("f/nod.sock")
		}, "nod", doctor.Broken, "not a directory", "NOD_SOCKET", false, false},
		{"the socket's folder can't be written", func(w *world) {
			w.mode(w.path("s"), 0o500)
			w.file["NOD_SOCKET"] = w.path("s/nod.sock")
		}, "nod", doctor.Broken, "permission denied", "NOD_SOCKET", false, true},
		{"others can write to the socket's folder", func(w *world) {
			w.mode(w.path("s"), 0o777)
			w.file["NOD_SOCKET"] = w.path("s/nod.sock")
		}, "nod", doctor.Broken, "others can write to the directory", "NOD_SOCKET", false, false},
		{"the socket's path is too long", func(w *world) { w.file["NOD_SOCKET"] = w.path(strings.Repeat("x", 108)) }, "nod", doctor.Broken, "is longer than 103 bytes", "NOD_SOCKET", false, false},
		{"nod does not answer", func(w *world) { w.listen() }, "nod", doctor.Broken, "does not answer", "nod service restart", false, false},
		{"something else listens", func(w *world) { w.answers(nil) }, "nod", doctor.Broken, "health", "NOD_SOCKET", false, false},
		{"nod is not well", func(w *world) { w.running(control.Health{Problems: []string{"Telegram can't be reached"}}) }, "nod", doctor.Broken, "it says: Telegram can't be reached", "nod status", false, false},
		{"an older nod still runs", func(w *world) { w.running(control.Health{Version: "0.9"}) }, "nod", doctor.Note, "version 0.9 runs, and this is 1.0", "start it again", false, false},

		// The service.
		{"no systemd", func(w *world) {
			w.programs(map[string]string{"systemctl": "echo Failed to connect to bus >&2; exit 1"})
		}, "service", doctor.Note, "systemd is not available for", "nod run", false, false},
		{"no service", func(w *world) { w.unit("", "ActiveState=inactive") }, "service", doctor.Note, "it is not installed", "nod service install", false, false},
		{"the service is stopped", func(w *world) { w.unit("current", "ActiveState=inactive\nUnitFileState=enabled") }, "service", doctor.Broken, "installed, and stopped", "nod service start", false, false},
		{"the service gave up", func(w *world) { w.unit("current", "ActiveState=failed\nUnitFileState=enabled\nExecMainStatus=1") }, "service", doctor.Broken, "failed with exit code 1", "nod service logs", false, false},
		{"the service found wrong settings", func(w *world) { w.unit("current", "ActiveState=failed\nUnitFileState=enabled\nExecMainStatus=78") }, "service", doctor.Broken, "the settings are wrong", "nod config", false, false},
		{"the service hangs at its start", func(w *world) { w.unit("current", "ActiveState=activating\nUnitFileState=enabled") }, "service", doctor.Note, "being started", "nod service logs", false, false},
		{"the service does not start by itself", func(w *world) { w.unit("current", "ActiveState=active\nUnitFileState=disabled") }, "service", doctor.Note, "does not start by itself", "nod service install", false, false},
		{"the service is of another nod", func(w *world) { w.unit("[Service]\n", "ActiveState=active\nUnitFileState=enabled") }, "service", doctor.Note, "nod was moved", "nod service install", false, false},
		{"the service falls over and over", func(w *world) { w.unit("current", "ActiveState=active\nUnitFileState=enabled\nNRestarts=7") }, "service", doctor.Note, "restarted 7 times", "nod service logs", false, false},
		{"systemd hangs", func(w *world) { w.programs(map[string]string{"systemctl": "sleep 60"}) }, "service", doctor.Note, "systemd is not available for", "nod run", false, false},

		// Nod's records.
		{"garbage in the database", func(w *world) { w.write(w.databasePath(), strings.Repeat("nonsense", 9000), 0o600) }, "database", doctor.Broken, "is damaged", "nod does not start", false, false},
		{"a database cut short", func(w *world) { w.database(); w.check(os.Truncate(w.databasePath(), 9000)) }, "database", doctor.Broken, "is damaged", "nod does not start", false, false},
		{"another nod has the database", func(w *world) { w.openDatabase() }, "database", doctor.Broken, "and does not answer at", "NOD_SOCKET", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.onlyAsRoot && os.Getuid() != 0 || tt.neverAsRoot && os.Getuid() == 0 {
				t.Skip("who runs this test can't break it that way")
			}
			if slices.Contains(waits, tt.name) && !testrun.Apart(t) {
				return
			}
			w := newWorld(t)
			tt.break_(w)
			began := time.Now()
			r := w.examine()
			quick(t, began)
			var fits bool
			for _, f := range find(r, tt.check) {
				fits = fits || f.Level == tt.level && strings.Contains(f.Says, tt.says) && strings.Contains(f.Next, tt.next)
			}
			if !fits {
				t.Errorf("%s: want %s, %q → %q, got\n%s", tt.check, tt.level, tt.says, tt.next, shown(r))
			}
			if w.broken(r) != (tt.level == doctor.Broken) {
				t.Errorf("nod can do its job: %v\n%s", r.OK, shown(r))
			}
			if strings.Contains(shown(r), strings.TrimPrefix(token, "123456789:")) {
				t.Errorf("the token is shown:\n%s", shown(r))
			}
			for _, f := range r.Findings {
				if (f.Level == doctor.Broken || f.Level == doctor.Note) && f.Next == "" {
					t.Errorf("no next step: %+v", f)
				}
			}
		})
	}
}

// broken reports whether the doctor finds anything broken, except tmux servers of the user who runs this
// test.
func (w *world) broken(r doctor.Report) bool {
	broken := false
	for _, f := range r.Findings {
		ours := f.Check != "other socket" || strings.Contains(f.Says, w.home)
		broken = broken || f.Level == doctor.Broken && ours
	}
	return broken
}

func shown(r doctor.Report) string {
	text, _ := json.MarshalIndent(r, "", " ") // plain strings always marshal
	return string(text)
}

// TestWhatIsNotSetUpIsNotStarted: before the settings are there, no other line leads to a command that they stop.
func TestWhatIsNotSetUpIsNotStarted(t *testing.T) {
	w := newWorld(t)
	w.file = nil
	for _, f := range w.examine().Findings {
		if (f.Check == "nod" || f.Check == "other socket") && (f.Next == "" || strings.Contains(f.Next, "nod run") || strings.Contains(f.Next, "nod config")) {
			t.Errorf("the next step is %+v", f)
		}
	}
}

// TestDoctorTakesNoUpdateAway: a message that Ann wrote while nod was not running is still there for the next
// nod.
func TestDoctorTakesNoUpdateAway(t *testing.T) {
	w := newWorld(t)
	w.ann.Say("y")
	w.examine()
	for _, call := range w.tg.Calls("getUpdates") {
		if call.Params["offset"] != "" {
			t.Errorf("an update was confirmed: %v", call.Params)
		}
	}
	if len(w.tg.Calls("getUpdates")) == 0 {
		t.Error("no poll was tried")
	}
}

// TestDoctorLeavesARunningNodItsPoll: a poll by the doctor would end that of the running nod.
func TestDoctorLeavesARunningNodItsPoll(t *testing.T) {
	for name, here := range map[string]func(*world){
		"answers":           func(w *world) { w.running(control.Health{}) },
		"hangs":             func(w *world) { w.listen() },
		"other socket":      func(w *world) { w.openDatabase() },
		"watches the panes": func(w *world) { w.otherNod() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			here(w)
			w.examine()
			if calls := w.tg.Calls("getUpdates"); len(calls) != 0 {
				t.Errorf("the doctor polled: %v", calls)
			}
		})
	}
}

// TestANodMayBeOnesOwn: where nod listens is not known while the settings are wrong, so nobody is told to end the nod that watches.
func TestANodMayBeOnesOwn(t *testing.T) {
	w := newWorld(t)
	w.otherNod()
	w.file["NOD_POLL_INTERVAL"] = "2"
	folder := w.path(fmt.Sprintf("tmux-%d", os.Getuid())) // of the default server, which is looked at then
	w.check(os.Mkdir(folder, 0o700))
	w.check(os.Symlink(w.tmux.Socket, filepath.Join(folder, "default")))
	w.Setenv("TMUX_TMPDIR", w.home)
	if r := w.examine(); len(find(r, "server")) != 1 || len(find(r, "another nod")) > 0 {
		t.Errorf("%s", shown(r))
	}
}

// TestOtherMachinesAreLookedAt: connected machines are reported with their problems; nod itself reports a
// machine that is away.
func TestOtherMachinesAreLookedAt(t *testing.T) {
	w := newWorld(t)
	w.machines(
		control.Machine{Name: "gpu1", State: "here", Version: "1.0", Agents: 2},
		control.Machine{Name: "gpu2", State: "here", Version: "1.0", SkewMS: -90_000},
		control.Machine{Name: "gpu3", State: "here", Version: "0.9"},
		control.Machine{Name: "gpu4", State: "away"},
	)
	var says []string
	for _, f := range find(w.examine(), "machines") {
		says = append(says, string(f.Level)+" "+f.Says)
	}
	want := []string{"ok gpu1 is here, with 2 agents", "note the clock of gpu2 is 1m off", "note nod on gpu3 is 0.9, and this is 1.0"}
	if !slices.Equal(says, want) {
		t.Errorf("%q", says)
	}
}

// TestBystander is no test: it is the process that plays another nod.
func TestBystander(t *testing.T) {
	if os.Getenv("NOD_BYSTANDER") != "" {
		time.Sleep(time.Minute)
	}
}
