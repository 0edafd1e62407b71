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
	"nod/internal/testrun"
	"nod/internal/words"
)

// swaps are changes of a menu without a key, some time after a key or after the first drawing.
var swaps = map[string]func(s *stranger){
	"another command takes its place":    func(s *stranger) { s.command = "make install" },
	"the answers change their places":    func(s *stranger) { slices.Reverse(s.labels) },
	"the light moves by itself":          func(s *stranger) { s.moves(1) },
	"a row comes that belongs to it":     func(s *stranger) { s.ticks++ },
	"an answer is put before the others": func(s *stranger) { s.labels = append([]string{"Yes, always"}, s.labels...) },
}

// strange plays a stranger in a real terminal: `acme SEED HOW AFTER LOG`. HOW names the effect of the arrows,
// or a change that happens AFTER milliseconds after the first key; if AFTER is negative, it happens before
// any key. LOG gets a line for each key: the command and the highlighted answer of the screen that was
// completely drawn when the key arrived. `acme runs PROGRAM SEED …` gives its terminal to that program, as
// its child.
func strange(args []string) error {
	if args[0] == "runs" {
		child := exec.Command(args[1], args[2:]...)
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		return child.Run()
	}
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

// play handles keys until one of them takes an option.
func (s *stranger) play(keys <-chan string, how string, after time.Duration, log io.Writer) error {
	// now is the screen that the terminal shows, as its answer to a status report proves; drawing is the
	// screen that was sent to it.
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

// seen returns the effect of Enter on this screen.
func (s *stranger) seen() string {
	lit := "nothing"
	if s.lit >= 0 {
		lit = s.labels[s.lit]
	}
	return s.command + ": " + lit
}

// TestTmuxKeysOfAStrangerProveThemselves plays menus of an unknown agent in real panes. Their arrows move the
// highlight or also do something else, or the menu changes by itself at any moment; their numbers have no
// effect. Enter reaches the intended answer to the right command, or is never typed.
func TestTmuxKeysOfAStrangerProveThemselves(t *testing.T) {
	t.Parallel()
	server := tmuxtest.New(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	sound := []string{"the light follows", "the light goes round", "the light stops at the ends"}
	hows := slices.Concat(sound, slices.Sorted(maps.Keys(brokenArrows)), slices.Sorted(maps.Keys(swaps)))
	rounds := testrun.Rounds(1, 5)
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
					// Nobody can have seen a change that the menu draws while tmux presses the key: no
					// terminal shows it yet.
					between := line[:at] == "?" && swaps[how] != nil
					if entered++; line[:at] != "rm -rf build: "+want && !between {
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

// answersInTmux answers a stranger in a pane of its own. It returns the result and the stranger's log.
func answersInTmux(t *testing.T, server *tmuxtest.Server, seed uint64, how string, after int, want string) (Result, string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "keys")
	r := strangeRequest(t, server, "acme", fmt.Sprintf("%d '%s' %d '%s'", seed, how, after, log))
	r.Decision = map[string]screen.Decision{"Yes": screen.Approve, "No": screen.Deny}[want]
	r.decides(agents.Read("acme", screen.Parse(newStranger(rand.New(rand.NewPCG(seed, 2))).screen())).Prompt)
	return inTmux(server).Type(t.Context(), r, func() error { return nil }), noted(t, log)
}

func inTmux(server *tmuxtest.Server) *Typist {
	return New(Config{Keyboards: func(string) Keyboard { return tmux.New(server.Socket) }})
}

func noted(t *testing.T, log string) string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// strangeRequest starts a stranger under the name of an agent, and returns a request for its pane and
// process.
func strangeRequest(t *testing.T, server *tmuxtest.Server, agent, args string) Request {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{agent, "npm"} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	pane := server.Pane(fmt.Sprintf("cd '%s'; exec './%s' %s", dir, agent, args), 80, 24)
	server.Run("set-option", "-p", "-t", pane, tmux.AgentOption, agent)
	server.UntilShows(pane, "enter choose")
	look, err := tmux.New(server.Socket).Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	own, err := proc.Of(look.Pane.PID)
	if err != nil {
		t.Fatal(err)
	}
	return Request{Pane: detect.PaneRef{Server: look.Life, ID: pane}, Process: own, Agent: agent}
}

// TestNoKeyIntoAnotherProgramsDialog: a dialog that was drawn by a child to which the agent gave its terminal
// gets no key, even if it was reported as the agent's a moment before.
func TestNoKeyIntoAnotherProgramsDialog(t *testing.T) {
	t.Parallel()
	server := tmuxtest.New(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, agent := range []string{"acme", "claude", "droid"} {
		log := filepath.Join(t.TempDir(), "keys")
		r := strangeRequest(t, server, agent, fmt.Sprintf("runs ./npm %d '' 0 '%s'", seed, log))
		told := agents.Read(agent, screen.Parse(newStranger(rand.New(rand.NewPCG(seed, 2))).screen())).Prompt
		for what, set := range map[string]func(r *Request){
			"yes":       func(r *Request) { r.Decision = screen.Approve },
			"no":        func(r *Request) { r.Decision = screen.Deny },
			"an answer": func(r *Request) { r.Choice = &Choice{Index: 1, Label: told.Options[1].Label} },
			"words":     func(r *Request) { r.Instruction = "make install" },
		} {
			asked := r
			asked.decides(told)
			set(&asked)
			res := inTmux(server).Type(t.Context(), asked, func() error { t.Error("began"); return nil })
			if res.Outcome != Refused || res.Reason != Changed || !strings.Contains(words.Why(res.Detail), "npm") || noted(t, log) != "" {
				t.Errorf("%s of %s: %s (%s): %s; npm got %q", what, agent, res.Outcome, res.Reason, words.Why(res.Detail), noted(t, log))
			}
		}
	}
}
