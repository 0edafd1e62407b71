package message

import (
	"fmt"
	"strings"

	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
	"nod/internal/words"
	"nod/nudge"
)

// Messages about queued instructions.

// instructionHead writes the first line of such a message: agent, project and the instruction.
func instructionHead(p *page, icon string, i nudge.Instruction, style Style) {
	title := style.Title(i.Agent, i.Name, i.Project)
	p.Text(icon + " ")
	if style.Minimal {
		p.Bold(title)
	} else {
		p.Bold(title + ": ").Code(Cut(OneLine(style.Redact(i.Line())), headRoom))
	}
	p.Line()
}

// Queued says that an instruction was queued, and at which position.
func Queued(p nudge.Placed, chat int64, seal Sealer, style Style) Outgoing {
	out := Outgoing{Keys: Keys{{seal.Button("✖ Drop it", VerbDrop, p.ID, chat)}}}
	instructionHead(&out.Page, "⏳", p.Instruction, style)
	out.Page.Text(PlaceWords(p))
	if !p.Held.IsZero() {
		out.Page.Text(" " + Cut(OneLine(style.Redact(words.Why(p.Held))), SentenceRoom))
	}
	out.Page.Line().Text("/next lists what waits.").Line().Text(style.place(p.Where, p.ID))
	return out
}

// Instruction says how an instruction ended, or that the agent still works on it.
func Instruction(i nudge.Instruction, chat int64, seal Sealer, style Style) Outgoing {
	var out Outgoing
	detail := Cut(OneLine(style.Redact(words.Why(i.Detail))), SentenceRoom)
	switch i.State {
	case nudge.Completed:
		instructionHead(&out.Page, "✔", i, style)
		out.Page.Text("Done after " + elapsed.Short(i.Ended.Sub(i.Sent)) + ".")
		if words := strings.TrimSpace(ForeignText(style.Redact(i.Words))); words != "" && !style.Minimal {
			out.Page.Line().folded(Cut(words, quoteRoom))
		}
	case nudge.TimeoutWaiting:
		instructionHead(&out.Page, "⌛", i, style)
		out.Page.Text("Still at work after " + elapsed.Short(i.Timeout) + ". The next ones go out when it is done.")
		out.Keys = Keys{{seal.Button("✖ Don't wait for it", VerbDrop, i.ID, chat)}}
	case nudge.Interrupted:
		instructionHead(&out.Page, "⚠", i, style)
		out.Page.Text("Interrupted: " + detail)
	default:
		instructionHead(&out.Page, "🚫", i, style)
		out.Page.Text("Dropped, nothing was typed: " + detail)
		alsoDropped(&out.Page, i.Also, style)
	}
	if i.Next != "" {
		out.Page.Line().Line().Text("Next: ")
		if style.Minimal {
			out.Page.Text(plural.Of(i.Behind, "instruction", "instructions"))
		} else {
			out.Page.Code(Cut(OneLine(style.Redact(i.Next)), headRoom))
		}
		if i.Behind > 1 && !style.Minimal {
			out.Page.Text(fmt.Sprintf(" and %d more", i.Behind-1))
		}
	}
	out.Page.Line().Text(style.place(i.Where, i.ID))
	return out
}

// alsoDropped lists the instructions that were dropped with another.
func alsoDropped(p *page, texts []string, style Style) {
	switch {
	case len(texts) == 0:
		return
	case style.Minimal:
		p.Line().Text(fmt.Sprintf("And %d more.", len(texts)))
		return
	}
	p.Line().Line().Text("With it:")
	var lines []string
	for _, text := range texts {
		lines = append(lines, "· "+Cut(OneLine(style.Redact(text)), lineRoom))
	}
	p.List(lines)
}
