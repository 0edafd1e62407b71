package bot_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// botSaid are the messages of the bot to Ann, oldest first, as they stand now.
func (w *world) botSaid() []botapi.Record {
	var out []botapi.Record
	for _, m := range w.ann.Messages() {
		if m.From != nil && m.From.IsBot {
			out = append(out, m)
		}
	}
	return out
}

// last is the bot's newest message to Ann, after what goes on has settled.
func (w *world) last() botapi.Record {
	w.t.Helper()
	time.Sleep(5 * time.Second)
	said := w.botSaid()
	if len(said) == 0 {
		w.t.Fatal("the bot has said nothing")
	}
	return said[len(said)-1]
}

func (w *world) message(id int) botapi.Record {
	w.t.Helper()
	time.Sleep(5 * time.Second)
	m, ok := w.ann.Message(id)
	if !ok {
		w.t.Fatalf("there is no message %d", id)
	}
	return m
}

// tap taps the first button whose label holds text.
func (w *world) tap(m botapi.Record, text string) {
	w.t.Helper()
	label := ""
	if m.Markup != nil {
		for _, row := range m.Markup.Rows {
			for _, b := range row {
				if label == "" && strings.Contains(b.Text, text) {
					label = b.Text
				}
			}
		}
	}
	if label == "" {
		w.t.Fatalf("no button %q under:\n%s\n%v", text, m.Text, m.Markup)
	}
	if _, err := w.ann.Tap(m.ID, label); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(5 * time.Second)
}

// wantTyped fails unless just these decisions were handed to the typist.
func (w *world) wantTyped(want ...screen.Decision) {
	w.t.Helper()
	time.Sleep(5 * time.Second)
	var got []screen.Decision
	for _, r := range w.typed.all() {
		if told(r) == "" {
			got = append(got, r.Decision)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Fatalf("typed %q, want %q; the chat:\n%s", got, want, w.chat())
	}
}

// told is the text that a request gives to an agent which waits for some: the reason of a denial as it is in an input box.
func told(r deliver.Request) string {
	if !r.Because.IsZero() && r.Decision == "" {
		return deliver.Denied(r.Because)
	}
	return string(r.Instruction) + r.Answer.Said()
}

// wantTold fails unless just these texts were handed to the typist.
func (w *world) wantTold(want ...string) {
	w.t.Helper()
	time.Sleep(5 * time.Second)
	var got []string
	for _, r := range w.typed.all() {
		if text := told(r); text != "" {
			got = append(got, text)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("told %q, want %q; the chat:\n%s", got, want, w.chat())
	}
}

func (w *world) chat() string {
	var b strings.Builder
	for _, m := range w.ann.Messages() {
		fmt.Fprintf(&b, "%d %s: %s\n", m.ID, m.From.FirstName, m.Text)
	}
	return b.String()
}

func wantText(t *testing.T, m botapi.Record, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(m.Text, p) {
			t.Errorf("the message lacks %q:\n%s", p, m.Text)
		}
	}
}

func wantNoButtons(t *testing.T, m botapi.Record) {
	t.Helper()
	if m.Markup != nil {
		t.Errorf("message %d still has buttons: %v", m.ID, m.Markup.Rows)
	}
}

var lastID = regexp.MustCompile(`#([^ ]+)(?: · reminder \d+ of \d+)?$`)

func idOf(t *testing.T, m botapi.Record) string {
	t.Helper()
	if last := lastID.FindStringSubmatch(m.Text); last != nil {
		return last[1]
	}
	t.Fatalf("no id in:\n%s", m.Text)
	return ""
}

// toastOf fails unless a tap is answered so.
func (w *world) toastOf(tap botapi.Tap, want string) {
	w.t.Helper()
	toast, err := tap.Answer(context.Background())
	if err != nil || toast.Text != want {
		w.t.Errorf("the tap shows %q, %v, want %q", toast.Text, err, want)
	}
}
