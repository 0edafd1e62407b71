package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/botapi"
)

func TestPlainTextWhereMarkupIsRefused(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: can't parse entities: Unsupported start tag"})
		m := w.ask(1, prompt("echo '<b>' && x > y"))
		wantText(t, m, "echo '<b>' && x > y")
		if _, ok := m.Button("✅ Approve"); !ok {
			t.Error("the buttons are lost")
		}
		if n := len(w.botSaid()); n != 2 {
			t.Errorf("%d messages, want the greeting and one", n)
		}
	})
}

func TestForeignTextIsEscaped(t *testing.T) {
	inWorld(t, func(w *world) {
		hostile := "</code></b><a href=\"https://evil.test\">x</a> &lt; & \u202e \x1b[31m \u200b <blockquote>"
		p := prompt(hostile + "\nsecond · #abc")
		s := sighting(1, screen.Permission, &p)
		s.Project, s.Where, s.Name = "a\nb <i>", "m<\n>:1.0", "</b>evil\nname"
		s.Tail = []string{"</pre><b>" + hostile}
		w.see(s)
		m := w.last()
		wantText(t, m, "</code></b><a href=\"https://evil.test\">x</a> &lt; & <U+202E> <U+001B>[31m <U+200B>", "</b>evil name in a b <i>")
		for _, e := range m.Entities {
			if e.Type == "text_link" {
				t.Error("foreign text made a link")
			}
		}
		if strings.ContainsAny(m.Text, "\u202e\x1b\u200b") {
			t.Errorf("a character that can't be seen came through: %q", m.Text)
		}
		for _, c := range w.tg.Calls("sendMessage") {
			if c.Err != nil {
				t.Errorf("Telegram refused: %v", c.Err)
			}
		}
		wantText(t, m, "\nm< >:1.0 · #")
	})
}

func TestLongSubjectIsWhole(t *testing.T) {
	inWorld(t, func(w *world) {
		quoted := strings.Repeat("line of a script\n", 100)
		m := w.ask(1, prompt(quoted+"the last line"))
		wantText(t, m, quoted+"the last line")
		w.leave(1)

		filed := strings.Repeat("a long line of a long script\n", 1000) + "the last line"
		m = w.ask(2, prompt(filed))
		wantText(t, m, "all of it is in the file nod-"+idOf(t, m)+".txt")
		said := w.botSaid()
		doc := said[len(said)-2].Document
		if doc == nil {
			t.Fatal("no file came before the message")
		}
		if _, data, _ := w.tg.File(doc.FileID); string(data) != filed+"\n" {
			t.Errorf("the file has %d bytes", len(data))
		}
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Approve)
	})
}

// TestAFileIsWhatItsMessageSays, also where more was known before Telegram took the message: the first file shows less.
func TestAFileIsWhatItsMessageSays(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 502, Times: 3})
		seen := prompt(strings.Repeat("a long line of a long script\n", 1000))
		seen.Partial = true
		w.see(sighting(1, screen.Permission, &seen))
		time.Sleep(time.Second)
		whole := seen
		whole.Subject, whole.Partial = seen.Subject+"rm -rf ~", false
		w.see(sighting(1, screen.Permission, &whole))
		m := w.last()
		wantText(t, m, "all of it is in the file")
		said := w.botSaid()
		_, data, _ := w.tg.File(said[len(said)-2].Document.FileID)
		if string(data) != whole.Subject+"\n" {
			t.Errorf("the file before the message ends with %q", data[len(data)-20:])
		}
	})
}

// TestWhatIsKnownWhileAMessageIsOnItsWayIsToldNext: it is in no message yet, and nobody is asked to approve it unseen.
func TestWhatIsKnownWhileAMessageIsOnItsWayIsToldNext(t *testing.T) {
	for _, others := range []int{0, 2} { // the second time they go together
		inWorld(t, func(w *world) {
			w.tg.Fail(botapi.Fault{Method: "sendMessage", Delay: 2 * time.Second, Times: 2})
			before := prompt("make docs")
			w.see(sighting(9, screen.Permission, &before))
			time.Sleep(time.Second) // while that one is on its way, the others wait for it
			for i := range others {
				p := prompt("make")
				w.see(sighting(2+i, screen.Permission, &p))
			}
			seen := prompt("make test")
			seen.Partial = true
			w.see(sighting(1, screen.Permission, &seen))
			time.Sleep(2 * time.Second)
			whole := seen
			whole.Subject, whole.Partial = "make test\nrm -rf ~", false
			w.see(sighting(1, screen.Permission, &whole))
			m := w.last()
			wantText(t, m, "nod now knows all of what is asked", "rm -rf ~")
			w.tap(m, "Approve")
			w.wantTyped(screen.Approve)
		})
	}
}

// Where the file does not get through, a part of the subject stands nowhere.
func TestRefusedFileNeedsConsent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendDocument", Code: 400, Description: "Bad Request: DOCUMENT_INVALID", Times: -1})
		m := w.ask(1, prompt(strings.Repeat("a long line of a long script\n", 1000)))
		wantText(t, m, "the rest could not be sent")
		w.tap(m, "Approve")
		w.wantTyped()
	})
}

func TestLongestMessageFits(t *testing.T) {
	inWorld(t, func(w *world) {
		p := prompt(strings.Repeat("&<>\"😀 ", 390) + "\n" + strings.Repeat("x", 90))
		s := sighting(1, screen.Permission, &p)
		for range 15 {
			s.Tail = append(s.Tail, strings.Repeat("a<😀>", 200))
		}
		w.see(s)
		m := w.last()
		if n := len([]rune(m.Text)); n > 4096 || n < 2000 {
			t.Errorf("%d code points", n)
		}
		for _, c := range w.tg.Calls("sendMessage") {
			if c.Err != nil {
				t.Errorf("Telegram refused: %v", c.Err)
			}
		}
	})
}
