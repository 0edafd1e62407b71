package bot_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/bot"
)

// launched notes what the bot starts, in folders below /src.
type launched struct {
	mu   sync.Mutex
	all  []bot.Launch
	off  error // why it says no folder
	fail error
}

func (l *launched) launch(_ context.Context, what bot.Launch, sure bool, _ string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !sure {
		return "/src/" + what.Folder, l.off
	}
	l.all = append(l.all, what)
	return "", l.fail
}

func (l *launched) count() int { l.mu.Lock(); defer l.mu.Unlock(); return len(l.all) }

func TestNewTakesASecondTap(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ann.Say("/new api claude")
		wantText(t, w.last(), "/new NAME AGENT FOLDER")
		w.ann.Say("/new api claude api " + strings.Repeat("x", 4070))
		wantText(t, w.last(), "do not fit")
		w.launched.off = errors.New("gpu1 is away")
		w.ann.Say("/new gpu1:api claude api")
		wantText(t, w.last(), "Nothing was started: gpu1 is away")
		wantNoButtons(t, w.last())
		w.launched.off = nil
		w.ann.Say("/new api claude api --resume <x>\u200e")
		m := w.last()
		wantText(t, m, "Start claude as api?\nFolder: /src/api\nArguments:\n--resume\n<x><U+200E>")
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
		if l := w.launched.all[0]; l.Name != "api" || l.Agent != "claude" || l.Folder != "/src/api" || strings.Join(l.Args, " ") != "--resume <x>\u200e" {
			t.Errorf("started %+v", l)
		}

		w.launched.fail = errors.New("no tmux server runs")
		w.ann.Say("/new b claude api")
		w.tap(w.last(), "Start it")
		wantText(t, w.last(), "🚫 Not started: no tmux server runs")

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
