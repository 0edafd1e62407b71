package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/rpc"
	"nod/internal/testrun"
)

var inboxGolden = flag.Bool("inbox-golden", false, "write the screens of the inbox again")

// TestInboxScreensInTmux: the screens at two sizes, and after a resize.
func TestInboxScreensInTmux(t *testing.T) {
	t.Parallel()
	f := newFeed(t, everyCard()...)
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		s := sitDown(t, f, size[0], size[1], "")
		compareScreen(t, fmt.Sprintf("inbox-%dx%d", size[0], size[1]), s.Screen(s.pane))
		s.outer.Run("resize-window", "-t", s.client, "-x", fmt.Sprint(280-size[0]), "-y", fmt.Sprint(84-size[1]))
		other := fmt.Sprintf("inbox-%dx%d", 280-size[0], 84-size[1])
		s.Until(s.pane, func(screen string) bool {
			want, _ := os.ReadFile(filepath.Join("testdata", other+".txt"))
			return screen+"\n" == string(want) || *inboxGolden
		})
	}
}

// TestInboxScrollsTheWholeScreenAfterAResize: no scroll region of the previous height remains.
func TestInboxScrollsTheWholeScreenAfterAResize(t *testing.T) {
	t.Parallel()
	s := sitDown(t, newFeed(t, everyCard()...), 80, 24, "")
	tty := s.Run("display-message", "-p", "-t", s.pane, "#{pane_tty}")
	want, err := os.ReadFile(filepath.Join("testdata", "inbox-80x24.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for range 5 { // on a busy machine the region may come after everything that the inbox draws for a resize
		for _, height := range []string{"30", "24"} { // tmux reports the second size a quarter of a second later
			s.outer.Run("resize-window", "-t", s.client, "-x", "80", "-y", height)
			for end := time.Now().Add(tmuxtest.Patience); s.Run("display-message", "-p", "-t", s.pane, "#{pane_height}") != height; {
				if time.Now().After(end) {
					t.Fatalf("the pane does not get %s rows", height)
				}
			}
		}
		if err := os.WriteFile(tty, []byte("\x1b[1;23r"), 0); err != nil { // as at the end of a scroll on 23 rows
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if got = s.Screen(s.pane) + "\n"; got == string(want) {
			return
		}
	}
	t.Errorf("the screen is never whole:\n%s", got)
}

func compareScreen(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *inboxGolden {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got+"\n" {
		t.Errorf("%s (-inbox-golden writes it): %v\n%s", file, err, got)
	}
}

// TestInboxColours: it uses only the sixteen colours that every terminal has, and none with NO_COLOR. The
// selection is reversed in both cases.
func TestInboxColours(t *testing.T) {
	t.Parallel()
	f := newFeed(t, everyCard()...)
	for env, colours := range map[string]bool{
		"TERM=screen": true, "TERM=linux": true, "TERM=xterm": true, "TERM=tmux-256color COLORTERM=truecolor": true,
		"NO_COLOR=1": false, "TERM=xterm NO_COLOR=1 COLORTERM=truecolor": false,
	} {
		s := tmuxtest.New(t)
		pane := s.Pane(fmt.Sprintf("exec env -u COLORTERM %s GORACE=%s NOD_SOCKET=%s nod inbox", env, quickExit, f.socket), 80, 24)
		s.UntilShows(pane, "NEEDS YOU")
		drawn := s.Run("capture-pane", "-e", "-p", "-t", pane)
		if strings.Contains(drawn, "38;") || regexp.MustCompile(`\x1b\[(\d+;)*(3[1-7]|9[0-7])m`).MatchString(drawn) != colours || !strings.Contains(drawn, "\x1b[7m") {
			t.Errorf("%s: %q", env, drawn)
		}
	}
}

// TestInboxKeysInTmux presses each key on each card for which it has an effect, and checks the call to the
// bot.
func TestInboxKeysInTmux(t *testing.T) {
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	type step struct{ keys, want string } // keys separated by blanks; underscores stand for blanks in words
	for name, steps := range map[string][]step{
		"permission": {
			{"y", `nudge.reply {"answer":"y","fingerprint":"f-api","id":"api","sure":false,"unseen":false,"way":"inbox"}`},
			{"n", `nudge.reply {"answer":"n","fingerprint":"f-api","id":"api","sure":false,"unseen":false,"way":"inbox"}`},
			{"1", `nudge.reply {"answer":"1","fingerprint":"f-api","id":"api","sure":false,"unseen":false,"way":"inbox"}`},
			{"2 y c", `nudge.reply {"answer":"2","fingerprint":"f-api","id":"api","sure":true,"unseen":false,"way":"inbox"}`},
		},
		"words": {
			{"d too_slow Enter", `nudge.reply {"answer":"n","fingerprint":"f-api","id":"api","sure":false,"unseen":false,"way":"inbox","words":"too slow"}`},
			{"s", `nudge.skip {"fingerprint":"f-api","id":"api"}`},
			{"z 1", `nudge.snooze {"fingerprint":"f-api","for_ms":600000,"id":"api"}`},
			{"/ infra Escape / docs Enter t check_it Enter", `instruction.submit {"life":"codex 9 1","pane":"%9@/tmp/other","text":"check it","way":"inbox"}`},
		},
		"question": {
			{"j Space", `nudge.reply {"answer":"tick 1","fingerprint":"f-ask","id":"ask","sure":false,"unseen":false,"way":"inbox"}`},
			{"Right Space", `nudge.reply {"answer":"tick 2","fingerprint":"f-ask","id":"ask","sure":false,"unseen":false,"way":"inbox"}`},
			{"Enter", `nudge.reply {"answer":"send","fingerprint":"f-ask","id":"ask","sure":false,"unseen":false,"way":"inbox"}`},
			{"r both Enter", `nudge.reply {"fingerprint":"f-ask","id":"ask","sure":false,"unseen":false,"way":"inbox","words":"both"}`},
			{"l", `nudge.reply {"answer":"leave","fingerprint":"f-ask","id":"ask","sure":false,"unseen":false,"way":"inbox"}`},
		},
		"denied and wishes": {
			{"Tab Tab a c", `denial.allow {"call":2,"fingerprint":"f4","id":"w1w","unseen":false,"way":"inbox"}`},
			{"l", `denial.leave {"call":2,"fingerprint":"f4","id":"w1w","unseen":false,"way":"inbox"}`},
			{"End a c", `wish.send {"fingerprint":"f5","id":"v7v","unseen":false,"way":"inbox"}`},
			{"l", `wish.drop {"fingerprint":"f5","id":"v7v","unseen":false,"way":"inbox"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFeed(t, everyCard()...)
			s := sitDown(t, f, 80, 24, "")
			for i, step := range steps {
				for _, key := range strings.Fields(step.keys) {
					s.press(strings.ReplaceAll(key, "_", " "))
				}
				if got := f.until(i + 1); got != step.want {
					t.Fatalf("%s: the bot is asked\n%s\nwant\n%s\n%s", step.keys, got, step.want, s.Screen(s.pane))
				}
				time.Sleep(time.Second) // tmux reports whole seconds, so two answers must be in different ones
			}
			s.UntilShows(s.pane, "✓ ")
			s.press("?")
			s.UntilShows(s.pane, "quit (also Ctrl-C)")
		})
	}
}

// TestInboxAsksBeforeWhatIsUnseen: the bot names the parameter that it needs, and a box asks for consent.
func TestInboxAsksBeforeWhatIsUnseen(t *testing.T) {
	t.Parallel()
	f := newFeed(t, everyCard()...)
	s := sitDown(t, f, 80, 24, "")
	f.mu.Lock()
	f.refuse = rpc.RefuseUnless("unseen", "needs_confirmation", "A part of it can't be seen.")
	f.mu.Unlock()
	s.press("y")
	s.UntilShows(s.pane, "A part of it can't be seen.")
	time.Sleep(time.Second)
	s.press("y", "c")
	if got := f.until(2); !strings.Contains(got, `"unseen":true`) {
		t.Errorf("the bot is asked %s", got)
	}
}

// TestNoAnswerBySendKeys: a key from a program does not count, not even right after a person's.
func TestNoAnswerBySendKeys(t *testing.T) {
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	f := newFeed(t, everyCard()...)
	s := sitDown(t, f, 80, 24, "")
	time.Sleep(4 * time.Second) // the person's arrival counted as activity
	s.Type(s.pane, "y")
	s.UntilShows(s.pane, "tmux saw nobody press this key")
	for end := time.Now().Add(tmuxtest.Patience); len(f.said()) == 0 && time.Now().Before(end); { // on a busy machine a key may come too late to count
		s.press("y")
		time.Sleep(time.Second)
	}
	f.until(1)
	time.Sleep(1100 * time.Millisecond)
	s.Type(s.pane, "n")
	s.UntilShows(s.pane, "tmux saw nobody press this key")
	if calls := f.said(); len(calls) != 1 || !strings.Contains(calls[0], `"answer":"y"`) {
		t.Errorf("send-keys answered: %q", calls)
	}
}

// TestNoAnswerBySendKeysToAClient: tmux treats `send-keys -K` (3.4 sends nothing) as typed at the client, in
// a pane and in a pop-up, even right after the client attached.
func TestNoAnswerBySendKeysToAClient(t *testing.T) {
	t.Parallel()
	f := newFeed(t, everyCard()...)
	s := attach(t, f, 80, 24, "")
	time.Sleep(500 * time.Millisecond) // the inbox ignores keys in its first moments
	attached := s.Run("list-clients", "-F", "#{client_name}")
	if exec.Command("tmux", "-S", s.Socket, "send-keys", "-K", "-c", attached, "F12").Run() != nil || s.Run("display-message", "-p", "#{version}") == "3.4" {
		t.Skip("this tmux has no send-keys -K")
	}
	answered := func(n int, screen func(want string)) {
		t.Helper()
		s.Run("send-keys", "-K", "-c", attached, "y")
		screen("tmux saw nobody press this key")
		for end := time.Now().Add(tmuxtest.Patience); len(f.said()) == n && time.Now().Before(end); { // on a busy machine a key may come too late to count
			s.press("y")
			time.Sleep(time.Second)
		}
		if got := f.until(n + 1); len(f.said()) != n+1 || !strings.Contains(got, `"answer":"y"`) {
			t.Errorf("send-keys -K answered: %q", f.said())
		}
	}
	answered(0, func(want string) { s.UntilShows(s.pane, want) })
	s.Run("bind-key", "i", "display-popup", "-E", "-w", "90%", "-h", "90%", fmt.Sprintf("GORACE=%s NOD_SOCKET=%s nod inbox --popup", quickExit, f.socket))
	s.Run("switch-client", "-c", attached, "-t", s.Pane("echo elsewhere; exec cat", 80, 24))
	s.outer.UntilShows(s.client, "elsewhere")
	s.outer.Type(s.client, "C-b", "i")
	s.outer.UntilShows(s.client, "? keys")
	time.Sleep(4 * time.Second) // the screen must be read first, and the key that opened it is no answer
	answered(1, func(want string) { s.outer.UntilShows(s.client, want) })
}

// TestNoAnswerByAnAgentsClient: an agent attaches its own client and types there right after a person did: in
// the inbox, in a terminal made by `script`, and in a pop-up.
func TestNoAnswerByAnAgentsClient(t *testing.T) {
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	for name, attach := range map[string]string{"a nested client": "%s", "a client in script": "script -q -c '%s' /dev/null", "a pop-up over its client": "%s"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFeed(t, everyCard()...)
			s := sitDown(t, f, 80, 24, "")
			s.Run("bind-key", "i", "display-popup", "-E", "-w", "90%", "-h", "90%", fmt.Sprintf("GORACE=%s NOD_SOCKET=%s nod inbox --popup", quickExit, f.socket))
			agent := filepath.Join(t.TempDir(), "claude")
			script := fmt.Sprintf("#!/bin/sh\nexport CLAUDECODE=1\n"+attach+"\nsleep 1000\n", fmt.Sprintf("env -u TMUX tmux -u -S %s attach -t %s", s.Socket, s.pane))
			if err := os.WriteFile(agent, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			there := s.outer.Pane(agent, 80, 24)
			s.outer.UntilShows(there, "? keys")
			if strings.Contains(name, "pop-up") {
				s.outer.Type(there, "C-b", "i")
				s.outer.UntilShows(there, "┌")
				time.Sleep(4 * time.Second)
			}
			for range 3 {
				s.press("e") // the person is at the inbox
				s.outer.Type(there, "y")
				s.outer.UntilShows(there, "tmux saw nobody press this key")
				time.Sleep(1100 * time.Millisecond)
			}
			if calls := f.said(); len(calls) > 0 {
				t.Errorf("an agent's client answered: %q", calls)
			}
		})
	}
}

// TestInboxComesBackByItself: without a bot its first line says so, in red, with the command to run; nothing is set up here.
func TestInboxComesBackByItself(t *testing.T) {
	t.Parallel()
	f := newFeed(t, everyCard()...)
	s := sitDown(t, f, 80, 24, "")
	f.stop()
	s.UntilShows(s.pane, "nod is not running. Start it with: nod setup")
	first, _, _ := strings.Cut(s.Run("capture-pane", "-e", "-p", "-t", s.pane), "\n")
	if !regexp.MustCompile(`\x1b\[(1;31|31;1|1m\x1b\[31)m`).MatchString(first) {
		t.Errorf("it is not red: %q", first)
	}
	s.press("y")
	s.UntilShows(s.pane, "✗ nod is not running")
	f.start()
	s.UntilShows(s.pane, "2 need you")
	time.Sleep(time.Second)
	s.press("y")
	f.until(1)
}

// TestInboxNeverClearsTheScreen: it draws only the cells that change, so that tmux does not flicker.
func TestInboxNeverClearsTheScreen(t *testing.T) {
	t.Parallel()
	f := newFeed(t, everyCard()...)
	s := sitDown(t, f, 200, 60, "")
	drawn := filepath.Join(t.TempDir(), "drawn")
	s.Run("pipe-pane", "-t", s.pane, "cat > "+drawn)
	for i := range 5 {
		card := f.cards[0]
		card.Note = fmt.Sprintf("This is note %d.", i)
		f.changes <- desk.Change{Cards: []desk.Card{card}}
		s.UntilShows(s.pane, card.Note)
	}
	s.Run("pipe-pane", "-t", s.pane)
	text, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) == 0 || len(text) > 6000 || strings.Contains(string(text), "\x1b[2J") {
		t.Errorf("five notes took %d bytes: %q", len(text), text)
	}
}

// TestInboxPopup: it opens over everything, and closes when a person goes on.
func TestInboxPopup(t *testing.T) {
	t.Parallel()
	s := sitting{Server: tmuxtest.New(t), outer: tmuxtest.New(t)}
	s.pane = s.Pane("", 80, 24)
	there := s.Pane("echo you are there; exec sleep 1000", 80, 24)
	cards := everyCard()
	cards[0].Pane, cards[0].Server, cards[0].Where = there, s.Socket, "1:0.0"
	f := newFeed(t, cards...)
	s.client = s.Attach(s.outer, s.pane, 80, 24)
	s.Run("bind-key", "i", "display-popup", "-E", "-w", "90%", "-h", "90%", fmt.Sprintf("GORACE=%s NOD_SOCKET=%s nod inbox --popup", quickExit, f.socket))
	open := func() {
		s.outer.Type(s.client, "C-b", "i")
		s.outer.UntilShows(s.client, "? keys")
		time.Sleep(time.Second)
	}
	open()
	s.press("y")
	f.until(1)
	s.press("Escape")
	// Until its frame is gone too, tmux passes keys on to the pop-up, whose program ends.
	s.outer.Until(s.client, func(screen string) bool {
		return !strings.Contains(screen, "? keys") && !strings.Contains(screen, "┌")
	})
	open()
	s.press("g")
	s.outer.UntilShows(s.client, "you are there")
}

// TestInboxPlain: one line for each change.
func TestInboxPlain(t *testing.T) {
	t.Parallel()
	f := newFeed(t, everyCard()...)
	s := tmuxtest.New(t)
	pane := s.Pane(fmt.Sprintf("GORACE=%s NOD_SOCKET=%s exec nod inbox --plain", quickExit, f.socket), 200, 24)
	s.UntilShows(pane, "needs you: claude in api; permission; Bash command rm -rf build && go test ./...; It deletes files for good.")
	changed := f.cards[0]
	changed.Section, changed.State, changed.Asks, changed.Actions = desk.Working, "working", nil, nil
	f.changes <- desk.Change{Cards: []desk.Card{changed}, Gone: []string{"ci"}}
	s.UntilShows(pane, "codex in ci is gone")
	s.UntilShows(pane, "working: claude in api; working")
}

// TestChangesAreReadAsTheyAreWritten: the test's cards cross a real socket.
func TestChangesAreReadAsTheyAreWritten(t *testing.T) {
	text, err := json.Marshal(desk.Change{Seq: 1, Snapshot: true, Cards: everyCard()})
	if err != nil {
		t.Fatal(err)
	}
	var read desk.Change
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(read)
	if err != nil || string(again) != string(text) {
		t.Errorf("%v: it is\n%s\nwant\n%s", err, again, text)
	}
}

// TestThePaneOfAnotherMachineIsNamed: the inbox can't go there, and says where that is and what shows it there.
func TestThePaneOfAnotherMachineIsNamed(t *testing.T) {
	a := desk.Agent{Title: "claude in gpu1:api", Where: "far:0.0", Pane: "%0", Server: "gpu1:/tmp/tmux-1000/my default"}
	want := `claude in gpu1:api waits in far:0.0 on the machine gpu1: there: tmux -S '/tmp/tmux-1000/my default' attach -t 'far:0.0'`
	if err := showPane(t.Context(), a); err == nil || err.Error() != want {
		t.Errorf("g says\n%v\nnot\n%s", err, want)
	}
}
