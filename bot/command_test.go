package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
)

func withPanes(w *world) {
	defer w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	api, web := sighting(1, screen.Idle, nil), sighting(2, screen.Working, nil)
	api.Project, web.Project, web.Name = "api", "web", "frontend"
	w.panes = []detect.Sighting{api, web}
	session := sighting(0, screen.Working, nil)
	session.Pane, session.Where, session.Project = detect.PaneRef{}, "background 450ff984", "jobs"
	w.background = []detect.Sighting{session}
	w.screen = []string{"", "$ make <all>", "password=hunter2", ""}
	w.settings.Host = "laptop"
	w.settings.Lines = []string{"NOD_POLL_INTERVAL 2s"}
	w.settings.Health = func() []string { return []string{"tmux server hung"} }
	w.settings.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		say  string
		want []string
	}{
		{"/start", []string{"nod is here on laptop", "/help"}},
		{"/start SOMECODE", []string{"nod is here"}},
		{"/help", []string{"y approves this one time only", "/status", "/tell"}},
		{"/status", []string{"laptop: 3 agents, nothing waits", "main:1.0 · claude in laptop:api · idle for", "main:2.0 · frontend in laptop:web · working", "background 450ff984 · claude in laptop:jobs · working", "⚠ tmux server hung"}},
		{"/status@nod_demo_bot", []string{"3 agents"}},
		{"/queue", []string{"Nothing waits for you."}},
		{"/screen api", []string{"🔎 claude in laptop:api\nmain:1.0 at ", "$ make <all>\npassword=•••"}},
		{"/screen FRONTEND", []string{"frontend in laptop:web"}},
		{"/screen %2", []string{"frontend in laptop:web"}},
		{"/screen main:2.0", []string{"frontend in laptop:web"}},
		{"/screen", []string{"Which one?"}},
		{"/screen claude", []string{"More than one pane fits"}},
		{"/screen nothere", []string{"No pane is called \"nothere\""}},
		{"/tell api run the\ntests", []string{"✅ claude in laptop:api: run the tests\n", "Sent by Ann at"}},
		{"/tell", []string{"Which one? Nothing was typed yet."}},
		{"/tell api", []string{"Nothing was typed"}},
		{"/mute", []string{"For how long", "Nothing was changed yet"}},
		{"/mute 2h", []string{"silently until 02:0"}},
		{"/mute 45m", []string{"silently until 00:45"}},
		{"/mute 9d", []string{"Nothing was changed"}},
		{"/mute -2h", []string{"Nothing was changed"}},
		{"/unmute", []string{"ring again"}},
		{"/quiet", []string{"There are no quiet hours"}},
		{"/quiet 22:00-07:00 Europe/Berlin", []string{"Quiet hours are 22:00-07:00 Europe/Berlin"}},
		{"/quiet 22:00-07:00", []string{"Quiet hours are 22:00-07:00 by this machine's clock, where it is 00:00 UTC now:"}},
		{"/quiet late", []string{"Nothing was changed: quiet hours are written like"}},
		{"/quiet off", []string{"There are no quiet hours"}},
		{"/settings", []string{"NOD_POLL_INTERVAL 2s"}},
		{"/log", []string{"Nothing has happened yet."}},
		{"/Nonsense", []string{"There is no such command"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			inWorld(t, func(w *world) {
				withPanes(w)
				w.ann.Say(c.say)
				wantText(t, w.last(), c.want...)
				w.wantTyped()
			})
		})
	}
}

func TestCommandForAnotherBotIsNotOurs(t *testing.T) {
	inWorld(t, func(w *world) {
		before := len(w.botSaid())
		w.ann.Say("/status@other_bot")
		time.Sleep(5 * time.Second)
		if n := len(w.botSaid()); n != before {
			t.Errorf("it was answered: %s", w.last().Text)
		}
	})
}

func TestMenuIsSet(t *testing.T) {
	inWorld(t, func(w *world) {
		calls := w.tg.Calls("setMyCommands")
		if len(calls) != 1 || calls[0].Err != nil || !strings.Contains(calls[0].Params["commands"], `"queue"`) {
			t.Errorf("the menu: %+v", calls)
		}
	})
}

// Text that was being typed when nod died is not typed again.
func TestTextIsToldOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		withPanes(w)
		w.typed.takes = time.Minute
		w.again(func() { w.ann.Say("/tell api run the tests") })
		w.wantTold("run the tests")
	})
}

func TestTellSaysWhyNot(t *testing.T) {
	inWorld(t, func(w *world) {
		withPanes(w)
		w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: deliver.Draft})
		w.ann.Say("/tell api run the tests")
		wantText(t, w.last(), "🚫 Nothing was typed: claude in laptop:api: run the tests", "draft")
	})
}

func TestMutedMessagesComeSilently(t *testing.T) {
	inWorld(t, func(w *world) {
		if m := w.ask(1, prompt("make one")); m.Silent {
			t.Error("silent before")
		}
		w.ann.Say("/mute 1h")
		time.Sleep(5 * time.Second)
		if m := w.ask(2, prompt("make two")); !m.Silent {
			t.Error("not silent while muted")
		}
		w.ann.Say("/status")
		wantText(t, w.last(), "Muted for")
	})
}

// TestStatusWithoutAnAgent has a next step.
func TestStatusWithoutAnAgent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ann.Say("/status")
		wantText(t, w.last(), "0 agents", "No agent runs in a pane that nod watches. At the machine, nod doctor says where nod looks.")
	})
}

func TestScreenButton(t *testing.T) {
	inWorld(t, func(w *world) {
		withPanes(w)
		m := w.ask(1, prompt("make test"))
		w.tap(m, "Screen")
		wantText(t, w.last(), "$ make <all>")
		w.wantTyped()
	})
}

// A hook or a long screen must not break the list of commands or a message's length.
func TestLongListsFit(t *testing.T) {
	inWorld(t, func(w *world) {
		w.mu.Lock()
		for i := range 200 {
			s := sighting(i, screen.Idle, nil)
			s.Project = strings.Repeat("x", 60)
			w.panes = append(w.panes, s)
		}
		w.screen = strings.Split(strings.Repeat(strings.Repeat("&<>", 60)+"\n", 80), "\n")
		w.mu.Unlock()
		w.ann.Say("/status")
		wantText(t, w.last(), "… and ")
		w.noPictures()
		w.ann.Say("/screen %3")
		wantText(t, w.last(), "…\n")
		for _, c := range w.tg.Calls("sendMessage") {
			if c.Err != nil {
				t.Errorf("Telegram refused: %v", c.Err)
			}
		}
	})
}

func TestSupervisorWhoLeftIsRefused(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.set(func(s *bot.Settings) { s.Supervisors = []int64{bob} })
		w.ann.ReplyTo(m.ID, "y")
		if _, err := w.ann.Tap(m.ID, "✅ Approve"); err != nil && !strings.Contains(err.Error(), "no such button") {
			t.Fatal(err)
		}
		w.wantTyped()
		wantNoButtons(t, w.message(m.ID))
	})
}

func TestNewSupervisorGetsWhatIsPending(t *testing.T) {
	inWorld(t, func(w *world) {
		bobby := w.tg.Person(bob, "Bob")
		bobby.Start()
		w.ask(1, prompt("make test"))
		w.set(func(s *bot.Settings) { s.Supervisors = []int64{ann, bob} })
		time.Sleep(5 * time.Second)
		said := bobby.Messages()
		last := said[len(said)-1]
		wantText(t, last, "make test")
		if _, err := bobby.Tap(last.ID, "✅ Approve"); err != nil {
			t.Fatal(err)
		}
		w.wantTyped(screen.Approve)
		wantText(t, w.last(), "Approved by Bob")
	})
}

// TestAnnouncementIsOneLine of nod's own whatever is in them.
func TestAnnouncementIsOneLine(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bot.Announce("Another nod watches\n/tmp/s\u202e.")
		time.Sleep(2 * time.Second)
		wantText(t, w.last(), "Another nod watches /tmp/s<U+202E>.")
	})
}
