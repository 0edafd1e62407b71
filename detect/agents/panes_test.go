package agents

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nod/detect/screen"
)

// pane is the screen of a pane of that size on which a dialog was drawn: its agent breaks what is too long at blanks, and cuts off or leaves to
// the terminal what is below; of what is too high the bottom is seen. ok is false where the options do not fit.
func (d *randomDialog) pane(rng *rand.Rand, width, height int) (shown string, ok bool) {
	cutsOff := rng.IntN(2) == 0
	fit := func(rows []string, indent int) (all []string) {
		for _, row := range rows {
			n := 0
			if row != "" {
				n = len([]rune(screen.Parse(row).Rows[0].Text))
			}
			switch {
			case n <= width:
				all = append(all, row)
			case strings.Contains(row, "\x1b"), d.across() && strings.Contains(row, "    "):
				return nil // looks and rows of buttons are not broken
			case strings.Trim(row, "─━═┌┐└┘│ ") == "" || cutsOff && indent == 0:
				all = append(all, string([]rune(row)[:width-1])+"…")
			default:
				text := strings.TrimLeft(row, " ┃❯›▶→>●")
				lead, hang := strings.TrimSuffix(row, text), 0
				if indent > 0 && strings.IndexAny(text, ".):]") == 1 {
					hang = 3 // under the label
				}
				bar := strings.Map(func(r rune) rune {
					if r == '┃' {
						return r
					}
					return ' '
				}, lead)
				for i, part := range flow(text, width-len([]rune(lead))-hang, 0) {
					if i > 0 {
						lead = bar + strings.Repeat(" ", hang)
					}
					all = append(all, lead+part)
				}
			}
		}
		return all
	}
	whole := *d
	whole.beneath, whole.side = nil, nil
	top := fit(strings.Split(strings.TrimRight(whole.String(), "\n"), "\n"), 5)
	below := fit(d.beneath, 0)
	if top == nil || below == nil && len(d.beneath) > 0 {
		return "", false
	}
	rows := append(top, below...)
	return strings.Join(rows[max(len(rows)-height, 0):], "\n") + "\n", len(rows) <= height
}

// TestAnUnknownAgentIsToldInAnyPane: in a pane of any size a live menu is told where it is there whole, and no key takes another answer.
func TestAnUnknownAgentIsToldInAnyPane(t *testing.T) {
	rng := random(t)
	told, whole, shown := 0, 0, 0
	for range 3 * draws {
		d := inventKit(rng)
		if d.around == "frame" || d.around == "popup" {
			d.around = "bar"
		}
		width, height := 40+rng.IntN(161), 10+rng.IntN(51)
		text, ok := d.pane(rng, width, height)
		if text == "" {
			continue
		}
		s := screen.Parse(text)
		s.Columns = width
		r := Read("nobody", s)
		if r.State == screen.Permission {
			for what, scope := range map[screen.Decision]screen.Scope{screen.Approve: screen.Once, screen.Deny: screen.No} {
				if steps := r.Prompt.Steps(what); len(steps) > 0 {
					i, err := chosen(r.Prompt, steps)
					if err != nil || i < 0 || !d.has(r.Prompt.Options[i].Label, scope) {
						t.Fatalf("%s: %q %v\n%s", what, keys(steps), err, text)
					}
				}
			}
		}
		if !ok {
			continue
		}
		if whole++; r.State.Asks() {
			told++
		} else if shown++; shown <= *misses {
			t.Logf("%dx%d: %s %q\n%s", width, height, r.State, r.Why, text)
		}
	}
	t.Logf("of %d dialogs that stand whole in their panes %.1f %% are told", whole, share(told, whole))
	if told*1000 < whole*985 { // the mean is 99.6, less five deviations of some 730 dialogs
		t.Errorf("%d of %d are not told", whole-told, whole)
	}
}

// has reports whether an option of that label has a scope.
func (d *randomDialog) has(label string, scope screen.Scope) bool {
	for _, o := range d.options {
		if o.scope == scope && strings.TrimLeft(o.label, "✓✗ ") == strings.TrimLeft(label, "✓✗ ") {
			return true
		}
	}
	return false
}
