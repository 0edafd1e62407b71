package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
)

// readUnknown reads the screen of an agent that nobody has catalogued, by structure alone.
func readUnknown(name string, s screen.Screen) screen.Reading {
	l := screen.Lay(s)
	anonymous := agent{name: name}
	r := screen.Reading{Agent: name, State: screen.Silent, Text: anonymous.text(l, s)}
	if d := anyDialog(l); d != nil {
		r.Why = append(r.Why, "the agent is not catalogued: read by structure alone")
		d.ProveKeys()
		return r.Asking(d)
	}
	if c := unknownComposer(l); c != nil {
		r.Composer, r.State = c, screen.Idle
		r.Why = append(r.Why, "a live input box")
	}
	if unknownWorking(l) {
		r.State = screen.Working
		r.Why = append(r.Why, "the screen says that the agent is at work")
	}
	if r.State == screen.Silent {
		r.Why = append(r.Why, "nothing known is on the screen")
	}
	return r
}

// anyDialog recognises a dialog however it is drawn: in the rows of the screen as they are, beside a side panel, behind a bar, as a box
// over other text.
func anyDialog(l *screen.Layout) *screen.Dialog {
	if d := popupDialog(l); d != nil {
		return d // else what it lies over would be read beside its rows
	}
	beside := l
	if col := l.SidePanel(); col > 0 {
		beside = l.Before(col, true)
	} else if col := l.SideRule(); col > 0 {
		beside = l.Before(col, false)
	}
	if d := unknownDialog(beside); d != nil {
		return d
	}
	if d := barredDialog(beside); d != nil {
		return d
	}
	if d := buttonsOverInput(l); d != nil {
		return d
	}
	return unknownNotice(beside)
}

// buttonsOverInput recognises buttons that print their keys right above an input box, which takes the same keys; one of them says no.
// What they do is told, and none of them is pressed (cline/2.18.0-bash-100x40).
func buttonsOverInput(l *screen.Layout) *screen.Dialog {
	list, ok := l.ButtonsOverFrame()
	if !ok || !inputBelow(l, list.Last) {
		return nil
	}
	d, ok := l.Dialog(list, func(string) bool { return true })
	if !ok {
		return nil
	}
	d.ReadScopes()
	d.BoundByGaps()
	if no := d.Only(screen.No); no < 0 || d.Entries[no].LeavesProgram() || d.Question == "" && !d.TakeHeading() && !d.AskNearest() {
		return nil
	}
	d.Name, d.State = "prompt", screen.Question
	d.Why = reason.KeysInBox
	return d
}

// barredDialog recognises a dialog whose rows all stand behind a bar.
func barredDialog(l *screen.Layout) *screen.Dialog {
	l, ok := l.WithoutBarRuns()
	if !ok {
		return nil
	}
	if d := unknownDialog(l); d != nil && d.Lines[d.First].Bar && !l.BarBelow(d.Last) {
		return d
	}
	return unknownNotice(l)
}

// popupDialog recognises a dialog in the one box that lies over other text and holds one. An input box below it wins.
func popupDialog(l *screen.Layout) *screen.Dialog {
	var found *screen.Dialog
	for _, p := range l.Popups() {
		d := unknownDialogOver(screen.Lay(p.Screen), nil)
		if d == nil || inputBelow(l, p.Bottom) {
			continue
		}
		if p.Covered {
			d.DoubtHead()
		}
		if p.Unsure {
			atTerminal(d, reason.NewerBelow)
		}
		if found != nil {
			return nil
		}
		found = d
	}
	return found
}

// unknownDialog recognises a list of options that is the last live thing on the screen: a sentence above
// it, a cursor or printed keys in it, and a footer below it or an option that says no.
func unknownDialog(l *screen.Layout) *screen.Dialog {
	if d := l.Typed(); d != nil {
		return d
	}
	return unknownDialogOver(l, l.StatusRow)
}

// unknownDialogOver is unknownDialog with the rows that may stand below the dialog.
func unknownDialogOver(l *screen.Layout, status func(string) bool) *screen.Dialog {
	list, ok := l.AnyMenu()
	if !ok {
		return nil
	}
	if l.MarkedAbove(list.First) {
		list.DoubtLabels()
	}
	below := l.Beneath(list.Last, func(s string) bool {
		if asksLetter(s) {
			list.Typed = true
			return true
		}
		if last := &list.Entries[len(list.Entries)-1]; last.Check != "" && (s == "Submit" || s == "Next") {
			return true // below the boxes of a check list (claude/2.0.54)
		}
		return status != nil && status(s)
	})
	if below.Over || inputBelow(l, list.Last) {
		return nil
	}
	d := l.DialogOver(list, below)
	d.ReadScopes()
	if !live(d) {
		return nil
	}
	d.LeaveFrame()
	if !d.BeginWithBar() {
		d.BoundByGaps()
	}
	d.Still()
	if d.Question == "" && !d.TakeHeading() || d.Quoted() || d.TypedInto() || d.Uniform() {
		return nil
	}
	if d.Frame() == nil {
		d.AnotherHead(d.RuleAtEdge)
	}
	d.TwinAbove()
	if d = decided(d, list.Typed); d != nil && below.Unsure {
		atTerminal(d, reason.NewerBelow)
	}
	return d
}

// atTerminal leaves a dialog that is told and not answered from here.
func atTerminal(d *screen.Dialog, why reason.Kind) {
	if d.State == screen.Permission {
		d.State = screen.Question
	}
	d.Keys, d.Why = screen.Keys{}, why
}

// decided says of a dialog whether it is a permission, a question, or neither, and which keys its rows prove.
func decided(d *screen.Dialog, typed bool) *screen.Dialog {
	d.Name, d.State, d.Means = "prompt", screen.Permission, (*screen.Entry).Kept
	digits := pressesDigits(d.Footer) || d.Numbered && !d.Radio
	d.Keys = screen.Keys{Letters: !typed, Enter: !typed && d.Marked >= 0, Digits: !typed && digits, Strict: true}
	if lasts(d) {
		d.State, d.Means = screen.Question, (*screen.Entry).Lasting
	}
	if !d.Clear() || d.OwnAnswer() {
		d.State = screen.Question
	}
	if d.AsksForWords() {
		// Any key may be a letter of an answer.
		d.State, d.Keys = screen.Question, screen.Keys{}
		d.Why = reason.MarkTakesWords
		if d.Marked > 0 && d.Entries[d.Marked].Scope == screen.No {
			d.State = screen.Overlay // no list begins on such an option: somebody has moved there to write
		}
		return d
	}
	switch {
	case d.State == screen.Question && picker(d):
		d.State = screen.Overlay
	case d.State == screen.Question && !asksSomething(d):
		return nil
	}
	return d
}

// noticeRows is how many rows of words a dialog without options and question has at least: a field with its caption is one that
// somebody opened.
const noticeRows = 3

// unknownNotice recognises a dialog without a list: the last words on the screen are the keys that it is answered with, of which one
// submits or confirms and one leaves. What they do is told, and none of them is pressed.
func unknownNotice(l *screen.Layout) *screen.Dialog {
	i, footer := l.LowestFooter()
	if i < 0 || inputBelow(l, 0) || !submitsOrLeaves(footer) {
		return nil
	}
	d := l.Notice(i)
	if !d.BeginWithBar() {
		d.BoundByBlanks()
	}
	d.FindQuestion()
	if d.Question == "" && (len(d.Texts(d.Top, i-1)) < noticeRows || !d.TakeHeading()) || d.Quoted() || d.TypedInto() || d.Uniform() {
		return nil
	}
	d.Name, d.State = "notice", screen.Question
	d.Why = reason.KeysUnsure
	return d
}

// submitsOrLeaves reports whether a footer names a key that submits or confirms and one that leaves.
func submitsOrLeaves(footer string) bool {
	submits, leaves := false, false
	for piece := range screen.FooterPieces(strings.ToLower(footer)) {
		key, _, _ := strings.Cut(piece, " ")
		submits = submits || screen.Holds(key, "enter", "return", "↵", "⏎") && !screen.Holds(piece, "select", "open", "choose", "view", "resume", "expand")
		leaves = leaves || screen.Starts(key, "esc")
	}
	return submits && leaves
}

// headingBlanks is how many blanks a heading has at most: more make a sentence.
const headingBlanks = 4

// picker reports whether a list is one that a person opened: a heading of a few words that asks nothing, options
// that are neither yes nor no, and a way to leave.
func picker(d *screen.Dialog) bool {
	q := d.Question
	tabs := strings.Contains(q, "  ") // a row of headings
	if strings.ContainsAny(q, "?？.") || strings.HasSuffix(q, ":") || strings.Count(q, " ") > headingBlanks && !tabs || !screen.Holds(strings.ToLower(d.Footer), "esc") {
		return false
	}
	return !slices.ContainsFunc(d.Entries, func(e screen.Entry) bool {
		return e.Kept() != screen.Other && e.Kept() != screen.Text && e.Kept() != screen.Mode
	})
}

// live reports whether the options can be seen to be live: by a cursor, by keys that they print, by a footer below them, or, where one
// says yes and one says no, by what is drawn around them or sets one of them off.
func live(d *screen.Dialog) bool {
	return d.Marked >= 0 || d.PrintsKeys() || d.Footer != "" || d.Clear() && (d.Frame() != nil || d.Lines[d.First].Bar || d.Varied())
}

// asksSomething reports whether a list that is no permission blocks the agent: one of its options says no, or a
// sentence asks and a footer, a frame or a printed key shows that it is live.
func asksSomething(d *screen.Dialog) bool {
	return d.Only(screen.No) >= 0 || d.Footer != "" || (d.Frame() != nil || d.SetOff()) && d.Marked >= 0 && strings.ContainsAny(d.Question, "?？")
}

// pressesDigits reports whether a footer says that the number of an option chooses it: "Press 1-3".
func pressesDigits(footer string) bool {
	for piece := range screen.FooterPieces(strings.ToLower(footer)) {
		if screen.Starts(piece, "press 1", "type 1", "use 1", "1-", "1/", "number key") {
			return true
		}
	}
	return false
}

// longestChoice is how long a line into which a letter is typed may be: longer ones are sentences.
const longestChoice = 40

// asksLetter reports whether s is a line under the options into which a letter is typed: "Choice [o/s/a/D]:".
func asksLetter(s string) bool {
	return screen.Starts(s, "Choice", "Your choice", "Select", "Enter choice") && strings.HasSuffix(s, ":") && len(s) < longestChoice
}

// inputBelow reports whether an input box stands below line last, drawn as one of the known agents does.
func inputBelow(l *screen.Layout, last int) bool {
	for i := last + 1; i < len(l.Lines); i++ {
		if line := &l.Lines[i]; line.Kind == screen.Rule && line.First() == '╹' {
			return true
		}
	}
	c := unknownComposer(l)
	return c != nil && c.Row > last || l.EmptyBelow(last)
}

// trustRows are the lines above the options in which a question about trust is looked for.
const trustRows = 15

// lasts reports whether the dialog asks for trust in a folder, or confirms a yes that lasts: no yes to it is
// for once. What asks for trust is looked for beyond the dialog's bounds too, which are a guess.
func lasts(d *screen.Dialog) bool {
	words := strings.ToLower(d.Question + " " + strings.Join(d.Texts(d.Top, d.First-1), " "))
	if screen.Holds(words, "permanently", "from now on", "always allow", "restarted") {
		return true
	}
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Scope == screen.No && e.LeavesProgram() {
			return true // a no that leaves the program answers a question about all of it
		}
	}
	for i := max(d.First-trustRows, 0); i < d.First; i++ {
		if screen.Holds(strings.ToLower(d.Lines[i].Text), "you trust", "trust this", "trust the", "safety check") {
			return true
		}
	}
	return false
}

// unknownComposer finds an input box as most agents draw it.
func unknownComposer(l *screen.Layout) *screen.Composer {
	if c := l.RuledComposer("❯>›", nil); c != nil {
		return c
	}
	return l.FramedComposer("❯>›", nil)
}

// unknownWorking: a spinner's glyph, or the offer to interrupt.
func unknownWorking(l *screen.Layout) bool {
	for _, line := range l.Lowest(screen.WorkRows) {
		if line.Spinner() || screen.Holds(strings.ToLower(line.Text), "esc to interrupt", "ctrl+c to interrupt", "ctrl+c to stop", "esc to stop", "esc interrupt") {
			return true
		}
	}
	return false
}
