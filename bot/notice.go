package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

// perform carries out a notice and returns its receipt.
func (s *sender) perform(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	var r nudge.Receipt
	err := n.Match(
		func(of nudge.OfNudge) (err error) { r, err = s.tellNudge(ctx, n, of); return err },
		func(i *nudge.Instruction) (err error) { r, err = s.tellInstruction(ctx, n, *i); return err },
		func(w *nudge.Wish) (err error) { r, err = s.tellWish(ctx, n, *w); return err },
		func(d *nudge.Denials) (err error) { r, err = s.tellDenials(ctx, n, *d); return err },
		func(m *nudge.MonitorNews) (err error) {
			r, err = s.plainNotice(ctx, n, message.Monitor(*m, s.bot.style()))
			return err
		})
	return r, err
}

// tellInstruction sends the state of an instruction, or removes the buttons of an ended one from a list.
func (s *sender) tellInstruction(ctx context.Context, n nudge.Notice, i nudge.Instruction) (nudge.Receipt, error) {
	if n.Kind == nudge.Close {
		return s.closeNext(ctx, n, i)
	}
	out := message.Instruction(i, s.id, s.bot.seal, s.bot.style())
	topic, err := s.topicOf(ctx, i.Pane, s.bot.style().Title(i.Agent, i.Name, i.Project))
	if err != nil {
		return nudge.Receipt{}, err
	}
	out.Topic = topic
	r, err := s.plainNotice(ctx, n, out)
	if len(out.Keys) > 0 {
		r.Instructions = []string{i.ID}
	}
	return r, err
}

// tellNudge sends a nudge, or changes a message about it.
func (s *sender) tellNudge(ctx context.Context, n nudge.Notice, of nudge.OfNudge) (nudge.Receipt, error) {
	r, now := message.Of(of.Nudge, s.bot.styleIn(s.id)), time.Now()
	switch n.Kind {
	case nudge.Send:
		return s.remind(ctx, n, of, r, now)
	case nudge.Close:
		return s.close(ctx, n, r, now)
	case nudge.Refresh:
		return s.refresh(ctx, n, r, now)
	case nudge.Pin:
		return s.pin(ctx, n)
	case nudge.Unpin:
		return s.unpin(ctx, n)
	case nudge.Clear:
		return nudge.Receipt{Notice: n}, s.takeBack(ctx, n.Copy.Message, r.Replaced())
	}
	return s.report(ctx, n, r, now)
}

// close removes the buttons of a message. The newest message, and the one that was tapped, then say how the nudge ended.
func (s *sender) close(ctx context.Context, n nudge.Notice, r message.Renderer, now time.Time) (nudge.Receipt, error) {
	receipt := nudge.Receipt{Notice: n}
	var err error
	switch {
	case n.Copy.Offer == nudge.OfferWhich:
		if receipt, err = s.closed(n, func(nudge.Nudge) bool { return true }); err == nil {
			err = s.strip(ctx, n.Copy.Message)
		}
	case n.Copy.Offer == nudge.OfferList && n.Newest:
		return s.redrawQueue(ctx, n)
	case n.Copy.Offer == "" && len(n.Copy.Group) > 0:
		return s.redrawGroup(ctx, n)
	case !n.Newest, n.Copy.Offer != "":
		err = s.strip(ctx, n.Copy.Message)
	default:
		_, err = s.edit(ctx, n.Copy.Message, r.Over(s.id, s.bot.seal, now))
	}
	return receipt, err
}

// closed returns the receipt for a message about several nudges. It covers the notice's own nudge and those
// for which without reports true, which have no button there any more.
func (s *sender) closed(n nudge.Notice, without func(nudge.Nudge) bool) (nudge.Receipt, error) {
	r := nudge.Receipt{Notice: n}
	for _, id := range n.Copy.Group {
		one, found, err := s.bot.cfg.Keeper.Find(id)
		if err != nil {
			return r, fmt.Errorf("find nudge %s: %w", id, err)
		}
		if found && (one.ID == n.Nudge().ID || without(one)) {
			r.Parts = append(r.Parts, nudge.Part{Nudge: one})
		}
	}
	return r, nil
}

// aboutAgent is plainNotice for a message about an agent.
func (s *sender) aboutAgent(ctx context.Context, n nudge.Notice, out message.Outgoing, dangerous bool) (nudge.Receipt, error) {
	n.Silent = n.Silent || s.bot.hushes(dangerous)
	return s.plainNotice(ctx, n, out)
}

// plainNotice sends a message that is about no nudge.
func (s *sender) plainNotice(ctx context.Context, n nudge.Notice, out message.Outgoing) (nudge.Receipt, error) {
	out.Silent = n.Silent
	m, err := s.send(ctx, out)
	return nudge.Receipt{Notice: n, Message: m.ID, Topic: m.topic(), Sent: m.at()}, err
}

func (s *sender) remind(ctx context.Context, n nudge.Notice, of nudge.OfNudge, r message.Renderer, now time.Time) (nudge.Receipt, error) {
	receipt := nudge.Receipt{Notice: n, Hidden: true}
	var out message.Outgoing
	var err error
	if r.Style.Minimal {
		out = r.ShortPreview(s.id, s.bot.seal, now)
	} else {
		out = r.Message(s.id, s.bot.seal, now, seenIn(of.Nudge, s.id))
	}
	out.ReplyTo, out.Silent = cmp.Or(of.ReplyTo, of.Under.Message), n.Silent || s.bot.hushed(of.Nudge)
	if of.Nudge.Program() == nil {
		if out.Topic, err = s.topicOf(ctx, of.Nudge.Pane, r.Topic()); err != nil {
			return receipt, err
		}
	}
	under := of.Under.Topic
	if of.ReplyTo != 0 {
		under = topicIn(of.Nudge, s.id, of.ReplyTo)
	}
	if out.Topic != under {
		out.ReplyTo = 0
	}
	out.Silent = out.Silent || out.Topic != 0 && s.rangFor(of.Nudge)
	if !r.Style.Minimal {
		if out, receipt.Hidden, err = s.withFile(ctx, r, out); err != nil {
			return receipt, err
		}
	}
	m, err := s.send(ctx, out)
	if err == nil && out.Topic != 0 && !out.Silent && of.Nudge.Asks() {
		s.rang = &of.Nudge
	}
	receipt.Message, receipt.Topic, receipt.Sent, receipt.Hidden = m.ID, m.topic(), m.at(), receipt.Hidden || m.short
	return receipt, err
}

// rangFor reports whether another pane's question of the same moment has made a sound already. Such questions
// are in different topics, and only the first makes a sound.
func (s *sender) rangFor(n nudge.Nudge) bool {
	return s.rang != nil && n.Asks() && n.Pane != s.rang.Pane && n.Raised.Sub(s.rang.Raised).Abs() < sameMoment
}

// refresh shows the current ticks of a check list. A short preview shows none, so it stays.
func (s *sender) refresh(ctx context.Context, n nudge.Notice, r message.Renderer, now time.Time) (nudge.Receipt, error) {
	receipt := nudge.Receipt{Notice: n, Hidden: n.Copy.Hidden}
	if r.Style.Minimal && n.Copy.Hidden {
		return receipt, nil
	}
	r.Style.Minimal = false
	out := r.Message(s.id, s.bot.seal, now, true)
	short, err := s.edit(ctx, n.Copy.Message, out)
	receipt.Hidden = receipt.Hidden || short
	return receipt, err
}

// topicIn returns the topic of a nudge's message; 0: none.
func topicIn(n nudge.Nudge, chat int64, number int) int {
	for _, c := range n.Copies {
		if c.Place == message.Place(chat) && c.Message == number {
			return c.Topic
		}
	}
	return 0
}

// seenIn reports whether a message in that chat showed the whole subject.
func seenIn(n nudge.Nudge, chat int64) bool {
	return slices.ContainsFunc(n.Copies, func(c nudge.Copy) bool { return c.Place == message.Place(chat) && !c.Unseen && !c.Hidden })
}

// report tells the outcome to whoever answered. If all went well, the nudge's own message shows it: after a
// tap nothing more is sent, and after a reply a reaction shows it.
func (s *sender) report(ctx context.Context, n nudge.Notice, r message.Renderer, now time.Time) (nudge.Receipt, error) {
	receipt := nudge.Receipt{Notice: n}
	claim := r.Claim
	shows := slices.ContainsFunc(r.Copies, func(copied nudge.Copy) bool { return copied.Place == n.Place && !copied.Unseen })
	if claim != nil && claim.Way == nudge.ByButton && r.State == nudge.Delivered && shows {
		return receipt, nil
	}
	if saysAll, err := s.reactOutcome(ctx, n); saysAll || err != nil {
		return receipt, err
	}
	out := r.ToAnswerer(s.id, s.bot.seal, now)
	if claim != nil {
		out.ReplyTo, out.Topic = claim.Message, claim.Topic
	}
	m, err := s.send(ctx, out)
	receipt.Message, receipt.Topic, receipt.Sent, receipt.Offer = m.ID, m.topic(), m.at(), offerOf(out, r.Nudge)
	return receipt, err
}
