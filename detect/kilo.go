package detect

// kilo is the Kilo CLI, a fork of OpenCode that draws the same panels. Its dialogs were captured from
// 7.7.9. Escape does not deny in it: it opens a dialog where Enter does.
var kilo = agent{
	name:     "kilo",
	closed:   true,
	program:  program{names: []string{"kilo", "kilocode"}, packages: []string{"@kilocode/cli"}},
	tidy:     panelTidy,
	overlay:  panelOverlay,
	dialog:   kiloDialog,
	opened:   kiloReject,
	composer: panelComposer,
	working:  panelWorking,
	volatile: panelVolatile,
	mark:     func(v *view) bool { return panelMark(v) && kiloSays(v) },
}

// kiloMenu denies in two steps: Escape, or Enter on Reject, opens the dialog of kiloReject, whose empty field
// takes Enter.
var kiloMenu = menu{
	enter: true, second: true, opens: "kilo.reject",
	denies: []Step{{Key: "Escape", Opens: "kilo.reject"}, {Key: "Enter", Last: true}},
}

func kiloDialog(v *view) (*dialog, *found) { return panelDialog(v, kiloMenu, Always) }

// kiloSays reports whether a word on the screen is Kilo's own.
func kiloSays(v *view) bool {
	for i := range v.lines {
		if l := &v.lines[i]; l.kind == text && (holds(l.text, "Tell Kilo", "Kilo CLI", "kilo.ai", "by the code agent", "Snapshots for this repository") ||
			starts(l.text, "▣  Code · ", "Code · ")) {
			return true
		}
	}
	return false
}

// kiloReject is the dialog that Escape opens: an empty field, which Enter sends as a plain denial. With words
// in it the shape is another one, and no key is pressed.
func kiloReject(v *view) *Prompt {
	title := v.panelTitle("△ Reject permission", v.panelEnd())
	if title < 0 || !v.says(2, "enter confirm") {
		return nil
	}
	p := &Prompt{Agent: "kilo", Shape: "kilo.reject_words", Question: "Reject permission", Highlighted: -1, First: title, Last: len(v.lines) - 1}
	if at := title + 1; v.nextText(at) == "Tell Kilo what to do differently" {
		p.Shape = "kilo.reject"
	}
	p.Fingerprint = fingerprint(p)
	return p
}

// nextText is the first text from line i on.
func (v *view) nextText(i int) string {
	for ; i < len(v.lines); i++ {
		if v.lines[i].kind == text {
			return v.lines[i].text
		}
	}
	return ""
}
