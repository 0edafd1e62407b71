package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestBot runs the scripts that talk to a running bot: a real `nod run` on a private tmux server,
// whose Telegram can't be reached.
func TestBot(t *testing.T) {
	screen, err := os.ReadFile("../../detect/testdata/claude/2.1.329-bash-80x24.ansi")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/bot",
		Setup: func(env *testscript.Env) error {
			for name, value := range map[string]string{
				"HOME": env.WorkDir, "XDG_RUNTIME_DIR": env.WorkDir, "LANG": "C.UTF-8", "TERM": "xterm-256color", "GORACE": quickExit,
				"NOD_TMUX_SOCKET": filepath.Join(env.WorkDir, "s"), "NOD_POLL_INTERVAL": "100ms", "NOD_GRACE": "0s",
				"NOD_TELEGRAM_TOKEN": "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc", "NOD_SUPERVISORS": "1",
				"NOD_TELEGRAM_API": "http://127.0.0.1:9", // nobody listens at the discard port
			} {
				env.Setenv(name, value)
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "screen.ansi"), screen, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": exitCode, "tmux": privateTmux, "waits": untilNudge, "until": untilFile, "write": writeLine, "attach": attachClient,
			"up": untilUp, "drawn": untilDrawn, "logged": untilLogged,
		},
	})
}

// privateTmux runs a tmux command on the script's own server, which ends with the script.
func privateTmux(ts *testscript.TestScript, _ bool, args []string) {
	base := []string{"-u", "-f", "/dev/null", "-S", ts.Getenv("NOD_TMUX_SOCKET")}
	if err := ts.Exec("tmux", append(base, args...)...); err != nil {
		ts.Fatalf("tmux %v: %v", args, err)
	}
	if args[0] == "new-session" {
		ts.Defer(func() { _ = ts.Exec("tmux", append(base, "kill-server")...) })
	}
}

// attachClient attaches a real client to a session, in a pane of a second server.
func attachClient(ts *testscript.TestScript, _ bool, args []string) {
	outer := []string{"-u", "-f", "/dev/null", "-S", ts.MkAbs("outer")}
	attach := "env -u TMUX tmux -u -S " + ts.Getenv("NOD_TMUX_SOCKET") + " attach -t " + args[0]
	ts.Check(ts.Exec("tmux", append(outer, "new-session", "-d", "-x", "90", "-y", "30", attach)...))
	ts.Defer(func() { _ = ts.Exec("tmux", append(outer, "kill-server")...) })
	patience(ts, "the client", func() bool {
		privateTmux(ts, false, []string{"list-clients", "-F", "#{session_name}"})
		return strings.Contains(ts.ReadFile("stdout"), args[0])
	})
}

// untilNudge waits until something waits, in the pane that is named or in any, and puts the nudge's
// id into $ID.
func untilNudge(ts *testscript.TestScript, _ bool, args []string) {
	patience(ts, "a nudge", func() bool {
		if ts.Exec("nod", "queue", "--json") != nil {
			return false
		}
		var queue []nudgeResult
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &queue))
		for _, n := range queue {
			if len(args) == 0 || n.Pane == args[0] {
				ts.Setenv("ID", n.ID)
				return true
			}
		}
		return false
	})
}

// untilUp waits until the bot answers.
func untilUp(ts *testscript.TestScript, _ bool, _ []string) {
	patience(ts, "the bot", func() bool { return ts.Exec("nod", "status") == nil })
}

// untilLogged waits until the audit trail has a line that a pattern fits.
func untilLogged(ts *testscript.TestScript, _ bool, args []string) {
	line := regexp.MustCompile(args[0])
	patience(ts, args[0], func() bool { return ts.Exec("nod", "log") == nil && line.MatchString(ts.ReadFile("stdout")) })
}

// untilDrawn waits until a pane shows a text.
func untilDrawn(ts *testscript.TestScript, _ bool, args []string) {
	patience(ts, args[1], func() bool {
		privateTmux(ts, false, []string{"capture-pane", "-p", "-t", args[0]})
		return strings.Contains(ts.ReadFile("stdout"), args[1])
	})
}

// untilFile waits until a file exists and holds a text.
func untilFile(ts *testscript.TestScript, _ bool, args []string) {
	patience(ts, args[0], func() bool {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && strings.Contains(string(text), args[1])
	})
}

// writeLine writes a file whose text may hold variables of the script.
func writeLine(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}

func patience(ts *testscript.TestScript, what string, done func() bool) {
	for end := time.Now().Add(15 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("waited in vain for %s", what)
		}
	}
}
