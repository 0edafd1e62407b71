package bot

import (
	"context"
	"net/http"
	"strconv"

	"nod/bot/message"
	"nod/detect/screen"
	"nod/nudge"
)

// nod's reactions to a person's own message: it was read, or it was carried out. Bots may only set reactions
// from Telegram's fixed list.
const (
	reactionTaken    = "👀"
	reactionApproved = "👍"
	reactionDenied   = "👎"
	reactionNone     = ""
)

// react sets nod's one reaction to a message, in place of the last.
func (s *sender) react(ctx context.Context, number int, emoji string) error {
	if s.bot.plainer.reactionless.Load() {
		return errNoReactions
	}
	p := s.messageAt(number)
	p["reaction"] = "[]"
	if emoji != reactionNone {
		p["reaction"] = `[{"type":"emoji","emoji":` + strconv.Quote(emoji) + `}]`
	}
	err := s.call(ctx, true, "setMessageReaction", p, nil)
	if err != nil && classify(err).kind == permanent && holds(err.Error(), "method not found") {
		s.bot.plainer.reactionless.Store(true)
	}
	return err
}

// errNoReactions is the error of a server without reactions.
var errNoReactions = &rejection{code: http.StatusNotFound, text: "Not Found: method not found"}

// reactTaken shows at once that an answer was taken, unless the outcome is there already.
func (b *Bot) reactTaken(a nudge.Answer, id string) {
	if !written(a.Way) || a.Message == 0 {
		return
	}
	b.queue(message.ChatOf(a.Place), job{what: "a receipt for #" + id, edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		n, found, err := b.cfg.Keeper.Find(id)
		if err != nil || !found || n.State != nudge.Claimed && n.State != nudge.Typing {
			return nil, nil // the outcome is there, and comes next
		}
		if err := s.react(ctx, a.Message, reactionTaken); err != nil {
			b.cfg.Log.Debug("a receipt could not be shown", "error", err)
		}
		return nil, nil
	}})
}

// written reports whether an answer is a message of the person.
func written(w nudge.Way) bool { return w == nudge.ByReply || w == nudge.ByFresh }

// reactionFor returns the reaction that says a nudge was answered as its claim wanted; none: that is not
// proven, or the answer was no message.
func reactionFor(n nudge.Nudge) string {
	c := n.Claim
	switch {
	case c == nil || !written(c.Way) || c.Message == 0 || n.State != nudge.Delivered && !n.Ticked():
		return reactionNone
	case c.Decision == screen.Deny, c.Decision == screen.Dismiss, c.Choice != nil && declines(n, c.Choice.Index):
		return reactionDenied
	}
	return reactionApproved
}

func declines(n nudge.Nudge, option int) bool {
	if option < 0 || option >= len(n.Prompt().Options) {
		return false
	}
	scope := n.Prompt().Options[option].Scope
	return scope == screen.No || scope == screen.NoAlways
}

// reactionSaysAll reports whether a reaction to the answer is enough, because the message that it replies to
// shows the rest.
func reactionSaysAll(n nudge.Notice) bool {
	return n.Kind == nudge.Reply && reactionFor(*n.Nudge()) != reactionNone && n.Nudge().Claim.Way == nudge.ByReply && n.Nudge().Claim.Because.IsZero() && n.Nudge().ShownIn(n.Place)
}

// reactOutcome shows the outcome as a reaction to the answer. It reports whether that is enough; a chat that
// refuses reactions needs a message.
func (s *sender) reactOutcome(ctx context.Context, n nudge.Notice) (saysAll bool, err error) {
	c := n.Nudge().Claim
	if c == nil || !written(c.Way) || c.Message == 0 {
		return false, nil
	}
	err = s.react(ctx, c.Message, reactionFor(*n.Nudge()))
	switch {
	case err == nil:
		return reactionSaysAll(n), nil
	case !reactionSaysAll(n), classify(err).kind == permanent, classify(err).kind == moot:
		s.bot.cfg.Log.Debug("an outcome could not be shown by a reaction", "error", err)
		return false, nil
	}
	return false, err
}
