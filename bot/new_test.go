package bot_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/bot"
)

// launched notes what the bot starts.
type launched struct {
	mu   sync.Mutex
	all  []bot.Launch
	fail error
}

func (l *launched) launch(_ context.Context, what bot.Launch, _ string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, what)
	return l.fail
}

func (l *launched) count() int { l.mu.Lock(); defer l.mu.Unlock(); return len(l.all) }

// folders makes a root with a folder in it, one beside it, and links that lead out.
func folders(t *testing.T) (root, beside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, beside = filepath.Join(base, "src"), filepath.Join(base, "srcs")
	for _, dir := range []string{filepath.Join(root, "api"), beside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(beside, filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return root, beside
}

// TestNothingIsStartedFromTheChatUnlessItMay: off by default, and then only in the folders that are named.
func TestNothingIsStartedFromTheChatUnlessItMay(t *testing.T) {
	root, beside := folders(t)
	inWorld(t, func(w *world) {
		w.ann.Say("/new api claude " + root)
		wantText(t, w.last(), "is off", "NOD_LAUNCH")
		w.set(func(s *bot.Settings) { s.Launch = []string{root} })
		for _, folder := range []string{beside, "../srcs", "out", "/", "~/", root + "/../srcs", "none", "file"} {
			w.ann.Say("/new api claude " + folder)
			m := w.last()
			wantText(t, m, "Nothing was started", "within "+root)
			wantNoButtons(t, m)
		}
		w.ann.Say("/new api claude")
		wantText(t, w.last(), "/new NAME AGENT FOLDER")
		w.ann.Say("/new api claude api " + strings.Repeat("x", 4000))
		wantText(t, w.last(), "do not fit")
		if w.launched.count() != 0 {
			t.Errorf("started %+v", w.launched.all)
		}
	})
}

func TestNewTakesASecondTap(t *testing.T) {
	root, _ := folders(t)
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Launch = []string{root} })
		w.ann.Say("/new api claude api --resume <x>\u200e")
		m := w.last()
		wantText(t, m, "Start claude as api?\nFolder: "+root+"/api\nArguments:\n--resume\n<x><U+200E>")
		if w.launched.count() != 0 {
			t.Fatal("it was started without the tap")
		}
		data := m.Markup.Rows[0][0].Data
		w.tap(m, "Start it")
		wantText(t, w.last(), "▶ api runs")
		wantNoButtons(t, w.message(m.ID))
		w.ann.TapData(m.ID, data)
		time.Sleep(5 * time.Second)
		if w.launched.count() != 1 {
			t.Fatalf("started %d times", w.launched.count())
		}
		if l := w.launched.all[0]; l.Name != "api" || l.Agent != "claude" || l.Folder != root+"/api" || strings.Join(l.Args, " ") != "--resume <x>\u200e" {
			t.Errorf("started %+v", l)
		}

		w.launched.fail = errors.New("no tmux server runs")
		w.ann.Say("/new b claude api")
		w.tap(w.last(), "Start it")
		wantText(t, w.last(), "🚫 Not started: no tmux server runs")

		w.ann.Say("/new c claude api")
		m = w.last()
		w.set(func(s *bot.Settings) { s.Launch = nil })
		w.tap(m, "Start it")
		w.set(func(s *bot.Settings) { s.Launch = []string{root} })
		w.ann.Say("/new d claude api")
		m = w.last()
		time.Sleep(11 * time.Minute)
		w.tap(m, "Start it")
		w.ann.Say("/new e claude api")
		m = w.last()
		w.restart()
		w.tap(m, "Start it")
		if w.launched.count() != 2 {
			t.Errorf("started %+v", w.launched.all)
		}
	})
}
