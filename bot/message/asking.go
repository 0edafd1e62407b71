package message

import (
	"fmt"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

// Messages in which nod asks back, or says why it typed nothing.

// maxAmong is how many nudges the question "which one" lists.
const maxAmong = 8

// tapOf returns the button data that gives the answer a again.
func tapOf(a nudge.Answer, id string) Tap {
	p := Tap{Verb: VerbApprove, ID: id, Leave: a.LeaveMode, Unseen: a.Unseen, Sure: a.Sure, Ticks: a.Ticks}
	switch {
	case a.Decision == screen.Send:
		p.Verb = VerbSend
	case a.Decision == screen.Dismiss:
		p.Verb = VerbLeave
	case a.Choice != nil && sealable(a.Ticks) != "":
		p.Verb, p.Option = VerbTick, a.Choice.Index
	case a.Choice != nil:
		p.Verb, p.Option = VerbChoose, a.Choice.Index
	case a.Decision == screen.Deny:
		p.Verb = VerbDeny
	}
	return p
}

// Which asks which of several nudges a bare word, number or label means. If fewer than two of them are awake,
// there is also a button for neither.
func Which(a nudge.Answer, v nudge.Verdict, style Style, seal Sealer, now time.Time) Outgoing {
	var out Outgoing
	out.Page.Text(strings.TrimSpace("Which one is meant? Nothing was typed. " + words.Why(reason.Why{Kind: v.Doubt}))).Line()
	awake := 0
	for _, n := range OfferedIn(v.Among) {
		r := Of(n, style)
		out.Page.Line()
		if n.Snoozes(now) {
			out.Page.Text("💤 snoozed: ")
		} else {
			awake++
		}
		out.Page.Text(fmt.Sprintf("#%s ", n.ID)).Text(r.Short())
		out.Keys = append(out.Keys, []button{seal.Tap(r.whichLabel(a, now), tapWhich(a, n), ChatOf(a.Place))})
	}
	if more := len(v.Among) - maxAmong; more > 0 {
		out.Page.Line().Text(fmt.Sprintf("… and %d more: see /queue", more))
	}
	if awake < 2 {
		out.Keys = append(out.Keys, []button{seal.Tap("Neither", Tap{Verb: VerbNeither, ID: v.Among[0].ID}, ChatOf(a.Place))})
	}
	return out
}

// whichLabel returns the label of a button: the answer and the nudge that gets it.
func (r Renderer) whichLabel(a nudge.Answer, now time.Time) string {
	said, snoozed := r.Style.Redact(a.Text), ""
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
	if r.Style.Minimal {
		what = r.Title
	}
	return Cut(OneLine(fmt.Sprintf("%s%s → #%s %s", snoozed, Cut(said, labelRoom/3), r.ID, what)), labelRoom)
}

// tapWhich returns the button data that gives the ambiguous answer a to n.
func tapWhich(a nudge.Answer, n nudge.Nudge) Tap {
	p := tapOf(a, n.ID)
	option, said := n.OptionSaid(a.Text)
	switch {
	case a.Decision != "":
	case !said:
		p.Verb = VerbShow
	case n.Prompt().Options[option].Tick != screen.NoBox:
		p.Verb, p.Option, p.Ticks = VerbTick, option, n.Prompt().Ticks()
	default:
		p.Verb, p.Option = VerbChoose, option
	}
	return p
}

// OfferedIn returns the nudges of a list that have buttons under it.
func OfferedIn(list []nudge.Nudge) []nudge.Nudge { return list[:min(len(list), maxAmong)] }

// Unseen asks for consent to the unseen part.
func (r Renderer) Unseen(a nudge.Answer, seal Sealer) Outgoing {
	p := tapOf(a, r.ID)
	p.Unseen = true
	r.Style.Minimal = false // they asked for it
	out := Outgoing{Keys: Keys{{seal.Tap("⚠ Approve what can't be seen", p, ChatOf(a.Place))}}}
	r.about(&out.Page, "⚠ Seen only in part: ")
	why := "A part of it can't be seen from here."
	if doubts := r.doubts(); doubts != "" {
		why = "A part of it can't be seen from here: " + doubts
	}
	if r.Masked && !r.Prompt.Partial {
		why = "A secret in it is masked, and in no message."
	}
	out.Page.Text(why + " Nothing was typed. Look at the screen, or approve it unseen:")
	r.sign(&out.Page)
	return out
}

// Sure asks for the second tap that an option needs if it grants more than this once. Its button names the
// option.
func (r Renderer) Sure(a nudge.Answer, seal Sealer) Outgoing {
	p := tapOf(a, r.ID)
	p.Sure = true
	r.Style.Minimal = false // they asked for it
	var out Outgoing
	r.about(&out.Page, "⚠ Allows more than this once: ")
	if a.Choice != nil && p.Option < len(r.labels) {
		label := r.labels[p.Option]
		out.Page.Bold(Cut(label, SentenceRoom)).Line()
		if g := r.grants(p.Option); g != "" {
			out.Page.Text(strings.ToUpper(g[:1]) + g[1:] + ". ")
		}
		out.Keys = Keys{{seal.Tap(Cut("Yes: "+label, 60), p, ChatOf(a.Place))}}
	}
	out.Page.Text("Nothing was typed. Tap to confirm:")
	r.sign(&out.Page)
	return out
}

// Rejected says why an answer types nothing, and offers alternatives.
func Rejected(a nudge.Answer, v nudge.Verdict, style Style, seal Sealer) Outgoing {
	detail := Cut(OneLine(style.Redact(words.Why(v.Detail))), SentenceRoom)
	if detail == "" {
		detail = words.Refused(string(v.Reason))
	}
	if v.Nudge.ID == "" {
		return Sentence("🚫 " + detail + " Nothing was typed.")
	}
	r := Of(v.Nudge, style)
	if !r.Asks() {
		r.Claim = nil // an older answer is not the subject here
	}
	out := Outgoing{}
	r.about(&out.Page, "🚫 Nothing was typed: ")
	out.Page.Text(detail)
	r.sign(&out.Page)
	switch {
	case v.Reason == deliver.Expired && v.Nudge.Standing:
		out.Keys = Keys{{seal.Button("🔁 Ask again", VerbAgain, v.Nudge.ID, ChatOf(a.Place))}}
	case v.Reason == deliver.Away && (a.Decision != "" || a.Choice != nil) && a.Because.IsZero(): // a button holds no words
		p := tapOf(a, v.Nudge.ID)
		p.Wait = true
		out.Keys = Keys{{seal.Tap("⏳ Wait a minute for it", p, ChatOf(a.Place))}}
	case v.Nudge.Kind() == screen.Question && !v.Nudge.State.Over():
		out.Keys = r.buttonsElsewhere(ChatOf(a.Place), seal)
	}
	return out
}
