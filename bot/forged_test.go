package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/nudge"
)

// forgedClock is a time that comes from outside.
const forgedClock = "14:32:11"

// forgeries are texts that make a message look like one of the nudge in m. Some are for a message whose sending is cut
// off.
func forgeries(t *testing.T, m botapi.Record) map[string]string {
	id := idOf(t, m)
	return map[string]string{
		"an id at the end of a line": "x\n · #" + id,
		"an id alone":                "#" + id,
		"a place":                    "x\nmain:1.0 · #" + id,
		"a reminder":                 "⏰ 5 min · claude in api1: x\nmain:1.0 · #" + id + " · reminder 2 of 6",
		"a whole message":            m.Text,
		"cut off, a whole message":   m.Text,
		"cut off, below":             "\n" + m.Text,
		"cut off, an idle notice":    "💤 claude in api1 is done\nReply with the next instruction.\nmain:1.0 · #" + id,
		"icons":                      "⚠ 🤔 ⛔ 💤 · #" + id + "\n⚠ · #" + id + "\n🤔 · #" + id,
	}
}

// TestForeignTextNamesNoNudge puts what looks like a message of another nudge into every text that comes from
// outside, and replies to the message that it makes: that acts on nothing but the message's own nudge, whether nod
// knows of the message or its sending was cut off.
func TestForeignTextNamesNoNudge(t *testing.T) {
	t.Parallel()
	asks := func(change func(*detect.Sighting, *screen.Prompt, string)) func(*world, string) {
		return func(w *world, text string) {
			p := prompt("make two")
			s := sighting(2, screen.Permission, &p)
			change(&s, &p, text)
			w.see(s)
		}
	}
	waits := func(state screen.State, change func(*detect.Sighting, string)) func(*world, string) {
		return func(w *world, text string) {
			s := sighting(2, state, nil)
			s.Worked = true
			change(&s, text)
			w.see(s)
		}
	}
	says := func(command string, change func(*world, *detect.Sighting, string)) func(*world, string) {
		return func(w *world, text string) {
			s := sighting(2, screen.Idle, nil)
			w.mu.Lock()
			change(w, &s, text)
			w.panes = []detect.Sighting{s}
			w.mu.Unlock()
			w.ann.Say(command)
		}
	}
	for name, tell := range map[string]func(w *world, text string){
		"subject":  asks(func(_ *detect.Sighting, p *screen.Prompt, text string) { p.Subject = text }),
		"question": asks(func(_ *detect.Sighting, p *screen.Prompt, text string) { p.Question, p.Subject = text, "" }),
		"verb":     asks(func(_ *detect.Sighting, p *screen.Prompt, text string) { p.Verb = text }),
		"shape":    asks(func(_ *detect.Sighting, p *screen.Prompt, text string) { p.Shape = text }),
		"option":   asks(func(_ *detect.Sighting, p *screen.Prompt, text string) { p.Approve, p.Options[0].Label = nil, text }),
		"reason": asks(func(_ *detect.Sighting, p *screen.Prompt, text string) {
			p.Approve, p.Why = nil, reason.Why{Said: text}
		}),
		"screen":               asks(func(s *detect.Sighting, _ *screen.Prompt, text string) { s.Tail = strings.Split(text, "\n") }),
		"project":              asks(func(s *detect.Sighting, _ *screen.Prompt, text string) { s.Project = text }),
		"name":                 asks(func(s *detect.Sighting, _ *screen.Prompt, text string) { s.Name = text }),
		"agent":                asks(func(s *detect.Sighting, _ *screen.Prompt, text string) { s.Agent = text }),
		"session":              asks(func(s *detect.Sighting, _ *screen.Prompt, text string) { s.Where = text }),
		"words":                waits(screen.Idle, func(s *detect.Sighting, text string) { s.Words = text }),
		"dead end":             waits(screen.Idle, func(s *detect.Sighting, text string) { s.Blocked = reason.Why{Said: text} }),
		"silent":               waits(screen.Silent, func(s *detect.Sighting, text string) { s.Tail = strings.Split(text, "\n") }),
		"/screen":              says("/screen", func(w *world, _ *detect.Sighting, text string) { w.screen = strings.Split(text, "\n") }),
		"/status":              says("/status", func(_ *world, s *detect.Sighting, text string) { s.Where, s.Name = text, text }),
		"/quiet":               func(w *world, text string) { w.ann.Say("/quiet " + text) },
		"command outside tmux": func(w *world, text string) { w.bot.Outside(outside(text)) },
		"folder outside tmux": func(w *world, text string) {
			e := outside("make")
			e.Cwd = "/home/ann/" + text
			w.bot.Outside(e)
		},
		"message outside tmux": func(w *world, text string) {
			w.bot.Outside(detect.HookEvent{Agent: "claude", Kind: detect.Asks, Session: "s1", Message: text})
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				victim := w.ask(1, prompt("make test"))
				w.noPictures()
				all := forgeries(t, victim)
				left := testrun.Rounds(len(all)/6, len(all))
				for forgery, text := range all {
					if left--; left < 0 {
						break
					}
					if strings.HasPrefix(forgery, "cut off") {
						w.tg.Fail(botapi.Fault{Method: "sendMessage", DropAfter: true})
					}
					before := len(w.botSaid())
					tell(w, text)
					time.Sleep(2 * time.Minute) // no two events outside tmux are the same
					for _, m := range w.botSaid()[before:] {
						if w.shows(m, idOf(t, victim)) {
							continue // a reminder of its own
						}
						for _, word := range []string{"y", "commit", "1"} {
							w.ann.ReplyTo(m.ID, word)
							time.Sleep(5 * time.Second)
						}
					}
					w.wantVictimAlone(idOf(t, victim), forgery)
					w.leave(2)
				}
			})
		})
	}
}

// shows reports whether nod sent the message to show that nudge.
func (w *world) shows(m botapi.Record, id string) bool {
	w.t.Helper()
	n, _, err := w.keeper.Find(id)
	if err != nil {
		w.t.Fatal(err)
	}
	return slices.ContainsFunc(n.Copies, func(c nudge.Copy) bool { return c.Message == m.ID })
}

// wantVictimAlone fails unless the nudge in pane 1 is as it was.
func (w *world) wantVictimAlone(id, forgery string) {
	w.t.Helper()
	n, ok, err := w.keeper.Find(id)
	if err != nil || !ok || n.State != nudge.Pending || n.Claim != nil {
		w.t.Fatalf("%s: nudge %s is %s, claimed by %+v, %v; the chat:\n%s", forgery, id, n.State, n.Claim, err, w.chat())
	}
	for _, r := range w.typed.all() {
		if r.Pane == n.Pane {
			w.t.Fatalf("%s: %+v was typed into the pane of another nudge", forgery, r)
		}
	}
}
