package agents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// randomDialog is a dialog of an agent that does not exist: how it looks is drawn by lot, and it answers to keys as it looks.
type randomDialog struct {
	options []randomOption
	marked  int
	keys    []string // the key that chooses each option at once, where one is printed
	list    string   // how options are drawn
	mark    string   // how the highlight is
	around  string   // what stands around the dialog
	command string
	footer  bool
	loud    bool // the refusal is drawn in a colour of its own, marked or not
	dead    bool // printed numbers do nothing
	above   string
	title   string
	ask     []string // what is asked, right above the options
	keysRow string   // what the keys do; empty: as a footer usually says
	beneath []string // what is below the dialog
	side    []string // what is in a panel at its right
	lit     bool     // the option that a glyph marks is drawn in a colour
	narrow  bool     // labels have room for two words in a row
}

type randomOption struct {
	label string
	scope screen.Scope
}

var (
	onceLabels    = []string{"Yes", "Allow", "Allow once", "Approve", "Accept", "Yes, proceed", "Run once", "Proceed", "Yes, just this once"}
	noLabels      = []string{"No", "Deny", "Reject", "Decline", "No, cancel", "Don't run", "Refuse"}
	lastingLabels = []string{
		"Always allow", "Yes, and don't ask again", "Allow for this session", "Yes, for the rest of this conversation", "Allow all",
		"Yes, and switch to auto mode", "Trust this tool", "Approve everything from now on", "Accept all edits", "Run this whenever asked",
	}
	otherLabels = []string{"Show details", "Explain the command", "Never allow", "Always deny"}
)

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func inventDialog(rng *rand.Rand) *randomDialog {
	d := &randomDialog{
		list:   pick(rng, []string{"1.", "1)", "1:", "[1]", "radio", "bare", "bare", "[y]", "(y)", "across", "across [y]"}),
		mark:   pick(rng, []string{"❯", "›", "▶", "→", ">", "●", "┃", "▌", "ground", "reverse", "letters", "bold", "underline"}),
		around: pick(rng, []string{"nothing", "rule", "frame", "bar", "popup"}),
		footer: rng.IntN(4) > 0, loud: rng.IntN(4) == 0, dead: rng.IntN(5) == 0,
		command: pick(rng, []string{"rm -rf build", "git push --force", "curl -s http://127.0.0.1/x | sh", "make install"}),
		above:   "● I will do it now.\n\n", title: "Tool call", ask: []string{"Do you want to run this?"},
	}
	if d.across() && strings.Contains("┃▌", d.mark) {
		d.mark = "❯" // between buttons a bar only parts
	}
	d.options = []randomOption{{pick(rng, onceLabels), screen.Once}, {pick(rng, noLabels), screen.No}}
	for range rng.IntN(3) {
		d.options = append(d.options, randomOption{pick(rng, lastingLabels), screen.Always})
	}
	if rng.IntN(4) == 0 {
		d.options = append(d.options, randomOption{pick(rng, otherLabels), screen.Other})
	}
	rng.Shuffle(len(d.options), func(i, j int) { d.options[i], d.options[j] = d.options[j], d.options[i] })
	d.marked = rng.IntN(len(d.options))
	for i := range d.options {
		switch d.list {
		case "1.", "1)", "1:", "[1]":
			d.keys = append(d.keys, fmt.Sprint(i+1))
		case "[y]", "(y)", "across [y]":
			d.keys = append(d.keys, string(rune('p'+i)))
		default:
			d.keys = append(d.keys, "")
		}
	}
	return d
}

// spoil may change a dialog as no program with care draws it: one key for two options, no plain yes, a label that is cut, a narrow
// column. Or a pop-up is quoted above it.
func (d *randomDialog) spoil(rng *rand.Rand) {
	n := len(d.options) - 1
	switch i := rng.IntN(n + 1); rng.IntN(12) {
	case 0, 1:
		d.keys[n] = d.keys[rng.IntN(n)]
	case 2:
		d.options[i] = randomOption{pick(rng, lastingLabels), screen.Always}
	case 3:
		d.options[i] = randomOption{pick(rng, []string{"Yes…", "…Allow", "Yes?"}), screen.Other}
	case 4:
		quoted := inventDialog(rng)
		quoted.around = "popup"
		d.above = quoted.String() + d.above
	}
	d.narrow = rng.IntN(8) == 0
}

func (d *randomDialog) across() bool { return strings.HasPrefix(d.list, "across") }

// highlights are the looks that mark an option where no glyph does.
var highlights = map[string]string{"ground": "\x1b[44m", "reverse": "\x1b[7m", "letters": "\x1b[36m", "bold": "\x1b[1m", "underline": "\x1b[4m"}

// option is how option i is drawn, without the glyph of a highlight.
func (d *randomDialog) option(i int) string {
	label, key := d.options[i].label, d.keys[i]
	text := label
	switch d.list {
	case "radio":
		text = map[bool]string{true: "(●) ", false: "(○) "}[i == d.marked] + label
	case "1.", "1)", "1:":
		text = key + d.list[1:] + " " + label
	case "[1]", "[y]", "across [y]":
		text = "[" + key + "] " + label
	case "(y)":
		text = label + " (" + key + ")"
	}
	look := ""
	if d.loud && d.options[i].scope == screen.No {
		look = "\x1b[37;41m"
	}
	if i == d.marked {
		look += highlights[d.mark]
		if d.lit {
			look += "\x1b[34m"
		}
	}
	if look == "" {
		return text
	}
	return look + text + "\x1b[0m"
}

// rows are the rows of the dialog.
func (d *randomDialog) rows() []string {
	rows := append([]string{d.title, "", "  " + d.command, ""}, append(slices.Clone(d.ask), "")...)
	glyph := func(i int) string {
		switch {
		case d.list == "radio" || highlights[d.mark] != "":
			return ""
		case i == d.marked:
			return d.mark + " "
		}
		return "  "
	}
	var line []string
	for i := range d.options {
		line = append(line, glyph(i)+d.option(i))
	}
	switch {
	case d.across():
		rows = append(rows, strings.Join(line, "    "))
	case d.narrow:
		for i, option := range line {
			words := strings.SplitN(d.options[i].label, " ", 3)
			if len(words) < 3 {
				rows = append(rows, option)
				continue
			}
			begin, rest, _ := strings.Cut(option, " "+words[2])
			at := len([]rune(screen.Parse(begin).Rows[0].Text)) - len(words[0]+" "+words[1])
			rows = append(rows, begin, strings.Repeat(" ", at)+words[2]+rest)
		}
	default:
		rows = append(rows, line...)
	}
	switch {
	case d.footer && d.keysRow != "":
		rows = append(rows, "", d.keysRow)
	case d.footer:
		rows = append(rows, "", map[bool]string{true: "←/→ choose", false: "↑/↓ select"}[d.across()]+" · enter confirm · esc cancel")
	}
	return rows
}

func (d *randomDialog) String() string {
	rows := d.rows()
	plain := func(s string) int { return len([]rune(screen.Parse(s).Rows[0].Text)) }
	wide := 40
	for _, row := range rows {
		if row != "" {
			wide = max(wide, plain(row)+2)
		}
	}
	pad := func(row string) string {
		n := 0
		if row != "" {
			n = plain(row)
		}
		return row + strings.Repeat(" ", wide-n)
	}
	var b strings.Builder
	b.WriteString(d.above)
	switch d.around {
	case "rule":
		b.WriteString(strings.Repeat("─", map[bool]int{true: 110, false: 84}[d.side == nil]) + "\n")
	case "frame":
		b.WriteString("╭" + strings.Repeat("─", wide+2) + "╮\n")
	case "popup":
		b.WriteString("  Working on the par╭" + strings.Repeat("─", wide+2) + "╮er words\n")
	}
	for i, row := range rows {
		switch d.around {
		case "nothing", "rule":
			b.WriteString(" " + row + "\n")
		case "frame":
			b.WriteString("│ " + pad(row) + " │\n")
		case "bar":
			b.WriteString("  ┃ " + row + "\n")
		case "popup":
			b.WriteString([]string{"  text that goes on ", "                    ", "  and is covered by "}[i%3] + "│ " + pad(row) + " │ \n")
		}
	}
	switch d.around {
	case "frame":
		b.WriteString("╰" + strings.Repeat("─", wide+2) + "╯\n")
	case "popup":
		b.WriteString("  text of the conver╰" + strings.Repeat("─", wide+2) + "╯\n\n  below it, and more\n\n esc cancel · ctrl+p commands\n")
	}
	for _, row := range d.beneath {
		b.WriteString(row + "\n")
	}
	return d.beside(b.String())
}

// beside draws the panel at the right of the screen.
func (d *randomDialog) beside(shown string) string {
	if d.side == nil {
		return shown
	}
	const col = 86
	var b strings.Builder
	for i, row := range strings.Split(strings.TrimRight(shown, "\n"), "\n") {
		row, n := strings.TrimRight(row, " "), 0
		if row != "" {
			n = len([]rune(screen.Parse(row).Rows[0].Text))
		}
		b.WriteString(row + strings.Repeat(" ", max(col-n, 0)) + "\x1b[0m\x1b[2m│ " + d.side[i%len(d.side)] + "\x1b[0m\n")
	}
	return b.String()
}

// press is what a key does to the dialog: it chooses an option, or moves the highlight, or does nothing.
func (d *randomDialog) press(key string) (chosen int, moved bool) {
	next, prev := "Down", "Up"
	if d.across() {
		next, prev = "Right", "Left"
	}
	n := len(d.options)
	switch key {
	case next:
		d.marked = (d.marked + 1) % n
		return -1, true
	case prev:
		d.marked = (d.marked + n - 1) % n
		return -1, true
	case "Enter":
		return d.marked, false
	}
	if d.dead {
		return -1, false
	}
	for i := range slices.Backward(d.keys) { // of two options with the same key, the lower one takes it
		if d.keys[i] == key {
			return i, false
		}
	}
	return -1, false
}

// answer gives the dialog an answer as nod does: one key at a time, each after a look that proves the one before. It returns the option that
// was taken; -1: none was.
func (d *randomDialog) answer(decision screen.Decision) int {
	r := Read("nobody", screen.Parse(d.String()))
	if r.State != screen.Permission {
		return -1
	}
	for _, step := range r.Prompt.Steps(decision) {
		if chosen, _ := d.press(step.Key); chosen >= 0 || step.Last {
			return chosen
		}
		if p := Read("nobody", screen.Parse(d.String())).Prompt; !r.Prompt.Same(p) || p.Highlighted != step.Lights-1 {
			return -1 // the highlight did not follow
		}
	}
	return -1
}

// TestNoWrongKeyInARandomDialog: of dialogs that nobody has drawn before, y takes the one option whose whole label says yes to this once,
// and n one that says no, or they take none at all.
func TestNoWrongKeyInARandomDialog(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	told, answered := 0, 0
	dialogs := tries(2500)
	for range dialogs {
		d := inventDialog(rng)
		d.spoil(rng)
		shown := d.String()
		r := Read("nobody", screen.Parse(shown))
		if r.State.Asks() {
			told++
		}
		yes, no := *d, *d
		took, refused := yes.answer(screen.Approve), no.answer(screen.Deny)
		if took >= 0 && d.options[took].scope != screen.Once {
			t.Fatalf("y takes %q: %q; %q\n%s", d.options[took].label, r.Prompt.Approve, r.Why, screen.Parse(shown).Tail(30))
		}
		if refused >= 0 && d.options[refused].scope != screen.No {
			t.Fatalf("n takes %q: %q; %q\n%s", d.options[refused].label, r.Prompt.Deny, r.Why, strings.Join(screen.Parse(shown).Tail(30), "\n"))
		}
		if took >= 0 && refused >= 0 {
			answered++
		}
	}
	t.Logf("%d dialogs, %d told, %d answered by y and n", dialogs, told, answered)
	if told < dialogs*9/10 || answered < dialogs/2 {
		t.Errorf("of %d dialogs %d are told and %d can be answered: the test proves little", dialogs, told, answered)
	}
}

// TestARowAboveTheListMayBeTheMarkedOne: an answer that is drawn in a colour of its own is not the one that Enter takes.
func TestARowAboveTheListMayBeTheMarkedOne(t *testing.T) {
	for _, look := range []string{"\x1b[44m", "\x1b[7m", "\x1b[1m", "\x1b[4m", "\x1b[36m"} {
		shown := "● I will do it now.\n\n" + strings.Repeat("─", 60) + "\n Tool call\n\n   git push --force\n\n Do you want to run this?\n\n " +
			look + "Show details\x1b[0m\n \x1b[37;41mDeny\x1b[0m\n Yes, and don't ask again\n Allow\n\n ↑/↓ select · enter confirm · esc cancel\n"
		p := Read("nobody", screen.Parse(shown)).Prompt
		if p == nil || p.Highlighted >= 0 || len(p.Approve) > 0 || slices.Contains(p.Deny, "Enter") {
			t.Errorf("%q: %+v", look, p)
		}
	}
}
