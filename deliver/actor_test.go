package deliver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/internal/testrun"
)

// play tells an actor what to show. An actor is this test's own program under the name of an agent.
type play struct {
	Screens map[string]string // by name; the rows are separated by newlines, and have colours
	Start   string
	On      map[string]map[string]string // screen, key -> next screen; "" exits
	Pasted  string                       // the screen that shows pasted text in the place of TEXT
	Flip    []string                     // screens to show in turn, until a key arrives
	Log     string                       // a line for each key: the screen that was shown, and the key
}

func TestMain(m *testing.M) {
	if slices.Contains([]string{"acme", "npm"}, filepath.Base(os.Args[0])) || len(os.Args) > 2 && os.Args[1] == "runs" {
		if err := strange(os.Args[1:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	if slices.Contains([]string{"claude", "kilo", "opencode"}, filepath.Base(os.Args[0])) {
		if err := act(os.Args[1]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	testrun.AtOnce(12)
	os.Exit(m.Run())
}

// actor draws screens and records the keys that it gets.
type actor struct {
	play
	mu    sync.Mutex
	now   string // what the terminal shows, proven by its answer to a status report; "?" while it draws
	drawn string // the name of the last screen that was drawn
	log   *os.File
}

func act(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	a := &actor{now: "?"}
	if err := json.Unmarshal(b, &a.play); err != nil {
		return err
	}
	if a.log, err = os.OpenFile(a.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	raw := exec.Command("stty", "raw", "-echo")
	raw.Stdin = os.Stdin
	if err := raw.Run(); err != nil {
		return err
	}
	a.show(a.Start, a.Screens[a.Start])
	if len(a.Flip) > 0 {
		go a.flip()
	}
	return a.read(bufio.NewReader(os.Stdin))
}

// show draws a whole screen in one write and asks the terminal to report when it is drawn.
func (a *actor) show(name, screen string) {
	a.now, a.drawn = "?", name
	rows := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	fmt.Print("\x1b[?2004h\x1b[0m\x1b[H" + strings.Join(rows, "\x1b[K\r\n") + "\x1b[0m\x1b[J\x1b[6n")
}

// flip shows the screens of Flip in turn, each for a few milliseconds after it was drawn.
func (a *actor) flip() {
	for i := 0; ; {
		time.Sleep(3 * time.Millisecond)
		a.mu.Lock()
		if a.now == a.drawn && slices.Contains(a.Flip, a.now) {
			i++
			next := a.Flip[i%len(a.Flip)]
			a.show(next, a.Screens[next])
		}
		a.mu.Unlock()
	}
}

func (a *actor) read(in *bufio.Reader) error {
	for {
		key, err := readKey(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		a.mu.Lock()
		over := a.take(key)
		a.mu.Unlock()
		if over {
			return nil
		}
	}
}

// take handles a key according to the current screen, and reports whether the actor ends.
func (a *actor) take(key string) (over bool) {
	if key == "drawn" {
		a.now = a.drawn
		return false
	}
	fmt.Fprintf(a.log, "%s %s\n", a.now, key)
	if text, ok := strings.CutPrefix(key, "paste:"); ok {
		a.show(a.Pasted, strings.ReplaceAll(a.Screens[a.Pasted], "TEXT", text))
		return false
	}
	next, ok := a.On[a.drawn][key]
	if !ok {
		return false
	}
	if next == "" {
		return true
	}
	a.show(next, a.Screens[next])
	return false
}

// readKey reads one key, a paste, or "drawn", which is the answer to a status report.
func readKey(in *bufio.Reader) (string, error) {
	c, err := in.ReadByte()
	if err != nil {
		return "", err
	}
	if c == '\r' {
		return "Enter", nil
	}
	if c != 0x1b {
		return string(c), nil
	}
	// Escape alone is the end of what tmux wrote at once.
	if in.Buffered() == 0 {
		return "Escape", nil
	}
	if next, _ := in.Peek(1); next[0] != '[' {
		return "Escape", nil
	}
	seq := ""
	for {
		c, err := in.ReadByte()
		if err != nil {
			return "", err
		}
		seq += string(c)
		if len(seq) > 1 && c >= 0x40 && c <= 0x7e {
			break
		}
	}
	switch {
	case strings.HasSuffix(seq, "R"):
		return "drawn", nil
	case seq == "[200~":
		text := ""
		for !strings.HasSuffix(text, "\x1b[201~") {
			c, err := in.ReadByte()
			if err != nil {
				return "", err
			}
			text += string(c)
		}
		return "paste:" + strings.TrimSuffix(text, "\x1b[201~"), nil
	}
	return map[string]string{"[A": "Up", "[B": "Down", "[C": "Right", "[D": "Left"}[seq], nil
}

// command writes the play to a file and returns the shell command that starts its actor as agent.
func (p *play) command(t testing.TB, agent string) string {
	t.Helper()
	dir := t.TempDir()
	p.Log = filepath.Join(dir, "keys")
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	script, program := filepath.Join(dir, "play.json"), filepath.Join(dir, agent)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("exec '%s' '%s'", program, script)
}

// keys returns what the actor got: for each key the screen that was shown, and the key.
func (p *play) keys(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(p.Log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}
