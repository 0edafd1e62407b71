package bot

import (
	"strings"
	"time"
	"unicode/utf8"

	"nod/detect"
	"nod/nudge"
)

// Messages about agents that ask nothing: one that is done and waits for its next instruction, and one
// that may be stuck. They take no y and no n.

// calmIcons begin those messages, and nothing else that nod writes.
var calmIcons = []string{"💤", "🤔", "⛔"}

// calmIcon tells what such a message is about.
func (v view) calmIcon() string {
	switch {
	case v.blocked != "":
		return "⛔"
	case v.Kind == detect.Idle:
		return "💤"
	}
	return "🤔"
}

// gist is what such a message says in a line: of what, and then what of it, which may be foreign text and
// may be empty.
func (v view) gist() (saying, what string) {
	first, _, _ := strings.Cut(v.words, "\n")
	switch {
	case v.blocked != "":
		return v.title, v.blocked
	case v.Kind == detect.Idle:
		return v.title + " is done", oneLine(first)
	}
	return v.title + " may be stuck", "nothing has moved for 2 minutes"
}

// calmLetter shows all that is known of an agent that asks nothing.
func (v view) calmLetter(chat int64, seal sealer) letter {
	l := letter{keys: v.buttons(chat, seal)}
	p, foot := &l.page, v.calmFoot()
	v.calmHead(p, true)
	room := maxText - p.size() - utf8.RuneCountInString(foot) - 80
	_, said := v.gist()
	switch {
	case v.words == "":
		v.screen(p, room)
	case v.words != said || utf8.RuneCountInString(said) > headRoom:
		words := cut(v.words, room)
		p.line().folded(words).line()
		if words != v.words {
			p.text("The rest of its words stands at the terminal only.").line()
		}
	}
	p.line().text(foot)
	return l
}

// calmHead writes the two lines that such a message begins with. Without words it keeps what the agent
// said off the lock screen.
func (v view) calmHead(p *page, words bool) {
	saying, what := v.gist()
	p.text(v.calmIcon() + " ")
	if what != "" && (words || v.Kind != detect.Idle || v.blocked != "") {
		p.bold(saying + ": ").text(cut(what, headRoom))
	} else {
		p.bold(saying)
	}
	p.line().text(v.place).line()
}

func (v view) calmFoot() string {
	if v.Kind == detect.Idle {
		return "Reply with the next instruction."
	}
	return v.report()
}

// report says what to do about a screen that nod can't make anything of.
func (v view) report() string {
	if v.blocked != "" {
		return "Nothing can be answered from here: look at the terminal."
	}
	return "nod does not know this screen, so nothing can be answered from here: look at the terminal. " +
		"If it waits for you, `nod record " + v.Pane.ID + "` there writes a report that helps nod to know it."
}

// calmMinimal is such a message with the short preview.
func (v view) calmMinimal(chat int64, seal sealer) letter {
	l := letter{keys: keys{{seal.button("👁 Show", verbShow, v.ID, chat)}}}
	v.calmHead(&l.page, false)
	how := "Tap Show to see its screen."
	if v.Kind == detect.Idle {
		how = "Reply with the next instruction. Tap Show to see what it said."
	}
	l.page.line().text(how)
	return l
}

// calmFate says how it ended that an agent was idle or silent.
func (v view) calmFate(at string) (icon, sentence string) {
	if v.Kind == detect.Idle {
		return "▶", "No longer idle since " + at + "."
	}
	return "▶", "It moved again at " + at + "."
}

// replacedLetter is what stays of an idle notice that Telegram does not let nod take back.
func (v view) replacedLetter() letter {
	var l letter
	l.page.text("▶ ").bold(v.title).text(" was done here; a newer message says how it stands.")
	l.keys = keys{}
	return l
}

// letter shows all that is known of a nudge, of whatever kind.
func (v view) letter(chat int64, seal sealer, now time.Time, filed bool) letter {
	if v.Kind.Asks() {
		return v.fullLetter(chat, seal, now, filed)
	}
	return v.calmLetter(chat, seal)
}

// preview is the letter with what is asked or said kept off the lock screen.
func (v view) preview(chat int64, seal sealer, now time.Time) letter {
	if v.Kind.Asks() {
		return v.minimalLetter(chat, seal, now)
	}
	return v.calmMinimal(chat, seal)
}

// instructed reports whether the nudge was answered with words.
func instructed(n nudge.Nudge) bool { return n.Claim != nil && n.Claim.Text != "" }
