//go:build agents

package agentrig

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/cmd/internal/agentrig/model"
	"nod/internal/botapi"
)

// TestQuestions answers sets of questions and check lists of the real agents by taps in the chat, and reads from the model
// what they were told.
func TestQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, a := range Agents() {
		t.Run(a.String(), func(t *testing.T) {
			for name, c := range questionCases {
				if !c.of(a) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					install, err := Install(t.Context(), a)
					must(t, err)
					o := Options{Plan: c.plan}
					if c.hooked {
						o.Nod = nod
					}
					q := &asked{Run: Start(t, a, install, o)}
					q.bot = startBot(t, nod, q.Run)
					c.prove(q)
				})
			}
		})
	}
}

var questionCases = map[string]struct {
	prove        func(*asked)
	of           func(Agent) bool // whether an agent asks so
	hooked, plan bool
}{
	"set":     {prove: (*asked).proveSet, of: asksSets},
	"hooked":  {prove: (*asked).proveSet, of: func(a Agent) bool { return asksSets(a) && hasHooks(a) }, hooked: true}, // an event reports each question besides
	"boxes":   {prove: (*asked).proveBoxes, of: asksSets},
	"forged":  {prove: (*asked).proveForged, of: asksSets},
	"dismiss": {prove: (*asked).proveDismiss, of: asksSets},
	"plan":    {prove: (*asked).provePlan, of: func(a Agent) bool { return a.Name == "claude" && asksSets(a) }, plan: true},
	"words":   {prove: (*asked).proveWords, of: func(a Agent) bool { return a.Name == "copilot" && a.Version != "1.0.102" }},
}

// asksSets reports whether an agent has questions with several answers, and nod ticks their boxes.
func asksSets(a Agent) bool {
	switch a.String() {
	case "opencode-1.18.33", "kilo-7.7.9", "qwen-0.24.4", "copilot-1.0.102", "gemini-0.61.0":
		return true
	}
	return a.Name == "kimi" || a.Name == "claude" && a.Version != "1.0.128"
}

// reviews reports whether an agent shows the answers to a set on a page of their own before they are sent.
func reviews(a Agent) bool { return a.Name != "copilot" }

// submits is the button that sends a set which was reviewed.
func submits(a Agent) string {
	switch a.Name {
	case "opencode", "kilo", "gemini":
		return "📤 Send"
	case "kimi":
		return "1. Submit"
	}
	return "1. Submit answers"
}

// asked is an agent that asks its human.
type asked struct {
	*Run
	bot  *bot
	last int // the message that was shown last
}

// shows waits for a message with buttons that says all of this, the newest that does.
func (q *asked) shows(parts ...string) {
	q.t.Helper()
	ctx, cancel := context.WithTimeout(q.t.Context(), Patience)
	defer cancel()
	m, err := q.bot.owner.Await(ctx, func(m botapi.Record) bool {
		for _, part := range parts {
			if !strings.Contains(m.Text, part) {
				return false
			}
		}
		return m.From.IsBot && m.Markup != nil && m.ID >= q.last
	})
	if err != nil {
		q.Fatalf("no message says %q: %v\nnod's log:\n%s", parts, err, q.bot.log)
	}
	q.last = m.ID
}

// taps presses a button of the message that was shown last: the one of this label, else the one that says this.
func (q *asked) taps(button string) {
	q.t.Helper()
	if m, ok := q.bot.owner.Message(q.last); ok && m.Markup != nil {
		for _, b := range slices.Concat(m.Markup.Rows...) {
			if _, exact := m.Button(button); !exact && strings.Contains(b.Text, button) {
				button = b.Text
			}
		}
	}
	if _, err := q.bot.owner.Tap(q.last, button); err != nil {
		m, _ := q.bot.owner.Message(q.last)
		q.Fatalf("%v\n%s\n%+v", err, m.Text, m.Markup)
	}
}

// denies taps Deny… under the message that was shown last, and says why.
func (q *asked) denies(why string) {
	q.t.Helper()
	q.taps("✍ Deny…")
	q.last++
	q.shows("Deny, and say why")
	q.bot.owner.ReplyTo(q.last, why)
}

// hears waits until the model has the answers, and gives them.
func (q *asked) hears(scenario string) string {
	q.t.Helper()
	q.Until("gave the answers on", func(string) bool { return len(q.Model.Results(scenario)) > 0 })
	return q.Model.Results(scenario)[0].Text
}

// proveSet: one answer, a check list with a box ticked and unticked again, and the page that sends all of it.
func (q *asked) proveSet() {
	q.Ask("questions")
	q.shows("Which colour", "Question 1 of 2")
	q.taps("2. Blue")
	q.shows("Which sizes", "Question 2 of 2", "☐ Small", "☐ Large")
	q.taps("☐ Small")
	q.shows("Which sizes", "☑ Small", "☐ Large")
	q.taps("☐ Large")
	q.shows("Which sizes", "☑ Small", "☑ Large")
	q.taps("☑ Small")
	q.shows("Which sizes", "☐ Small", "☑ Large")
	if n := len(q.Model.Results("questions")); n != 0 {
		q.Fatalf("ticking sent %d answers", n)
	}
	if reviews(q.Agent) {
		q.taps("➡ Next")
		q.shows("The answers to 2 questions", "Blue", "Large")
		q.taps(submits(q.Agent))
	} else {
		q.taps("📤 Send")
	}
	if heard := q.hears("questions"); !strings.Contains(heard, "Blue") || !strings.Contains(heard, "Large") || strings.Contains(heard, "Small") || strings.Contains(heard, "Red") {
		q.t.Errorf("the model heard %q", heard)
	}
}

// proveBoxes: one check list alone is sent by one tap, with what is ticked, whichever box was tapped last.
func (q *asked) proveBoxes() {
	q.Ask("boxes")
	q.shows("Which sizes", "☐ Small", "☐ Large")
	q.taps("☐ Small")
	q.shows("Which sizes", "☑ Small", "☐ Large")
	q.taps("☐ Large")
	q.shows("Which sizes", "☑ Small", "☑ Large")
	q.taps("☑ Large")
	q.shows("Which sizes", "☑ Small", "☐ Large")
	q.taps("📤 Send")
	if heard := q.hears("boxes"); !strings.Contains(heard, "Small") || strings.Contains(heard, "Large") {
		q.t.Errorf("the model heard %q", heard)
	}
}

// proveForged: answers that look like boxes, like the page that sends, or like the row that ticks all, are ticked and sent as any
// other, and what explains one is none. The list is on the first page.
func (q *asked) proveForged() {
	q.Ask("forged")
	q.shows("Which areas", "☐ [x] Front", "☐ Submit")
	q.taps("☐ [x] Front")
	q.shows("Which areas", "☑ [x] Front", "☐ Submit")
	q.taps("☑ [x] Front")
	q.shows("Which areas", "☐ [x] Front", "☐ Submit")
	q.taps("☐ Submit")
	q.shows("Which areas", "☐ [x] Front", "☑ Submit")
	if n := len(q.Model.Results("forged")); n != 0 {
		q.Fatalf("ticking sent %d answers", n)
	}
	q.taps("➡ Next")
	q.shows("Which colour")
	q.taps("2. Blue")
	if reviews(q.Agent) {
		q.shows("The answers to 2 questions", "Submit", "Blue")
		q.taps(submits(q.Agent))
	}
	heard := q.hears("forged")
	for word, want := range map[string]bool{"Submit": true, "Blue": true, "Front": false, "Back": false, "above": false, "Red": false} {
		if strings.Contains(heard, word) != want {
			q.t.Errorf("the model heard %q", heard)
		}
	}
}

// idle waits until the question has gone and the agent takes an instruction. Above a question some still show their
// input box's mark, before what was typed last.
func (q *asked) idle() {
	q.t.Helper()
	q.Until("takes an instruction", func(string) bool {
		c, _ := q.bot.check(q.Run)
		return c.State == "idle"
	})
	q.Settle()
}

// proveDismiss: nothing is answered, and the agent takes its next instruction.
func (q *asked) proveDismiss() {
	q.Ask("questions")
	q.shows("Which colour")
	q.taps("✖ Dismiss")
	q.idle()
	q.Ask("run")
	for _, heard := range q.Model.Results("questions") {
		if strings.Contains(heard.Text, "Red") || strings.Contains(heard.Text, "Blue") {
			q.t.Errorf("the model heard %q", heard.Text)
		}
	}
}

// provePlan: a plan is left as it is by ✖, and an answer to it, each of which grants a mode, takes a second tap.
func (q *asked) provePlan() {
	q.Ask("plan")
	q.shows("Would you like to proceed?", "nod asks you first")
	q.taps("✖ Dismiss")
	q.idle()
	if n := q.Model.Finished("plan"); n != 0 {
		q.t.Fatalf("a plan that was dismissed is carried out %d times", n)
	}
	q.last++
	q.Ask("plan")
	q.shows("Would you like to proceed?", "nod asks you first")
	q.taps("manually approve edits")
	q.last++
	q.shows("Allows more than this once", "manually approve edits")
	q.Settle()
	if n := q.Model.Finished("plan"); n != 0 {
		q.t.Fatalf("the first tap carried the plan out %d times", n)
	}
	q.taps("manually approve edits")
	q.Until("carries the plan out", func(string) bool { return q.Model.Finished("plan") == 1 })
}

// proveWords: a question that offers no answer takes words, and those alone. Its field reads no first character as a command.
func (q *asked) proveWords() {
	q.Ask("words")
	s := q.bot.see(q.Run, sight{})
	if s.Kind != "question" || !strings.Contains(s.Subject, "Which name") {
		q.t.Errorf("asked %+v", s)
	}
	for _, word := range []string{"y", "n"} {
		if ok, said := q.bot.reply(s, word); ok {
			q.t.Errorf("%s is taken for an answer: %s", word, said)
		}
	}
	if n := len(q.Model.Results("words")); n != 0 {
		q.Fatalf("%d answers before the words", n)
	}
	m, err := q.bot.owner.Await(q.t.Context(), func(m botapi.Record) bool { return strings.Contains(m.Text, "#"+s.ID) })
	must(q.t, err)
	first := openings[rand.IntN(4)]
	answer := first + " echo ran >> " + model.RanFile("words") + " Aurora Borealis"
	q.t.Logf("the answer begins with %q", first)
	q.bot.owner.ReplyTo(m.ID, answer)
	if heard := q.hears("words"); !strings.Contains(heard, answer) {
		q.t.Errorf("the model heard %q", heard)
	}
	if n := q.Ran("words"); n != 0 {
		q.t.Errorf("the answer ran %d times", n)
	}
}
