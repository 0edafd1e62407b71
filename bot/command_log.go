package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/bot/message"
	"nod/detect/screen"
	"nod/nudge"
	"nod/store"
)

const (
	logLines  = 15  // lines of /log
	logEvents = 300 // the events that they are made from
)

// showLog answers /log: one line for each question, and one for each other event, oldest first.
func (b *Bot) showLog(_ context.Context, _ int, m *incoming, _ string) error {
	events, err := b.cfg.Store.Tail(logEvents)
	if err != nil {
		return fmt.Errorf("read the audit trail: %w", err)
	}
	style := b.style()
	lines := logOf(events, style)
	if len(lines) == 0 {
		b.say(m.Chat.ID, m.ID, message.Sentence("Nothing has happened yet."))
		return nil
	}
	var out message.Outgoing
	out.Page.Bold("What happened lately").Line()
	out.Page.ListDated(lines[max(0, len(lines)-logLines):], time.Now(), style.Zone)
	b.say(m.Chat.ID, m.ID, out)
	return nil
}

// questionLog collects the events of one question.
type questionLog struct {
	last     time.Time
	asked    store.Line // any of its events
	answer   store.Line // the last answer
	state    nudge.State
	lived    string
	reason   string
	answered bool
}

// logOf returns the lines for events: one for each question and each instruction, ordered by its last event.
func logOf(events []store.Line, style message.Style) []message.Dated {
	lines, told := instructionLines(events, style)
	for _, e := range events {
		if e.Nudge == "" && !told[e.Instruction] {
			lines = append(lines, message.Dated{At: e.At, Text: logLine(e, style)})
		}
	}
	for id, q := range questionsIn(events, told) {
		if q.asked.Shape != "" || q.answered { // an idle notice that nobody answered is no question
			lines = append(lines, message.Dated{At: q.last, Text: q.line(id, style)})
		}
	}
	return inOrderOfTime(lines)
}

// doneIn is logOf for what people have done: it leaves out questions that still wait or ended without them, and all other events.
func doneIn(events []store.Line, style message.Style) []message.Dated {
	lines, told := instructionLines(events, style)
	for id, q := range questionsIn(events, told) {
		if q.answered || q.state == nudge.Expired {
			lines = append(lines, message.Dated{At: q.last, Text: q.line(id, style)})
		}
	}
	return inOrderOfTime(lines)
}

func inOrderOfTime(lines []message.Dated) []message.Dated {
	slices.SortStableFunc(lines, func(a, b message.Dated) int { return a.At.Compare(b.At) })
	return lines
}

// questionsIn collects the events of each question by its id, except those of the instructions in told.
func questionsIn(events []store.Line, told map[string]bool) map[string]*questionLog {
	byID := map[string]*questionLog{}
	for _, e := range events {
		switch {
		case told[e.Instruction] || e.Nudge == "":
			continue
		case byID[e.Nudge] == nil:
			byID[e.Nudge] = &questionLog{}
		}
		q := byID[e.Nudge]
		q.asked = e
		switch e.Kind {
		case nudge.AnswerReceived:
			q.answer, q.answered = e, true
		case nudge.NudgeEnded:
			q.state, q.lived, q.reason = nudge.State(e.State), e.After, e.Reason
		case nudge.NudgeSent, nudge.ToolEnded:
			continue // no news about the question itself
		}
		q.last = e.At
	}
	return byID
}

// instructionLines returns a line for each instruction that was queued in events, and the ids of those.
func instructionLines(events []store.Line, style message.Style) (lines []message.Dated, told map[string]bool) {
	told = map[string]bool{}
	for i, e := range events {
		if e.Kind != nudge.InstructionQueued {
			continue
		}
		told[e.Instruction] = true
		who := message.Cut(message.OneLine(style.Redact(e.By)), message.NameRoom)
		at, how, whose := e.At, "⏳ queued by "+who, message.Cut(message.OneLine(style.Redact(e.Agent)), message.NameRoom)
		for _, later := range events[i:] {
			switch {
			case later.Instruction != e.Instruction:
				continue
			case later.Kind == nudge.InstructionSent:
				how = "📝 " + who + " told it"
			case later.Kind == nudge.AnswerRefused:
				how = "⏳ queued by " + who
			case later.Kind == nudge.InstructionEnded:
				how = instructionEnded(nudge.InstructionState(later.State), who)
				if later.After != "" {
					whose += ", " + later.After
				}
			}
			at = later.At
		}
		what := "#" + e.Instruction
		if !style.Minimal {
			what = message.Cut(message.OneLine(style.Redact(e.Text)), 60)
		}
		lines = append(lines, message.Dated{At: at, Text: fmt.Sprintf("%s: %s (%s)", how, what, whose)})
	}
	return lines, told
}

// instructionEnded says how an instruction of somebody ended.
func instructionEnded(state nudge.InstructionState, who string) string {
	switch state {
	case nudge.Completed:
		return "✅ " + who + " told it"
	case nudge.Interrupted:
		return "⚠ " + who + " told it, and nothing showed that it landed"
	}
	return "🚫 dropped, as queued by " + who
}

// line says how the question ended, what it asked, which agent asked, and how long it waited.
func (q *questionLog) line(id string, style message.Style) string {
	subject, _, _ := strings.Cut(style.Redact(q.asked.Subject), "\n") // mask it as one text, because a secret may be wrapped
	if q.toldIdle() {
		subject = style.Redact(q.answer.Text)
	}
	what := message.Cut(message.OneLine(subject), 60)
	if what == "" || style.Minimal {
		what = "#" + id
	}
	whose := message.Cut(message.OneLine(style.Redact(q.asked.Agent)), message.NameRoom)
	if q.lived != "" {
		whose += ", " + q.lived
	}
	return fmt.Sprintf("%s %s (%s)", q.how(style), what, whose)
}

func (q *questionLog) how(style message.Style) string {
	who := message.Cut(message.OneLine(style.Redact(q.answer.By)), message.NameRoom)
	switch q.state {
	case nudge.Delivered:
		return q.did(who, style)
	case nudge.Unknown:
		return "⚠ " + who + " answered, and nothing showed that it landed:"
	case nudge.Refused:
		return "🚫 " + who + " answered, and nothing was typed (" + message.OneLine(q.reason) + "):"
	case nudge.Recovered:
		return "☑ closed, but not through nod:"
	case nudge.Expired:
		return "⌛ nobody answered:"
	case nudge.Gone:
		if q.asked.Pane == "" { // asked by a program, or outside tmux
			return "↩ no longer asked:"
		}
		return "👋 its pane is gone:"
	}
	return "⏳ waits for your answer:"
}

// toldIdle reports whether it was no question, but the notice of an idle agent, which got an instruction.
func (q *questionLog) toldIdle() bool { return q.asked.Shape == "" && q.answer.Text != "" }

// did says what a delivered answer did.
func (q *questionLog) did(who string, style message.Style) string {
	switch screen.Decision(q.answer.Decision) {
	case screen.Approve:
		return "✅ " + who + " approved"
	case screen.Deny:
		return "❌ " + who + " denied"
	case screen.Send:
		return "✅ " + who + " sent"
	case screen.Dismiss:
		return "✖ " + who + " dismissed"
	}
	switch {
	case q.toldIdle():
		return "✅ " + who + " told it:"
	case q.answer.Text != "":
		return "✅ " + who + " gave words:"
	}
	return "✅ " + who + " chose “" + message.Cut(message.OneLine(style.Redact(q.answer.Decision)), 40) + "”:"
}

// logLine returns the line for an event without a question.
func logLine(e store.Line, style message.Style) string {
	parts := []string{message.OneLine(e.Kind)}
	subject := ""
	if !style.Minimal {
		subject = message.Cut(message.OneLine(style.Redact(e.Subject)), 60)
	}
	for _, s := range []string{e.Monitor, subject, e.Decision, strings.Join(e.Keys, " "), e.Reason, e.State, e.By} {
		if s = message.OneLine(style.Redact(s)); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}
