//go:build agents

package model

import "strings"

// Disguise is a command of several rows, one of which acts and looks as if it were no part of the command.
type Disguise struct {
	Name string // of the scenario
	Like string // what the row looks like
	rows []string
}

// Acts is what the row does that is disguised.
func (d Disguise) Acts() string { return ran(d.Name) }

// Disguises are the commands, each the scenario of its name. They run to their end whatever a shell makes of the rest: what
// is no command is not found.
func Disguises() []Disguise {
	acts := func(name string) string { return "; " + ran(name) + " #" }
	rule := strings.Repeat("─", 40)
	return []Disguise{
		{"rule", "a rule", []string{"rm -rf build", rule + acts("rule") + rule, "true"}},
		{"label", "a label", []string{"rm -rf build", "Reason: tidy" + acts("label"), "true"}},
		{"edge", "the edge of a box", []string{"rm -rf build", "╰" + rule + acts("edge") + rule + "╯", "true"}},
		{"aside", "a panel at the right", []string{"rm -rf build" + strings.Repeat(" ", 70) + acts("aside")}},
		{"unseen", "nothing, between characters that show nothing", []string{"rm -rf build\u200b\u2060\u202e" + acts("unseen"), "true"}},
		{"head", "what is above a dialog", append([]string{ran("head"), "cat > /dev/null <<'EOT'"}, append(heads(), "EOT", "rm -rf build")...)},
	}
}

// heads are the rows with which agents begin a dialog.
func heads() []string {
	return []string{
		strings.Repeat("─", 98), " Bash command", "", " Would you like to run the following command?", "  $ true",
		"╭" + strings.Repeat("─", 90) + "╮", "│ ?  Shell true", "┃ △ Permission required", "┃   # Shell command",
	}
}

func disguise(name string) (Disguise, bool) {
	for _, d := range Disguises() {
		if d.Name == name {
			return d, true
		}
	}
	return Disguise{}, false
}
