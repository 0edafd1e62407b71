package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mattn/go-runewidth"

	"nod/detect/screen"
	"nod/internal/reason"
)

// inputBox is a recorded input box that is live, and where what is typed into it stands.
type inputBox struct {
	agent, file  string
	drawn        canvas
	row          int    // its first row
	first, later []cell // what is drawn before its first row's text, and before that of further ones
	side         []cell // what is drawn behind them
	room         int    // columns for text
}

// inputBoxes are the input boxes of recorded screens on which an agent is idle, each way of drawing one once.
func inputBoxes(t *testing.T) []inputBox {
	var all []inputBox
	seen := map[string]bool{}
	for _, l := range labels(t) {
		if l.State != screen.Idle {
			continue
		}
		text := capture(t, l.coloured())
		r := asRead(t, l.Agent, l.coloured())
		if r.Composer == nil {
			continue
		}
		c := canvasOf(text)
		box := boxAt(c, r.Composer.Row)
		box.agent, box.file = l.Agent, l.File
		below := ""
		if i := box.row + 1; i < len(c) {
			below = rowText(c[i])
		}
		if key := rowText(box.first) + rowText(box.side) + below; !seen[l.Agent+key] {
			seen[l.Agent+key] = true
			all = append(all, box)
		}
	}
	return all
}

// boxAt reads how the input box is drawn whose first row is row i.
func boxAt(c canvas, i int) inputBox {
	width := 0
	for _, row := range c {
		width = max(width, len(row))
	}
	b := inputBox{drawn: c, row: i}
	row := c[i]
	n := 0
	for n < len(row) && !unicode.IsLetter(row[n].char) && !unicode.IsDigit(row[n].char) && n < 8 {
		n++
	}
	last := strings.LastIndexAny(rowText(row[:n]), "❯>›●┃│ ")
	n = min(len([]rune(rowText(row[:n])[:max(last, 0)]))+2, len(row))
	b.first = slices.Clone(row[:n])
	for len(b.first) < 2 {
		b.first = append(b.first, cell{char: ' '})
	}
	for _, cl := range b.first {
		if strings.ContainsRune("❯>›●▋", cl.char) {
			cl.char = ' '
		}
		b.later = append(b.later, cl)
	}
	if end := []rune(rowText(row)); len(end) > 20 && strings.ContainsRune("│┃", end[len(end)-1]) {
		b.side = []cell{row[len(end)-1]}
	}
	b.room = width - len(b.first) - len(b.side) - 1
	return b
}

// holding is the screen with rows of text in the box, which grows for them.
func (b inputBox) holding(rows []string) canvas {
	var typed [][]cell
	for _, text := range rows {
		for first := true; first || text != ""; first = false {
			part := runewidth.Truncate(text, b.room, "")
			text = text[len(part):]
			before := b.later
			if len(typed) == 0 {
				before = b.first
			}
			row := append(slices.Clone(before), plainRow(part)...)
			if b.side != nil {
				row = append(row, plainRow(strings.Repeat(" ", max(b.room-runewidth.StringWidth(part)+1, 0)))...)
				row = append(row, b.side...)
			}
			typed = append(typed, row)
		}
	}
	return slices.Concat(b.drawn[:b.row], typed, b.drawn[b.row+1:])
}

// below is the screen with rows above the box, the last of what is there, and a blank one behind them.
func (b inputBox) below(rows [][]cell) canvas {
	top := b.row
	for top > 0 && strings.ContainsAny(rowText(b.drawn[top-1]), "─━▄▀╭┃") {
		top--
	}
	return slices.Concat(b.drawn[:top], rows, canvas{nil}, b.drawn[top:])
}

// recordedDialogs are the rows of every recorded dialog, one way of drawing each once.
func recordedDialogs(t *testing.T) [][][]cell {
	var dialogs [][][]cell
	seen := map[string]bool{}
	for _, l := range labels(t) {
		if !l.State.Asks() {
			continue
		}
		text := capture(t, l.coloured())
		p := asRead(t, l.Agent, l.coloured()).Prompt
		if p == nil {
			continue
		}
		version, _, _ := strings.Cut(l.File, "-")
		if way := fmt.Sprint(version, p.Shape, len(p.Options), p.Highlighted); !seen[way] {
			seen[way] = true
			dialogs = append(dialogs, canvasOf(text)[max(p.First-1, 0):p.Last+1])
		}
	}
	return dialogs
}

// TestWhatStandsInAnInputBoxIsNoDialog puts every recorded dialog into every recorded input box, as somebody pastes it.
func TestWhatStandsInAnInputBoxIsNoDialog(t *testing.T) {
	t.Parallel()
	everyBox(t, func(box inputBox, dialog [][]cell) canvas {
		rows := make([]string, len(dialog))
		for i, row := range dialog {
			rows[i] = rowText(row)
		}
		return box.holding(rows)
	})
}

// TestALiveInputBoxBelowWins puts every recorded dialog, with its colours, right above every recorded input box.
func TestALiveInputBoxBelowWins(t *testing.T) {
	t.Parallel()
	everyBox(t, inputBox.below)
}

// everyBox reads each recorded dialog and input box, put together, as the box's agent draws it, and as one that nobody has catalogued. A dialog
// between two bars is told without keys: an agent draws it so above its input box (arctic 0.0.0).
func everyBox(t *testing.T, together func(inputBox, [][]cell) canvas) {
	boxes, dialogs := inputBoxes(t), recordedDialogs(t)
	between := map[int]bool{}
	for _, box := range boxes {
		for i, dialog := range someOf(2, dialogs) {
			shown := together(box, dialog)
			s := screen.Parse(shown.String())
			for _, agent := range []string{box.agent, "nobody"} {
				r := Read(agent, s)
				if r.State == screen.Question && agent == "nobody" && r.Prompt.Why.Kind == reason.KeysInBox && r.Prompt.AtTerminal {
					continue // answers that print their keys right above a box are told, without keys
				}
				if r.State == screen.Question && r.Prompt.Why.Kind == reason.KeysUnsure && r.Prompt.AtTerminal {
					between[i] = true
					continue
				}
				if r.State.Asks() {
					t.Errorf("%s, read as %q: %s, approve %q\n%s", box.file, agent, r.State, r.Prompt.Approve, shown.plain())
				}
			}
		}
	}
	if most := len(dialogs) / 50; len(between) > most {
		t.Errorf("%d of %d dialogs are told above an input box, more than %d", len(between), len(dialogs), most)
	}
	if len(boxes) < 20 || len(dialogs) < 100 {
		t.Errorf("%d boxes and %d dialogs prove little", len(boxes), len(dialogs))
	}
}
