package detect

import "strings"

func codexMark(v *view) bool {
	for i := range v.lines {
		if holds(v.lines[i].text, "OpenAI Codex (v", "tell Codex", "Ask Codex to do anything", "Press enter to confirm or esc to cancel", "enter to submit | esc to cancel",
			"enter to submit answer", "Trust this folder? Codex", "You approved codex", "tab to add notes", "/ T R A N S C R I P T", "/ E X E C") {
			return true
		}
		if l := &v.lines[i]; l.kind == text && l.col == 0 && starts(l.text, "■ Conversation interrupted") {
			return true
		}
	}
	for _, l := range v.lowest(3) {
		if holds(l.text, "context left", "% left · ", "default · /", "for agents · ?") {
			return codexComposer(v) != nil
		}
	}
	return false
}

func codexOverlay(v *view) string {
	for _, l := range v.lowest(2) {
		switch {
		case starts(l.text, "q close", "q to quit"):
			return "pager"
		case starts(l.text, "? / esc close"):
			return "help"
		case isFooter(l.text) && holds(l.text, "go back", "esc close", "esc to close", "esc to dismiss"):
			return "menu"
		}
	}
	if v.says(12, "Keyboard shortcuts", "for shell commands", "! for shell") && v.says(12, "to paste images", "for newline", "/keymap customize", "shift + enter") {
		return "help"
	}
	c := codexComposer(v)
	if c == nil || !strings.HasPrefix(c.Draft, "/") {
		return ""
	}
	for i := max(c.Row-10, 0); i < len(v.lines); i++ {
		if l := &v.lines[i]; i != c.Row && l.kind == text && (starts(l.text, "/") || starts(l.text, "› /")) {
			return "slash menu"
		}
	}
	return ""
}

// codexComposer: the lowest row that begins with the glyph at the left edge, with nothing but status rows below.
func codexComposer(v *view) *Composer {
	below := 0
	for i, l := range v.lowest(12) {
		if l.col == 0 && l.cells[0] == '›' {
			if _, mark, _, ok := numberedRow(l); ok && mark {
				return nil
			}
			last := i
			for last+1 < len(v.lines) && v.lines[last+1].kind == text {
				last++
			}
			c := v.composed(i, last, codexHint)
			return c
		}
		if below++; l.col == 0 {
			return nil
		}
	}
	return nil
}

// codexHint: what the empty input box may show.
func codexHint(s string) bool {
	return starts(s, "Ask Codex to do anything", "Explain this codebase", "Summarize recent commits", "Implement {feature}",
		"Find and fix a bug in @filename", "Write tests for @filename", "Improve documentation in @filename",
		"Run /review on my current changes", "Use /skills to list")
}

// codexWorking: "• Working (2s • esc to interrupt)" above the input box.
func codexWorking(v *view) bool {
	for _, l := range v.lowest(14) {
		if codexSpinner(l) {
			return true
		}
	}
	return false
}

func codexSpinner(l *line) bool {
	return l.kind == text && l.col == 0 && strings.ContainsRune("•◦", l.cells[0]) && holds(l.text, "esc to interrupt")
}

// codexVolatile: the row with the timer, and how much of the context is left.
func codexVolatile(l *line) bool {
	return l.kind == text && (codexSpinner(l) || holds(l.text, "context left"))
}

// codexHinted: no other agent marks rows with this glyph at the left edge.
func codexHinted(v *view) bool {
	for i := range v.lines {
		if l := &v.lines[i]; l.kind == text && l.col == 0 && l.cells[0] == '›' {
			return true
		}
	}
	return false
}
