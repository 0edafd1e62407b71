package actor

import (
	"strings"
	"time"
)

// verdict is the effect of a key on a prompt.
type verdict int

const (
	nothing verdict = iota
	redraw
	once    // runs this command, once
	widened // runs it, and will not ask for similar commands again
	denied
)

// dialog is an open prompt.
type dialog struct {
	highlight  int
	confirming bool // OpenCode's second panel, "Always allow"
	shown      time.Time
}

// program has the differences between the agents: how a prompt looks, and the effects of keys.
type program struct {
	screens  screens
	rows     func(v view, confirming bool) []string
	press    func(d *dialog, k key) verdict
	working  []string // spinner glyphs
	askTitle string   // of the pane while the agent asks; %s is the folder
	title    string
}

var programs = map[string]program{
	"claude":   {claudeScreens, claudeRows, pressClaude, []string{"✶", "✳", "✻", "✽", "✢", "·"}, "✳ Claude Code", "✳ Claude Code"},
	"codex":    {codexScreens, codexRows, pressCodex, []string{"•", "◦"}, "[ ! ] Action Required | %s", "%s"},
	"opencode": {openCodeScreens, opencodeRows, pressOpenCode, []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"}, "OC | %s", "OC | %s"},
}

const bold, plain = "\x1b[1m", "\x1b[22m"

func claudeRows(v view, _ bool) []string {
	var named []string
	for _, p := range parts(v.command) {
		named = append(named, bold+strings.ReplaceAll(p, "\n", " ")+plain)
	}
	return []string{
		"Yes",
		"Yes, and don't ask again for " + strings.Join(named, " and ") + " commands in " + bold + v.dir + plain,
		"Yes, and switch to auto mode\x1b[38;5;246m · auto mode handles these prompts for you",
		"No",
	}
}

// guard is how long Claude Code's prompt ignores keys after it was drawn (2.1.329: 6 of 7 keys within 0.1 s
// were lost, none from 0.15 s on).
const guard = 100 * time.Millisecond

// pressClaude: a digit answers at once, Escape denies, a digit beyond the list moves the highlight to the
// last row, Ctrl-c and letters have no effect.
func pressClaude(d *dialog, k key) verdict {
	if k.at.Sub(d.shown) < guard {
		return nothing
	}
	verdicts := []verdict{once, widened, widened, denied}
	switch k.name {
	case "1", "2", "3", "4":
		return verdicts[k.name[0]-'1']
	case "5", "6", "7", "8", "9":
		d.highlight = len(verdicts) - 1
		return redraw
	case "Enter":
		return verdicts[d.highlight]
	case "Escape":
		return denied
	case "Up", "Down":
		return d.move(k.name == "Down", len(verdicts), false)
	}
	return nothing
}

// move moves the highlight by one row.
func (d *dialog) move(forward bool, n int, around bool) verdict {
	step := n - 1
	if forward {
		step = 1
	}
	next := (d.highlight + step) % n
	if !around && (forward && next == 0 || !forward && next == n-1) {
		return nothing
	}
	d.highlight = next
	return redraw
}

func codexRows(v view, _ bool) []string {
	program, _, _ := strings.Cut(v.command, " ")
	return []string{
		"Yes, proceed (y)",
		"Yes, and don't ask again for commands that start with `" + program + "` (" + bold + "p" + plain + ")",
		"No, and tell Codex what to do differently (" + bold + "esc" + plain + ")",
	}
}

// pressCodex: letters and digits take effect at once, without Enter, from the first frame on.
func pressCodex(d *dialog, k key) verdict {
	switch k.name {
	case "y", "1":
		return once
	case "p", "2":
		return widened
	case "n", "3", "Escape", "C-c":
		return denied
	case "Enter":
		return []verdict{once, widened, denied}[d.highlight]
	case "Up", "Down":
		return d.move(k.name == "Down", 3, false)
	}
	return nothing
}

func opencodeRows(_ view, confirming bool) []string {
	if confirming {
		return []string{"Confirm", "Cancel"}
	}
	return []string{"Allow once", "Allow always", "Reject"}
}

// pressOpenCode: the arrows and Tab move a highlight that only colour shows, Enter chooses it, letters and
// digits have no effect. "Allow always" opens a second panel, from which Escape leads back.
func pressOpenCode(d *dialog, k key) verdict {
	n := 3
	if d.confirming {
		n = 2
	}
	switch k.name {
	case "Left", "BTab":
		return d.move(false, n, true)
	case "Right", "Tab":
		return d.move(true, n, true)
	case "Escape", "C-c":
		if d.confirming {
			d.confirming, d.highlight = false, 0
			return redraw
		}
		return denied
	case "Enter":
		switch {
		case d.confirming && d.highlight == 0:
			return widened
		case d.confirming:
			d.confirming, d.highlight = false, 0
			return redraw
		case d.highlight == 1:
			d.confirming, d.highlight = true, 0
			return redraw
		}
		return []verdict{once, nothing, denied}[d.highlight]
	}
	return nothing
}
