package bot

import (
	"fmt"
	"slices"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/nudge"
)

// answer gives a to the keeper and sends its writer the verdict, if they must know. The outcome of a taken
// answer follows as a notice.
func (b *Bot) answer(a nudge.Answer) (nudge.Verdict, error) {
	v, err := b.cfg.Keeper.Answer(a)
	if err != nil {
		return v, fmt.Errorf("take an answer: %w", err)
	}
	b.explain(a, v)
	return v, nil
}

// tell gives words for the agent of a pane to the keeper. Otherwise it works like answer.
func (b *Bot) tell(pane detect.PaneRef, a nudge.Answer) (nudge.Verdict, error) {
	v, err := b.cfg.Keeper.Tell(pane, a)
	if err != nil {
		return v, fmt.Errorf("take words for %s: %w", pane.ID, err)
	}
	b.explain(a, v)
	return v, nil
}

// explain sends the meaning of a verdict, if the human must know it now.
func (b *Bot) explain(a nudge.Answer, v nudge.Verdict) {
	style, chat := b.style(), message.ChatOf(a.Place)
	if slices.Contains([]nudge.VerdictKind{nudge.AskUnseen, nudge.AskSure, nudge.Rejected}, v.Kind) {
		a.Said = v.Said // a button that gives the answer again gives what was read
	}
	switch v.Kind {
	case nudge.Taken:
		b.reactTaken(a, v.Nudge.ID)
	case nudge.WhichOne:
		b.sayThen(chat, a.Message, message.Which(a, v, style, b.seal, time.Now()), b.receiptOf(chat, nudge.Several, nudge.OfferWhich, message.OfferedIn(v.Among)))
	case nudge.AskUnseen:
		b.askUnseen(a, message.Of(v.Nudge, style))
	case nudge.AskSure:
		b.sayOf(chat, a.Message, message.Of(v.Nudge, style).Sure(a, b.seal), v.Nudge)
	case nudge.Rejected:
		b.sayOf(chat, a.Message, message.Rejected(a, v, style, b.seal), v.Nudge)
	case nudge.NoAnswer:
		if out, ok := message.HowToAnswer(a, v.Nudge, b.seal); ok {
			b.sayOf(chat, a.Message, out, v.Nudge)
			return
		}
		b.say(chat, a.Message, message.NotUnderstood())
	case nudge.NothingDue:
		b.say(chat, a.Message, message.Sentence("Nothing is waiting for a yes or no, so nothing was typed. /queue lists what waits."))
	}
}

// askUnseen asks for consent to the unseen part. If the part is only hidden by a short preview, or the chat
// has no message of the nudge, it is shown instead.
func (b *Bot) askUnseen(a nudge.Answer, r message.Renderer) {
	if (r.Style.Minimal || !r.ShownAlone(a.Place)) && !r.Prompt.Partial && !r.Masked {
		b.show(message.ChatOf(a.Place), a.Message, r)
		return
	}
	b.ask(message.ChatOf(a.Place), a.Message, nudge.Consent, nudge.OfNudge{Nudge: r.Nudge}, r.Unseen(a, b.seal))
}
