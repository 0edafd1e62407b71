package message

import (
	"strings"
	"time"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/nudge"
)

// Messages about agents that ask nothing: one that is done and waits for its next instruction, and one
// that may be stuck. They take no y and no n.

// idleIcon tells what such a message is about.
func (r Renderer) idleIcon() string {
	switch {
	case r.blocked != "":
		return "⛔"
	case r.Kind == screen.Idle:
		return "💤"
	}
	return "🤔"
}

// summary is what such a message says in a line: of what, and then what of it, which may be foreign text and
// may be empty.
func (r Renderer) summary() (saying, what string) {
	first, _, _ := strings.Cut(r.words, "\n")
	switch {
	case r.blocked != "":
		return r.Title, r.blocked
	case r.Kind == screen.Idle:
		return r.Title + " is done", OneLine(first)
	}
	return r.Title + " may be stuck", "nothing has moved for 2 minutes"
}

// idleMessage shows all that is known of an agent that asks nothing.
func (r Renderer) idleMessage(chat int64, seal Sealer) Outgoing {
	out := Outgoing{Keys: r.buttons(chat, seal)}
	p, foot := &out.Page, r.idleFoot()+"\n"+r.place
	r.idleHead(p, true)
	if did := r.didLine(); did != "" {
		p.Text(did).Line()
	}
	room := MaxText - p.Size() - utf8.RuneCountInString(foot) - 80
	_, said := r.summary()
	switch {
	case r.words == "" && r.Kind == screen.Idle && r.blocked == "":
		// Its screen would show what it always draws there. Screen is one tap away.
	case r.words == "":
		r.screen(p, r.tail, room, p.Pre)
	case r.words != said || utf8.RuneCountInString(said) > headRoom:
		words := Cut(r.words, room)
		p.folded(words).Line()
		if words != r.words {
			p.Text("The rest of its words stands at the terminal only.").Line()
		}
	}
	p.Text(foot)
	return out
}

// idleHead writes the line that such a message begins with. Without words it keeps what the agent
// said off the lock screen.
func (r Renderer) idleHead(p *page, words bool) {
	saying, what := r.summary()
	p.Text(r.idleIcon() + " ")
	if what != "" && (words || r.Kind != screen.Idle || r.blocked != "") {
		p.Bold(saying + ": ").Text(Cut(what, headRoom))
	} else {
		p.Bold(saying)
	}
	p.Line()
}

func (r Renderer) idleFoot() string {
	switch {
	case r.Kind == screen.Idle && r.Style.Watches:
		return "A supervisor tells it what comes next."
	case r.Kind == screen.Idle:
		return "Reply with the next instruction."
	}
	return r.report()
}

// report says what to do about a screen that nod can't make anything of.
func (r Renderer) report() string {
	if r.blocked != "" {
		return "Nothing can be answered from here: look at the terminal."
	}
	return "nod does not know this screen, so nothing can be answered from here: look at the terminal. " +
		"If it waits for you, `nod record " + Cut(OneLine(r.Pane.ID), NameRoom) + "` there writes a report that helps nod to know it."
}

// idlePreview is such a message with the short preview.
func (r Renderer) idlePreview(chat int64, seal Sealer) Outgoing {
	out := Outgoing{Keys: Keys{{seal.press("👁 Show", r.press(VerbShow), chat)}}}
	r.idleHead(&out.Page, false)
	how := "Tap Show to see its screen."
	if r.Kind == screen.Idle && !r.Style.Watches {
		how = "Reply with the next instruction. Tap Show to see what it said."
	}
	out.Page.Text(how)
	r.sign(&out.Page)
	return out
}

// idleEnding says how it ended that an agent was idle or silent.
func (r Renderer) idleEnding(at string) (icon, sentence string) {
	if r.Kind == screen.Idle {
		return "▶", "No longer idle since " + at + "."
	}
	return "▶", "It moved again at " + at + "."
}

// Replaced is what stays of an idle notice that Telegram does not let nod take back.
func (r Renderer) Replaced() Outgoing {
	var out Outgoing
	out.Page.Text("▶ ").Bold(r.Title).Text(" was done here; a newer message says how it stands.")
	out.Keys = Keys{}
	return out
}

// Message shows all that is known of a nudge, of whatever kind.
func (r Renderer) Message(chat int64, seal Sealer, now time.Time, filed bool) Outgoing {
	if r.Kind.Asks() {
		return r.Asking(chat, seal, now, filed)
	}
	return r.idleMessage(chat, seal)
}

// ShortPreview is the message with what is asked or said kept off the lock screen.
func (r Renderer) ShortPreview(chat int64, seal Sealer, now time.Time) Outgoing {
	if r.Kind.Asks() {
		return r.promptPreview(chat, seal, now)
	}
	return r.idlePreview(chat, seal)
}

// instructed reports whether the nudge was answered with words.
func instructed(n nudge.Nudge) bool { return n.Claim != nil && n.Claim.Text != "" }
