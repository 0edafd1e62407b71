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
	cursor = reported(agent{
		name:     "cursor",
		program:  proc.Program{Names: []string{"cursor-agent"}, Packages: []string{"cursor-agent"}, Paths: []string{"/cursor-agent/"}},
		environ:  []string{"CURSOR_AGENT"}, // its documentation; CURSOR_TRACE_ID is in a person's terminals too
		profile:  Profile{Yes: "`Run Everything` switches the mode, `Add … to allowlist` lasts for good."},
		composer: reportedInput("→", "Add a follow-up", "Plan, search, build anything"),
		signs: signs{mark: reportedMark(
			"Cursor Agent", "Not in allowlist:", "Shell allowlist is empty", "Workspace Trust Required", "→ Add a follow-up", "→ Plan, search, build anything",
			"Run Everything (shift+tab)", "Skip & tell the agent", "Reject & propose changes",
		)},
	}, []sign{
		{within: screen.WorkRows, holds: []string{"ctrl+c to stop"}}, {within: screen.WorkRows, glyphs: "⬡⬢"}, {within: screen.WorkRows, spins: true},
	}, []meaning{
		{"Keep", screen.No}, {"Skip", screen.No}, {"Reject", screen.No}, {"Add ", screen.Always}, {"Run Everything", screen.Mode}, {"Auto", screen.Mode},
		{"Yes, build", screen.Mode}, // a plan: work on its own begins
	})
	kiro = reported(agent{
		name:     "kiro-cli",
		program:  proc.Program{Names: []string{"kiro-cli", "kiro-cli-chat", "kiro"}},
		profile:  Profile{Yes: "`Trust, always allow in this session` lasts for the session."},
		composer: reportedInput("›", "Ask a question or describe a task", "ask a question or describe a task", "Kiro is working"),
		signs: signs{mark: reportedMark(
			"Yes, single permission", "Trust, always allow in this session", "Kiro is working", "kiro_default", "sk a question or describe a task", "Allow this action? Use 't' to trust",
		)},
	}, []sign{{within: reportedWork, holds: []string{"Kiro is working", "Thinking..."}}}, nil)
	goose = reported(agent{
		name:    "goose",
		program: proc.Program{Names: []string{"goose"}},
		environ: []string{"GOOSE_TERMINAL"}, // its source
		profile: Profile{Yes: "`Always Allow` lasts for good."},
		// Its line is rustyline's: what it says while it is empty is dim, and gone with the first character (its source). Its lists are cliclack's.
		composer: reportedInput("( O)>", "Press Enter to send, Ctrl-J for new line"), undrawn: withoutCliclack,
		signs: signs{mark: reportedMark("oose would like to call the above tool", "( O)>")},
	}, []sign{{within: reportedWork, holds: []string{"(Ctrl+C to interrupt)"}}}, nil)
	aider = reported(agent{
		name:    "aider",
		program: proc.Program{Names: []string{"aider"}, Modules: []string{"aider"}},
		profile: Profile{Yes: "`Yes` is for once, `Don't ask again` for good.", AnsweredBy: "nothing: at the terminal"},
		dialog:  (*screen.Layout).Typed,
		signs:   signs{mark: reportedMark("Aider v")},
	}, []sign{{within: screen.StatusRows, holds: []string{"Waiting for "}}}, nil)
	amp = reported(agent{
		name:    "amp",
		program: proc.Program{Names: []string{"amp"}, Packages: []string{"@sourcegraph/amp"}},
		environ: []string{"AMP_CURRENT_THREAD_ID"}, // other programs' lists of such variables
	}, []sign{{within: reportedWork, holds: []string{"esc to cancel", "Esc to cancel"}}}, nil)
	droid = reported(agent{
		name:    "droid",
		program: proc.Program{Names: []string{"droid"}, Packages: []string{"@factory/cli"}},
		profile: Profile{About: "Run by hand in its air-gapped mode (0.215.0): its permissions, questions and plans are told, and it lights answers by a colour alone, which proves no key."},
	}, []sign{{within: screen.WorkRows, holds: []string{"Esc to stop", "ESC to stop"}}}, nil)
)

// reportedWork are the rows in which such an agent says that it works. No capture shows how much is below them, so few are looked at.
const reportedWork = 6

// reportedInput is an input box that such a sign begins, and what that says while it is empty. Further up the sign begins other rows.
func reportedInput(sign string, says ...string) func(l *screen.Layout) *screen.Composer {
	return screen.Input{Sign: sign, Margin: 4, Within: 6, Hints: says}.In
}

// reportedMark are words on the screen of such an agent that are its own.
func reportedMark(words ...string) func(l *screen.Layout) bool {
	return shows(sign{within: screen.MarkRows, holds: words})
}

// reported is such an agent, which shows by one of its lowest rows that it works, and whose labels mean what is known of them.
func reported(a agent, works []sign, labels []meaning) agent {
	a.byStructure, a.working, a.volatile = true, shows(works...), changes(works...)
	a.profile.About = cmp.Or(a.profile.About, "Nobody has run it with nod: its dialogs are known from other projects' sources alone.") +
		" It is read by structure: nod has no key for it but those that a row prints, and Enter on a highlight that is proven."
	a.profile.Yes = cmp.Or(a.profile.Yes, "Read from each label.")
	if a.composer == nil {
		a.composer = screen.AnyInput.In
	}
	if a.dialog == nil {
		a.dialog = func(l *screen.Layout) *screen.Dialog {
			d := l.LiveDialog()
			if d == nil {
				return l.Spelled() // drawn as nobody reported, it is told all the same
			}
			d.Means = means(labels, d.Means)
			return d
		}
	}
	return a
}

// withoutCliclack is l without the sign, the bar and the corner at the left of a question and its list, as cliclack draws them.
func withoutCliclack(l *screen.Layout) *screen.Layout {
	corner := l.LineBefore(len(l.Lines), func(i int) bool { return l.Lines[i].First() == '└' })
	if corner < 0 {
		return l
	}
	col, top := l.Lines[corner].Col, corner
	begins := func(i int, glyphs string) bool {
		return i >= 0 && l.Lines[i].Col == col && strings.ContainsRune(glyphs, l.Lines[i].First())
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
