package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/text/lazy"
)

// sign is a row by which an agent shows something: whose screen it is, that it works, which view covers it, or that the row changes for show
// only. All of the fields must hold for the row.
type sign struct {
	within int         // the number of rows with words, from the bottom, among which it is; 0: anywhere
	above  int         // the greatest number of lines that it is above the input box; 0: it is not looked for there
	below  bool        // it is below the input box
	begins []string    // one of these begins it
	holds  []string    // it holds one of these
	ends   string      // it ends so
	like   lazy.Regexp // its words are like this
	glyphs string      // one of these characters begins it
	spins  bool        // a spinner's glyph begins it
	bar    bool        // it is behind a bar
	left   int         // it begins in one of so many columns at the left; 0: anywhere
	keys   bool        // it is about keys
	drawn  bool        // it is a line drawn across; else it holds words
	last   bool        // no row of another program, such as a shell's prompt, is the lowest one of the screen
}

// shows reports whether one of the signs is on a screen.
func shows(signs ...sign) func(l *screen.Layout) bool {
	return func(l *screen.Layout) bool {
		return slices.ContainsFunc(signs, func(s sign) bool { return s.on(l) >= 0 })
	}
}

// on is the lowest line of a screen that is the sign; -1: none is.
func (s *sign) on(l *screen.Layout) int {
	if s.last && screen.OfAnotherProgram(lowest(l)) {
		return -1
	}
	rows := 0
	for i := len(l.Lines) - 1; i >= 0 && (s.within == 0 || rows < s.within); i-- {
		if l.Lines[i].Kind == screen.Words {
			rows++
		}
		if s.is(&l.Lines[i]) {
			return i
		}
	}
	return -1
}

// nearInput reports whether one of the signs is above or below the input box, which must be there.
func nearInput(box func(l *screen.Layout) *screen.Composer, signs ...sign) func(l *screen.Layout) bool {
	return func(l *screen.Layout) bool {
		c := box(l)
		return c != nil && slices.ContainsFunc(signs, func(s sign) bool {
			near := func(i int) bool { return i < c.Row || i > c.Row && s.below }
			return l.LineFrom(c.Row-min(s.above, c.Row), len(l.Lines), func(i int) bool { return near(i) && s.is(&l.Lines[i]) }) >= 0
		})
	}
}

// changes reports whether a row is one of the signs, wherever it is.
func changes(signs ...sign) func(line *screen.Line) bool {
	return func(line *screen.Line) bool {
		return slices.ContainsFunc(signs, func(s sign) bool { return s.is(line) })
	}
}

// is reports whether a row is the sign, wherever it is.
func (s *sign) is(line *screen.Line) bool {
	kind := screen.Words
	if s.drawn {
		kind = screen.Rule
	}
	switch {
	case line.Kind != kind,
		s.left > 0 && line.Col >= s.left,
		s.bar && !line.Bar,
		s.spins && !line.Spinner(),
		s.glyphs != "" && !strings.ContainsRune(s.glyphs, line.First()),
		len(s.begins) > 0 && !screen.Starts(line.Text, s.begins...),
		len(s.holds) > 0 && !screen.Holds(line.Text, s.holds...),
		!strings.HasSuffix(line.Text, s.ends),
		s.keys && !screen.IsFooter(line.Text),
		s.like != nil && !s.like().MatchString(line.Text):
		return false
	}
	return true
}

// cover is a view that covers an agent's screen, and how it is recognised: by one of these.
type cover struct {
	what   string
	by     func(l *screen.Layout) bool
	opened func(l *screen.Layout) (p *screen.Prompt, covers bool) // p is the dialog that a key of a longer answer opens, if the view is one
}

// all reports whether all of these hold for a screen.
func all(of ...func(l *screen.Layout) bool) func(l *screen.Layout) bool {
	return func(l *screen.Layout) bool {
		return !slices.ContainsFunc(of, func(is func(l *screen.Layout) bool) bool { return !is(l) })
	}
}

// slashes reports whether the draft of an input box is a command's name, and a list of commands is near it.
func slashes(box func(l *screen.Layout) *screen.Composer, list ...sign) func(l *screen.Layout) bool {
	near := nearInput(box, list...)
	return func(l *screen.Layout) bool {
		c := box(l)
		return c != nil && strings.HasPrefix(c.Draft, "/") && near(l)
	}
}

// pickerRows are the rows of the keys of a picker: older versions of Gemini keep three status rows below it (gemini/0.34.0-run-100x40).
const pickerRows = 4

// picks reports whether the row about keys of a picker holds one of these, and the screen shows no permission: a command may hold the same
// words.
func picks(dialog func(l *screen.Layout) *screen.Dialog, keys ...string) func(l *screen.Layout) bool {
	picker := shows(sign{within: pickerRows, holds: keys})
	return func(l *screen.Layout) bool {
		if !picker(l) {
			return false
		}
		d := dialog(l)
		return d == nil || d.State != screen.Permission || !d.Refusable()
	}
}
