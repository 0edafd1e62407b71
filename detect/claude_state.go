package detect

import "strings"

func claudeMark(v *view) bool {
	for i := range v.lines {
		l := &v.lines[i]
		if l.kind == text && holds(l.text, "Claude Code v", "Welcome to Claude Code", "tell Claude", "Tell Claude", "Claude Code'll be", "Claude Code running", "Here is Claude's plan",
			"Esc to cancel · Tab to amend", "Esc to cancel · Tab to add additional instructions", "Claude wants to", "allow Claude", "? for shortcuts · ← for agents", "Showing detailed transcript", "Chat about this", "Claude has written up") {
			return true
		}
	}
	return false
}

// claudeOverlay: the transcript, the help and the pickers lie over the screen and say so in fixed places.
func claudeOverlay(v *view) string {
	if v.says(2, "Showing detailed transcript") {
		return "transcript viewer"
	}
	if c := claudeComposer(v); c != nil && v.shortcuts(c.Row) {
		return "help"
	}
	for i, l := range v.lowest(1) {
		first := i
		for first > 0 && v.lines[first-1].kind == text {
			first--
		}
		whole := v.paragraph(first, i)
		if isFooter(whole) && holds(whole, "Esc to go back", "Esc to close") || isFooter(l.text) && holds(l.text, "Esc to go back", "Esc to close") {
			return "menu"
		}
		if holds(l.text, "Esc to ") && v.underHeavyLine(i) {
			return "menu"
		}
	}
	if claudeSlash(v) {
		return "slash menu"
	}
	if claudeOpened(v) {
		return "a dialog that a command of the person opened"
	}
	return ""
}

// claudeOpened reports whether what stands at the bottom was opened by a slash command: the command is the last
// thing said, no input box is there, and none of the dialogs that ask stands below it.
func claudeOpened(v *view) bool {
	for i := len(v.lines) - 1; i >= 0; i-- {
		l := &v.lines[i]
		if l.kind != text || l.col > 0 {
			continue
		}
		if strings.ContainsRune("●⏺⎿✻✽", l.cells[0]) {
			return false
		}
		if starts(l.text, "> /", "❯ /") {
			if claudeComposer(v) != nil || !v.words(i+1, len(v.lines)-1) {
				return false
			}
			_, f := claudeDialog(v)
			return f == nil || f.shape == "setup"
		}
	}
	return false
}

// shortcuts reports whether the help stands below the input box in row at.
func (v *view) shortcuts(at int) bool {
	shell, commands := false, false
	for i := at + 1; i < len(v.lines); i++ {
		shell = shell || starts(v.lines[i].text, "! for shell mode", "! for bash mode")
		commands = commands || starts(v.lines[i].text, "/ for commands")
	}
	return shell && commands
}

// underHeavyLine reports whether a picker's line stands above line i, and no plan, which has it too.
func (v *view) underHeavyLine(i int) bool {
	for j := i - 1; j >= 0; j-- {
		l := &v.lines[j]
		if l.kind == rule && l.cells[l.col] == '▔' {
			return true
		}
		if l.kind == rule && l.cells[l.col] == '─' || holds(l.text, "Would you like to proceed?") {
			return false
		}
	}
	return false
}

// claudeSlash: a list of commands stands below the input box while its draft begins with a slash.
func claudeSlash(v *view) bool {
	c := claudeComposer(v)
	if c == nil || !strings.HasPrefix(c.Draft, "/") {
		return false
	}
	for i := c.Row + 1; i < len(v.lines); i++ {
		if l := &v.lines[i]; l.kind == text && starts(l.text, "/") {
			return true
		}
	}
	return false
}

func claudeComposer(v *view) *Composer {
	if c := ruledComposer(v, "❯>!", claudeHint); c != nil {
		return c
	}
	return boxedComposer(v, ">!", claudeHint)
}

// claudeHint: what the empty input box may show.
func claudeHint(s string) bool {
	return starts(s, `Try "`, "Press up to edit queued messages")
}

// claudeWorking: the status row below the input box, or the spinner's row above it.
func claudeWorking(v *view) bool {
	c := claudeComposer(v)
	if c == nil {
		return false
	}
	for i := max(c.Row-8, 0); i < len(v.lines); i++ {
		l := &v.lines[i]
		if l.kind != text {
			continue
		}
		if i > c.Row && holds(l.text, "esc to interrupt", "ctrl+c to interrupt") {
			return true
		}
		if i < c.Row && claudeSpinner(l) {
			return true
		}
	}
	return false
}

// claudeSpinner: "✽ Whisking…", "* Beaming… (3s · ↓ 30 tokens)", "✻ Computing… (esc to interrupt)".
func claudeSpinner(l *line) bool {
	if l.kind != text || l.col > 2 || !strings.ContainsRune("·✢✳✶✻✽*∗", l.cells[l.col]) || len(l.cells) < l.col+4 {
		return false
	}
	return holds(l.text, "… (", "esc to interrupt") || strings.HasSuffix(l.text, "…") && strings.Count(l.text, " ") <= 4
}

// claudeVolatile: spinner, status row, tips and clocks.
func claudeVolatile(l *line) bool {
	if l.kind != text {
		return false
	}
	return claudeSpinner(l) || starts(l.text, "✻ ", "Tip: ", "⎿  Tip: ", "└ Tip: ") ||
		holds(l.text, "esc to interrupt", "tokens)", "Context left until auto-compact", "% context used", "Auto-selecting in ")
}

// claudeHinted: how Claude draws results, and the tabs of its questions.
func claudeHinted(v *view) bool {
	for i := range v.lines {
		if l := &v.lines[i]; l.kind == text && (starts(l.text, "⎿ ", "←  ☐", "←  ☒", "☐ ") || holds(l.text, "? for shortcuts", "(shift+tab to cycle)", "manual mode on", "accept edits on", "plan mode on")) {
			return true
		}
	}
	return false
}
