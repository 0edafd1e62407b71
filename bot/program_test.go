package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/nudge"
)

// asks puts a program's question.
func (w *world) programAsks(change func(*nudge.ProgramQuestion)) nudge.Nudge {
	w.t.Helper()
	q := nudge.ProgramQuestion{
		Text: "Deploy to production?", Options: []string{"yes", "no", "later"}, Default: "no", Timeout: 2 * time.Hour,
		Program: "deploy.sh", Project: "api",
	}
	if change != nil {
		change(&q)
	}
	n, err := w.keeper.Ask(q)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.keeper.Attend(n.ID, true); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// callOf makes a question that of a headless agent, about a call whose first line leads.
func callOf(subject string) func(*nudge.ProgramQuestion) {
	return func(q *nudge.ProgramQuestion) {
		q.Program, q.Options, q.Default = "claude", nil, ""
		q.Call = &nudge.Call{Subject: subject, Lead: 1}
	}
}

func (w *world) find(id string) nudge.Nudge {
	w.t.Helper()
	n, found, err := w.keeper.Find(id)
	if err != nil || !found {
		w.t.Fatalf("nudge %s: found %t, %v", id, found, err)
	}
	return n
}

// TestAProgramAsks: a button an option, the answer at once, and no key anywhere.
func TestAProgramAsks(t *testing.T) {
	inWorld(t, func(w *world) {
		n := w.programAsks(func(q *nudge.ProgramQuestion) { q.File = "-debug = true\n+debug = false" })
		m := w.last()
		for _, want := range []string{"❓ deploy.sh in api: Deploy to production?", "\n#" + n.ID, "+debug = false", "the program takes “no”"} {
			if !strings.Contains(m.Text, want) {
				t.Errorf("no %q in:\n%s", want, m.Text)
			}
		}
		if buttons := m.Markup.Rows; len(buttons) != 1 || len(buttons[0]) != 3 {
			t.Errorf("buttons %v", buttons)
		}
		w.tap(m, "later")
		if n := w.find(n.ID); n.State != nudge.Delivered || n.Answered() != "later" {
			t.Errorf("%s with %q", n.State, n.Answered())
		}
		if m := w.message(m.ID); !strings.Contains(m.Text, "Ann answered “later”") || m.Markup != nil {
			t.Errorf("the message says:\n%s", m.Text)
		}
		w.wantTyped()
	})
}

// TestAProgramsQuestionIsRemindedOf as every other one, also after a restart, and answered by a reply.
func TestAProgramsQuestionIsRemindedOf(t *testing.T) {
	inWorld(t, func(w *world) {
		n := w.programAsks(nil)
		time.Sleep(6 * time.Minute)
		w.restart()
		m := w.last()
		if !strings.Contains(m.Text, "reminder 2 of 6") {
			t.Fatalf("no reminder:\n%s", m.Text)
		}
		w.ann.ReplyTo(m.ID, "n")
		time.Sleep(5 * time.Second)
		if n := w.find(n.ID); n.Answered() != "no" {
			t.Errorf("%s with %q", n.State, n.Answered())
		}
	})
}

func TestAProgramsQuestionThatIsWithdrawn(t *testing.T) {
	inWorld(t, func(w *world) {
		n := w.programAsks(nil)
		m := w.last()
		if err := w.keeper.Withdraw(n.ID); err != nil {
			t.Fatal(err)
		}
		if m := w.message(m.ID); !strings.Contains(m.Text, "Withdrawn at") || m.Markup != nil {
			t.Errorf("the message says:\n%s", m.Text)
		}
		w.ann.ReplyTo(m.ID, "yes")
		if m := w.last(); !strings.Contains(m.Text, "was withdrawn") {
			t.Errorf("the answer to it:\n%s", m.Text)
		}
	})
}

func TestAProgramsQuestionThatNobodyAnswers(t *testing.T) {
	inWorld(t, func(w *world) {
		n := w.programAsks(func(q *nudge.ProgramQuestion) { q.Timeout = time.Minute })
		m := w.last()
		time.Sleep(time.Minute)
		if m := w.message(m.ID); !strings.Contains(m.Text, "The program took its default, “no”.") || m.Markup != nil {
			t.Errorf("the message says:\n%s", m.Text)
		}
		if n := w.find(n.ID); n.State != nudge.Expired || n.Claim != nil {
			t.Errorf("%s, %+v", n.State, n.Claim)
		}
	})
}

// TestAFreshYesToAQuestionWithOtherAnswers: where a program's question came after a permission and has more answers than yes and
// no, nod asks.
func TestAFreshYesToAQuestionWithOtherAnswers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ask(1, prompt("rm -rf build"))
		n := w.programAsks(nil)
		w.last()
		w.ann.Say("y")
		if m := w.last(); !strings.Contains(m.Text, "Which one is meant?") {
			t.Errorf("a bare y after a question:\n%s", m.Text)
		}
		if n := w.find(n.ID); n.State != nudge.Pending {
			t.Errorf("the question is %s", n.State)
		}
		w.wantTyped()
	})
}

// TestWhatAProgramHidesTakesConsent: a yes to what is masked in every message is asked once more.
func TestWhatAProgramHidesTakesConsent(t *testing.T) {
	inWorld(t, func(w *world) {
		secret := "hunter2-hunter2"
		redact := func(text string) string { return strings.ReplaceAll(text, secret, "•••") }
		w.mu.Lock()
		w.settings.Redact = redact
		w.mu.Unlock()
		n := w.programAsks(func(q *nudge.ProgramQuestion) { q.Text = "Use " + secret + "?" })
		m := w.last()
		w.tap(m, "yes")
		if n := w.find(n.ID); n.State != nudge.Pending {
			t.Fatalf("the question is %s", n.State)
		}
		w.tap(w.last(), "Approve what can't be seen")
		if n := w.find(n.ID); n.Answered() != "yes" || !n.Claim.Unseen {
			t.Errorf("%s with %q", n.State, n.Answered())
		}
		if n := w.programAsks(nil); n.Prompt().Options[1].Scope != screen.No {
			t.Errorf("a no needs consent: %+v", n.Prompt().Options)
		}
	})
}

// TestConsentGivesTheAnswerThatAskedForIt: a number or a label, not the yes that is another answer.
func TestConsentGivesTheAnswerThatAskedForIt(t *testing.T) {
	for _, said := range []string{"1", "staging"} {
		for _, reply := range []bool{true, false} {
			inWorld(t, func(w *world) {
				w.set(func(s *bot.Settings) {
					s.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••") }
				})
				n := w.programAsks(func(q *nudge.ProgramQuestion) {
					q.Text, q.Options = "Deploy with hunter2?", []string{"staging", "yes", "no"}
				})
				if m := w.last(); reply {
					w.ann.ReplyTo(m.ID, said)
				} else {
					w.ann.Say(said)
				}
				w.tap(w.last(), "what can't be seen")
				if n := w.find(n.ID); n.Answered() != "staging" || !n.Claim.Unseen {
					t.Errorf("%q, a reply: %t: %s with %q", said, reply, n.State, n.Answered())
				}
			})
		}
	}
}

// TestACallOfAHeadlessAgent is told and answered as a prompt is, and a bare y means it.
func TestACallOfAHeadlessAgent(t *testing.T) {
	inWorld(t, func(w *world) {
		ask := callOf("rm -rf build\n\ndescription: Tidy up")
		n := w.programAsks(ask)
		m := w.last()
		for _, want := range []string{"⚠ claude in api: rm -rf build\n❗ deletes files", "description: Tidy up"} {
			if !strings.Contains(m.Text, want) {
				t.Errorf("no %q in:\n%s", want, m.Text)
			}
		}
		w.ann.Say("y")
		time.Sleep(5 * time.Second)
		if n := w.find(n.ID); n.Answered() != nudge.Allow {
			t.Errorf("%s with %q", n.State, n.Answered())
		}
		if m := w.message(m.ID); !strings.Contains(m.Text, "Approved by Ann") {
			t.Errorf("the message says:\n%s", m.Text)
		}
		n = w.programAsks(ask)
		w.tap(w.last(), "Deny")
		if n := w.find(n.ID); n.Answered() != nudge.Deny {
			t.Errorf("%s with %q", n.State, n.Answered())
		}
		w.wantTyped()
	})
}

// TestACallIsDeniedWithWords where whoever asked hears them: in its answer, or through its hook. Nobody else offers it.
func TestACallIsDeniedWithWords(t *testing.T) {
	inWorld(t, func(w *world) {
		asks := func(hears, door bool) (nudge.Nudge, botapi.Record) {
			n := w.programAsks(func(q *nudge.ProgramQuestion) {
				q.Program, q.Options, q.Default, q.Hears, q.Door = "claude", nil, "", hears, door
				q.Agent, q.Call = proc.ID{PID: 7, Start: 1}, &nudge.Call{Subject: "rm -rf build"}
			})
			return n, w.last()
		}
		n, m := asks(false, false)
		if _, ok := m.Button("✍ Deny…"); ok {
			t.Error("words are asked for that nobody hears")
		}
		w.tap(m, "Deny")

		n, m = asks(true, false)
		w.tap(m, "✍ Deny…")
		wantText(t, w.last(), "Deny, and say why", "nod denies, and passes it on.")
		w.ann.ReplyTo(w.last().ID, "use the cache")
		time.Sleep(5 * time.Second)
		if n := w.find(n.ID); n.Answered() != nudge.Deny || n.Claim.Because.Said() != "use the cache" {
			t.Errorf("%s with %q because of %q", n.State, n.Answered(), n.Claim.Because)
		}
		wantText(t, w.last(), "Denied by Ann", "The program that asked has its answer, and your words.")

		for said, want := range map[bool]string{true: "It was told: “use the cache”.", false: "Your words were not passed on: they are too long for its hook."} {
			_, m = asks(true, true)
			w.typed.then(deliver.Result{Outcome: deliver.Delivered, Door: true, Said: said})
			w.tap(m, "✍ Deny…")
			w.ann.ReplyTo(w.last().ID, "use the cache")
			time.Sleep(5 * time.Second)
			wantText(t, w.last(), "Denied by Ann", want)
		}
		for _, r := range w.typed.all() {
			if r.Because.Said() != "use the cache" || r.Instruction != "" {
				t.Errorf("handed over %+v", r)
			}
		}
	})
}

// TestAnAgentOutsideTmux is answered through its hook: the message says what can't be known, and how it ended.
func TestAnAgentOutsideTmux(t *testing.T) {
	inWorld(t, func(w *world) {
		ask := func(q *nudge.ProgramQuestion) {
			q.Program, q.Options, q.Default, q.Door = "claude", nil, "", true
			q.Agent = proc.ID{PID: 7, Start: 1}
			q.Call = &nudge.Call{Subject: "rm -rf build"}
		}
		n := w.programAsks(ask)
		m := w.last()
		if !strings.Contains(m.Text, "outside tmux: nod can't tell whether somebody is there") {
			t.Errorf("the message says:\n%s", m.Text)
		}
		if buttons := m.Markup.Rows; len(buttons) != 1 || len(buttons[0]) != 2 {
			t.Errorf("buttons %v", buttons)
		}
		w.typed.then(deliver.Result{Outcome: deliver.Delivered, Door: true})
		w.tap(m, "Approve")
		if m := w.message(m.ID); !strings.Contains(m.Text, "Approved by Ann") || !strings.Contains(m.Text, "through the agent's own hook") {
			t.Errorf("the message says:\n%s", m.Text)
		}
		if all := w.typed.all(); len(all) != 1 || all[0].Nudge != n.ID || all[0].Pane.ID != "" {
			t.Errorf("handed over %+v", all)
		}

		w.programAsks(ask)
		m = w.last()
		time.Sleep(10 * time.Second)
		if err := w.keeper.EndDoors(func(string) bool { return false }, time.Now()); err != nil {
			t.Fatal(err)
		}
		if m := w.message(m.ID); !strings.Contains(m.Text, "It stopped waiting") || m.Markup != nil {
			t.Errorf("the message says:\n%s", m.Text)
		}

		n = w.programAsks(ask)
		m = w.last()
		if err := w.keeper.Recover(n.ID, reason.Why{Kind: reason.AgentSaysItRan}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if m := w.message(m.ID); !strings.Contains(m.Text, "but not through nod. The agent says that it has run.") || m.Markup != nil {
			t.Errorf("the message says:\n%s", m.Text)
		}
	})
}

// TestAYesOrNoOfAProgramLooksLikeOne: two buttons in its own words, the yes first and green, the no red, and no list of numbers,
// in whichever order and words it gave them.
func TestAYesOrNoOfAProgramLooksLikeOne(t *testing.T) {
	for _, options := range [][]string{{"yes", "no"}, {"no", "yes"}, {"Approve", "Deny"}, {"n", "y"}} {
		for tap := range 2 {
			inWorld(t, func(w *world) {
				w.programAsks(func(q *nudge.ProgramQuestion) { q.Options = options })
				m := w.last()
				yes, no := options[0], options[1]
				if strings.HasPrefix(strings.ToLower(yes), "n") {
					yes, no = no, yes
				}
				row := m.Markup.Rows[0]
				if len(row) != 2 || row[0].Text != "✅ "+yes || row[0].Style != "success" || row[1].Text != "❌ "+no || row[1].Style != "danger" {
					t.Errorf("%q: the buttons are %+v", options, row)
				}
				if wantText(t, m, "Reply y or n."); strings.Contains(m.Text, "1. ") {
					t.Errorf("%q are listed:\n%s", options, m.Text)
				}
				w.tap(m, row[tap].Text)
				n := w.find(idOf(t, m))
				if n.Claim == nil || n.Claim.Choice == nil || options[n.Claim.Choice.Index] != []string{yes, no}[tap] {
					t.Errorf("%q: the tap on %s chose %+v", options, row[tap].Text, n.Claim)
				}
			})
		}
	}
}
