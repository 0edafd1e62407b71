package bot

import (
	"fmt"
	"strings"

	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
	"nod/nudge"
)

// Messages about instructions that wait for their turn.

// instructionHead writes the two lines that such a message begins with: agent, project and the words; where, and which.
func instructionHead(p *page, icon string, i nudge.Instruction, style style) {
	title := style.title(i.Agent, i.Name, i.Project)
	p.text(icon + " ")
	if style.minimal {
		p.bold(title)
	} else {
		p.bold(title + ": ").code(cut(oneLine(style.redact(i.Line())), headRoom))
	}
	p.line().text(style.place(i.Where, "instruction", i.ID)).line()
}

// queuedMessage says that words were queued, and where.
func queuedMessage(p nudge.Placed, chat int64, seal sealer, style style) outgoing {
	out := outgoing{keys: keys{{seal.button("✖ Drop it", verbDrop, p.ID, chat)}}}
	instructionHead(&out.page, "⏳", p.Instruction, style)
	out.page.line().text(placeWords(p))
	if p.Held != "" {
		out.page.text(" " + cut(oneLine(style.redact(p.Held)), sentenceRoom))
	}
	out.page.line().text("/next lists what waits.")
	return out
}

// instructionMessage says how an instruction ended, or that the agent is still at work on it.
func instructionMessage(i nudge.Instruction, chat int64, seal sealer, style style) outgoing {
	var out outgoing
	detail := cut(oneLine(style.redact(i.Detail)), sentenceRoom)
	switch i.State {
	case nudge.Completed:
		instructionHead(&out.page, "✔", i, style)
		out.page.line().text("Done after " + elapsed.Short(i.Ended.Sub(i.Sent)) + ".")
		if words := strings.TrimSpace(foreignText(style.redact(i.Words))); words != "" && !style.minimal {
			out.page.line().folded(cut(words, quoteRoom))
		}
	case nudge.TimeoutWaiting:
		instructionHead(&out.page, "⌛", i, style)
		out.page.line().text("Still at work after " + elapsed.Short(i.Timeout) + ". What waits behind it is sent when it is done.")
		out.keys = keys{{seal.button("✖ Do not wait for it", verbDrop, i.ID, chat)}}
	case nudge.Interrupted:
		instructionHead(&out.page, "⚠", i, style)
		out.page.line().text("Interrupted: " + detail)
	default:
		instructionHead(&out.page, "🚫", i, style)
		out.page.line().text("Dropped, nothing was typed: " + detail)
		alsoDropped(&out.page, i.Also, style)
	}
	if i.Next != "" {
		out.page.line().line().text("Next: ")
		if style.minimal {
			out.page.text(plural.Of(i.Behind, "instruction", "instructions"))
		} else {
			out.page.code(cut(oneLine(style.redact(i.Next)), headRoom))
		}
		if i.Behind > 1 && !style.minimal {
			out.page.text(fmt.Sprintf(" and %d more", i.Behind-1))
		}
	}
	return out
}

// alsoDropped lists the instructions that were dropped with one.
func alsoDropped(p *page, texts []string, style style) {
	switch {
	case len(texts) == 0:
		return
	case style.minimal:
		p.line().text(fmt.Sprintf("With it %d more.", len(texts)))
		return
	}
	p.line().line().text("With it:")
	var lines []string
	for _, text := range texts {
		lines = append(lines, "· "+cut(oneLine(style.redact(text)), lineRoom))
	}
	p.list(lines)
}

// didLine names the queued instruction that an idle agent is done with; empty: there is none.
func (r renderer) didLine() string {
	switch {
	case r.Did == nil:
		return ""
	case r.style.minimal:
		return "✔ #" + r.Did.ID
	}
	return "✔ #" + r.Did.ID + " “" + cut(oneLine(r.style.redact(r.Did.Text)), lineRoom) + "” · nothing is queued behind it"
}
