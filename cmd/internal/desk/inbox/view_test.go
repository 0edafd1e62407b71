package inbox

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	cells "github.com/charmbracelet/x/ansi"

	"nod/cmd/internal/desk"
)

var golden = flag.Bool("golden", false, "write the golden screens again")

// begun returns an inbox of this size with cards, shown for a while.
func begun(t *testing.T, width, height int, msgs ...tea.Msg) *Model {
	t.Helper()
	m := New(Outside{}, false)
	m.Init()
	give(m, tea.WindowSizeMsg{Width: width, Height: height}, changed(snapshot(sample()...)))
	time.Sleep(2 * time.Second)
	give(m, tick{})
	give(m, msgs...)
	return m
}

func give(m *Model, msgs ...tea.Msg) {
	for _, msg := range msgs {
		m.Update(msg)
	}
}

// press returns a key press as the terminal reports it.
func press(key string) tea.KeyPressMsg {
	names := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "space": tea.KeySpace,
		"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
	}
	if code, ok := names[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(letter)[0], Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

func keys(names ...string) (msgs []tea.Msg) {
	for _, name := range names {
		msgs = append(msgs, press(name))
	}
	return msgs
}

// alsoWide are the screens that are also drawn at 200x60.
var alsoWide = []string{"permission", "edit", "idle", "roles", "words", "lasts"}

// ofOther are the cards of the screens that don't use the samples.
var ofOther = map[string]func() []desk.Card{
	"expired": func() []desk.Card { return []desk.Card{expired()} }, "many": func() []desk.Card { return []desk.Card{many()} },
	"program": others, "silent": others, "session": others,
}

// TestScreens draws every card, box and size, and compares them with the golden files.
func TestScreens(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"200x60", 200, 60}} {
		for name, msgs := range map[string][]tea.Msg{
			"permission": nil, "question": keys("down"), "edit": keys("down", "down"), "denied": keys("down", "down", "down"), "idle": keys("end", "up", "up"),
			"working": keys("end", "up"), "wish": keys("end"), "roles": keys("e", "pgdown", "pgdown"), "keys": keys("?"),
			"lasts": keys("2"), "allow": keys("down", "down", "down", "a"), "words": keys("d", "w", "h", "y"), "filter": keys("/", "d", "o", "c"), "snooze": keys("z"),
			"down": {down{"nod is not running. Start it with: nod run"}}, "refused": keys("down", "down", "y"), "expired": nil, "many": keys("left", "right", "right"),
			"program": nil, "silent": keys("down"), "session": keys("end", "g"),
		} {
			if size.width > 80 && !slices.Contains(alsoWide, name) {
				continue
			}
			t.Run(name+"-"+size.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					if cards := ofOther[name]; cards != nil {
						msgs = append([]tea.Msg{changed(snapshot(cards()...))}, msgs...)
					}
					m := begun(t, size.width, size.height, msgs...)
					lines := m.lines()
					checkSize(t, m, lines)
					var rows []string
					for _, line := range lines {
						rows = append(rows, strings.TrimRight(cells.Strip(line), " "))
					}
					compare(t, filepath.Join("testdata", t.Name()[len("TestScreens/"):]+".txt"), strings.Join(rows, "\n")+"\n")
				})
			})
		}
	}
}

// TestACardIsEasyToRead: prose about a command is wrapped between words, a long option has a hanging indent,
// and if y answers no row says that it can't be chosen.
func TestACardIsEasyToRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		card := sample()[0]
		card.Asks.Subject, card.Asks.Lead, card.Asks.Minds = "make\n"+strings.Repeat("what it does ", 5), 1, []string{"It deletes files, for good and on more machines than this one"}
		card.Asks.Options = []desk.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: strings.Repeat("and don't ask again ", 5), Refused: "It can't be chosen."}}
		lines := begun(t, 60, 40, changed(snapshot(card))).lines()
		for i := range lines {
			lines[i] = strings.TrimRight(cells.Strip(lines[i]), " ")
		}
		got := strings.Join(lines, "\n")
		for _, want := range []string{"\n! It deletes files, for good and on more machines than this\n  one\n", " what it\ndoes\n", " ask\n     again and"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not there:\n%s", want, got)
			}
		}
		if strings.Contains(got, "can't be chosen") {
			t.Errorf("a reason that says nothing:\n%s", got)
		}
	})
}

// checkSize checks that each row is as wide as the terminal, and that there are not too many rows.
func checkSize(t *testing.T, m *Model, lines []string) {
	t.Helper()
	if len(lines) > m.height {
		t.Errorf("%d rows are drawn on %d", len(lines), m.height)
	}
	for _, line := range lines {
		if w := cells.StringWidth(line); w > m.width {
			t.Errorf("%d columns: %q", w, line)
		}
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *golden {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is otherwise (go test -golden writes it):\n%s", file, got)
	}
}

// BenchmarkASecond applies what the feed sends about sixty changes of a thousand cards in a second, as ten
// lines of six, and draws the screen after each. Nine tenths of a core must remain idle.
func BenchmarkASecond(b *testing.B) {
	var cards []desk.Card
	for i := range 1000 {
		c := sample()[i%7]
		c.ID, c.Rank = fmt.Sprint("card", i), i
		cards = append(cards, c)
	}
	m := New(Outside{}, false)
	m.Init()
	give(m, tea.WindowSizeMsg{Width: 200, Height: 60}, changed(snapshot(cards...)))
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for i := range 10 * b.N {
		c := desk.Change{Seq: uint64(i)}
		for k := range 6 {
			card := cards[(6*i+k)*37%len(cards)]
			card.Note = fmt.Sprint(i)
			c.Cards = append(c.Cards, card)
		}
		give(m, changed(c))
		m.View()
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(100*float64(cpu)/float64(b.N)/float64(time.Second), "%core")
}
