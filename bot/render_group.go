package bot

import (
	"nod/detect/screen"
	"nod/internal/text/plural"
	"nod/nudge"
	"time"
)

// groupLine is how many code points a message for several shows of what one of them asks.
const groupLine = 160

// groupMessage tells of several nudges, a line for each and a row of buttons for each that waits, unless nobody may answer
// there any more. Its buttons say of no nudge that the message is its own: a y in reply to it would mean any.
func groupMessage(nudges []nudge.Nudge, chat int64, seal sealer, style style, now time.Time, live bool) outgoing {
	out := outgoing{keys: keys{}}
	waiting := 0
	for _, n := range nudges {
		if !n.State.Over() {
			waiting++
		}
	}
	p := &out.page
	if waiting > 0 {
		p.text("⚠ ").bold(plural.Of(waiting, "agent waits for you", "agents wait for you")).line()
	} else {
		p.text("☑ ").bold("None of these waits any more").line()
	}
	named := "" // one that takes a y or n
	for i, n := range nudges {
		r := newRenderer(n, style)
		if p.line(); i > 0 {
			p.line()
		}
		if n.State.Over() {
			icon, sentence := r.ending(now)
			p.text(icon + " #" + n.ID + " ")
			r.groupLine(p)
			r.ended(p.line(), sentence, now)
			continue
		}
		p.text(r.icon() + " #" + n.ID + " ")
		r.groupLine(p)
		if note := r.groupNote(); note != "" {
			p.line().text(note)
		}
		if live {
			out.keys = append(out.keys, r.groupRow(chat, seal))
			if named == "" && !style.watches && n.Kind == screen.Permission {
				named = n.ID
			}
		}
	}
	if named != "" {
		p.line().line().text("Name one to answer it, as in y " + named + ". 👁 shows all of it.")
	}
	return out
}

// groupLine names a nudge in a message for several.
func (r renderer) groupLine(p *page) {
	what, _ := r.headline(groupLine)
	if r.style.minimal {
		p.bold(r.title)
		return
	}
	p.bold(r.title + ": ").code(what)
}

// groupNote says what to mind of a nudge in a message for several.
func (r renderer) groupNote() string {
	switch {
	case r.style.minimal:
		return ""
	case !r.wholeInGroup():
		return "There is more to see before it can be approved: tap 👁."
	}
	return cut(r.reasonsLine(), sentenceRoom)
}

// wholeInGroup reports whether a message for several nudges shows all that is known of what is asked.
func (r renderer) wholeInGroup() bool {
	_, whole := r.headline(groupLine)
	return whole && !r.masked && !r.style.minimal && !r.Prompt.Partial
}

// groupRow are the buttons of one nudge in a message for several.
func (r renderer) groupRow(chat int64, seal sealer) []button {
	show := seal.button("👁 #"+r.ID, verbShow, r.ID, chat)
	if r.style.watches {
		return []button{show}
	}
	var row []button
	if r.Kind == screen.Permission && len(r.Prompt.Approve) > 0 {
		row = append(row, seal.button("✅ #"+r.ID, verbApprove, r.ID, chat).styled(green))
	}
	if r.Kind == screen.Permission && len(r.Prompt.Deny) > 0 {
		row = append(row, seal.button("❌ #"+r.ID, verbDeny, r.ID, chat).styled(red))
	}
	return append(row, show)
}
