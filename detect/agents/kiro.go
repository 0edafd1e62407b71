package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// kiro is the Kiro CLI. It can't be run without an account: its dialogs are known from fixtures that other
// projects published.
var kiro = agent{
	name: "kiro-cli",
	profile: Profile{
		About: "Kiro's CLI is answered by moving a cursor, and each step is looked at before the next. It needs an " +
			"account: its dialogs are known from other projects' fixtures.",
		Yes:        "`Trust, always allow in this session` lasts for the session.",
		AnsweredBy: byKeys,
	},
	program:  proc.Program{Names: []string{"kiro-cli", "kiro-cli-chat", "kiro"}},
	dialog:   kiroDialog,
	composer: kiroComposer,
	working:  func(l *screen.Layout) bool { return l.Says(reportedWork, "Kiro is working", "Thinking...") },
	volatile: func(line *screen.Line) bool {
		return line.Kind == screen.Words && screen.Holds(line.Text, "Kiro is working", "Thinking...")
	},
	mark: func(l *screen.Layout) bool {
		return l.Says(screen.MarkRows, "Yes, single permission", "Trust, always allow in this session", "Kiro is working", "kiro_default", "sk a question or describe a task", "Allow this action? Use 't' to trust")
	},
}

const (
	// kiroInput are the rows of the line that is typed into: in the fixtures little stands below it.
	kiroInput = 4
	// kiroGap is how many lines above the options the question stands at most.
	kiroGap = 2
)

// kiroMenu: Enter takes the marked row, Escape closes the dialog, which denies.
var kiroMenu = screen.Keys{Enter: true, Escape: true, Escapes: true}

func kiroDialog(l *screen.Layout) *screen.Dialog {
	if l.Says(kiroInput, "Allow this action? Use 't' to trust") {
		return kiroUpTo(l, "Allow this action?").Typed()
	}
	list, ok := l.Menu(screen.Pointed)
	if !ok {
		return nil
	}
	d, ok := l.Dialog(list, l.StatusRow)
	if !ok || d.Marked < 0 || l.MarkedNumber(list.First) {
		return nil
	}
	at := d.LineAbove(func(i int) bool { return strings.HasSuffix(d.Lines[i].Text, "requires approval") })
	if at < 0 || d.First-at > kiroGap {
		return nil
	}
	d.Ask(at, at)
	if d.Frame() == nil {
		d.AnotherHead(d.RuleAtEdge)
	}
	d.Name, d.State, d.Keys, d.Asks = "approval", screen.Permission, kiroMenu, []string{"shell requires approval"}
	_, head := d.Head()
	if head >= at {
		d.Doubt("What stands above the question is not on the screen.")
		return d
	}
	if !screen.Starts(d.Question, "shell ") {
		d.Verb = "use"
	}
	for _, mark := range []string{"↓ Shell ", "↑ Shell ", "▸ Shell ", "● Shell ", "↓ ", "↑ ", "▸ ", "● "} {
		if d.Mark(head, mark) {
			break
		}
	}
	d.Place(screen.Subject, head, at-1)
	return d
}

func kiroComposer(l *screen.Layout) *screen.Composer {
	hint := func(s string) bool {
		return screen.Holds(strings.ToLower(s), "question or describe a task", "kiro is working")
	}
	for i, line := range l.Lowest(kiroInput) {
		if line.First() == '›' || screen.Holds(strings.ToLower(line.Text), "ask a question or describe a task") {
			return l.Composed(i, i, hint)
		}
	}
	return nil
}

// kiroUpTo is the screen down to the lowest line that begins with s, with nothing but an empty input line below.
func kiroUpTo(l *screen.Layout, s string) *screen.Layout {
	for i, line := range l.Lowest(kiroInput) {
		if screen.Starts(line.Text, s) {
			cut := *l
			cut.Lines = l.Lines[:i+1]
			return &cut
		}
		if strings.Trim(line.Text, ">❯! ") != "" {
			return l
		}
	}
	return l
}
