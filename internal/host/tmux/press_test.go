package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// show draws text in a new pane and leaves a program there that tells each byte it gets.
func show(t *testing.T, s *tmuxtest.Server, text string, w, h int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "screen")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pane := s.Pane(fmt.Sprintf("stty raw -echo; cat '%s'; printf '\\r\\nREADY\\r\\n'; exec cat -v", file), w, h)
	s.UntilShows(pane, "READY")
	return pane
}

// guardOf is a guard for the pane as it is now, over all its rows but those of the program's output.
func guardOf(t *testing.T, s *tmux.Server, pane string) tmux.Guard {
	t.Helper()
	look, err := s.Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	screen := strings.Split(plain(look.Capture), "\n")
	g := tmux.Guard{
		Life: look.Life, Pane: pane, PanePID: look.Pane.PID, Width: look.Pane.Width, Height: look.Pane.Height,
		Screen: screen, Rows: map[int]string{},
	}
	for i, row := range screen {
		if row == "READY" {
			break
		}
		g.Rows[i] = row
	}
	return g
}

// plain is a capture without its colours: CSI sequences that end in m.
func plain(capture string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(capture, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, capture, _ = strings.Cut(rest, "m")
	}
}

func TestPressTypesIntoTheGuardedPane(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "Do you want to proceed?\r\n❯ 1. Yes\r\n  2. No", 60, 12)
	other := show(t, real, "Do you want to proceed?\r\n❯ 1. Yes\r\n  2. No", 60, 12)
	if err := s.Press(t.Context(), guardOf(t, s, pane), "1", "Escape", "Enter"); err != nil {
		t.Fatal(err)
	}
	real.UntilShows(pane, "1^[^M")
	if screen := real.Screen(other); !strings.HasSuffix(screen, "READY") {
		t.Errorf("the other pane got keys:\n%s", screen)
	}
}

// rows that break out of a careless quoting, regular expression or format.
var rows = []string{
	`it's "quoted" 'twice' \' \" "`,
	`#{pane_id} #{C:x} ## #[fg=red] #, #} #(touch /tmp/x) #S`,
	`} , ; : {a,b} }} ,, ;; \; ;`,
	`a\b \\ \n \. $HOME ${x} $(id) ~ ~root`,
	`100% %% %s %H %12 %if`,
	`^a$ [a-z] [^x] []] [[:alpha:]] a{2} (x|y) a* b+ c? .`,
	`日本語 全角 ＡＢＣ 한글 — “x” é ñ`,
	"a\u00a0b\u00a0 nbsp",
	`╭──────╮ │ ❯ 1. Yes │ ╰──╯ ▌▐ △ ● ⏺`,
	`👍 👩‍👩‍👧 🇩🇪 e` + "\u0301",
	`   leading blanks`,
	`#`, `}`, `\`, `'`, `{`, `,`, `^`, `$`, `%`, `;`, `"`,
	`-l -- -x`, `!@&*()_+=<>/|~` + "`",
}

func TestGuardHoldsForEveryText(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	for _, row := range rows {
		t.Run(row, func(t *testing.T) {
			pane := show(t, real, row, 80, 4)
			g := guardOf(t, s, pane)
			if len(g.Rows) != 1 {
				t.Fatalf("the pane shows %q", g.Screen)
			}
			if err := s.Press(t.Context(), g, "k"); err != nil {
				t.Errorf("row %q on the screen was not accepted: %v", g.Rows[0], err)
			}
			real.UntilShows(pane, "\nk")
		})
	}
}

func TestGuardRefusesOneChangedCell(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, strings.Join(rows, "\r\n"), 80, len(rows)+4)
	g := guardOf(t, s, pane)
	for i, row := range g.Rows {
		for at, char := range []rune(row) {
			if at%testrun.Rounds(20, 5) != 0 { // enough of them
				continue
			}
			changed := g
			changed.Rows = map[int]string{}
			for j, same := range g.Rows {
				changed.Rows[j] = same
			}
			cells := []rune(row)
			cells[at] = 'x'
			if char == 'x' {
				cells[at] = 'y'
			}
			changed.Rows[i] = string(cells)
			if err := s.Press(t.Context(), changed, "k"); !errors.Is(err, tmux.ErrStale) {
				t.Errorf("row %q was accepted for %q: %v", row, changed.Rows[i], err)
			}
		}
	}
	if err := s.Press(t.Context(), g, "k"); err != nil {
		t.Errorf("the unchanged screen was refused: %v", err)
	}
	if screen := real.UntilShows(pane, "\nk"); !strings.HasSuffix(screen, "\nk") {
		t.Errorf("more than one key was typed:\n%s", screen)
	}
}

func TestGuardRefuses(t *testing.T) {
	t.Parallel()
	const screen = "Bash command\r\n\r\n  touch /tmp/x\r\n\r\nDo you want to proceed?\r\n❯ 1. Yes\r\n  2. No"
	tests := map[string]struct {
		change func(real *tmuxtest.Server, g *tmux.Guard)
		also   error
		says   string
	}{
		"another life of the server": {
			change: func(_ *tmuxtest.Server, g *tmux.Guard) { g.Life.Start-- },
		},
		"another server process": {
			change: func(_ *tmuxtest.Server, g *tmux.Guard) { g.Life.PID++ },
		},
		"a respawned pane with the same text": {
			change: func(real *tmuxtest.Server, g *tmux.Guard) {
				real.Run("respawn-pane", "-k", "-t", g.Pane)
				real.UntilShows(g.Pane, "READY")
			},
		},
		"a pane that is gone": {
			change: func(real *tmuxtest.Server, g *tmux.Guard) { real.Run("kill-pane", "-t", g.Pane) },
			also:   tmux.ErrNoPane,
		},
		"copy mode": {
			change: func(real *tmuxtest.Server, g *tmux.Guard) { real.Run("copy-mode", "-t", g.Pane) },
			says:   "copy mode",
		},
		"a synchronised window": {
			change: func(real *tmuxtest.Server, g *tmux.Guard) {
				real.Run("set-option", "-w", "-t", g.Pane, "synchronize-panes", "on")
			},
			says: "synchronised",
		},
		"input turned off": {
			change: func(real *tmuxtest.Server, g *tmux.Guard) { real.Run("select-pane", "-d", "-t", g.Pane) },
			says:   "turned off",
		},
		"a dead pane": {
			change: func(real *tmuxtest.Server, g *tmux.Guard) {
				real.Run("set-option", "-p", "-t", g.Pane, "remain-on-exit", "on")
				real.Run("send-keys", "-t", g.Pane, "x")
				if err := syscall.Kill(g.PanePID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				for i := 0; i < 500 && real.Run("display-message", "-p", "-t", g.Pane, "#{pane_dead}") != "1"; i++ {
					time.Sleep(10 * time.Millisecond)
				}
			},
			says: "ended",
		},
		"a resize": {
			change: func(real *tmuxtest.Server, g *tmux.Guard) { real.Run("resize-window", "-t", g.Pane, "-x", "61") },
		},
		"another command": {
			change: func(_ *tmuxtest.Server, g *tmux.Guard) { g.Rows[2] = "  touch /tmp/y" },
		},
		"a row more": {
			change: func(_ *tmuxtest.Server, g *tmux.Guard) { g.Rows[7] = "  3. Other" },
		},
		"rows that moved": {
			change: func(_ *tmuxtest.Server, g *tmux.Guard) {
				g.Screen = nil
				g.Rows = map[int]string{4: g.Rows[5], 5: g.Rows[6]}
			},
		},
		"output since, where the pane was still": {
			change: func(_ *tmuxtest.Server, g *tmux.Guard) { g.Still = 1 },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			real := tmuxtest.New(t)
			s := tmux.New(real.Socket)
			real.Pane("cat", 20, 5) // keeps the server from having no pane at all
			pane := show(t, real, screen, 60, 14)
			g := guardOf(t, s, pane)
			tt.change(real, &g)
			for what, err := range map[string]error{
				"Press": s.Press(t.Context(), g, "1"), "Paste": s.Paste(t.Context(), g, "words"),
			} {
				if !errors.Is(err, tmux.ErrStale) || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: %v, want %v that says %q", what, err, tmux.ErrStale, tt.says)
				}
				if tt.also != nil && !errors.Is(err, tt.also) {
					t.Errorf("%s: %v, want %v too", what, err, tt.also)
				}
			}
			if buffers := real.Run("list-buffers"); buffers != "" {
				t.Errorf("a refused text stays in a buffer: %s", buffers)
			}
			if tt.also == nil && !strings.HasSuffix(strings.TrimSuffix(real.Screen(pane), "Pane is dead"), "READY") && name != "a dead pane" {
				t.Errorf("something was typed:\n%s", real.Screen(pane))
			}
		})
	}
}

func TestGuardHoldsWhileThePaneIsStill(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "❯ 1. Yes", 60, 6)
	g := guardOf(t, s, pane)
	look, err := s.Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	g.Still = look.Pane.Activity.Unix()
	if err := s.Press(t.Context(), g, "1"); err != nil {
		t.Error(err)
	}
}

func TestGuardKnowsTwinRows(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "│ 1. Yes │\r\n\r\nquoted above\r\n\r\n│ 1. Yes │\r\n\r\n│ 2. No │", 60, 12)
	g := guardOf(t, s, pane)
	g.Rows = map[int]string{4: g.Screen[4], 5: g.Screen[5], 6: g.Screen[6]}
	if err := s.Press(t.Context(), g, "1"); err != nil {
		t.Errorf("a row with a twin above the dialog was refused: %v", err)
	}
}

func TestGuardTakesATallDialogOfLongRows(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	var text []string
	for i := range 40 {
		text = append(text, fmt.Sprintf("│ %02d %s │", i, strings.Repeat(`{"a": [1, 2], "b\n": "$(x)"} `, 7)[:186]))
	}
	pane := show(t, real, strings.Join(text, "\r\n"), 200, 45)
	g := guardOf(t, s, pane)
	if len(g.Rows) != 40 {
		t.Fatalf("%d rows, want 40", len(g.Rows))
	}
	if err := s.Press(t.Context(), g, "1"); err != nil {
		t.Error(err)
	}
	g.Rows[17] = strings.Replace(g.Rows[17], "[1,", "[7,", 1)
	if err := s.Press(t.Context(), g, "1"); !errors.Is(err, tmux.ErrStale) {
		t.Errorf("one changed cell: %v, want %v", err, tmux.ErrStale)
	}
}

func TestPressRefusesWhatIsNoKey(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "x", 60, 6)
	g := guardOf(t, s, pane)
	for _, key := range []string{"Esc", "Return", "rm -rf /", "", "S-Tab", "Enter ; kill-server"} {
		if err := s.Press(t.Context(), g, "1", key); err == nil {
			t.Errorf("key %q was typed", key)
		}
	}
	if err := s.Press(t.Context(), g); err == nil {
		t.Error("no key at all was accepted")
	}
	if screen := real.Screen(pane); !strings.HasSuffix(screen, "READY") {
		t.Errorf("something was typed:\n%s", screen)
	}
}

func TestPressOnAHungServerIsUnsure(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	g := guardOf(t, s, show(t, real, "x", 60, 6))
	real.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := s.Press(ctx, g, "1")
	if !errors.Is(err, tmux.ErrUnsure) || !errors.Is(err, tmux.ErrHung) {
		t.Errorf("%v, want %v and %v", err, tmux.ErrUnsure, tmux.ErrHung)
	}
}

func TestAKeyNobodyWaitsForIsNotTypedLater(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "x", 60, 6)
	g := guardOf(t, s, pane)
	thaw := real.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := s.Press(ctx, g, "1"); !errors.Is(err, tmux.ErrUnsure) {
		t.Fatalf("%v, want %v", err, tmux.ErrUnsure)
	}
	time.Sleep(1100 * time.Millisecond) // the server's clock has whole seconds
	thaw()
	if err := s.Press(t.Context(), g, "k"); err != nil {
		t.Fatal(err)
	}
	if screen := real.UntilShows(pane, "k"); strings.Contains(screen, "1k") {
		t.Errorf("the key was typed long after its deadline:\n%s", screen)
	}
}

func TestPressWithoutAServerTypesNothingForSure(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	g := guardOf(t, s, show(t, real, "x", 60, 6))
	real.Kill()
	if err := s.Press(t.Context(), g, "1"); !errors.Is(err, tmux.ErrNoServer) || errors.Is(err, tmux.ErrUnsure) {
		t.Errorf("%v, want %v alone", err, tmux.ErrNoServer)
	}
}

func TestPressOnAServerThatDropsUsIsUnsure(t *testing.T) {
	socket := noTmux(t, func(conn net.Conn) { _, _ = conn.Read(make([]byte, 16)) })
	s := tmux.New(socket)
	if err := s.Press(t.Context(), tmux.Guard{Pane: "%0"}, "1"); !errors.Is(err, tmux.ErrUnsure) {
		t.Errorf("%v, want %v", err, tmux.ErrUnsure)
	}
}

func TestPasteBracketsTextAndDropsControls(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "\x1b[?2004h> ", 60, 12)
	err := s.Paste(t.Context(), guardOf(t, s, pane), "one;\r\ntwo\tit's #{pid} \x1b[201~\x03rm\u009b\n")
	if err != nil {
		t.Fatal(err)
	}
	real.UntilShows(pane, "^[[200~one;^Mtwo")
	screen := real.UntilShows(pane, "^[[201~")
	if !strings.HasSuffix(screen, "it's #{pid} [201~rm^M^[[201~") {
		t.Errorf("pasted:\n%s", screen)
	}
	if buffers := real.Run("list-buffers"); buffers != "" {
		t.Errorf("the text stays in a buffer: %s", buffers)
	}
	if err := s.Paste(t.Context(), guardOf(t, s, pane), "\x1b\x03"); err == nil {
		t.Error("nothing was pasted without an error")
	}
}

func TestPasteTakesLongText(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := real.Pane("stty raw -echo; printf 'READY\\r\\n'; head -c 100000 | md5sum; cat", 60, 12)
	real.UntilShows(pane, "READY")
	if err := s.Paste(t.Context(), guardOf(t, s, pane), strings.Repeat("a", 100000)); err != nil {
		t.Fatal(err)
	}
	real.UntilShows(pane, "1af6d6f2f682f76f80e606aeaaee1680") // md5 of 100 000 times a
}

func TestLeaveModeTypesNothing(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "x", 60, 6)
	g := guardOf(t, s, pane)
	real.Run("copy-mode", "-t", pane)
	other := g.Life
	other.Start++
	if err := s.LeaveMode(t.Context(), other, pane); !errors.Is(err, tmux.ErrStale) {
		t.Errorf("another life: %v, want %v", err, tmux.ErrStale)
	}
	if err := s.LeaveMode(t.Context(), g.Life, pane); err != nil {
		t.Fatal(err)
	}
	if err := s.Press(t.Context(), g, "k"); err != nil {
		t.Error(err)
	}
	if screen := real.UntilShows(pane, "\nk"); !strings.HasSuffix(screen, "READY\nk") {
		t.Errorf("leaving copy mode typed something:\n%s", screen)
	}
	if err := s.LeaveMode(t.Context(), g.Life, "%999"); !errors.Is(err, tmux.ErrNoPane) {
		t.Errorf("a pane that is gone: %v, want %v", err, tmux.ErrNoPane)
	}
}

// TestAGonePaneEndsNoServer: tmux 3.2a dies of a question about the window of a pane that is gone.
func TestAGonePaneEndsNoServer(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane, other := real.Pane("cat", 40, 10), real.Pane("cat", 40, 10)
	look, err := s.Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	capture := tmux.Capture{Pane: look.Pane, Taken: time.Now(), Text: look.Capture}
	real.Run("kill-pane", "-t", pane)
	if _, captures, err := s.Poll(t.Context(), []tmux.Capture{capture}, tmux.Listing{}); err != nil || len(captures) != 0 {
		t.Errorf("%v, %v", captures, err)
	}
	g := tmux.Guard{Life: look.Life, Pane: pane, PanePID: look.Pane.PID, Width: 40, Height: 10, Still: look.Pane.Activity.Unix()}
	if err := s.Press(t.Context(), g, "1"); !errors.Is(err, tmux.ErrStale) {
		t.Errorf("pressed: %v", err)
	}
	if err := s.Paste(t.Context(), g, "text"); !errors.Is(err, tmux.ErrStale) {
		t.Errorf("pasted: %v", err)
	}
	real.UntilShows(other, "")
}
