package deliver

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/words"
)

// swaps are changes of a menu that no key makes, some time after a key or the first drawing.
var swaps = map[string]func(s *stranger){
	"another command takes its place":    func(s *stranger) { s.command = "make install" },
	"the answers change their places":    func(s *stranger) { slices.Reverse(s.labels) },
	"the light moves by itself":          func(s *stranger) { s.moves(1) },
	"a row comes that belongs to it":     func(s *stranger) { s.ticks++ },
	"an answer is put before the others": func(s *stranger) { s.labels = append([]string{"Yes, always"}, s.labels...) },
}

// strange plays a stranger in a real terminal: `acme SEED HOW AFTER LOG`. How says what the arrows do, or what happens by itself that many
// milliseconds after the first key; before any where AFTER is below zero. Log gets a line for each key: the screen that was drawn to its end
// when the key came, of which the command and the lit answer are told.
func strange(args []string) error {
	seed, _ := strconv.ParseUint(args[0], 10, 64)
	after, _ := strconv.Atoi(args[2])
	log, err := os.OpenFile(args[3], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	raw := exec.Command("stty", "raw", "-echo")
	raw.Stdin = os.Stdin
	if err := raw.Run(); err != nil {
		return err
	}
	s := newStranger(rand.New(rand.NewPCG(seed, 2)))
	keys := make(chan string)
	go func() {
		for in := bufio.NewReader(os.Stdin); ; {
			key, err := readKey(in)
			if err == io.EOF {
				close(keys)
				return
			}
			keys <- key
		}
	}()
	return s.play(keys, args[1], time.Duration(after)*time.Millisecond, log)
}

// play answers keys until one takes an option.
func (s *stranger) play(keys <-chan string, how string, after time.Duration, log io.Writer) error {
	// now is what the terminal shows, as its answer to a status report proves; drawing is what it was told to.
	now, drawing := "", ""
	draw := func() {
		now, drawing = "?", s.seen()
		fmt.Print("\x1b[H" + strings.ReplaceAll(s.screen(), "\n", "\x1b[K\r\n") + "\x1b[J\x1b[6n")
	}
	var swap <-chan time.Time
	if swaps[how] != nil && after < 0 {
		swap = time.After(-after)
	}
	draw()
	for first := true; ; {
		select {
		case <-swap:
			swaps[how](s)
			draw()
			continue
		case key, ok := <-keys:
			if !ok {
				return nil
			}
			if key == "drawn" {
				now = drawing
				continue
			}
			fmt.Fprintln(log, now+" "+key)
			step := map[string]int{"Down": 1, "Up": -1}[key]
			switch {
			case step != 0 && brokenArrows[how] != nil:
				brokenArrows[how](s, step)
			case step != 0 && how == "the light stops at the ends":
				s.lit = min(max(s.lit+step, 0), len(s.labels)-1)
			case step != 0:
				s.moves(step)
			case key == "Enter":
				fmt.Print("\x1b[H\x1b[J● Done.\r\n")
				now = "over"
				continue
			}
			if swaps[how] != nil && after >= 0 && first {
				swap = time.After(after)
			}
			first = false
			draw()
		}
	}
}

// seen is what Enter does on this very screen.
func (s *stranger) seen() string {
	lit := "nothing"
	if s.lit >= 0 {
		lit = s.labels[s.lit]
	}
	return s.command + ": " + lit
}

// TestTmuxKeysOfAStrangerProveThemselves plays menus of an agent that nobody knows in real panes: their arrows move the light, or do something
// else too, or the menu changes by itself at any moment; their numbers are dead. Enter meets the answer that was meant, of the command that
// was asked about, or is never typed.
func TestTmuxKeysOfAStrangerProveThemselves(t *testing.T) {
	t.Parallel()
	server := tmuxtest.New(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	sound := []string{"the light follows", "the light goes round", "the light stops at the ends"}
	hows := slices.Concat(sound, slices.Sorted(maps.Keys(brokenArrows)), slices.Sorted(maps.Keys(swaps)))
	rounds := map[bool]int{false: 1, true: 5}[os.Getenv("FULL_TESTS") != ""]
	for i := range rounds * len(hows) {
		how, seed, after := hows[i%len(hows)], rng.Uint64(), rng.IntN(900)-300
		want := [2]string{"Yes", "No"}[rng.IntN(2)]
		t.Run(fmt.Sprintf("%s %d", how, i/len(hows)), func(t *testing.T) {
			t.Parallel()
			res, log := answersInTmux(t, server, seed, how, after, want)
			entered := 0
			for _, line := range strings.Split(log, "\n") {
				at := strings.LastIndexByte(line, ' ')
				switch line[at+1:] {
				case "Enter":
					if entered++; line[:at] != "rm -rf build: "+want {
						t.Errorf("%s: Enter met %q", want, line)
					}
				case "Up", "Down", "":
				default:
					t.Errorf("%s: typed %q", want, line)
				}
			}
			switch {
			case slices.Contains(sound, how) && (res.Outcome != Delivered || entered != 1):
				t.Errorf("%s: %s: %s; the agent got\n%s", want, res.Outcome, words.Why(res.Detail), log)
			case brokenArrows[how] != nil && (res.Outcome != Refused || entered != 0 || strings.Count(log, "\n") != 0):
				t.Errorf("%s: %s: %s; the agent got\n%s", want, res.Outcome, words.Why(res.Detail), log)
			case entered > 1:
				t.Errorf("%s: Enter came %d times\n%s", want, entered, log)
			}
		})
	}
}

// answersInTmux answers a stranger in a pane of its own. It returns what came of it and what the stranger noted.
func answersInTmux(t *testing.T, server *tmuxtest.Server, seed uint64, how string, after int, want string) (Result, string) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log, program := filepath.Join(dir, "keys"), filepath.Join(dir, "acme")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	pane := server.Pane(fmt.Sprintf("exec '%s' %d '%s' %d '%s'", program, seed, how, after, log), 80, 24)
	server.Run("set-option", "-p", "-t", pane, tmux.AgentOption, "acme")
	server.UntilShows(pane, "enter choose")
	look, err := tmux.New(server.Socket).Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	front, err := proc.Foreground(look.Pane.PID)
	if err != nil || len(front) != 1 {
		t.Fatalf("in the foreground: %+v, %v", front, err)
	}
	decision := map[string]screen.Decision{"Yes": screen.Approve, "No": screen.Deny}[want]
	r := Request{Pane: detect.PaneRef{Server: look.Life, ID: pane}, Process: front[0].ID, Agent: "acme", Decision: decision}
	r.decides(agents.Read("acme", screen.Parse(newStranger(rand.New(rand.NewPCG(seed, 2))).screen())).Prompt)
	typist := New(Config{Keyboards: func(socket string) Keyboard { return tmux.New(socket) }})
	res := typist.Type(t.Context(), r, func() error { return nil })
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return res, strings.TrimSpace(string(text))
}
