package message

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/words"
)

// The parts of a message about a question's answers.

// reviews reports whether the question is the page that shows all answers before they are sent.
func (r Renderer) reviews() bool { return strings.HasSuffix(r.Prompt.Shape, "_review") }

// page says which question of a set this is; empty: the screen does not prove it, or there is no other.
func (r Renderer) page() string {
	switch {
	case r.Prompt.Pages < 2:
		return ""
	case r.Prompt.Page > 0:
		return fmt.Sprintf("Question %d of %d", r.Prompt.Page, r.Prompt.Pages)
	case r.reviews():
		return fmt.Sprintf("The answers to %d questions, before they are sent", r.Prompt.Pages)
	}
	return ""
}

// pageLine returns page as a line of its own, if there is one.
func (r Renderer) pageLine() []string {
	if page := r.page(); page != "" {
		return []string{page}
	}
	return nil
}

func (r Renderer) howToChoose() string {
	if _, _, ok := r.YesNo(); ok {
		return "Reply y or n."
	}
	lines := r.optionLines()
	how := ""
	switch {
	case r.Prompt.Ticks() != "":
		how = r.howToTick()
		if r.Prompt.More {
			how += " There may be more answers below these: tick those at the terminal."
		}
	case len(r.labels) == 0 && len(r.Prompt.Send) > 0:
		how = "Tap " + r.sends() + ", or reply with send. Nothing was sent yet."
	case len(r.labels) == 0 && r.Prompt.TextField:
		how = "Reply with your words."
	case len(r.labels) == 0 && !r.Prompt.Why.IsZero():
		how = "You can't answer it from here: " + r.sentence(words.Why(r.Prompt.Why))
	case len(r.labels) == 0:
		how = "You can't answer it from here: nod could not read its options. Answer at the terminal."
	case r.Prompt.AtTerminal && !r.Prompt.Why.IsZero():
		how = "You can't answer it from here: " + r.sentence(words.Why(r.Prompt.Why))
	case r.Prompt.AtTerminal:
		how = "You can't answer it from here: its screen does not show how to choose. Answer at the terminal."
	case r.fillsIn():
		return "Reply with the value, or tap."
	case r.Prompt.TextField, r.Prompt.Writes > 0:
		how = "Tap an answer, reply with its number, or with your own words."
	case len(r.labels) > maxChoices: // not all of them have a button
		how = "Tap an answer, or reply with its number."
	}
	if how != "" {
		lines = append(lines, how)
	}
	return strings.Join(lines, "\n")
}

// howToTick says how to answer a check list.
func (r Renderer) howToTick() string {
	switch {
	case !r.Prompt.Tickable:
		return "You can't tick its boxes from here: nod is not sure of the key. Answer at the terminal."
	case len(r.Prompt.Send) == 0 && len(r.Prompt.Ticked()) == 0:
		return "Tap a box to tick it, or reply with its number. Nothing is sent before you say so."
	case len(r.Prompt.Send) == 0:
		return "Tap a box, or reply with its number. nod knows no key that sends it: do that at the terminal."
	case r.Prompt.Ends && r.Prompt.Pages > 1:
		return "Tap a box, or reply with its number; " + r.sends() + " sends what is ticked, and the answers to the other questions with it."
	}
	return "Tap a box, or reply with its number; " + r.sends() + " leads on with what is ticked."
}

// fillsIn reports whether the nudge asks for a form's value in words.
func (r Renderer) fillsIn() bool {
	return r.ofForm() && r.Prompt.TextField
}

// noteRoom is how much of an option's explanation is shown.
const noteRoom = 80

// optionLines returns the options, each with what it grants beyond this once.
func (r Renderer) optionLines() []string {
	var lines []string
	room := optionsRoom
	for i, o := range r.Prompt.Options {
		note, label := "", r.labels[i]
		if r.notes[i] != "" && o.Scope != screen.Text { // such an option has no explanation; the next row may be another's
			note = " — " + Cut(r.notes[i], noteRoom)
		}
		switch o.Scope {
		case screen.Session, screen.Always, screen.Mode:
			note += " (" + r.grants(i) + "; nod asks you first)"
		case screen.NoAlways:
			note += " (" + r.grants(i) + ")"
		case screen.Text:
			switch {
			case r.Prompt.Writes == i+1:
				note += " (reply with your words)"
			case !r.Prompt.TextField && r.Program() == nil:
				note += " (at the terminal)"
			}
		}
		if o.Tick != screen.NoBox {
			label = box(o.Tick) + " " + r.names[i]
		}
		line := Cut(fmt.Sprintf("%s. %s", r.OptionNumber(i), label), lineRoom-utf8.RuneCountInString(note)) + note
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			return append(lines, fmt.Sprintf("… and %d more: its screen shows them", len(r.labels)-i))
		}
		lines = append(lines, line)
	}
	return lines
}

// grants returns what option i grants beyond this once; empty: nothing.
func (r Renderer) grants(i int) string {
	label := strings.ToLower(r.Prompt.Options[i].Label)
	switch scope := r.Prompt.Options[i].Scope; scope {
	case screen.Session:
		return "for the rest of the session or turn"
	case screen.Always:
		return "from now on"
	case screen.NoAlways:
		return "never again"
	case screen.Mode:
		return grantsMode(label)
	}
	return ""
}

// grantsMode returns what a permission mode does, if its label names it.
func grantsMode(label string) string {
	switch {
	case strings.Contains(label, "bypass"):
		return "from now on it asks for nothing at all"
	case strings.Contains(label, "auto-accept edits"), strings.Contains(label, "accept edits"):
		return "from now on it edits files without asking"
	case strings.Contains(label, "auto mode"):
		return "from now on it runs and edits without asking you"
	case strings.Contains(label, "(ask each time)"):
		return "it begins the work, and asks each time"
	case strings.Contains(label, "manually approve"):
		return "it begins the work, and still asks before each edit"
	}
	return "switches a permission mode on"
}
