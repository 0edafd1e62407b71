package bot

import (
	"fmt"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

// What nod asks back, or says instead of typing.

// maxAmong is how many nudges a question which one is meant lists.
const maxAmong = 8

// pressOf is the button that gives a again.
func pressOf(a nudge.Answer, id string) press {
	p := press{verb: verbApprove, id: id, leave: a.LeaveMode, unseen: a.Unseen, sure: a.Sure}
	switch {
	case a.Choice != nil:
		p.verb, p.option = verbChoose, a.Choice.Index
	case a.Decision == detect.Deny:
		p.verb = verbDeny
	}
	return p
}

// whichLetter asks which one of several nudges a bare word means.
func whichLetter(a nudge.Answer, among []nudge.Nudge, look look, seal sealer) letter {
	word := "y"
	if a.Decision == detect.Deny {
		word = "n"
	}
	var l letter
	l.page.text("Which one is meant? Nothing was typed.").line()
	for i, n := range among {
		if i == maxAmong {
			l.page.line().text(fmt.Sprintf("… and %d more: see /queue", len(among)-i))
			break
		}
		w := newView(n, look)
		l.page.line().text(fmt.Sprintf("#%s ", n.ID)).text(w.short())
		label := cut(fmt.Sprintf("%s → #%s %s", word, n.ID, w.short()), 60)
		l.keys = append(l.keys, []tgbotapi.InlineKeyboardButton{seal.press(label, pressOf(a, n.ID), a.Chat)})
	}
	return l
}

// unseenLetter asks for consent to what can't be seen.
func (v view) unseenLetter(a nudge.Answer, seal sealer) letter {
	p := pressOf(a, v.ID)
	p.unseen = true
	v.chat.minimal = false // they asked
	l := letter{keys: keys{{seal.press("⚠ Approve what can't be seen", p, a.Chat)}}}
	v.about(&l.page, "⚠ ", "Seen only in part: ")
	why := "A part of what is asked can't be seen from here."
	if v.masked && !v.Prompt.Partial {
		why = "A secret in what is asked is masked and stands in no message."
	}
	l.page.line().text(why + " Nothing was typed. Look at the screen, or approve it unseen:")
	return l
}

// sureLetter asks for the second tap that an option needs which grants more than this once. Its button
// names the option.
func (v view) sureLetter(a nudge.Answer, seal sealer) letter {
	p := pressOf(a, v.ID)
	p.sure = true
	v.chat.minimal = false // they asked
	var l letter
	v.about(&l.page, "⚠ ", "Grants more than this once: ")
	if p.verb == verbChoose && p.option < len(v.labels) {
		label := v.labels[p.option]
		l.page.line().bold(label).line()
		if g := grants(v.Prompt.Options[p.option].Scope); g != "" {
			l.page.text("It holds beyond this once: " + g + ". ")
		}
		l.keys = keys{{seal.press(cut("Yes: "+label, 60), p, a.Chat)}}
	}
	l.page.text("Nothing was typed. Tap to confirm:")
	return l
}

// rejectedLetter says why an answer types nothing, and offers what can be done instead.
func rejectedLetter(a nudge.Answer, v nudge.Verdict, look look, seal sealer) letter {
	detail := oneLine(look.redact(v.Detail))
	if detail == "" {
		detail = refusalSentence(v.Reason)
	}
	if v.Nudge.ID == "" {
		return sentence("🚫 " + detail + " Nothing was typed.")
	}
	w := newView(v.Nudge, look)
	if !w.Kind.Asks() {
		w.Claim = nil // what it was told before is not what this is about
	}
	l := letter{}
	w.about(&l.page, "🚫 ", "Nothing was typed: ")
	l.page.line().text(detail)
	switch {
	case v.Reason == deliver.Expired && v.Nudge.Standing:
		l.keys = keys{{seal.button("🔁 Ask again", verbAgain, v.Nudge.ID, a.Chat)}}
	case v.Nudge.Kind == detect.Question && !v.Nudge.State.Over():
		l.keys = w.buttons(a.Chat, seal)
	}
	return l
}
