package bot_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
)

func outside(command string) detect.HookEvent {
	input, _ := json.Marshal(map[string]string{"command": command})
	return detect.HookEvent{Agent: "claude", Kind: detect.Asks, Session: "s1", ToolCall: detect.ToolCall{Tool: "Bash", Input: input}, Cwd: "/home/ann/api"}
}

func TestAnAgentOutsideTmuxIsToldOfWithoutButtons(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) {
			s.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••") }
		})
		w.bot.Outside(outside("rm -rf <build> hunter2"))
		m := w.last()
		wantText(t, m, "claude in api asks outside tmux: rm -rf <build> •••", "answer it in its own window")
		if m.Markup != nil {
			t.Errorf("it has buttons: %+v", m.Markup)
		}
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped()

		before := len(w.botSaid())
		w.bot.Outside(outside("rm -rf <build> hunter2"))
		w.bot.Outside(detect.HookEvent{Agent: "claude", Kind: detect.Asks, Session: "s1", Message: "Claude needs your permission"})
		w.bot.Outside(detect.HookEvent{Agent: "claude", Kind: detect.Ran, Session: "s1"})
		time.Sleep(10 * time.Second)
		if n := len(w.botSaid()) - before; n != 0 {
			t.Errorf("the same was told %d times more", n)
		}
		w.bot.Outside(outside("make docs"))
		wantText(t, w.last(), "make docs")
	})
}

// TestWhatIsAskedOutsideTmuxIsWhatRuns: the model may give a tool more fields than it reads.
func TestWhatIsAskedOutsideTmuxIsWhatRuns(t *testing.T) {
	inWorld(t, func(w *world) {
		e := outside("")
		e.Input = json.RawMessage(`{"command":"rm -rf build","COMMAND":"ls"}`)
		w.bot.Outside(e)
		wantText(t, w.last(), "rm -rf build")
	})
}

func TestPreviewKeepsWhatIsAskedOutsideTmuxOffTheLockScreen(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Preview = "minimal" })
		w.bot.Outside(outside("make docs"))
		if m := w.last(); strings.Contains(m.Text, "make docs") {
			t.Errorf("it says %q", m.Text)
		}
	})
}
