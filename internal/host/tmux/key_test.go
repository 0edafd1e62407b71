package tmux

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

func TestEveryValidKeyIsOneKeyToTmux(t *testing.T) {
	t.Parallel()
	var keys []string
	for name := range named {
		keys = append(keys, name)
	}
	for name := range movable {
		keys = append(keys, "S-"+name, "C-"+name, "M-"+name)
	}
	for n := range 12 {
		keys = append(keys, fmt.Sprintf("F%d", n+1))
	}
	for char := rune('!'); char <= '~'; char++ {
		keys = append(keys, string(char))
		if controllable(string(char)) {
			keys = append(keys, "C-"+string(char))
		}
	}
	keys = append(keys, "Enter", "Escape", "BTab", "BSpace", "PageUp", "é", "日", "C-Space", "M-x", "M-Enter", "M-C-a")
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })

	real := tmuxtest.New(t)
	s := New(real.Socket)
	file := filepath.Join(t.TempDir(), "keys")
	pane := real.Pane("stty raw -echo; printf 'READY\\r\\n'; exec cat > '"+file+"'", 40, 10)
	real.UntilShows(pane, "READY")
	look, err := s.Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	g := Guard{Life: look.Life, Pane: pane, PanePID: look.Pane.PID, Width: 40, Height: 10}
	typed := func() string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, key := range keys[:testrun.Rounds(60, len(keys))] {
		if !ValidKey(key) {
			t.Errorf("%s is refused", key)
			continue
		}
		before := len(typed())
		if err := s.Press(t.Context(), g, key, "Z", "Z"); err != nil {
			t.Error(err)
			continue
		}
		got := ""
		real.Until(pane, func(string) bool {
			got = typed()[before:]
			return strings.HasSuffix(got, "ZZ")
		})
		got = strings.TrimSuffix(got, "ZZ")
		if got == "" || got == key && len([]rune(key)) > 1 {
			t.Errorf("%s types %q", key, got)
		}
	}
}

func TestValidKeyRefuses(t *testing.T) {
	for _, name := range []string{
		"", "Esc", "Return", "Backspace", "Del", "S-Tab", "S-Enter", "C-Enter", "C-1", "C-é", "S-a", "M-", "C-", "S-", "M-M-a",
		"M-S-Up", "F0", "F13", "F01", "F+1", "0x41", "yes", "\n", "\x1b", "\x7f", "\u0085", "\u202e", "\xff", "Any", "None", "MouseDown1Pane", "Enter ", " Enter",
	} {
		if ValidKey(name) {
			t.Errorf("%q is taken for a key", name)
		}
	}
}

func TestValidPane(t *testing.T) {
	for _, id := range []string{"%0", "%12", "%123456789"} {
		if !validPane(id) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{"", "%", "12", "%-1", "%1 ", "%1;", "%1\n", "%x", "%%1", "%1234567890", "%١"} {
		if validPane(id) {
			t.Errorf("%q is taken for a pane id", id)
		}
	}
}
