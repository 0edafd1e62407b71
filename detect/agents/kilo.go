package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// kilo is the Kilo CLI, a fork of OpenCode that draws the same panels. Its dialogs were captured from
// 7.0.33 and 7.7.9. Escape does not deny in it: it opens a dialog where Enter does.
var kilo = panelAgent(agent{
	name: "kilo",
	profile: Profile{
		About: "Kilo draws OpenCode's panel, but its Escape opens a second dialog, where Enter denies and another Escape goes back: " +
			"nod looks between the two, and gives the words of a denial there; in 7.0 Escape alone denies. It shows seven rows of a command, the rest cut without a mark, and " +
			"in 7.0 often nothing of it.",
		Yes: "`Allow always` is written down and lasts for good.",
	},
	program: proc.Program{Names: []string{"kilo", "kilocode"}, Packages: []string{"@kilocode/cli"}},
	environ: []string{"KILO"}, // 7.7.9, beside OPENCODE
	hooks:   panelHooks("kilo", "7.7.9"),
	signs:   signs{mark: func(l *screen.Layout) bool { return panelMark(l) && kiloSays(l) }},
}, kiloMenu, screen.Always)

// kiloMenu denies in two steps: Escape, or Enter on Reject, opens the dialog of kiloReject, whose empty field
// takes Enter. In 7.0.33 Escape alone denies.
var kiloMenu = screen.Keys{
	Enter: true, Second: true, Opens: "kilo.reject",
	Denies: []screen.Step{{Key: "Escape", Opens: "kilo.reject", Ends: true}, {Key: "Enter", Last: true}},
	Tells:  []screen.Step{{Key: "Escape", Opens: "kilo.reject", Ends: true}, {Key: "Enter", Words: "kilo.reject_words", Last: true}},
}

// kiloSays reports whether a word on the screen is Kilo's own.
var kiloSays = shows(
	sign{holds: []string{"Tell Kilo", "Kilo CLI", "kilo.ai", "by the code agent", "Snapshots for this repository"}},
	sign{begins: []string{"▣  Code · ", "Code · "}},
)

// kiloKeys are in the panel of the words, beside the last row of the field where there is room.
const kiloKeys = "enter confirm  esc cancel"

// kiloReject is the dialog that Escape opens. Enter sends its field: empty, it is a plain denial.
func kiloReject(l *screen.Layout) (p *screen.Prompt, covers bool) {
	title, end := l.PanelTitled(len(l.Lines), "△ Reject permission")
	if title < 0 || !panelConfirms(l) {
		return nil, false
	}
	at := l.NextWords(title+1, len(l.Lines))
	if at >= end || l.Lines[at].Text != "Tell Kilo what to do differently" {
		return nil, true
	}
	var typed []string
	for i := at + 1; i <= end; i++ {
		if words := strings.TrimSpace(strings.TrimSuffix(l.Lines[i].Text, kiloKeys)); words != "" {
			typed = append(typed, words)
		}
	}
	return denialField(l, title, len(l.Lines)-1, "kilo", "Reject permission", strings.Join(typed, "\n")), true
}
