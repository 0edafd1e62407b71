package agents

import (
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// cline is the Cline CLI. Its dialogs were captured from 3.0.65, those of 2.x, which are in cline2.go, from 2.18.0.
var cline = agent{
	name: "cline",
	profile: Profile{
		About: "Cline shows one row of a command and of a change its path alone, and cuts the rest without a mark, so " +
			"that most of its prompts ask for consent; 2.x shows more, but leaves what was answered above, so that all but the first " +
			"ask for it. Ctrl+C quits it.",
		Yes: "`[y] Approve` is for once, there is no other, and of 2.x `Run Command` and `Approve`; its `Save` does not say so, " +
			"and is left to the terminal. Shift+Tab switches approving everything on.",
	},
	program: proc.Program{
		Names:    []string{"cline"},
		Packages: []string{"cline", "@cline/cli-linux-x64", "@cline/cli-linux-arm64", "@cline/cli-darwin-x64", "@cline/cli-darwin-arm64"},
	},
	environ:  []string{"CLINE_ACTIVE"}, // other programs' lists of such variables
	dialog:   dialogs(append(cline2Asks, clineAsks...)...),
	voice:    screen.Voice{Mark: "*", Col: 1, Above: "❯>", Tool: screen.BoldHead},
	composer: clineComposer,
	signs: signs{
		working:  clineWorking,
		volatile: changes(sign{spins: true}),
		mark:     shows(sign{within: screen.MarkRows, holds: []string{clineTitle, clineAsking, "Auto-approve all disabled", "Auto-approve all enabled"}}),
	},
}

// clineThinking are the rows in which Cline says that it thinks where it has no input box: above a dialog the row stays, further up
// (cline/3.0.65-mcp-80x24).
const clineThinking = 8

const (
	clineTitle  = "Cline needs permission"
	clineAsking = "Cline is asking a question"
)

// clineAsks: one dialog for every tool, of which the letter of an option acts at once and Escape denies as n does: title, question, the tool's
// name, and one row of what it is called with. More of a command, or what an edit changes, is not shown, and no mark says so. And a
// question of the model, whose last row takes words.
var clineAsks = []asking{
	{
		menu: screen.Lettered, below: statusRows("Auto-approve all "), head: clineTitle,
		titles: []string{clineTitle, "run_commands"}, asks: []string{"Approve tool call?"},
		shapes: []shape{{Shape: screen.Shape{Name: "permission", State: screen.Permission, Keys: screen.Keys{Letters: true, Escape: true}}, fix: clineCall}},
	},
	{
		menu: screen.Pointed, below: statusRows("Auto-approve all "), head: clineAsking,
		titles: []string{clineAsking},
		shapes: []shape{{set: &screen.Questions{Keys: screen.Keys{Enter: true, Leaves: true}}}},
	},
}

// clineCall places the tool's name and the row of its call. The dialog has a height of its own: where a command does not fit,
// the blank rows go first, and then its end. One row with all blank rows around it is whole.
func clineCall(d *screen.Dialog) string {
	tool := d.NextWords(d.AskedEnd+1, d.First)
	call := d.NextWords(tool+1, d.First)
	d.Place(screen.Title, tool, tool)
	if tool >= d.First || call >= d.First || d.Lines[tool].Text != "run_commands" {
		d.DoubtOf("Cline", reason.OneRowNoChange)
		return "use"
	}
	d.Mark(call, "$ ")
	d.Place(screen.Subject, call, d.First-1)
	squeezed := d.Asked == d.Top+1 || call == tool+1
	if squeezed || d.HasWords(call+1, d.First-1) {
		d.DoubtOf("Cline", reason.CutsCommand)
	}
	return ""
}

// clineComposer finds the input box, which is between two rules, and before the first turn in the middle of the pane.
func clineComposer(l *screen.Layout) *screen.Composer {
	if c := cline2Composer(l); c != nil {
		return c
	}
	return screen.Input{Ruled: "❯", Inset: true, Hints: []string{"Ask anything", "What can I do for you?"}}.In(l)
}

// clineWorking: a spinner is before what it does, and its input box stays as it is.
func clineWorking(l *screen.Layout) bool {
	if cline2Working(l) {
		return true
	}
	c := clineComposer(l)
	if c == nil {
		return l.Says(clineThinking, "Thinking... (esc to cancel)")
	}
	at := l.LineBefore(c.Row, func(i int) bool { return l.Lines[i].Begins("❯") || l.Lines[i].Spinner() })
	return at >= 0 && l.Lines[at].Spinner()
}
