package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// cursor is the Cursor CLI. It can't be run without an account: its dialogs are known from the sources and
// captures that other projects published (the box "Not in allowlist:", and since 2025 "Run this command?").
var cursor = agent{
	name: "cursor",
	profile: Profile{
		About: "Cursor's CLI prints the keys of its answers. It needs an account: its dialogs are known from other " +
			"projects' fixtures.",
		Yes:        "`Run Everything` switches the mode, `Add … to allowlist` lasts for good.",
		AnsweredBy: byKeys,
	},
	program:  proc.Program{Names: []string{"cursor-agent"}, Packages: []string{"cursor-agent"}, Paths: []string{"/cursor-agent/"}},
	dialog:   cursorDialog,
	composer: cursorComposer,
	working: func(l *screen.Layout) bool {
		for _, line := range l.Lowest(screen.WorkRows) {
			if cursorSpins(line) {
				return true
			}
		}
		return false
	},
	volatile: cursorSpins,
	mark: func(l *screen.Layout) bool {
		return l.Shows("Cursor Agent", "Not in allowlist:", "Shell allowlist is empty", "Workspace Trust Required", "→ Add a follow-up", "→ Plan, search, build anything",
			"Run Everything (shift+tab)", "Skip & tell the agent", "Reject & propose changes")
	},
}

const (
	// cursorInput are the rows of the input box: arrows begin other rows higher up.
	cursorInput = 6
	// cursorMargin is the last column in which the input box may begin.
	cursorMargin = 4
)

// cursorMenu: the letter of a row acts wherever the cursor stands. Escape declines. Tab and Shift+Tab widen,
// and Enter is never pressed.
var cursorMenu = screen.Keys{Letters: true, Escape: true, Escapes: true}

// cursorAsks begin the sentence that asks, and say what is asked for.
var cursorAsks = []struct{ begins, verb string }{
	{"Run this command", ""}, {"Run this MCP tool", "use"}, {"Run this tool", ""}, {"Write to this file", "edit"}, {"Delete this file", "delete"},
	{"Read this file", "read"}, {"Edit this file", "edit"}, {"Allow this web search", "search"}, {"Allow this web fetch", "fetch"}, {"Fetch this", "fetch"},
	{"Proceed with this edit", "edit"}, {"Not in allowlist:", ""}, {"Waiting for decision", ""},
}

func cursorDialog(l *screen.Layout) *screen.Dialog {
	if d := cursorOther(l); d != nil {
		return d
	}
	list, ok := l.Menu(screen.Numbered | screen.Pointed)
	if !ok {
		return nil
	}
	d, ok := l.Dialog(list, func(s string) bool { return screen.Holds(s, "ctrl+r") || l.StatusRow(s) })
	if !ok || d.Marked < 0 {
		return nil
	}
	if screen.Starts(d.Question, "Ready to build") || cursorPlan(d) {
		d.Name, d.State, d.Verb, d.Keys, d.Means = "plan", screen.Question, "plan", screen.Keys{Letters: true}, cursorPlanned
		return d
	}
	for i := d.Top; i < d.First; i++ {
		for _, ask := range cursorAsks {
			if screen.Starts(d.Lines[i].Text, ask.begins) {
				return cursorApproval(d, i, ask.verb)
			}
		}
	}
	return nil
}

// cursorApproval is the question in line at, with what it is about above it, and perhaps more below.
func cursorApproval(d *screen.Dialog, at int, verb string) *screen.Dialog {
	if !d.PrintsKeys() || !cursorSkips(d) {
		return nil
	}
	d.Ask(at, at)
	d.Name, d.State, d.Verb, d.Keys, d.Means = "approval", screen.Permission, verb, cursorMenu, cursorScope
	d.Asks = []string{"Run this command?", "Write to this file?"}
	if d.Frame() == nil {
		cursorTop(d, at)
	}
	if _, head := d.Head(); head < at {
		if !d.Mark(head, "$  ") {
			d.Mark(head, "$ ")
		}
		d.Place(screen.Subject, head, at-1)
	} else if d.Mark(at, "Not in allowlist: ") {
		d.Place(screen.Subject, at, at)
	}
	return d
}

// cursorTop bounds a dialog without a frame: the line above it may be shorter than the pane. Where there is none, what is asked
// about in line at ends with the paragraph above that.
func cursorTop(d *screen.Dialog, at int) {
	for i := at - 1; i >= 0; i-- {
		if d.RuleAtEdge(i) {
			d.BeginAt(i + 1)
			d.AnotherHead(func(j int) bool { return j < i && d.RuleAtEdge(j) })
			return
		}
	}
	top := at
	for top > d.Top && d.Lines[top-1].Kind == screen.Blank {
		top--
	}
	for top > d.Top && d.Lines[top-1].Kind == screen.Words && !screen.Holds(d.Lines[top-1].Text, "Waiting for approval") {
		top--
	}
	d.BeginAt(top)
	d.Doubt("What stands above the question may not be on the screen.")
}

func cursorScope(e *screen.Entry) screen.Scope {
	switch {
	case screen.Starts(e.Label, "Keep", "Skip", "Reject"):
		return screen.No
	case screen.Starts(e.Label, "Add "):
		return screen.Always
	case screen.Starts(e.Label, "Run Everything", "Auto-run all", "Auto "):
		return screen.Mode
	}
	return e.Scope
}

// cursorSkips reports whether one of the options prints a key that declines.
func cursorSkips(d *screen.Dialog) bool {
	return slices.ContainsFunc(d.Entries, func(e screen.Entry) bool {
		return slices.Contains(e.Hints, "n") || slices.Contains(e.Hints, "Escape")
	})
}

// cursorPlan reports whether the options are those to a plan.
func cursorPlan(d *screen.Dialog) bool {
	return slices.ContainsFunc(d.Entries, func(e screen.Entry) bool {
		return screen.Starts(e.Label, "Yes, build", "No, propose changes")
	})
}

// cursorPlanned is the scope of an option of a plan: a yes to it starts work on its own.
func cursorPlanned(e *screen.Entry) screen.Scope {
	if e.Scope == screen.Once || e.Scope == screen.Other && e.Agrees() {
		return screen.Mode
	}
	return e.Scope
}

// cursorOther: whether a folder is trusted, and the field that a refusal opens.
func cursorOther(l *screen.Layout) *screen.Dialog {
	for i, line := range l.Lowest(screen.StatusRows) {
		if screen.Holds(line.Text, "Tell the agent what to do instead (Enter to send") {
			d := l.Notice(i)
			d.Name, d.State, d.Question, d.TextField = "skip_reason", screen.Question, strings.TrimLeft(line.Text, "→ "), true
			return d
		}
	}
	list, ok := l.Menu(screen.Lettered)
	if !ok {
		return nil
	}
	d, ok := l.Dialog(list, nil)
	if !ok || d.Marked < 0 && d.Frame() == nil {
		return nil
	}
	d.BoundByGaps()
	if d.AskTrust(screen.Keys{}, "o you trust ", "Confirm folder trust") {
		return d
	}
	return nil
}

func cursorComposer(l *screen.Layout) *screen.Composer {
	for i, line := range l.Lowest(cursorInput) {
		if line.First() == '→' && line.Col <= cursorMargin {
			return l.Composed(i, i, func(s string) bool { return screen.Starts(s, "Add a follow-up", "Plan, search, build anything") })
		}
	}
	return nil
}

func cursorSpins(line *screen.Line) bool {
	return line.Kind == screen.Words && (screen.Holds(line.Text, "ctrl+c to stop") || strings.ContainsRune("⬡⬢", line.First()) || line.Spinner())
}
