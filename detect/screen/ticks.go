package screen

import (
	"slices"
	"strconv"
	"strings"
)

// Tick is the state of the box before an option.
type Tick string

// The states of a box.
const (
	NoBox Tick = ""
	Off   Tick = "off"
	On    Tick = "on"
)

// The characters in boxes, or in their place.
const (
	emptyBoxes  = " ☐◻□"
	tickedBoxes = "✔✓xX*•☑☒◼■"
)

// byNumber is Keys.Ticks if the number of a row ticks it.
const byNumber = "#"

// maxTicks is the greatest number of options of a check list: a message could not keep more of them apart.
const maxTicks = 30

// tick reads a box: "[ ]", "[✔]", "☐".
func (e *Entry) tick() Tick {
	box := strings.TrimSuffix(strings.TrimPrefix(e.Check, "["), "]")
	switch {
	case e.Check == "":
		return NoBox
	case strings.Contains(emptyBoxes, box):
		return Off
	case strings.Contains(tickedBoxes, box) && e.Check != "•":
		return On
	}
	return NoBox
}

// Name is the label without the box before it.
func (o Option) Name() string {
	box, rest, ok := strings.Cut(o.Label, "]")
	r := firstRune(strings.TrimPrefix(box, "["))
	if o.Tick == NoBox || !ok || box != "["+string(r) || !strings.ContainsRune(emptyBoxes+tickedBoxes, r) {
		return o.Label
	}
	return strings.TrimSpace(rest)
}

// checkList fills in the keys that tick the boxes of p, and those that send it. They are known only while the mark is on a box:
// elsewhere it may be in a text field, or on a row that takes other keys. A list that is seen in part has neither.
func (d *Dialog) checkList(p *Prompt) {
	if d.Keys.Ticks == "" || len(d.Entries) > maxTicks || !d.drawsBoxes() {
		return
	}
	for i := range d.Entries {
		p.Options[i].Tick = d.Entries[i].tick()
	}
	if p.Partial || d.writes() || d.Marked >= 0 && !d.NoField && d.Entries[d.Marked].Check == "" {
		return
	}
	for i := range d.Entries {
		steps := d.Keys.ticks(&d.Menu, i)
		p.ticks, p.Tickable = append(p.ticks, steps), p.Tickable || steps != nil
	}
	p.More = d.More
	if len(p.Ticked()) > 0 && len(d.Keys.Sends) > 0 {
		p.send, p.Send, p.Ends = d.Keys.Sends, keysOf(d.Keys.Sends), d.EndsSet
	}
}

// writes reports whether a text field of the dialog may have the focus, so that keys become words.
func (d *Dialog) writes() bool {
	return d.TextField || !d.NoField && len(d.Entries) > 0 && (d.Marked < 0 || d.Entries[d.Marked].Scope == Text)
}

// drawsBoxes reports whether the boxes are the agent's own. The agent draws one before the row for words too, which is the last
// row with a box. A model may begin its own answers with "[ ]", but there a number answers at once.
func (d *Dialog) drawsBoxes() bool {
	if d.Boxed {
		return true
	}
	last := -1
	for i := range d.Entries {
		switch e := &d.Entries[i]; {
		case e.Check != "":
			last = i
		case e.Scope == Text:
			return false
		}
	}
	return last >= 0 && d.Entries[last].Scope == Text
}

// ticks ticks or unticks the box of entry i from this very screen; nil if that is not proven.
func (k Keys) ticks(m *Menu, i int) []Step {
	e := &m.Entries[i]
	if e.tick() == NoBox || e.Scope == Text {
		return nil
	}
	if k.Ticks == byNumber {
		if e.Number == 0 || e.Number > 9 {
			return nil
		}
		return []Step{{Key: strconv.Itoa(e.Number), Ticks: true, Last: true}}
	}
	if m.Marked < 0 {
		return nil
	}
	return append(m.moves(i), Step{Key: k.Ticks, Ticks: true, Last: true})
}

// Tick ticks or unticks the box of option i from the very screen that the prompt was read from; nil if that is not proven.
func (w *Ways) Tick(i int) []Step {
	if i < 0 || i >= len(w.ticks) {
		return nil
	}
	return w.ticks[i]
}

// Ticks encodes which boxes are ticked, so that two looks compare; empty: it is no check list.
func (c *Content) Ticks() string {
	var mask uint64
	boxes := false
	for i, o := range c.Options {
		boxes = boxes || o.Tick != NoBox
		if o.Tick == On && i < maxTicks {
			mask |= 1 << i
		}
	}
	if !boxes {
		return ""
	}
	return strconv.FormatUint(mask, 36)
}

// Ticked are the names of the options that are ticked.
func (c *Content) Ticked() []string {
	var names []string
	for _, o := range c.Options {
		if o.Tick == On {
			names = append(names, o.Name())
		}
	}
	return names
}

// SameList reports whether p and q are the same check list, whatever is ticked in either. If the same is ticked in both, they must
// be equal.
func (p *Prompt) SameList(q *Prompt) bool {
	if p == nil || q == nil || p.Ticks() == "" || q.Ticks() == "" {
		return false
	}
	if p.Ticks() == q.Ticks() && (p.Fingerprint != q.Fingerprint || p.Width == q.Width && !slices.Equal(p.Rows, q.Rows)) {
		return false
	}
	same := p.Agent == q.Agent && p.Shape == q.Shape && p.Verb == q.Verb && p.Title == q.Title && p.Question == q.Question &&
		p.Page == q.Page && p.Pages == q.Pages && (p.Call == "" || q.Call == "" || p.Call == q.Call) &&
		slices.Equal(p.Doubts, q.Doubts) && slices.Equal(p.Notes, q.Notes) && unboxed(p.Subject) == unboxed(q.Subject)
	return same && slices.EqualFunc(p.Options, q.Options, func(a, b Option) bool {
		return a.Name() == b.Name() && a.Scope == b.Scope && (a.Tick == NoBox) == (b.Tick == NoBox)
	})
}

// OneTick reports whether q is the check list p with the box of option i changed, and no other.
func (p *Prompt) OneTick(q *Prompt, i int) bool {
	if !p.SameList(q) {
		return false
	}
	for k := range p.Options {
		if (p.Options[k].Tick != q.Options[k].Tick) != (k == i) {
			return false
		}
	}
	return true
}

// unboxed is text without the signs of what is ticked or answered, which the headings of a set of questions have too.
func unboxed(text string) string {
	text = strings.Map(func(r rune) rune {
		if r != ' ' && (strings.ContainsRune(emptyBoxes, r) || strings.ContainsRune("✔✓☑☒◼■", r)) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// Lists reports whether the page reviews the answers to a single question, and these are the answers, in any order.
func (s *InSet) Lists(names []string) bool {
	return len(s.answers) == 1 && len(names) > 0 && enumerates(s.answers[0], names)
}

// enumerates reports whether text is these names in any order, parted by commas. A name may hold a comma.
func enumerates(text string, names []string) bool {
	for i, name := range names {
		rest, ok := strings.CutPrefix(text, name)
		if len(names) > 1 && ok {
			rest, ok = strings.CutPrefix(rest, ", ")
		}
		if ok && enumerates(rest, slices.Delete(slices.Clone(names), i, i+1)) {
			return true
		}
	}
	return len(names) == 0 && text == ""
}
