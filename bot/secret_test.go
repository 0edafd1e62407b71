package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/redact"
)

// secret looks like a token, and half is the part of it that is in the next row where it is wrapped.
const (
	secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	half   = "E7710c838347Ae178B4a"
)

// wantUnsaid fails if any call to Telegram held a text.
func (w *world) wantUnsaid(text string) {
	w.t.Helper()
	for _, c := range w.tg.Calls("") {
		for name, value := range c.Params {
			if strings.Contains(value, text) {
				w.t.Errorf("%s says in its %s: %s", c.Method, name, value)
			}
		}
	}
}

func masking(s *bot.Settings) { s.Redact = redact.Mask }

// A folder, a session and an answer may be named after anything, and so are topics, lists and buttons.
func TestNamesAreMaskedWhereverTheyStand(t *testing.T) {
	inTopics(t, func(w *world) {
		w.set(masking)
		p := prompt("make test")
		p.Approve = nil
		p.Options[0] = screen.Option{Key: "1", Label: "Use " + secret, Scope: screen.Once}
		s := sighting(1, screen.Permission, &p)
		s.Project, s.Where = "x-"+secret, "main-"+secret+":1.0"
		w.mu.Lock()
		w.panes, w.screen = []detect.Sighting{s}, []string{"hello"}
		w.mu.Unlock()
		w.see(s)
		m := w.last()
		if m.ThreadID == 0 || m.ThreadID != w.tg.Topic(ann, "claude in x-ghp_"+strings.Repeat("•", 36)) {
			t.Errorf("it is in topic %d", m.ThreadID)
		}
		for _, command := range []string{"/status", "/queue", "/screen", "/next", "/settings", "/tell", "/tell nothere hi", "/mute nothere"} {
			w.ann.Say(command)
			time.Sleep(3 * time.Second)
		}
		w.tap(m, "Use")
		w.leave(1)
		s.State, s.Prompt = screen.Idle, nil
		w.see(s)
		w.ann.InTopic(m.ThreadID).Say("run the tests")
		w.wantTold("run the tests")
		w.bot.Outside(detect.HookEvent{Agent: "claude", Kind: detect.Asks, Session: "s", ToolCall: detect.ToolCall{Tool: "Bash"}, Cwd: "/home/ann/" + s.Project})
		if err := w.bot.Digest(context.Background()); err != nil {
			t.Error(err)
		}
		w.ann.Say("/log")
		w.last()
		w.wantUnsaid(secret)
	})
}

// What a person answered with, told or chose is said again later, in toasts too.
func TestWhatWasAnsweredIsMasked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(masking)
		works(w)
		p := prompt("Which one?")
		p.Approve, p.Deny, p.Notes = nil, nil, []string{"it has " + secret, "", ""}
		p.Options[0] = screen.Option{Key: "1", Label: "Use " + secret, Scope: screen.Other}
		w.see(sighting(1, screen.Question, &p))
		m := w.last()
		data := m.Markup.Rows[0][0].Data
		w.tap(m, "1. Use")
		tap := w.ann.TapData(m.ID, data)
		if toast, err := tap.Answer(context.Background()); err != nil || !strings.Contains(toast.Text, "already answered") {
			t.Errorf("the toast is %q, %v", toast.Text, err)
		}
		w.ann.ReplyTo(m.ID, "1")
		wantText(t, w.last(), "already answered with “Use ghp_•")
		w.leave(1)
		works(w)
		list := boxes("--")
		list.Options[0].Label = "[ ] with " + secret
		w.puts(list)
		w.leave(1)
		works(w)
		for range 2 {
			w.typed.then(atWork)
			w.ann.Say("/tell api1 echo " + secret)
			w.tap(w.last(), "Queue it")
			wantText(t, w.last(), "echo ghp_•", "Queued")
		}
		w.ann.Say("/next api1")
		w.last()
		w.done(1, "The token is "+secret)
		w.see(sighting(1, screen.Working, nil))
		w.done(1, "It is "+secret+" still.")
		w.see(sighting(1, screen.Silent, nil))
		blocked := sighting(1, screen.Idle, nil)
		blocked.Blocked = reason.Why{Said: "the key " + secret + " has expired"}
		w.see(blocked)
		wantText(t, w.last(), "the key ghp_•")
		for _, text := range []string{"/log", "/queue", "/status"} {
			w.ann.Say(text)
			w.last()
		}
		if err := w.bot.Digest(context.Background()); err != nil {
			t.Error(err)
		}
		w.last()
		w.wantUnsaid(secret)
	})
}

// A secret that is wrapped over the upper edge of what is shown is masked by what is above.
func TestASecretOverTheUpperEdgeIsMasked(t *testing.T) {
	head := "$ export TOKEN=" + strings.TrimSuffix(secret, half)
	inWorld(t, func(w *world) {
		w.set(masking)
		p := prompt("make test")
		s := sighting(1, screen.Permission, &p)
		s.Above, s.Tail = []string{"$ ls", head}, append([]string{half}, s.Tail...)
		w.see(s)
		wantText(t, w.last(), strings.Repeat("•", len(half)))
		w.mu.Lock()
		w.panes, w.above, w.screen = []detect.Sighting{s}, []string{head}, []string{half, "$ make test"}
		w.mu.Unlock()
		w.noPictures()
		w.ann.Say("/screen")
		wantText(t, w.last(), strings.Repeat("•", len(half)), "make test")
		w.wantUnsaid(half)
	})
}

// The picture of such a screen is the one of any other secret there.
func TestASecretOverTheUpperEdgeIsInNoPicture(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(masking)
		var images [2]string
		for i, rest := range []string{half, strings.ToLower(half)} {
			w.watched(rest, "$ make test")
			w.mu.Lock()
			w.above = []string{"$ export TOKEN=" + strings.TrimSuffix(secret, half)}
			w.mu.Unlock()
			w.ann.Say("/screen")
			images[i] = string(w.image(w.last()))
		}
		if images[0] != images[1] {
			t.Error("the pictures of two secrets are not the same")
		}
	})
}
