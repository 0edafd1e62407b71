package agents

import (
	"cmp"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// Nobody here has run these agents: they need an account, or a model. Their dialogs are known from what other projects published, so they are
// read by structure, with no key but those that a row prints, and Enter on a highlight that is proven. What is said of them is which
// rows are theirs, and what their labels mean beyond their words.
var (
	cursor = reported{
		name:    "cursor",
		program: proc.Program{Names: []string{"cursor-agent"}, Packages: []string{"cursor-agent"}, Paths: []string{"/cursor-agent/"}},
		environ: []string{"CURSOR_AGENT"}, // its documentation; CURSOR_TRACE_ID is in a person's terminals too
		yes:     "`Run Everything` switches the mode, `Add … to allowlist` lasts for good.",
		mark: []string{
			"Cursor Agent", "Not in allowlist:", "Shell allowlist is empty", "Workspace Trust Required", "→ Add a follow-up", "→ Plan, search, build anything",
			"Run Everything (shift+tab)", "Skip & tell the agent", "Reject & propose changes",
		},
		works: []sign{
			{within: screen.WorkRows, holds: []string{"ctrl+c to stop"}}, {within: screen.WorkRows, glyphs: "⬡⬢"}, {within: screen.WorkRows, spins: true},
		},
		input: reportedInput("→", "Add a follow-up", "Plan, search, build anything"),
		means: []meaning{
			{"Keep", screen.No}, {"Skip", screen.No}, {"Reject", screen.No}, {"Add ", screen.Always}, {"Run Everything", screen.Mode}, {"Auto", screen.Mode},
			{"Yes, build", screen.Mode}, // a plan: work on its own begins
		},
	}.agent()
	kiro = reported{
		name:    "kiro-cli",
		program: proc.Program{Names: []string{"kiro-cli", "kiro-cli-chat", "kiro"}},
		yes:     "`Trust, always allow in this session` lasts for the session.",
		mark: []string{
			"Yes, single permission", "Trust, always allow in this session", "Kiro is working", "kiro_default", "sk a question or describe a task", "Allow this action? Use 't' to trust",
		},
		works: []sign{{within: reportedWork, holds: []string{"Kiro is working", "Thinking..."}}},
		input: reportedInput("›", "Ask a question or describe a task", "ask a question or describe a task", "Kiro is working"),
	}.agent()
	goose = reported{
		name:    "goose",
		program: proc.Program{Names: []string{"goose"}},
		environ: []string{"GOOSE_TERMINAL"}, // its source
		yes:     "`Always Allow` lasts for good.",
		mark:    []string{"oose would like to call the above tool", "( O)>"},
		works:   []sign{{within: reportedWork, holds: []string{"(Ctrl+C to interrupt)"}}},
		// Its line is rustyline's: what it says while it is empty is dim, and gone with the first character (its source). Its lists are cliclack's.
		input: reportedInput("( O)>", "Press Enter to send, Ctrl-J for new line"), drawings: drawings{list: cliclack},
	}.agent()
	aider = reported{
		name:    "aider",
		program: proc.Program{Names: []string{"aider"}, Modules: []string{"aider"}},
		yes:     "`Yes` is for once, `Don't ask again` for good.",
		mark:    []string{"Aider v"},
		works:   []sign{{within: screen.StatusRows, holds: []string{"Waiting for "}}},
		typed:   true,
	}.agent()
	amp = reported{
		name:    "amp",
		program: proc.Program{Names: []string{"amp"}, Packages: []string{"@sourcegraph/amp"}},
		environ: []string{"AMP_CURRENT_THREAD_ID"}, // other programs' lists of such variables
		works:   []sign{{within: reportedWork, holds: []string{"esc to cancel", "Esc to cancel"}}},
	}.agent()
	droid = reported{
		name:    "droid",
		program: proc.Program{Names: []string{"droid"}, Packages: []string{"@factory/cli"}},
		works:   []sign{{within: screen.WorkRows, holds: []string{"Esc to stop", "ESC to stop"}}},
	}.agent()
)

// reportedWork are the rows in which such an agent says that it works. No capture shows how much is below them, so few are looked at.
const reportedWork = 6

// reportedInput is an input box that such a sign begins, and what that says while it is empty. Further up the sign begins other rows.
func reportedInput(sign string, says ...string) screen.Input {
	return screen.Input{Sign: sign, Margin: 4, Within: 6, Hints: says}
}

// reported is what is known of such an agent.
type reported struct {
	name     string
	program  proc.Program
	environ  []string
	yes      string       // what its answers mean that say yes
	mark     []string     // words on its screen that are its own
	works    []sign       // by which one of the lowest rows says that it works
	input    screen.Input // zero: drawn as most are
	means    []meaning    // what labels mean
	drawings drawings
	typed    bool // it is answered by typing into a line, and in no other way
}

func (r reported) agent() agent {
	if r.input.Sign == "" {
		r.input = screen.AnyInput
	}
	a := agent{
		name: r.name, program: r.program, environ: r.environ, byStructure: true, drawings: r.drawings, dialog: r.dialog, composer: r.input.In,
		signs: signs{working: shows(r.works...), volatile: changes(r.works...)},
		profile: Profile{
			About: "Nobody has run it with nod: its dialogs are known from other projects' sources alone. It is read by structure: nod has no " +
				"key for it but those that a row prints, and Enter on a highlight that is proven.",
			Yes: cmp.Or(r.yes, "Read from each label."),
		},
	}
	if r.typed {
		a.profile.AnsweredBy = "nothing: at the terminal"
	}
	if len(r.mark) > 0 {
		a.mark = shows(sign{within: screen.MarkRows, holds: r.mark})
	}
	return a
}

// dialog is a dialog as any program draws it, whose labels mean what is known of them.
func (r *reported) dialog(l *screen.Layout) *screen.Dialog {
	if r.typed {
		return l.Typed()
	}
	d := l.LiveDialog()
	if d == nil {
		d = l.Spelled() // drawn as nobody reported, it is told all the same
	}
	if d != nil && len(r.means) > 0 {
		d.Means = means(r.means, d.Means)
	}
	return d
}

// cliclack is l without the sign, the bar and the corner at the left of a question and its list, as cliclack draws them.
func cliclack(l *screen.Layout) *screen.Layout {
	corner := l.LineBefore(len(l.Lines), func(i int) bool { return l.Lines[i].Kind == screen.Words && l.Lines[i].First() == '└' })
	if corner < 0 {
		return l
	}
	col, top := l.Lines[corner].Col, corner
	begins := func(i int, glyphs string) bool {
		return i >= 0 && l.Lines[i].Kind == screen.Words && l.Lines[i].Col == col && strings.ContainsRune(glyphs, l.Lines[i].First())
	}
	for begins(top-1, "│") {
		top--
	}
	if begins(top-1, "◆◇") {
		top--
	}
	return l.Without(func(i int, line *screen.Line) (from, to int) {
		switch {
		case i == corner:
			return 0, line.End()
		case top <= i && i < corner:
			return col, col + 1
		}
		return 0, 0
	})
}
