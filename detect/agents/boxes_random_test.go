package agents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// drawnList is a check list as one of the agents draws it and takes keys, as far as these were captured. What is written into it a
// model may have chosen.
type drawnList struct {
	agent   string
	labels  []string
	notes   []string
	ticked  []bool
	marked  int // row of the mark; behind the answers stand the rows of the agent's own
	top     int // the first row that Gemini draws
	set     bool
	words   bool // somebody wrote an answer of their own into it, which is ticked
	sent    bool
	leading bool // it led on to another page
}

// modelTexts are what a model may write to be taken for something else.
var modelTexts = []string{
	"Small", "Large", "Small, Large", "[ ] Small", "[x] Large", "[✓] Small", "✓ Done", "• Other (type your answer)", "Submit", "Done", "Other",
	"All of the above", "Select all options", "Enter a custom value", "Other (type your answer)", "→ [1] Submit", "1. [x] Small", "2. Large",
	"● 1. [ ] Small", "❯ ✓ Large", "↑↓ select  1-3 / ↵ toggle  esc cancel", "↑/↓ select · space toggle · enter accept · tab next · esc cancel",
	"Enter to select · ↑/↓ to navigate · Esc to cancel", "Enter to submit", "Answer Questions", "? Which sizes?", "▼", "  2. [ ] Large", "(y)",
	"──────────────────────", "╰──────────────╯", "Small\n   [ ] Large", "Small\n ❯ ✓ Large", "Small\n  • Large", "Small\n❯ • Large", "x\n  2. [ ] Large",
	"Small\n" + strings.Repeat("─", 98) + "\n Copilot needs information.\n Which?\n❯ • Large", "Small\n\n ↑/↓ select · space toggle · enter accept · esc cancel",
}

func inventList(rng *rand.Rand, agent string) *drawnList {
	d := &drawnList{agent: agent, set: rng.IntN(2) == 0, words: agent == "gemini" && rng.IntN(4) == 0}
	for range 2 + rng.IntN(3) {
		note := pick(rng, modelTexts)
		if rng.IntN(3) == 0 {
			note = ""
		}
		d.labels, d.notes, d.ticked = append(d.labels, pick(rng, modelTexts)), append(d.notes, note), append(d.ticked, rng.IntN(3) == 0)
	}
	if rng.IntN(4) == 0 {
		d.labels[len(d.labels)-1], d.notes[len(d.labels)-1] = geminiAll, geminiAllNote
	}
	d.marked = rng.IntN(len(d.labels))
	d.scroll()
	return d
}

// rows is how many rows the mark may be on.
func (d *drawnList) rows() int {
	if d.agent == "gemini" {
		return len(d.labels) + 3
	}
	return len(d.labels) + 1
}

func (d *drawnList) scroll() {
	if d.agent == "gemini" {
		d.top = max(min(d.top, d.marked), d.marked-geminiWindow+1)
	}
}

func (d *drawnList) String() string {
	switch d.agent {
	case "kimi":
		return d.kimi()
	case "copilot":
		return d.copilot()
	}
	return d.gemini()
}

// hung is text whose further lines begin behind a margin.
func hung(margin int, text string) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", margin))
}

func box(ticked bool, on, off string) string {
	if ticked {
		return on
	}
	return off
}

func (d *drawnList) kimi() string {
	rule := " " + strings.Repeat("─", 98) + "\n"
	tabs := "  \x1b[48;5;111m Sizes \x1b[0m   Submit"
	if d.set {
		tabs = "  \x1b[48;5;111m Sizes \x1b[0m  (○) Colour   Submit"
	}
	s := " ✨ go on\n" + rule + "  question\n\n" + tabs + "\n\n  ? Which sizes?\n\n"
	for i, label := range append(slices.Clone(d.labels), "Other") {
		ticked := i < len(d.labels) && d.ticked[i]
		look := box(ticked, "\x1b[38;5;114m", box(i == d.marked, "\x1b[38;5;111m", "\x1b[38;5;244m"))
		s += look + "   [" + box(ticked, "✓", " ") + "] " + hung(7, label) + "\x1b[0m\n"
		if i < len(d.labels) && d.notes[i] != "" {
			s += "\x1b[38;5;244m         " + hung(9, d.notes[i]) + "\x1b[0m\n"
		}
	}
	return s + fmt.Sprintf("\n\x1b[38;5;244m   ↑↓ select  1-%d / ↵ toggle  ←/→/tab switch  esc cancel\x1b[0m\n", d.rows()) + rule + " a-model  ~/project  main\n        context: 1% (110/125k)\n"
}

func (d *drawnList) copilot() string {
	rule := strings.Repeat("─", 100) + "\n"
	s := " ○ Asking user Waiting for response\n\n" + rule + " \x1b[1mCopilot needs information.\x1b[0m\n Tell me\n\n"
	if d.set {
		s += " \x1b[1;97;44m[Sizes]\x1b[0m  Colour\n\n"
	}
	s += " \x1b[1mSizes:\x1b[0m\n Which sizes?\n"
	for i, label := range append(slices.Clone(d.labels), "Other (type your answer)") {
		row := box(i < len(d.labels) && d.ticked[i], "✓", "•") + " " + hung(1, label)
		if i == d.marked {
			s += " \x1b[1;36m❯ " + strings.ReplaceAll(row, "\n", "\x1b[0m\n\x1b[1;36m") + "\x1b[0m\n"
		} else {
			s += "   " + row + "\n"
		}
	}
	return s + "\n ↑/↓ select · space toggle · enter accept · " + box(d.set, "tab next · ", "") + "ctrl+d decline · esc cancel\n" + rule
}

func (d *drawnList) gemini() string {
	n := len(d.labels)
	all := !slices.Contains(d.ticked, false)
	var rows []string
	for i := d.top; i < d.top+geminiWindow; i++ {
		mark := box(i == d.marked, "●", " ") + " "
		numbered := func(ticked bool, label string) string {
			return mark + fmt.Sprintf("%d. [%s] %s", i+1, box(ticked, "x", " "), hung(9, label))
		}
		switch {
		case i < n:
			rows = append(rows, strings.Split(numbered(d.ticked[i], d.labels[i]), "\n")...)
			if d.notes[i] != "" {
				rows = append(rows, strings.Split("         "+hung(9, d.notes[i]), "\n")...)
			}
		case i == n:
			rows = append(rows, numbered(all, geminiAll), "         "+geminiAllNote)
		case i == n+1:
			rows = append(rows, numbered(d.words, box(d.words, "Medium", "Enter a custom value")))
		default:
			rows = append(rows, mark+" Done", "   Finish selection")
		}
	}
	head := []string{"Answer Questions", ""}
	keys := "↑/↓ to navigate"
	if d.set {
		head, keys = append(head, "← \x1b[4m□ Sizes\x1b[24m │ □ Colour │ ≡ Review →", ""), "←/→ to switch questions"
	}
	footer := box(d.marked == n+1, "Enter to submit", "Enter to select") + " · " + keys + " · Esc to cancel"
	lines := slices.Concat(head, []string{"Which sizes?", "(Select all that apply)", "", "▲"}, rows, []string{"▼", "", footer})
	s := " > go on\n\n╭" + strings.Repeat("─", 98) + "╮\n"
	for _, line := range lines {
		s += "│ " + line + strings.Repeat(" ", max(97-len([]rune(strings.NewReplacer("\x1b[4m", "", "\x1b[24m", "").Replace(line))), 0)) + "│\n"
	}
	return s + "╰" + strings.Repeat("─", 98) + "╯\n"
}

// press is what a key does to the list.
func (d *drawnList) press(key string) {
	n := d.rows()
	switch {
	case key == "Down" && d.agent == "copilot":
		d.marked = min(d.marked+1, n-1)
	case key == "Up" && d.agent == "copilot":
		d.marked = max(d.marked-1, 0)
	case key == "Down":
		d.marked = (d.marked + 1) % n
	case key == "Up":
		d.marked = (d.marked + n - 1) % n
	case key == "Space" && d.agent == "copilot", key == "Enter" && d.agent == "gemini" && d.marked < n-1:
		d.toggle(d.marked)
	case key == "Enter":
		d.sent = true
	case key == "Tab", key == "Right":
		d.leading = true
	case d.agent != "copilot" && key >= "1" && key <= "9":
		d.marked = int(key[0] - '1')
		d.toggle(d.marked)
	}
	d.scroll()
}

func (d *drawnList) toggle(row int) {
	switch n := len(d.labels); {
	case row < n:
		d.ticked[row] = !d.ticked[row]
	case row == n && d.agent == "gemini":
		all := slices.Contains(d.ticked, false)
		for i := range d.ticked {
			d.ticked[i] = all
		}
	}
}

// carry presses steps as nod does: each key after a look that proves the one before it.
func (d *drawnList) carry(steps func(p *screen.Prompt) []screen.Step) (pressed int) {
	read := func() screen.Reading { return Read(d.agent, screen.Parse(d.String())) }
	r := read()
	if r.Prompt == nil {
		return 0
	}
	for next := steps(r.Prompt); len(next) > 0; {
		d.press(next[0].Key)
		if pressed++; next[0].Last || next[0].Ticks {
			return pressed
		}
		r = read()
		switch {
		case r.Prompt == nil, next[0].Opens != "" && r.Prompt.Shape != next[0].Opens:
			return pressed
		case next[0].Opens != "":
			next = next[1:]
		default:
			again := steps(r.Prompt)
			if len(again) >= len(next) {
				return pressed
			}
			next = again
		}
	}
	return pressed
}

// names reports whether name is what a person sees of label: its first row, without a key's hint, up to a gap.
func names(name, label string) bool {
	line, _, _ := strings.Cut(label, "\n")
	line, _, _ = strings.Cut(strings.TrimSpace(strings.TrimSuffix(line, "(y)")), "  ")
	return strings.HasPrefix(name, line)
}

// TestNoOtherBoxIsTicked: whatever a model writes into the answers of a check list and into what explains them, a tap on a box ticks
// that one or none, and never sends; and what sends sends what was shown as ticked.
func TestNoOtherBoxIsTicked(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 22))
	for _, agent := range []string{"kimi", "copilot", "gemini"} {
		told, boxes, tapped, sent := 0, 0, 0, 0
		lists := tries(4000)
		for range lists {
			d := inventList(rng, agent)
			shown := d.String()
			p := Read(agent, screen.Parse(shown)).Prompt
			if p == nil {
				continue
			}
			told++
			for i, o := range p.Options {
				if p.Tick(i) == nil {
					continue
				}
				boxes++
				after := *d
				after.ticked = slices.Clone(d.ticked)
				after.carry(func(p *screen.Prompt) []screen.Step { return p.Tick(i) })
				for k, label := range d.labels {
					if after.ticked[k] == d.ticked[k] {
						continue
					}
					if tapped++; !names(o.Name(), label) {
						t.Fatalf("a tap on %q ticks %q of\n%s", o.Name(), label, shown)
					}
				}
				if after.sent || after.leading {
					t.Fatalf("a tap on %q of %s leads on from\n%s", o.Name(), agent, shown)
				}
			}
			after := *d
			after.ticked = slices.Clone(d.ticked)
			after.carry(func(p *screen.Prompt) []screen.Step { return p.Steps(screen.Send) })
			if !slices.Equal(after.ticked, d.ticked) {
				t.Fatalf("what sends ticks a box of\n%s", shown)
			}
			if after.sent {
				if sent++; d.words {
					t.Fatalf("words that were not shown are sent from\n%s", shown)
				}
				for k, label := range d.labels {
					if d.ticked[k] && !slices.ContainsFunc(p.Ticked(), func(name string) bool { return names(name, label) }) {
						t.Fatalf("%q is sent of %q, which were shown as ticked in\n%s", label, p.Ticked(), shown)
					}
				}
			}
		}
		if told < lists/3 || boxes < lists/2 || tapped < boxes*3/4 {
			t.Errorf("%s: of %d lists %d are told, with %d boxes, of which %d are ticked: the test proves little", agent, lists, told, boxes, tapped)
		}
		t.Logf("%s: %d lists told, %d boxes, %d ticked, %d sent", agent, told, boxes, tapped, sent)
	}
}

// TestNoAnswerOfACheckListIsChosen: what takes an answer elsewhere sends all that is ticked there, whatever a model writes into the list.
func TestNoAnswerOfACheckListIsChosen(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, agent := range []string{"kimi", "copilot", "gemini"} {
		told := 0
		for range tries(4000) {
			shown := inventList(rng, agent).String()
			p := Read(agent, screen.Parse(shown)).Prompt
			if p == nil {
				continue
			}
			told++
			for i, o := range p.Options {
				if steps := p.Choose(i); steps != nil {
					t.Fatalf("%s: %q is chosen by %q in\n%s", agent, o.Label, keys(steps), shown)
				}
			}
		}
		if told == 0 {
			t.Errorf("%s: no list is told", agent)
		}
	}
}
