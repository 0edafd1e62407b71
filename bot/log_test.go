package bot_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/nudge"
)

// TestTheLogHasALineForEachQuestion, which says what became of it, whatever became of the others.
func TestTheLogHasALineForEachQuestion(t *testing.T) {
	seed := rand.Uint64()
	for round := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, round))
		inWorld(t, func(w *world) {
			want := map[string]string{}
			for pane := 1; pane <= 3+r.IntN(4); pane++ {
				command := "make " + strings.Repeat("x", pane)
				m := w.ask(pane, prompt(command))
				switch r.IntN(4) {
				case 0:
					w.ann.ReplyTo(m.ID, "y")
					want[command] = "✅ Ann approved "
				case 1:
					w.ann.ReplyTo(m.ID, "n")
					want[command] = "❌ Ann denied "
				case 2:
					w.leave(pane)
					want[command] = "☑ closed, but not through nod: "
				default:
					want[command] = "⏳ waits for your answer: "
				}
				time.Sleep(10 * time.Second)
			}
			w.ann.Say("/log")
			lines := strings.Split(w.last().Text, "\n")
			for command, how := range want {
				var of []string
				for _, line := range lines {
					if strings.Contains(line, command+" (claude") {
						of = append(of, line)
					}
				}
				if len(of) != 1 || !strings.Contains(of[0], how) {
					t.Errorf("of %q it says %q, want %q", command, of, how)
				}
			}
		})
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// TestTheLogSaysWhatWasRefused, and what was answered in words.
func TestTheLogSaysWhatWasRefused(t *testing.T) {
	inWorld(t, func(w *world) {
		w.typed.next = []deliver.Result{{Outcome: deliver.Refused, Reason: deliver.Changed}}
		w.ann.ReplyTo(w.ask(1, prompt("make test")).ID, "y")
		time.Sleep(10 * time.Second)
		asked := page(1, "Which colour?")
		asked.TextField = true
		s := sighting(2, screen.Question, &asked)
		w.see(s)
		w.ann.ReplyTo(w.last().ID, "a dark green")
		time.Sleep(10 * time.Second)
		w.ann.Say("/log")
		wantText(t, w.last(), "🚫 Ann answered, and nothing was typed (changed): make test (claude, ", "✅ Ann gave words: Which colour? (claude, ")
	})
}

// TestTheLogOfWhatHasNoPane names the monitor, and says that a program no longer asks.
func TestTheLogOfWhatHasNoPane(t *testing.T) {
	inWorld(t, func(w *world) {
		n := w.programAsks(nil)
		err := errors.Join(w.keeper.Withdraw(n.ID), w.keeper.Note(nudge.Event{Kind: nudge.MonitorMatched, Involved: nudge.Involved{Monitor: "ci"}}))
		if err != nil {
			t.Fatal(err)
		}
		w.ann.Say("/log")
		wantText(t, w.last(), "↩ no longer asked: "+n.Prompt().Leading(), "monitor matched ci")
	})
}

// TestTheLogHasTheInstructionOfAnIdleAgent, which was written in reply to its notice.
func TestTheLogHasTheInstructionOfAnIdleAgent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ann.ReplyTo(w.done(1, "Compiled.").ID, "run the tests")
		time.Sleep(10 * time.Second)
		w.ann.Say("/log")
		wantText(t, w.last(), "✅ Ann told it: run the tests (claude, ")
	})
}

// TestTheLogHasALineForEachInstruction, which says whether the agent has done it.
func TestTheLogHasALineForEachInstruction(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		for _, text := range []string{"run the tests", "open the PR", "go home"} {
			w.queue(text)
		}
		w.done(1, "Compiled.")
		time.Sleep(time.Second)
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(time.Second)
		w.done(1, "All pass.")
		time.Sleep(time.Second)
		w.ann.Say("/log")
		m := w.last()
		wantText(t, m, "✅ Ann told it: run the tests (claude, ", "📝 Ann told it: open the PR (claude)", "⏳ queued by Ann: go home (claude)")
		if strings.Contains(m.Text, "key typed") || strings.Contains(m.Text, "instruction") {
			t.Errorf("it has an event of an instruction by itself:\n%s", m.Text)
		}
	})
}

// TestTheLogTellsNothingAsToldThatWasRefused after it had counted as sent, as on another machine: it is queued still.
func TestTheLogTellsNothingAsToldThatWasRefused(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, kind := range []string{nudge.InstructionQueued, nudge.InstructionSent, nudge.AnswerRefused} {
			err := w.keeper.Note(nudge.Event{Kind: kind, Involved: nudge.Involved{Instruction: "k3f", Agent: "claude"}, Act: nudge.Act{By: "Ann", Text: "go home"}})
			if err != nil {
				t.Fatal(err)
			}
		}
		w.ann.Say("/log")
		wantText(t, w.last(), "⏳ queued by Ann: go home (claude)")
	})
}
