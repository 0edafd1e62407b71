package screen

import (
	"strconv"
	"strings"
	"testing"
)

// said writes the tokens of a lead: "cursor box 3 key=a button".
func (t lead) said() string {
	var words []string
	for _, w := range []struct {
		there bool
		word  string
	}{
		{t.cursor, "cursor"}, {t.hollow, "hollow"}, {t.button, "button"}, {t.box != "", t.box}, {t.number > 0, "number=" + strconv.Itoa(t.number)}, {t.key != "", "key=" + t.key},
	} {
		if w.there {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " ")
}

// TestLead reads what is before the labels of rows as programs draw them.
func TestLead(t *testing.T) {
	for _, c := range []struct{ row, said, label string }{
		{"❯ 1. Yes", "cursor number=1", "Yes"},
		{"  2. No, and tell Claude", "number=2", "No, and tell Claude"},
		{"  2) No", "number=2", "No"},
		{"  3: Always", "number=3", "Always"},
		{"  12. Yes", "number=12", "Yes"},
		{"  0. Yes", "", "0. Yes"},
		{"  123. Yes", "", "123. Yes"},
		{"  3:45 pm", "", "3:45 pm"},
		{"● 1. Allow once", "cursor number=1", "Allow once"},
		{"○ Blue", "hollow", "Blue"},
		{"› [ ] 3. Logging", "cursor [ ] number=3", "Logging"},
		{"  1. [✔] Small", "[✔] number=1", "Small"},
		{"  [ ] 2. Large", "[ ] number=2", "Large"},
		{"❯ ✓ Large", "cursor ✓", "Large"},
		{"→ [1] Red", "cursor key=1", "Red"},
		{"▶ [a] Trust this workspace", "cursor key=a", "Trust this workspace"},
		{"[A]llow [D]eny", "key=A", "llow [D]eny"},
		{"  (y) Yes", "key=y", "Yes"},
		{"  (yes) Yes", "", "(yes) Yes"},
		{"  Yes", "", "Yes"},
		{"❯Yes", "cursor", "Yes"},
	} {
		l := Lay(Parse(c.row))
		lead := l.Lines[0].lead
		if said, label := lead.said(), l.Lines[0].rest(lead.label); said != c.said || label != c.label {
			t.Errorf("%q is %q, %q; want %q, %q", c.row, said, label, c.said, c.label)
		}
	}
}

// TestRadioButtons are marks where several rows begin with one and at most one of them is chosen: else "(x)" is a key, or text.
func TestRadioButtons(t *testing.T) {
	for _, c := range []struct{ screen, said, label string }{
		{"1 (●) Yes\n2 (○) No", "cursor button number=1", "Yes"},
		{"z (○) Type your answer\n1 (○) No", "hollow button key=z", "Type your answer"},
		{"( ) Yes\n(x) No", "hollow button", "Yes"},
		{"(x) Yes\nNo", "key=x", "Yes"},
		{"(x) Yes\n(x) No", "key=x", "Yes"},
	} {
		l := Lay(Parse(c.screen))
		lead := l.Lines[0].lead
		if said, label := lead.said(), l.Lines[0].rest(lead.label); said != c.said || label != c.label {
			t.Errorf("%q is %q, %q; want %q, %q", c.screen, said, label, c.said, c.label)
		}
	}
}

// TestMenus finds the lowest menu of a screen, however its options are drawn.
func TestMenus(t *testing.T) {
	for _, c := range []struct {
		screen, labels string
		marked         int
		last           int
	}{
		{"Run?\n❯ 1. Yes\n  2. No", "Yes|No", 0, 2},
		{"Run?\n  1. Yes\n❯ 2. No,\n     and tell it", "Yes|No,", 1, 3},
		{"Run?\n❯ Yes\n  No", "Yes|No", 0, 2},
		{"Run?\n  Yes\n\n❯ No", "Yes|No", 1, 3},
		{"Run?\n-> Yes\n   No", "Yes|No", 0, 2},
		{"Run?\n[y] Yes\n[n] No", "Yes|No", -1, 2},
		{"Run?\n[A]llow [D]eny", "Allow|Deny", -1, 1},
		{"Run?\n  Allow   Deny", "Allow|Deny", -1, 1},
		{"Run?\n  ❯ Allow   Deny   enter confirm", "Allow|Deny", 0, 1},
		{"Wait\n  ❯ Open   Skip\n  Esc to cancel · ←/→ to switch", "Open|Skip", 0, 1},
		{"Wait\n  ❯ Open   Skip\n  Esc to cancel", "", 0, 0},
		{"Run?\n y allow   n deny", "allow|deny", -1, 1},
		{"Run?\n\nAllow once\nReject", "Allow once|Reject", -1, 3},
		{"1 (○) Yes\n2 (●) No\nz (○) Other", "Yes|No|Other", 1, 2},
		{"Run?\n  1. Yes\n  3. No", "", 0, 0},
		{"Run?", "", 0, 0},
	} {
		m, ok := Lay(Parse(c.screen)).anyMenu(nil)
		var labels []string
		for _, e := range m.Entries {
			labels = append(labels, e.Label)
		}
		if got := strings.Join(labels, "|"); ok != (c.labels != "") || ok && (got != c.labels || m.Marked != c.marked || m.Last != c.last) {
			t.Errorf("%q: %v %q, marked %d, last line %d; want %q, %d, %d", c.screen, ok, got, m.Marked, m.Last, c.labels, c.marked, c.last)
		}
	}
}

// TestMenusOfKnownLabels finds a menu that somebody has described by its labels where no word of it is known, and no other rows.
func TestMenusOfKnownLabels(t *testing.T) {
	for _, c := range []struct {
		screen string
		found  bool
		marked int
	}{
		{"Wirklich?\n\n Ja\n Nein", true, -1},
		{"Wirklich?\n\n❯ Ja\n\n  Nein", true, 0},
		{"Wirklich?\n\n  Ja     Nein", true, -1},
		{"Wirklich?\n\n  1. Ja\n❯ 2. Nein\n     (esc)", true, 1},
		{"Wirklich?\n\n \x1b[7mJa\x1b[0m\n Nein", true, 0},
		{"Wirklich?\n\n Ja\n Nein\n Vielleicht", false, 0},
		{"Wirklich?\n\n Vielleicht\n Ja\n Nein", false, 0},
		{"Wirklich?\n\n Ja\n Nein, nie", false, 0},
	} {
		l := Lay(Parse(c.screen))
		m, ok := l.options(&Form{Labels: []string{"Ja", "Nein"}})
		if ok != c.found || ok && m.Marked != c.marked {
			t.Errorf("%q: %v %+v, marked %d; want %v, %d", c.screen, ok, m.Entries, m.Marked, c.found, c.marked)
		}
		if m, ok := l.plain(nil); ok {
			t.Errorf("%q: %+v shows by itself to be a menu", c.screen, m.Entries)
		}
	}
}

// TestInRow reads options side by side, by each of what parts them: gaps, keys in brackets, keys before labels, grounds.
func TestInRow(t *testing.T) {
	gaps := func(l *Layout) (Menu, bool) { return l.gapped(0) }
	keys := func(l *Layout) (Menu, bool) { return l.keysInRow(0) }
	grounds := func(l *Layout) (Menu, bool) { return l.buttonsIn(0) }
	for _, c := range []struct {
		by     func(l *Layout) (Menu, bool)
		row    string
		said   string // the labels, with their keys
		marked int
	}{
		{gaps, "  Allow   Deny", "Allow|Deny", -1},
		{gaps, "  Allow (a)   Deny (d)", "Allow a|Deny d", -1},
		{gaps, "  ❯ Allow   Deny", "Allow|Deny", 0},
		{gaps, "  Allow   ❯ Deny", "Allow|Deny", 1},
		{gaps, "❯ Allow   ❯ Deny", "", 0}, // two cursors prove none
		{gaps, "  Allow   Deny   enter confirm", "Allow|Deny", -1},
		{gaps, "  < Allow >   < Deny >", "Allow|Deny", -1},
		{keys, "[A]llow [D]eny", "Allow A|Deny D", -1},
		{keys, "(y) Yes / (n) No", "Yes y|No n", -1},
		{keys, "▶ [a] Trust this workspace", "Trust this workspace a", 0},
		{keys, "  [y] Yes  [n] No:", "Yes y|No n", -1},
		{keys, "  Yes [y]", "", 0},
		{grounds, "\x1b[44m \x1b[4mA\x1b[24mllow \x1b[49m  \x1b[41m \x1b[4mD\x1b[24meny \x1b[0m", "Allow a|Deny d", -1},
		{grounds, "  Allow   Deny", "", 0},
	} {
		m, ok := c.by(Lay(Parse(c.row)))
		var said []string
		for _, e := range m.Entries {
			said = append(said, strings.TrimSpace(e.Label+" "+strings.Join(e.Hints, " ")))
		}
		if got := strings.Join(said, "|"); ok != (c.said != "") || ok && (got != c.said || m.Marked != c.marked) {
			t.Errorf("%q: %v %q, marked %d; want %q, %d", c.row, ok, got, m.Marked, c.said, c.marked)
		}
	}
}
