package message

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/text/plural"
	"nod/nudge"
)

// groupLine is how many code points of a nudge's subject a message for several shows.
const groupLine = 160

// Group shows several nudges: a line for each, and a row of buttons for each that waits, if somebody may
// still answer (live). The buttons do not mark the message as a nudge's own, because a y in reply to it could
// mean any nudge.
func Group(nudges []nudge.Nudge, chat int64, seal Sealer, style Style, now time.Time, live bool) Outgoing {
	out := Outgoing{Keys: Keys{}}
	p := &out.Page
	groupHead(p, nudges)
	named, again := "", false // a nudge that takes a y or n; whether one can be asked again
	var adverts []string      // the tips of their agents, each once
	for i, n := range nudges {
		r := Of(n, style)
		if p.Line(); i > 0 {
			p.Line()
		}
		if n.State.Over() {
			icon, sentence := r.ending(now)
			p.Text(icon + " #" + n.ID + " ")
			r.groupLine(p)
			r.ended(p.Line(), sentence, now)
			if live && r.canAskAgain() {
				again = true
				out.Keys = append(out.Keys, []button{seal.Button("🔁 #"+n.ID, VerbAgain, n.ID, chat)})
			}
			continue
		}
		p.Text(r.icon(now) + "#" + n.ID + " ")
		r.groupLine(p)
		r.groupNotes(p)
		if r.WholeInGroup() && r.advert != "" && !slices.Contains(adverts, r.advert) {
			adverts = append(adverts, r.advert)
		}
		if live {
			out.Keys = append(out.Keys, r.groupRow(chat, seal))
			if named == "" && !style.Watches && n.Kind() == screen.Permission && len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
				named = n.ID
			}
		}
	}
	if named != "" {
		p.Line().Line().Text("Name one to answer it, as in y " + named + ". 👁 shows all of it.")
	}
	if again {
		p.Line().Line().Text("🔁 asks it again.")
	}
	if len(adverts) > 0 {
		p.Line().folded(strings.Join(adverts, "\n"))
	}
	return out
}

// groupHead writes how many of the nudges wait: for an answer, or at the terminal alone.
func groupHead(p *page, nudges []nudge.Nudge) {
	waiting, standing := 0, 0
	for _, n := range nudges {
		switch {
		case !n.State.Over():
			waiting++
		case n.Standing:
			standing++
		}
	}
	icon, head := "☑", "None of these is still waiting"
	if waiting > 0 {
		icon, head = "⚠", plural.Of(waiting, "agent waits for you", "agents wait for you")
	} else if standing > 0 {
		icon, head = "⌛", plural.Of(standing, "agent still waits, without reminders", "agents still wait, without reminders")
	}
	p.Text(icon + " ").Bold(head).Line()
}

// groupLine writes the name of a nudge in a message for several.
func (r Renderer) groupLine(p *page) {
	what, _ := r.headline(groupLine)
	if r.Style.Minimal {
		p.Bold(r.Title)
		return
	}
	p.Bold(r.Title + ": ").Code(what)
}

// groupNotes writes a nudge's warnings in a message for several, and the agent's own words about it.
func (r Renderer) groupNotes(p *page) {
	if r.Style.Minimal {
		return
	}
	if risks := risksLine(r.Prompt.Subject, r.Project); risks != "" {
		p.Line().Text(Cut(risks, SentenceRoom))
	}
	switch {
	case !r.WholeInGroup() && r.Kind() == screen.Permission && r.approvable():
		p.Line().Text("There is more to see before you can approve it: tap 👁.")
	case !r.WholeInGroup():
		p.Line().Text("There is more to see: tap 👁.")
	case r.says != "":
		p.Line().quoted(r.says)
	}
}

// WholeInGroup reports whether a message for several nudges shows the whole known subject.
func (r Renderer) WholeInGroup() bool {
	_, whole := r.headline(groupLine)
	return whole && utf8.RuneCountInString(r.says+r.advert) <= groupLine && !r.Masked && !r.Style.Minimal && !r.Prompt.Partial
}

// groupRow returns the buttons of one nudge in a message for several.
func (r Renderer) groupRow(chat int64, seal Sealer) []button {
	show := seal.Button("👁 #"+r.ID, VerbShow, r.ID, chat)
	if r.Style.Watches {
		return []button{show}
	}
	var row []button
	if r.Kind() == screen.Permission && len(r.Prompt.Approve) > 0 {
		row = append(row, seal.Button("✅ #"+r.ID, VerbApprove, r.ID, chat).styled(green))
	}
	if r.Kind() == screen.Permission && len(r.Prompt.Deny) > 0 {
		row = append(row, seal.Button("❌ #"+r.ID, VerbDeny, r.ID, chat).styled(red))
	}
	return append(row, show)
}
