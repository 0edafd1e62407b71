package screen

import (
	"strings"
	"unicode"

	"nod/internal/text/visible"
)

// Tool is how an agent heads the question about one call of a tool.
type Tool struct {
	Mark string // the fixed words before what is asked about: "? Shell"
	Verb string
	// Below says that what is asked about stands below the head, which says it once more.
	Below bool
}

// ToolCall makes d the confirmation of one tool call, headed by line head: by the first of the tools whose mark stands there. Of any
// other tool the head is a part of the subject. Line -1 is a head that is not on the screen.
func (d *Dialog) ToolCall(head int, tools []Tool) {
	d.Shape, d.State, d.Verb = "tool_confirmation", Permission, "use"
	if head < 0 {
		d.Verb = ""
		return
	}
	end := min(d.ParagraphEnd(head), d.First-1)
	for _, t := range tools {
		if !strings.HasPrefix(d.Lines[head].Text, t.Mark) {
			continue
		}
		d.Verb = t.Verb
		if last := d.lastOfCall(); t.Below && d.HasWords(end+1, last) {
			d.Lead(end+1, last)
			d.repeats = &repeat{span{head, end}, t.Mark}
			return
		}
		d.Mark(head, t.Mark)
		break
	}
	d.Lead(head, d.Asked-1)
	d.Lead(d.AskedEnd+1, d.First-1)
}

// lastOfCall is the last line of what is called with: above the question, and above the agent's own notes about it.
func (d *Dialog) lastOfCall() int {
	if d.Notes > d.Top && d.Notes < d.Asked {
		return d.Notes - 1
	}
	return d.Asked - 1
}

// ModeForChanges takes from an option of a question about a change what reaches beyond it: in Gemini and its kin that switches
// accepting edits on.
func (e *Entry) ModeForChanges() Scope {
	if e.Scope == Session || e.Scope == Always {
		return Mode
	}
	return e.Scope
}

// repeat is lines that say mark and then once more what the subject says, and perhaps more.
type repeat struct {
	span
	mark string
}

// remainder is what the lines of a repeat say besides mark and the subject, and whether they say those: as they are, wrapped, or cut.
func (r *repeat) remainder(rows []row, subject []string) (more string, ok bool) {
	var b strings.Builder
	for _, row := range rows {
		if r.first <= row.line && row.line <= r.last {
			b.WriteString(row.text + " ")
		}
	}
	text, ok := strings.CutPrefix(b.String(), r.mark)
	if !ok {
		return "", false
	}
	want := visible.Unspaced(strings.Join(subject, ""))
	for i, c := range text {
		if unicode.IsSpace(c) {
			continue
		}
		if want == "" {
			return strings.TrimSpace(text[i:]), true
		}
		if c == '…' && strings.TrimSpace(text[i:]) == "…" {
			return "", true
		}
		rest, ok := strings.CutPrefix(want, string(c))
		if !ok {
			return "", false
		}
		want = rest
	}
	return "", want == ""
}
