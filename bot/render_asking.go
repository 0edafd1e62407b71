package bot

import (
	"fmt"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/nudge"
)

// What nod asks back, or says instead of typing.

// maxAmong is how many nudges a question which one is meant lists.
const maxAmong = 8

// pressOf is the button that gives a again.
func pressOf(a nudge.Answer, id string) press {
	p := press{verb: verbApprove, id: id, leave: a.LeaveMode, unseen: a.Unseen, sure: a.Sure, ticks: a.Ticks}
	switch {
	case a.Decision == screen.Send:
		p.verb = verbSend
	case a.Decision == screen.Dismiss:
		p.verb = verbLeave
	case a.Choice != nil:
		p.verb, p.option = verbChoose, a.Choice.Index
	case a.Decision == screen.Deny:
		p.verb = verbDeny
	}
	return p
}

// whichMessage asks which one of several nudges a bare word, number or label means. Where only one could be meant, there is a
// button for none as well.
func whichMessage(a nudge.Answer, v nudge.Verdict, style style, seal sealer, now time.Time) outgoing {
	var out outgoing
	out.page.text(strings.TrimSpace("Which one is meant? Nothing was typed. " + string(v.Doubt))).line()
	awake := 0
	for _, n := range offeredIn(v.Among) {
		r := newRenderer(n, style)
		out.page.line()
		if n.Snoozes(now) {
			out.page.text("💤 snoozed: ")
		} else {
			awake++
		}
		out.page.text(fmt.Sprintf("#%s ", n.ID)).text(r.short())
		out.keys = append(out.keys, []button{seal.press(r.whichLabel(a, now), pressWhich(a, n), chatOf(a.Place))})
	}
	if more := len(v.Among) - maxAmong; more > 0 {
		out.page.line().text(fmt.Sprintf("… and %d more: see /queue", more))
	}
	if awake < 2 {
		out.keys = append(out.keys, []button{seal.press("Neither", press{verb: verbNeither, id: v.Among[0].ID}, chatOf(a.Place))})
	}
	return out
}

// whichLabel names what the button gives to which nudge, by its command.
func (r renderer) whichLabel(a nudge.Answer, now time.Time) string {
	said, snoozed := r.style.redact(a.Text), ""
	switch a.Decision {
	case screen.Approve:
		said = "y"
	case screen.Deny:
		said = "n"
	}
	if r.Snoozes(now) {
		snoozed = "💤 "
	}
	what, _ := r.headline(labelRoom)
	if r.style.minimal {
		what = r.title
	}
	return cut(oneLine(fmt.Sprintf("%s%s → #%s %s", snoozed, cut(said, labelRoom/3), r.ID, what)), labelRoom)
}

// pressWhich is the button that gives a, which may have meant several, to n.
func pressWhich(a nudge.Answer, n nudge.Nudge) press {
	p := pressOf(a, n.ID)
	option, said := n.OptionSaid(a.Text)
	switch {
	case a.Decision != "":
	case !said:
		p.verb = verbShow
	case n.Prompt.Options[option].Tick != screen.NoBox:
		p.verb, p.option, p.ticks = verbTick, option, n.Prompt.Ticks()
	default:
		p.verb, p.option = verbChoose, option
	}
	return p
}

// offeredIn are those of a list's nudges that have buttons under it.
func offeredIn(list []nudge.Nudge) []nudge.Nudge { return list[:min(len(list), maxAmong)] }

// unseenMessage asks for consent to what can't be seen.
func (r renderer) unseenMessage(a nudge.Answer, seal sealer) outgoing {
	p := pressOf(a, r.ID)
	p.unseen = true
	r.style.minimal = false // they asked
	out := outgoing{keys: keys{{seal.press("⚠ Approve what can't be seen", p, chatOf(a.Place))}}}
	r.about(&out.page, "⚠ ", "Seen only in part: ")
	why := "A part of what is asked can't be seen from here."
	if doubts := r.doubts(); doubts != "" {
		why = "A part of what is asked can't be seen from here: " + doubts
	}
	if r.masked && !r.Prompt.Partial {
		why = "A secret in what is asked is masked and stands in no message."
	}
	out.page.line().text(why + " Nothing was typed. Look at the screen, or approve it unseen:")
	return out
}

// sureMessage asks for the second tap that an option needs which grants more than this once. Its button
// names the option.
func (r renderer) sureMessage(a nudge.Answer, seal sealer) outgoing {
	p := pressOf(a, r.ID)
	p.sure = true
	r.style.minimal = false // they asked
	var out outgoing
	r.about(&out.page, "⚠ ", "Grants more than this once: ")
	if p.verb == verbChoose && p.option < len(r.labels) {
		label := r.labels[p.option]
		out.page.line().bold(cut(label, sentenceRoom)).line()
		if g := r.grants(p.option); g != "" {
			out.page.text("It holds beyond this once: " + g + ". ")
		}
		out.keys = keys{{seal.press(cut("Yes: "+label, 60), p, chatOf(a.Place))}}
	}
	out.page.text("Nothing was typed. Tap to confirm:")
	return out
}

// rejectedMessage says why an answer types nothing, and offers what can be done instead.
func rejectedMessage(a nudge.Answer, v nudge.Verdict, style style, seal sealer) outgoing {
	detail := cut(oneLine(style.redact(v.Detail)), sentenceRoom)
	if detail == "" {
		detail = v.Reason.Sentence()
	}
	if v.Nudge.ID == "" {
		return sentence("🚫 " + detail + " Nothing was typed.")
	}
	r := newRenderer(v.Nudge, style)
	if !r.Kind.Asks() {
		r.Claim = nil // what it was told before is not what this is about
	}
	out := outgoing{}
	r.about(&out.page, "🚫 ", "Nothing was typed: ")
	out.page.line().text(detail)
	switch {
	case v.Reason == deliver.Expired && v.Nudge.Standing:
		out.keys = keys{{seal.button("🔁 Ask again", verbAgain, v.Nudge.ID, chatOf(a.Place))}}
	case v.Nudge.Kind == screen.Question && !v.Nudge.State.Over():
		out.keys = r.buttonsElsewhere(chatOf(a.Place), seal)
	}
	return out
}
