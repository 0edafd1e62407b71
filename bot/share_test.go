package bot_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/nudge"
)

// TestAFileOfAnAgentComesOnlyAfterATap on Send, and only as it was when the agent asked.
func TestAFileOfAnAgentComesOnlyAfterATap(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		for _, changed := range []bool{false, true} {
			w.shared = func(nudge.SharedFile) ([]byte, error) {
				if changed {
					return nil, errors.New("/src/api/report.png has another content than when it was asked for")
				}
				return []byte("content"), nil
			}
			placed, err := w.keeper.WishFile(sighting(1, screen.Working, nil).Pane, "/src/api/report.png (7 bytes)", nudge.SharedFile{Path: "/src/api/report.png"}, nudge.Wisher{Name: "the agent itself"})
			if err != nil || placed.Reason != "" {
				t.Fatal(placed.Refusal, err)
			}
			m := w.last()
			wantText(t, m, "📎 A file from claude in api1:\n/src/api/report.png (7 bytes)", "Send brings it here; nothing else does.")
			if strings.Contains(m.Text, "command") || w.last().Document != nil {
				t.Errorf("it shows\n%s", m.Text)
			}
			w.tap(m, "Send")
			wantText(t, w.message(m.ID), "A file from claude in api1", "Sent by Ann.")
			last := w.last()
			if changed {
				wantText(t, last, "The file was not sent", "another content")
			} else if last.Document == nil || last.Document.Name != "report.png" || last.ReplyID != m.ID {
				t.Errorf("it sent %+v", last)
			}
			w.wantTold()
		}
	})
}

func TestASharedFileComesWithItsCaptionMasked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) {
			s.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
		})
		w.bot.Share("hunter2.txt", []byte("x"), "the key hunter2")
		m := w.last()
		if m.Document == nil || strings.Contains(m.Document.Name+m.Caption, "hunter2") || !strings.Contains(m.Caption, "the key [redacted]") {
			t.Errorf("%+v, %q", m.Document, m.Caption)
		}
	})
}

// TestALargeFileOverASlowLineArrivesOnce, which takes longer than any message.
func TestALargeFileOverASlowLineArrivesOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendDocument", Delay: 2 * time.Minute})
		w.bot.Share("coverage.html", make([]byte, 10<<20), "what is left")
		time.Sleep(10 * time.Minute)
		if n := len(w.tg.Calls("sendDocument")); n != 1 {
			t.Errorf("it was sent %d times", n)
		}
	})
}

// TestAFileThatNeverArrivesHoldsUpNothing: other answers go on, and people are told in the end.
func TestAFileThatNeverArrivesHoldsUpNothing(t *testing.T) {
	for name, f := range map[string]botapi.Fault{
		"no answer": {Method: "sendDocument", Delay: time.Minute, Times: -1}, "an error": {Method: "sendDocument", Code: 500, Times: -1},
	} {
		inWorld(t, func(w *world) {
			w.tg.Fail(f)
			w.bot.Share("coverage.html", []byte("x"), "what is left")
			time.Sleep(time.Second)
			w.ann.Say("/status")
			time.Sleep(5 * time.Minute)
			told := 0
			for _, m := range w.botSaid() {
				if strings.Contains(m.Text, "0 agents") || strings.Contains(m.Text, "coverage.html may not have arrived") {
					told++
				}
			}
			if told != 2 {
				t.Errorf("%s: %d of the two messages came", name, told)
			}
		})
	}
}
