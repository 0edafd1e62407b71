package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// cline is the Cline CLI. Its dialogs were captured from 3.0.65, those of 2.x, which are the latter ones here, from 2.18.0.
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
		cut:      cutOffUnder(sign{begins: []string{clineTitle, clineAsking}}, sign{within: 1, ends: "(Tab)"}), // cline/3.0.65-question-100x9
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
	if call >= d.First || d.Lines[tool].Text != "run_commands" {
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

// Cline 2 draws its answers as two buttons right above the input box, in which words can be typed all the while. Its dialogs
// were captured from 2.18.0. With a draft in the box a number is a letter of it, so there is no dialog then.

// cline2Buttons are the buttons of each kind of call.
var cline2Buttons = [][]string{{"Run Command", "Reject"}, {"Approve", "Reject"}, {"Save", "Reject"}}

// cline2Offer is what the empty box says where a number answers.
var cline2Offer = lazy.MustCompile(`^\(1-\d+ or type\)$`)

// cline2Spinner are the rows in which the spinner turns, above the box and the rows below that (cline/2.18.0-wide+approve-80x24).
const cline2Spinner = 11

const cline2Head = "⏺ Cline wants to "

// cline2Calls are the heads of calls, and the verb of each.
var cline2Calls = []verb{
	{head: cline2Head + "execute this command: "},
	{head: cline2Head + "edit this file: ", verb: "edit"},
	{head: cline2Head + "create a new file: ", verb: "edit"},
	{head: cline2Head + "read this file: ", verb: "read"},
	{head: cline2Head + "use MCP: ", verb: "use"},
}

// cline2Asks: the number of a button chooses it at once, and so does that of an answer to a question of the model while the box is empty.
// Escape does nothing. Answered calls keep their heads, so that a lower message is what is asked, and all but the first of a screen ask for
// consent. Below both stand the box and its four rows.
var cline2Asks = []asking{
	{
		menu: screen.Numbered, below: beginning(""),
		fits: func(d *screen.Dialog) bool {
			box, ok := cline2Box(d.Layout)
			if !ok || !cline2Offers(d.Layout, box) || d.Last >= box.Top || d.HasWords(d.Last+1, box.Top-1) || !cline2Heads(d, "⏺ ") {
				return false
			}
			d.AskFrom(d.Top)
			return true
		},
		shapes: []shape{{set: &screen.Questions{Keys: screen.Keys{Digits: true}}}},
	},
	{
		list: cline2List, below: beginning(""),
		fits: func(d *screen.Dialog) bool { return cline2Heads(d, cline2Head) },
		shapes: []shape{{
			Shape: screen.Shape{Name: "approval", State: screen.Permission, Ask: "Cline asks", Keys: screen.Keys{Letters: true}}, fix: cline2Call,
		}},
	},
}

// cline2Heads begins a dialog with the lowest message above the options, as all that Cline says is one. It reports whether that begins so.
func cline2Heads(d *screen.Dialog, begins string) bool {
	head := d.LineAbove(func(i int) bool { return d.Lines[i].Col == 1 && d.Lines[i].Begins("⏺") })
	if head < 0 || !d.Mark(head, begins) {
		return false
	}
	d.BeginAt(head)
	if begins == cline2Head {
		d.AnotherHead(func(i int) bool { return strings.HasPrefix(d.Lines[i].Text, cline2Head) })
	}
	return true
}

// cline2Offers reports whether the box says that a number answers, which it does while it is empty.
func cline2Offers(l *screen.Layout, box screen.Region) bool {
	row := &l.Lines[box.Top+1]
	return cline2Offer().MatchString(cline2Draft(l, box)) && (!l.Coloured() || row.Style(row.Col).Fg == "5;153")
}

// cline2Call places what is asked for, which is behind the colon of the head and in the rows below it. Where the head
// is another one, or broken by the pane, all of it is the subject.
func cline2Call(d *screen.Dialog) string {
	head := d.Top
	last := d.AboveBlanks(d.First-1, head)
	d.Place(screen.Subject, head, last)
	if strings.HasSuffix(d.Lines[last].Text, "...") {
		d.DoubtOf("Cline", reason.CutsLong)
	}
	call := called(d, head, cline2Calls)
	if call.head == "" {
		return "use"
	}
	d.AskAs(strings.TrimPrefix(strings.TrimSuffix(call.head, ": "), "⏺ "))
	return call.verb
}

// cline2Box is the frame of the input box: its status rows stand below it and nothing else does.
func cline2Box(l *screen.Layout) (screen.Region, bool) {
	for _, f := range l.Frames() {
		if f.Open || f.Left != 0 || f.Bottom+1 >= len(l.Lines) {
			continue
		}
		if below := &l.Lines[f.Bottom+1]; below.Col == 1 && screen.Starts(below.Text, "/ for commands · @ for files") && l.Ends("Auto-approve all ") {
			return f, true
		}
	}
	return screen.Region{}, false
}

func cline2Draft(l *screen.Layout, box screen.Region) string {
	return strings.TrimSpace(strings.Join(l.Texts(box.Top+1, box.Bottom-1), "\n"))
}

// cline2List is the row of buttons right above the empty box. Each has a ground, which no words of the model have.
func cline2List(l *screen.Layout) (screen.Menu, bool) {
	box, ok := cline2Box(l)
	if !ok || cline2Draft(l, box) != "" {
		return screen.Menu{}, false
	}
	list, ok := l.Abreast(func(m *screen.Menu) bool {
		return m.Last == box.Top-1 && slices.ContainsFunc(cline2Buttons, func(labels []string) bool { return m.Labelled(labels...) })
	})
	for i := range list.Entries {
		e := &list.Entries[i]
		ok = ok && slices.Equal(e.Hints, []string{string(rune('1' + i))}) && (!l.Coloured() || l.Lines[list.First].Style(e.Col).Bg != "")
	}
	return list, ok
}

// cline2Composer is the input box where no buttons are above it.
func cline2Composer(l *screen.Layout) *screen.Composer {
	box, ok := cline2Box(l)
	if !ok {
		return nil
	}
	if _, asks := cline2List(l); asks || cline2Offers(l, box) {
		return nil
	}
	return &screen.Composer{Row: box.Top + 1, Draft: cline2Draft(l, box)}
}

// cline2Working: a spinner is before what it does, a few rows above the box.
var cline2Working = shows(sign{within: cline2Spinner, spins: true, ends: "esc to interrupt)"})
