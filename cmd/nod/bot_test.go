package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"nod/cmd/internal/control"
	"nod/internal/host/proc/proctest"
	"nod/internal/rpc"
	"nod/internal/testrun"
)

// TestBot runs the scripts that need a running bot: a real `nod run` on a private tmux server, whose Telegram
// can't be reached.
func TestBot(t *testing.T) {
	t.Parallel()
	screen, err := os.ReadFile("../../detect/agents/testdata/claude/2.1.329-bash-80x24.ansi")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/bot",
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "full":
				return testrun.Full(), nil
			case "sshd":
				_, err := os.Stat("/usr/sbin/sshd")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			for name, value := range botEnv(env.WorkDir) {
				env.Setenv(name, value)
			}
			env.Values["chat"] = &chatting{}
			return os.WriteFile(filepath.Join(env.WorkDir, "screen.ansi"), screen, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": exitCode, "person": asPerson, "tmux": privateTmux, "waits": untilNudge, "until": untilFile, "write": writeLine, "attach": attachClient, "client": untilClient, "press": pressKeys, "sit": sitAt, "finger": pressFinger, "browse": browseLink,
			"up": untilUp, "outside": outsideTmux, "drawn": untilDrawn, "logged": untilLogged, "printed": untilPrinted,
			"wished": untilWished, "refused": untilRefused, "sshd": startSSHD, "nodhub": putHub, "there": goThere, "here": goHere, "saved": saveCode, "joins": untilJoins,
			"telegram": startTelegram, "say": sayToBot, "told": untilTold,
		},
	})
}

// botEnv returns the environment of a bot in a script's folder.
func botEnv(work string) map[string]string {
	return map[string]string{
		"HOME": work, "XDG_RUNTIME_DIR": work, "LANG": "C.UTF-8", "TERM": "xterm-256color", "GORACE": quickExit,
		"NOD_TMUX_SOCKET": filepath.Join(work, "s"), "NOD_POLL_INTERVAL": "100ms", "NOD_GRACE": "0s",
		"NOD_TELEGRAM_TOKEN": "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc", "NOD_SUPERVISORS": "1",
		"NOD_TELEGRAM_API": "http://127.0.0.1:9", // nobody listens at the discard port
	}
}

// privateTmux runs a tmux command on the script's own server, which ends with the script.
func privateTmux(ts *testscript.TestScript, _ bool, args []string) {
	base := []string{"-u", "-f", "/dev/null", "-S", ts.Getenv("NOD_TMUX_SOCKET")}
	if err := ts.Exec("tmux", append(base, args...)...); err != nil {
		ts.Fatalf("tmux %v: %v", args, err)
	}
	if args[0] == "new-session" {
		// tmux 3.2a sizes a detached session like a terminal that does not exist, and ignores -x and -y.
		x, y, name := slices.Index(args, "-x"), slices.Index(args, "-y"), slices.Index(args, "-s")
		if x > 0 && y > 0 && name > 0 {
			session := args[name+1]
			ts.Check(ts.Exec("tmux", append(base, "resize-window", "-t", session, "-x", args[x+1], "-y", args[y+1], ";",
				"set-option", "-w", "-t", session, "window-size", "latest")...))
		}
		ts.Defer(func() { _ = ts.Exec("tmux", append(base, "kill-server")...) })
	}
}

// attachClient attaches a real client to a session, in a pane of a second server.
func attachClient(ts *testscript.TestScript, _ bool, args []string) {
	outer := []string{"-u", "-f", "/dev/null", "-S", ts.MkAbs("outer")}
	attach := "env -u TMUX tmux -u -S " + ts.Getenv("NOD_TMUX_SOCKET") + " attach -t " + args[0]
	ts.Check(ts.Exec("tmux", append(outer, "new-session", "-d", "-x", "90", "-y", "30", attach)...))
	ts.Defer(func() { _ = ts.Exec("tmux", append(outer, "kill-server")...) })
	untilClient(ts, false, args)
}

// untilClient waits until the client shows a session.
func untilClient(ts *testscript.TestScript, _ bool, args []string) {
	waitFor(ts, "the client at "+args[0], func() bool {
		privateTmux(ts, false, []string{"list-clients", "-F", "#{session_name}"})
		return strings.Contains(ts.ReadFile("stdout"), args[0])
	})
}

// pressKeys presses keys at the attached client.
func pressKeys(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("tmux", append([]string{"-S", ts.MkAbs("outer"), "send-keys"}, args...)...))
}

// sitAt attaches a client to a session, in a person's own terminal.
func sitAt(ts *testscript.TestScript, _ bool, args []string) {
	keys := ts.MkAbs("keys")
	ts.Check(syscall.Mkfifo(keys, 0o600))
	window := exec.Command("window", "tmux", "-u", "-S", ts.Getenv("NOD_TMUX_SOCKET"), "attach", "-t", args[0])
	window.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + ts.Getenv("HOME"), proctest.Keys + "=" + keys}
	ts.Check(window.Run())
	open, err := os.OpenFile(keys, os.O_RDWR, 0) // the window closes when nobody has the keys open
	ts.Check(err)
	ts.Defer(func() { _ = open.Close() })
	untilClient(ts, false, args)
}

// pressFinger types at the terminal of sitAt.
func pressFinger(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs("keys"), []byte(strings.ReplaceAll(strings.Join(args, ""), "^B", "\x02")), 0o600))
}

// outsideTmux starts a program in a terminal outside the watched tmux servers, with nothing about tmux in its
// environment; "outside type KEY" types a key there.
func outsideTmux(ts *testscript.TestScript, _ bool, args []string) {
	outer := []string{"-u", "-f", "/dev/null", "-S", ts.MkAbs("window")}
	if args[0] == "type" {
		ts.Check(ts.Exec("tmux", append(outer, "send-keys", args[1])...))
		return
	}
	ts.Check(ts.Exec("tmux", append(outer, "new-session", "-d", "-x", "80", "-y", "24", "exec env -u TMUX -u TMUX_PANE "+args[0])...))
	ts.Defer(func() { _ = ts.Exec("tmux", append(outer, "kill-server")...) })
	waitFor(ts, "the program outside tmux", func() bool {
		ts.Check(ts.Exec("tmux", append(outer, "capture-pane", "-p")...))
		return strings.TrimSpace(ts.ReadFile("stdout")) != ""
	})
}

// untilNudge waits until a nudge waits, in the named pane or in any, and puts the nudge's id into $ID.
func untilNudge(ts *testscript.TestScript, _ bool, args []string) {
	untilListed(ts, "a nudge", func(n control.Nudge) bool { return len(args) == 0 || n.Pane == args[0] })
}

// untilListed waits until a nudge is one that the test wants, and puts its id into $ID. It starts no program: the scripts wait for most
// of their nudges, and others try nod queue.
func untilListed(ts *testscript.TestScript, what string, wanted func(control.Nudge) bool) {
	socket := ts.Getenv("NOD_SOCKET")
	if socket == "" {
		socket = filepath.Join(ts.Getenv("XDG_RUNTIME_DIR"), "nod.sock")
	}
	client := rpc.Dial(socket)
	defer client.Close()
	waitFor(ts, what, func() bool {
		var list []control.Nudge
		if err := client.Call(context.Background(), "nudge.queue", nil, &list); err != nil {
			return false
		}
		at := slices.IndexFunc(list, wanted)
		if at >= 0 {
			ts.Setenv("ID", list[at].ID)
		}
		return at >= 0
	})
}

// untilWished waits until there is a wish with a text, and puts its id into $ID.
func untilWished(ts *testscript.TestScript, _ bool, args []string) {
	waitFor(ts, "the wish", func() bool {
		ts.Check(ts.Exec("nod", "tell", "--list", "--json"))
		var list []control.Instruction
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
		at := slices.IndexFunc(list, func(i control.Instruction) bool { return i.State == "wish" && i.Text == args[0] })
		if at >= 0 {
			ts.Setenv("ID", list[at].ID)
			ts.Setenv("WORDS", list[at].Fingerprint)
		}
		return at >= 0
	})
}

// sendWish is a program that sends the wish found by untilWished, like a supervisor's tap on Send.
func sendWish() {
	client := rpc.Dial(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "nod.sock"))
	defer client.Close()
	if err := client.Call(context.Background(), "wish.send", control.WishParams{ID: os.Getenv("ID"), Fingerprint: os.Getenv("WORDS")}, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// untilUp waits until the bot answers and an agent is in the named state.
func untilUp(ts *testscript.TestScript, _ bool, args []string) {
	waitFor(ts, "the bot", func() bool {
		return ts.Exec("nod", "status") == nil && (len(args) == 0 || strings.Contains(ts.ReadFile("stdout"), args[0]))
	})
}

// untilLogged waits until a line of the audit trail matches a pattern.
func untilLogged(ts *testscript.TestScript, neg bool, args []string) {
	untilPrinted(ts, neg, []string{args[0], "nod", "log"})
}

// untilPrinted waits until a command succeeds and its output matches a pattern.
func untilPrinted(ts *testscript.TestScript, _ bool, args []string) {
	wanted := regexp.MustCompile(args[0])
	waitFor(ts, args[0], func() bool { return ts.Exec(args[1], args[2:]...) == nil && wanted.MatchString(ts.ReadFile("stdout")) })
}

// untilDrawn waits until a pane shows a text.
func untilDrawn(ts *testscript.TestScript, _ bool, args []string) {
	waitFor(ts, args[1], func() bool {
		privateTmux(ts, false, []string{"capture-pane", "-p", "-t", args[0]})
		return strings.Contains(ts.ReadFile("stdout"), args[1])
	})
}

// untilFile waits until a file exists and contains a text.
func untilFile(ts *testscript.TestScript, _ bool, args []string) {
	waitFor(ts, args[0], func() bool {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && strings.Contains(string(text), args[1])
	})
}

// untilRefused starts a session with an agent that does not exist until the start is refused. On a busy
// machine a program may take longer to fail than nod watches it; then the session has ended, and is tried
// again.
func untilRefused(ts *testscript.TestScript, _ bool, args []string) {
	session, agent, wanted := args[0], args[1], regexp.MustCompile(args[2])
	waitFor(ts, args[2], func() bool {
		if runsOutside(ts, "window", []string{"nod", "new", session, "--agent", agent}) != 0 {
			return wanted.MatchString(ts.ReadFile("stderr"))
		}
		runsOutside(ts, "window", []string{"nod", "end", session, "--yes"})
		return false
	})
}

// writeLine writes a file whose text may contain variables of the script.
func writeLine(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}

func waitFor(ts *testscript.TestScript, what string, done func() bool) {
	pause := 10 * time.Millisecond // growing, because most conditions start a program, which slows down the others
	for end := time.Now().Add(time.Minute); !done(); pause = min(2*pause, 200*time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(pause)
	}
}
