package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
)

func styles(m botapi.Record) (all []string) {
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			all = append(all, b.Style)
		}
	}
	return all
}

func entities(m botapi.Record, kind string) (n int) {
	for _, e := range m.Entities {
		if e.Type == kind {
			n++
		}
	}
	return n
}

func TestButtonsAreColouredAndTimesStayTrue(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		if got := styles(m); !slices.Equal(got, []string{"success", "danger", "", "", ""}) {
			t.Errorf("the buttons have the styles %q", got)
		}
		w.tap(m, "Approve")
		if m = w.message(m.ID); entities(m, "date_time") != 1 {
			t.Errorf("the message has the entities %+v", m.Entities)
		}
	})
}

// What a server does not know yet is left out, and nothing else of the message is lost by that.
func TestAnOlderServerGetsTheSameMessage(t *testing.T) {
	for _, version := range []int{903, 904} {
		inWorldWith(t, botapi.Options{Token: token, Version: version}, func(w *world) {
			m := w.ask(1, prompt("make test"))
			want := []string{"success", "danger", "", "", ""}
			if version < 904 {
				want = []string{"", "", "", "", ""}
			}
			if got := styles(m); !slices.Equal(got, want) {
				t.Errorf("version %d: the buttons have the styles %q", version, got)
			}
			before := len(w.tg.Calls("sendMessage"))
			w.ask(2, prompt("make lint"))
			if n := len(w.tg.Calls("sendMessage")) - before; n != 1 {
				t.Errorf("version %d: the second message took %d calls", version, n)
			}
			w.tap(m, "Approve")
			w.wantTyped(screen.Approve)
			m = w.message(m.ID)
			if wantText(t, m, "Approved by Ann at "); entities(m, "bold") != 1 || entities(m, "date_time") != 0 {
				t.Errorf("version %d: the message has the entities %+v", version, m.Entities)
			}
		})
	}
}

// A server that refuses what is new is asked once: each later message goes without, and none is lost or said to fail.
func TestWhatAServerRefusesIsAskedOnce(t *testing.T) {
	for refused, want := range map[string]struct{ styled, times int }{
		"Bad Request: can't parse inline keyboard button: invalid button style specified":       {0, 1},
		"Bad Request: can't parse entities: Unsupported start tag \"tg-time\" at byte offset 0": {2, 0},
	} {
		for _, method := range []string{"sendMessage", "editMessageText"} {
			inWorld(t, func(w *world) {
				if method == "editMessageText" {
					w.set(func(s *bot.Settings) { s.Preview = "minimal" })
				}
				w.tg.Fail(botapi.Fault{Method: method, Code: 400, Description: refused})
				w.programAsks(callOf("make test"))
				m := w.last()
				if method == "editMessageText" {
					w.tap(m, "Show")
					m = w.message(m.ID)
				}
				wantText(t, m, "make test")
				styled := len(slices.DeleteFunc(styles(m), func(s string) bool { return s == "" }))
				if styled != want.styled || entities(m, "date_time") != want.times || entities(m, "bold") != 1 {
					t.Errorf("%s, %s: %d styles and the entities %+v", method, refused, styled, m.Entities)
				}
				before := len(w.tg.Calls("sendMessage"))
				w.ask(2, prompt("make lint"))
				if n := len(w.tg.Calls("sendMessage")) - before; n != 1 {
					t.Errorf("%s, %s: the next message took %d calls", method, refused, n)
				}
				if strings.Contains(w.log.String(), "level=ERROR") || strings.Contains(w.log.String(), "level=WARN") {
					t.Errorf("%s, %s: it is not quiet:\n%s", method, refused, w.log.String())
				}
			})
		}
	}
}

// The screen stands folded behind what is asked, without the rows that the message has in words or buttons.
func TestTheScreenSaysNothingTwice(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		for _, once := range []string{"make test", "3. No"} {
			if n := strings.Count(m.Text, once); once == "make test" && n != 1 || once == "3. No" && n != 0 {
				t.Errorf("%q is there %d times:\n%s", once, n, m.Text)
			}
		}
		if entities(m, "expandable_blockquote") != 0 {
			t.Errorf("its screen says no more, and is there:\n%s", m.Text)
		}
		m = w.ask(2, prompt("sudo make install\nsudo reboot"))
		if entities(m, "pre") != 1 {
			t.Errorf("a command of two lines is not shown whole:\n%s", m.Text)
		}
		wantText(t, m, "sudo make install …\n", "sudo make install\nsudo reboot\n", "❗ runs as root")
	})
}

// TestWhatTheAgentSaysOfItStandsOnce, also where the screen draws it above the command.
func TestWhatTheAgentSaysOfItStandsOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		asked := prompt("make test\nRun the tests\nof all rooms")
		asked.Lead = 1
		seen := sighting(1, screen.Permission, &asked)
		seen.Tail = []string{" Bash command", "", " Run the tests of", " all rooms", "", "   make test", "", " Do you want to proceed?", " ❯ 1. Yes", "   2. No"}
		w.see(seen)
		time.Sleep(3 * time.Second)
		said := w.botSaid()
		m := said[len(said)-1]
		if n := strings.Count(m.Text, "Run the tests"); n != 1 {
			t.Errorf("the description is there %d times:\n%s", n, m.Text)
		}
	})
}

// TestAMessageSaysWhenItWasTaught names the day with every prompt whose answers a person taught nod.
func TestAMessageSaysWhenItWasTaught(t *testing.T) {
	inWorld(t, func(w *world) {
		taught := prompt("make test")
		taught.Taught = "21 Nov"
		wantText(t, w.ask(1, taught), "taught on 21 Nov")
	})
}

// TestAQuestionThatCantBeAnsweredFromHere offers no button that would be refused.
// TestAnotherProgramsQuestionNamesIt: what another program than the agent asks in the agent's terminal is told as its own.
func TestAnotherProgramsQuestionNamesIt(t *testing.T) {
	inWorld(t, func(w *world) {
		asked := question()
		asked.Agent, asked.AtTerminal = "npm", true
		asked.Why = reason.Why{Kind: reason.OtherProgram, Agent: "claude", What: "npm"}
		w.see(sighting(1, screen.Question, &asked))
		time.Sleep(3 * time.Second)
		said := w.botSaid()
		wantText(t, said[len(said)-1], "npm, run by claude in ", "You can't answer it from here: npm runs in the terminal of claude")
	})
}

func TestAQuestionThatCantBeAnsweredFromHere(t *testing.T) {
	inWorld(t, func(w *world) {
		asked := question()
		asked.AtTerminal = true
		w.see(sighting(1, screen.Question, &asked))
		time.Sleep(3 * time.Second)
		said := w.botSaid()
		m := said[len(said)-1]
		wantText(t, m, "1. Yes, and auto-accept edits", "You can't answer it from here", "Answer at the terminal")
		if offered := fmt.Sprint(m.Markup); strings.Contains(offered, "auto-accept") {
			t.Errorf("a button offers what can't be chosen: %s", offered)
		}
	})
}
