package agents

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Read reads one screen of an agent. An empty name means that the screen itself shows whose it is; the name may also be one that nobody
// has catalogued. The result depends only on the arguments.
//
// If nothing on the screen is known, the state is Silent: the caller, who knows the time, decides between that and Working.
func Read(name string, s screen.Screen) screen.Reading {
	if a := byName(name); a.known() {
		return a.read(s)
	}
	if name != "" {
		return unknown(name).read(s)
	}
	for _, weaker := range []bool{false, true} {
		if r, ok := guess(s, weaker); ok {
			return r
		}
	}
	return unknown("").read(s)
}

// guess reads the screen as that of the first agent whose mark is on it, or whose hint, which is weaker.
func guess(s screen.Screen, weaker bool) (screen.Reading, bool) {
	l := screen.Lay(s)
	for _, a := range append(catalogue[:len(catalogue):len(catalogue)], &panel) {
		sign := a.mark
		if weaker {
			sign = a.hint
		}
		if sign == nil || !sign(a.tidied(l)) {
			continue
		}
		if r := a.read(s); r.State != screen.Silent {
			whose := cmp.Or(a.name, "OpenCode or a fork of it")
			r.Why = append([]string{"the screen is drawn as " + whose + " draws it"}, r.Why...)
			return r, true
		}
	}
	return screen.Reading{}, false
}

// lay is a screen of this agent without the drawings around its dialogs.
func (a *agent) lay(s screen.Screen) *screen.Layout { return a.tidied(screen.Lay(s)) }

// tidied is a layout without these drawings.
func (a *agent) tidied(l *screen.Layout) *screen.Layout {
	if a.undrawn == nil {
		return l
	}
	return a.undrawn(l)
}

// read reads a screen of this agent: a view that covers all else, a dialog, work, an input box, in this order.
func (a *agent) read(s screen.Screen) screen.Reading {
	l := a.lay(s)
	r := screen.Reading{Agent: a.name, State: screen.Silent}
	r.Text, r.Ticking = a.text(l, s)
	if a.unseen {
		r.Why = append(r.Why, "the agent is not catalogued: read by structure alone")
	}
	if a.readCover(l, &r) {
		return r
	}
	if d := a.asks(l, s, &r); d != nil {
		return r.Asking(d)
	}
	if d := a.asksPlainly(s, &r); d != nil {
		return r.Asking(d)
	}
	r.Composer = a.composer(l)
	switch {
	case a.working(l):
		r.State = screen.Working
		r.Why = append(r.Why, "the screen says that the agent is at work")
	case r.Composer != nil:
		r.State = screen.Idle
		r.Why = append(r.Why, "a live input box and no sign of work")
	}
	return r
}

// readCover reads the view that covers the screen; false: none does.
func (a *agent) readCover(l *screen.Layout, r *screen.Reading) bool {
	for _, c := range a.overlay {
		var opened *screen.Prompt
		covers := false
		if c.opened != nil {
			opened, covers = c.opened(l)
		} else {
			covers = c.by(l)
		}
		if covers {
			r.State, r.Prompt, r.Why = screen.Overlay, opened, append(r.Why, "overlay: "+c.what)
			return true
		}
	}
	return false
}

// asks is the dialog that is the last live thing on the screen, as a shape describes it, else without a menu, else by structure alone; nil:
// there is none, or it is another agent's.
func (a *agent) asks(l *screen.Layout, s screen.Screen, r *screen.Reading) *screen.Dialog {
	other := ""
	if a.byStructure {
		other = a.guest(s)
	}
	if d := a.dialog(l); d != nil && other == "" {
		if !d.InInput(a.composer(l)) {
			return d
		}
		r.Why = append(r.Why, "a dialog in the input box, or in what is above it")
	}
	r.Why = append(r.Why, "no dialog is the last live thing on the screen")
	if other = cmp.Or(other, a.guest(s)); other != "" {
		r.Why = append(r.Why, "the dialog is drawn as "+other+" draws it, inside this agent's screen")
		return nil
	}
	if a.cut != nil {
		if d := a.cut(l); d != nil {
			return d
		}
	}
	if a.closed {
		d := a.namesake(l, s)
		if d != nil {
			r.Why = append(r.Why, "the screen has no words of this agent's own: read as another program's of its name")
		}
		return d
	}
	d := l.StrangeDialog()
	if d != nil {
		r.Why = append(r.Why, "no shape of this agent fits: read by structure alone")
	}
	return d
}

// namesake is the dialog of another program of that name, with no other rows below it: the screen has no words of the agent's own. The person
// sees it, and nod presses none of its keys.
func (a *agent) namesake(l *screen.Layout, s screen.Screen) *screen.Dialog {
	if a.mark == nil || a.mark(l) {
		return nil
	}
	d := screen.Lay(s).AnyDialog()
	if d == nil || d.Others {
		return nil
	}
	d.Untouched()
	return d
}

// asksPlainly is the dialog of an agent that draws without colours (NO_COLOR) below coloured rows, as a shell's prompt is; nil: there is none.
// In colours it would be text that somebody pasted, so it gets no keys. Below such text an agent that was run draws in its colours. Of an
// agent that nobody ran, the last row with a colour has to be the command that began it.
func (a *agent) asksPlainly(s screen.Screen, r *screen.Reading) *screen.Dialog {
	var plain screen.Screen
	from, ok := 0, false
	if a.unseen || a.byStructure {
		plain, ok = s.BelowCommand()
	} else {
		plain, from, ok = s.PlainBelow()
	}
	if !ok {
		return nil
	}
	var tried screen.Reading // why other dialogs were none is known of the screen as it is
	d := a.asks(a.lay(plain), plain, &tried)
	if d == nil || d.Top < from {
		return nil
	}
	d.Untouched()
	r.Why = append(r.Why, "no row of the dialog or below it has a colour, and rows above it have: nobody can tell it from pasted text")
	return d
}

// guest is another agent whose dialog is on the screen: it runs inside this one, and has its own keys.
func (a *agent) guest(s screen.Screen) string {
	if a.unseen {
		return ""
	}
	l := screen.Lay(s)
	for _, other := range catalogue {
		if other == a || other.mark == nil {
			continue
		}
		if its := other.tidied(l); other.mark(its) && other.dialog(its) != nil {
			return other.name
		}
	}
	return ""
}

// TailRows is the number of rows at the bottom of a screen that show whether the agent has drawn something new.
const TailRows = 15

// text is the bottom rows of a screen, for hashing, without rows that change for show; ticking are those rows.
func (a *agent) text(l *screen.Layout, s screen.Screen) (text string, ticking []int) {
	var b strings.Builder
	for i := max(len(l.Lines)-TailRows, 0); i < len(l.Lines); i++ {
		if a.volatile != nil && a.volatile(&l.Lines[i]) {
			ticking = append(ticking, i)
			continue
		}
		b.WriteString(s.Rows[i].Text)
		b.WriteByte('\n')
	}
	return b.String(), ticking
}

// unknown is an agent that nobody has catalogued: its dialogs are whatever looks like one, its input box is drawn as most are.
func unknown(name string) *agent {
	return &agent{
		name: name, unseen: true, closed: true, dialog: (*screen.Layout).AnyDialog, composer: screen.AnyInput.In,
		signs: signs{working: shows(sign{within: screen.WorkRows, spins: true}, sign{within: screen.WorkRows, like: unknownStops})},
	}
}

// unknownStops is the offer to interrupt.
var unknownStops = lazy.MustCompile(`(?i)(?:esc|ctrl\+c) to (?:interrupt|stop)|esc interrupt`)

// DeadEnd is the dead end in the last message above an agent's input box: a known one, or whatever else it draws as an error. Zero: none.
func DeadEnd(name string, s screen.Screen, r screen.Reading) reason.Why {
	a := byName(name)
	why := blockedBy(a.deadEnds, s, r)
	if why.IsZero() && r.State == screen.Idle && r.Composer != nil {
		if said := a.lay(s).LastError(a.voice, r.Composer.Row); said != "" {
			why = reason.Why{Kind: reason.TurnFailed, What: string([]rune(said)[:min(errorRoom, utf8.RuneCountInString(said))])}
		}
	}
	return why
}

// errorRoom is how many characters of an error people are shown.
const errorRoom = 200

// LastWords is what an idle agent said last, as far as its screen shows it; empty where that is not known.
func LastWords(name string, s screen.Screen, r screen.Reading) string {
	a := byName(name)
	if !a.known() || r.Composer == nil {
		return ""
	}
	return a.lay(s).LastWords(a.voice, r.Composer.Row)
}

// Drew reports whether a reading holds what only the agent draws: the input box of one that nod knows, or its sign of work. Any program may
// have drawn a menu, even one that looks like a dialog of that agent.
func Drew(r screen.Reading) bool {
	a := byName(r.Agent)
	return a.known() && !a.byStructure && r.Prompt == nil && (r.Composer != nil || r.State == screen.Working || r.State == screen.Overlay)
}
