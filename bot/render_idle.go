package bot

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
func (r renderer) idleIcon() string {
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
func (r renderer) summary() (saying, what string) {
	first, _, _ := strings.Cut(r.words, "\n")
	switch {
	case r.blocked != "":
		return r.title, r.blocked
	case r.Kind == screen.Idle:
		return r.title + " is done", oneLine(first)
	}
	return r.title + " may be stuck", "nothing has moved for 2 minutes"
}

// idleMessage shows all that is known of an agent that asks nothing.
func (r renderer) idleMessage(chat int64, seal sealer) outgoing {
	out := outgoing{keys: r.buttons(chat, seal)}
	p, foot := &out.page, r.idleFoot()
	r.idleHead(p, true)
	if did := r.didLine(); did != "" {
		p.text(did).line()
	}
	room := maxText - p.size() - utf8.RuneCountInString(foot) - 80
	_, said := r.summary()
	switch {
	case r.words == "":
		r.screen(p.line(), r.tail, room, p.pre)
	case r.words != said || utf8.RuneCountInString(said) > headRoom:
		words := cut(r.words, room)
		p.line().folded(words).line()
		if words != r.words {
			p.text("The rest of its words stands at the terminal only.").line()
		}
	}
	p.line().text(foot)
	return out
}

// idleHead writes the two lines that such a message begins with. Without words it keeps what the agent
// said off the lock screen.
func (r renderer) idleHead(p *page, words bool) {
	saying, what := r.summary()
	p.text(r.idleIcon() + " ")
	if what != "" && (words || r.Kind != screen.Idle || r.blocked != "") {
		p.bold(saying + ": ").text(cut(what, headRoom))
	} else {
		p.bold(saying)
	}
	p.line().text(r.place).line()
}

func (r renderer) idleFoot() string {
	switch {
	case r.Kind == screen.Idle && r.style.watches:
		return "A supervisor tells it what comes next."
	case r.Kind == screen.Idle:
		return "Reply with the next instruction."
	}
	return r.report()
}

// report says what to do about a screen that nod can't make anything of.
func (r renderer) report() string {
	if r.blocked != "" {
		return "Nothing can be answered from here: look at the terminal."
	}
	return "nod does not know this screen, so nothing can be answered from here: look at the terminal. " +
		"If it waits for you, `nod record " + cut(oneLine(r.Pane.ID), nameRoom) + "` there writes a report that helps nod to know it."
}

// idlePreview is such a message with the short preview.
func (r renderer) idlePreview(chat int64, seal sealer) outgoing {
	out := outgoing{keys: keys{{seal.press("👁 Show", r.press(verbShow), chat)}}}
	r.idleHead(&out.page, false)
	how := "Tap Show to see its screen."
	if r.Kind == screen.Idle && !r.style.watches {
		how = "Reply with the next instruction. Tap Show to see what it said."
	}
	out.page.line().text(how)
	return out
}

// idleEnding says how it ended that an agent was idle or silent.
func (r renderer) idleEnding(at string) (icon, sentence string) {
	if r.Kind == screen.Idle {
		return "▶", "No longer idle since " + at + "."
	}
	return "▶", "It moved again at " + at + "."
}

// replacedMessage is what stays of an idle notice that Telegram does not let nod take back.
func (r renderer) replacedMessage() outgoing {
	var out outgoing
	out.page.text("▶ ").bold(r.title).text(" was done here; a newer message says how it stands.")
	out.keys = keys{}
	return out
}

// message shows all that is known of a nudge, of whatever kind.
func (r renderer) message(chat int64, seal sealer, now time.Time, filed bool) outgoing {
	if r.Kind.Asks() {
		return r.promptMessage(chat, seal, now, filed)
	}
	return r.idleMessage(chat, seal)
}

// preview is the message with what is asked or said kept off the lock screen.
func (r renderer) preview(chat int64, seal sealer, now time.Time) outgoing {
	if r.Kind.Asks() {
		return r.promptPreview(chat, seal, now)
	}
	return r.idlePreview(chat, seal)
}

// instructed reports whether the nudge was answered with words.
func instructed(n nudge.Nudge) bool { return n.Claim != nil && n.Claim.Text != "" }
