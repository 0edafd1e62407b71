package bot_test

import (
	"bytes"
	"context"
	"image/png"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// noPictures is a chat that takes none.
func (w *world) noPictures() {
	w.tg.Fail(botapi.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: not enough rights to send photos to the chat", Times: -1})
}

// watched has one agent in a pane that shows rows.
func (w *world) watched(rows ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.panes, w.screen = []detect.Sighting{sighting(1, screen.Working, nil)}, rows
}

// image is the picture of a message.
func (w *world) image(m botapi.Record) []byte {
	w.t.Helper()
	if len(m.Photo) != 1 {
		w.t.Fatalf("message %d has no picture: %q", m.ID, m.Text)
	}
	_, data, ok := w.tg.File(m.Photo[0].FileID)
	if _, err := png.Decode(bytes.NewReader(data)); !ok || err != nil {
		w.t.Fatalf("message %d has no PNG: %v", m.ID, err)
	}
	return data
}

func TestScreenComesAsAPicture(t *testing.T) {
	inWorld(t, func(w *world) {
		w.watched("\x1b[32m╭──╮\x1b[0m", "│漢│", "╰──╯")
		said := w.ann.Say("/screen")
		m := w.last()
		w.image(m)
		if !strings.HasPrefix(m.Caption, "🔎 claude in api1\nmain:1.0 at ") || m.ReplyID != said.ID {
			t.Errorf("under %d: %q", m.ReplyID, m.Caption)
		}
	})
}

// A secret is in no picture: those of two secrets of one length are the same.
func TestScreenPictureIsMasked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) {
			s.Redact = func(text string) string {
				return strings.NewReplacer("hunter2", "•••••••", "qwertz1", "•••••••").Replace(text)
			}
		})
		var images [][]byte
		for _, secret := range []string{"hunter2", "qwertz1", "visible"} {
			w.watched("password \x1b[31m" + secret[:3] + "\x1b[32m" + secret[3:])
			w.ann.Say("/screen")
			images = append(images, w.image(w.last()))
		}
		if !bytes.Equal(images[0], images[1]) || bytes.Equal(images[0], images[2]) {
			t.Error("the picture shows what is masked")
		}
	})
}

// A mask that moves what is there can't be drawn over: then there is a text, which is masked as well.
func TestScreenThatCantBeMaskedInPlaceIsText(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) {
			s.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
		})
		w.watched("password hunter2")
		w.ann.Say("/screen")
		m := w.last()
		wantText(t, m, "password ***")
		if len(m.Photo) != 0 {
			t.Error("there is a picture")
		}
	})
}

func TestRefusedPictureBecomesText(t *testing.T) {
	for _, f := range []botapi.Fault{
		{Code: 400, Description: "Bad Request: not enough rights to send photos to the chat"},
		{Code: 400, Description: "Bad Request: IMAGE_PROCESS_FAILED"},
		{Code: 404, Description: "Not Found: method not found"},
	} {
		inWorld(t, func(w *world) {
			f.Method, f.Times = "sendPhoto", -1
			w.tg.Fail(f)
			w.watched("first")
			w.ann.Say("/screen")
			m := w.last()
			wantText(t, m, "🔎 claude in api1", "first")
			w.watched("second")
			w.tap(m, "Refresh")
			wantText(t, w.message(m.ID), "second")
		})
	}
}

// What fails for a while comes in the end, once.
func TestPictureIsTriedAgain(t *testing.T) {
	for _, f := range []botapi.Fault{{DropBefore: true, Times: 2}, {HTML: 502, Times: 2}, {Code: 429, RetryAfter: 5}} {
		inWorld(t, func(w *world) {
			f.Method = "sendPhoto"
			w.tg.Fail(f)
			w.watched("first")
			w.ann.Say("/screen")
			time.Sleep(20 * time.Second)
			photos := 0
			for _, m := range w.botSaid() {
				photos += len(m.Photo)
			}
			if photos != 1 {
				t.Errorf("%+v: %d pictures", f, photos)
			}
		})
	}
}

func TestRefreshChangesThePictureInItsMessage(t *testing.T) {
	inWorld(t, func(w *world) {
		w.watched("first")
		w.ann.Say("/screen")
		m := w.last()
		before := w.image(m)
		w.watched("second")
		w.tap(m, "Refresh")
		now := w.message(m.ID)
		if bytes.Equal(before, w.image(now)) || now.Markup == nil {
			t.Error("the picture is as before, or has no button")
		}
		if last := w.last(); last.ID != m.ID {
			t.Errorf("there is another message: %q", last.Text)
		}
	})
}

// The screen is not read more often than once a second, however often the button is tapped.
func TestRefreshIsNotFasterThanOnceASecond(t *testing.T) {
	inWorld(t, func(w *world) {
		w.watched("first")
		w.ann.Say("/screen")
		m := w.last()
		data := m.Markup.Rows[0][0].Data
		for i := range 10 {
			tap := w.ann.TapData(m.ID, data)
			time.Sleep(100 * time.Millisecond)
			if i == 5 {
				w.toastOf(tap, "At most once a second: tap again in a moment.")
			}
		}
		time.Sleep(10 * time.Second)
		if n := len(w.tg.Calls("editMessageMedia")); n != 1 {
			t.Errorf("%d edits in a second", n)
		}
		for range 3 {
			w.ann.TapData(m.ID, data)
			time.Sleep(1100 * time.Millisecond)
		}
		if n := len(w.tg.Calls("editMessageMedia")); n != 4 {
			t.Errorf("%d edits after three more seconds", n)
		}
	})
}

// While a picture is under way, another is not begun: a slow Telegram gets no row of them.
func TestOneRefreshAtATime(t *testing.T) {
	inWorld(t, func(w *world) {
		w.watched("first")
		w.ann.Say("/screen")
		m := w.last()
		w.tg.Fail(botapi.Fault{Method: "editMessageMedia", Code: 429, RetryAfter: 20})
		for i := range 10 {
			tap := w.ann.TapData(m.ID, m.Markup.Rows[0][0].Data)
			time.Sleep(1100 * time.Millisecond)
			if i == 5 {
				w.toastOf(tap, "The screen is on its way.")
			}
		}
		time.Sleep(time.Minute)
		if n := len(w.tg.Calls("editMessageMedia")); n != 1 {
			t.Errorf("%d pictures went", n)
		}
	})
}

func TestRefreshOfAPaneThatIsGone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.watched("first")
		w.ann.Say("/screen")
		m := w.last()
		w.mu.Lock()
		w.panes = nil
		w.mu.Unlock()
		tap := w.ann.TapData(m.ID, m.Markup.Rows[0][0].Data)
		toast, err := tap.Answer(context.Background())
		if err != nil || toast.Text != "That pane is gone." {
			t.Errorf("%+v, %v", toast, err)
		}
	})
}

// A picture is no nudge: an answer to it names none.
func TestPictureNamesNoNudge(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ask(1, prompt("make test"))
		w.watched("1. Yes")
		w.ann.Say("/screen")
		w.ann.ReplyTo(w.last().ID, "y")
		w.wantTyped()
		wantText(t, w.last(), "asks nothing")
	})
}

// Of a message that is long ago Telegram tells nothing with the tap, so a screen comes again rather than in its place.
func TestRefreshOfAnOldScreenSendsANewOne(t *testing.T) {
	inWorld(t, func(w *world) {
		w.watched("hello")
		w.ann.Say("/screen main:1.0")
		m := w.last()
		tap := object{"id": "77", "from": person(ann), "data": m.Markup.Rows[0][0].Data, "message": object{"message_id": m.ID, "date": 0, "chat": object{"id": ann, "type": "private"}}}
		w.hostile(w.encoded(object{"callback_query": tap}))
		if last := w.last(); last.ID == m.ID || len(last.Photo) != 1 || last.ReplyID != m.ID {
			t.Errorf("no new picture came:\n%s", w.chat())
		}
		wantHealth(t, w)
	})
}

// TestAnAnswerThatTelegramCantTakeHoldsUpNoOther, nor is it given up.
func TestAnAnswerThatTelegramCantTakeHoldsUpNoOther(t *testing.T) {
	inWorld(t, func(w *world) {
		w.watched("$ make")
		w.tg.Fail(botapi.Fault{Method: "sendPhoto", Code: 500, Times: -1})
		w.ann.Say("/screen")
		time.Sleep(time.Second)
		w.ann.Say("/status")
		time.Sleep(time.Minute)
		wantText(t, w.last(), "1 agent")
		w.tg.Heal()
		time.Sleep(5 * time.Minute)
		if w.last().Photo == nil {
			t.Errorf("the screen did not come")
		}
	})
}
