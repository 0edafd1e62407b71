package screen

// Tool is how an agent heads the question about one call of a tool.
type Tool struct {
	Mark string // the fixed words before what is asked about: "? Shell"
	Verb string
	// Below says that what is asked about stands below the head, which says it once more.
	Below bool
}

// ToolCall places the confirmation of one tool call, headed by line head: by the first of the tools whose mark stands there. Of any
// other tool the head is a part of the subject. Line -1 is a head that is not on the screen. What is called with ends above line notes,
// where the agent's own notes about it begin; 0: there are none.
func (d *Dialog) ToolCall(head, notes int, tools []Tool) {
	if Starts(d.Question, "Apply this change") {
		d.Means = (*Entry).modeForChanges
	}
	if d.Verb = "use"; head < 0 {
		d.Verb = ""
		return
	}
	end, last := min(d.ParagraphEnd(head), d.First-1), d.Asked-1
	if notes > d.Top && notes < d.Asked {
		last = notes - 1
	}
	for _, t := range tools {
		if !d.Mark(head, t.Mark) {
			continue
		}
		d.Verb = t.Verb
		if t.Below && d.HasWords(end+1, last) {
			d.Place(Subject, end+1, last)
			d.Place(Repeat, head, end)
			return
		}
		break
	}
	d.Place(Subject, head, d.Asked-1)
	d.Place(Subject, d.AskedEnd+1, d.First-1)
}

// modeForChanges takes from an option of a question about a change what reaches beyond it: in Gemini and its kin that switches
// accepting edits on.
func (e *Entry) modeForChanges() Scope {
	if e.Scope == Session || e.Scope == Always {
		return Mode
	}
	return e.Scope
}
