package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// continueCLI is the Continue CLI, cn. Its dialogs were captured from 1.5.47.
var continueCLI = agent{
	name: "continue",
	profile: Profile{
		About:      "Continue's CLI shows of a path its last part alone. A narrow pane breaks its labels in the middle.",
		Yes:        "`Continue + don't ask again` lasts for good.",
		AnsweredBy: byKeys,
	},
	program: proc.Program{Names: []string{"cn"}, Packages: []string{"@continuedev/cli"}},
	dialog:  continueDialog,
	voice:   screen.Voice{Col: 2, Above: "●"},
	composer: func(l *screen.Layout) *screen.Composer {
		return l.FramedComposer("●❯>", func(s string) bool { return screen.Holds(s, "Ask anything, @ for") })
	},
	working: func(l *screen.Layout) bool { return l.Says(screen.WorkRows, "esc to interrupt") },
	volatile: func(line *screen.Line) bool {
		return line.Kind == screen.Words && (line.Spinner() || screen.Holds(line.Text, "esc to interrupt"))
	},
	mark: func(l *screen.Layout) bool { return l.Says(screen.MarkRows, "Continue CLI", "tell Continue what") },
}

// continueMenu: Enter takes the marked row, Escape denies. Shift+Tab, which the second row prints, never is a key.
var continueMenu = screen.Keys{Enter: true, Escape: true, Escapes: true}

func continueDialog(l *screen.Layout) *screen.Dialog {
	list, ok := l.Menu(screen.Pointed)
	if !ok {
		return nil
	}
	d, ok := l.Dialog(list, func(s string) bool { return screen.Holds(s, "Continue CLI") })
	if !ok || d.Frame() == nil {
		return nil
	}
	if screen.Holds(d.Footer, "Enter select") {
		return d.AskUser(screen.Keys{Enter: true})
	}
	if !d.AskWith("Would you like to continue?") || !d.Refusable() {
		return nil
	}
	d.Name, d.State, d.Keys, d.Asks = "tool_confirmation", screen.Permission, continueMenu, []string{"Would you like to continue?"}
	title, head := d.Head()
	if screen.Starts(title, "Edit(", "Write(") {
		d.Verb = "edit"
	}
	continueCall(d, head)
	return d
}

// continueCall: the title holds the whole call unless it ends in dots; the preview of it below may be cut too.
func continueCall(d *screen.Dialog, head int) {
	end := min(d.ParagraphEnd(head), d.Asked-1)
	title := d.Paragraph(head, max(end, head))
	if !strings.HasSuffix(title, ")") || strings.HasSuffix(title, "...)") || counted(strings.Join(d.Texts(end+1, d.Asked-1), " ")) {
		d.Doubt("Continue shows only the beginning of the call.")
	}
	d.Place(screen.Subject, head, d.Asked-1)
}

// counted reports whether a preview tells how many arguments a call has and not what they are, as Continue does
// for tools that it has no preview of: "Will call append_line with 1 argument". Its title then holds one of them
// at most, a path without its folder; a call without arguments says nothing of them.
func counted(preview string) bool {
	words := strings.Fields(strings.TrimLeft(preview, "⎿ "))
	n := len(words)
	return n > 4 && words[0] == "Will" && words[1] == "call" && words[n-3] == "with" && screen.Starts(words[n-1], "argument")
}
