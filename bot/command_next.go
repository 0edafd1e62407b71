package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/internal/words"
	"nod/nudge"
)

// next answers /next NAME with an agent's queue, in the order of sending. Without a name it takes the only
// agent with a queue, or asks which.
func (b *Bot) next(_ context.Context, _ int, m *incoming, rest string) error {
	var s detect.Sighting
	if rest == "" && m.ReplyTo == nil && m.topic() == 0 {
		busy, err := b.panesWithNext()
		switch {
		case err != nil:
			return err
		case len(busy) == 0:
			b.say(m.Chat.ID, m.ID, message.Sentence("Nothing is queued for any agent. While one is at work, /tell adds to its queue."))
			return nil
		case len(busy) > 1:
			out := message.Sentence("Whose queue?")
			out.Keys = b.paneKeys(m.Chat.ID, toList, busy)
			b.say(m.Chat.ID, m.ID, out)
			return nil
		}
		s = busy[0]
	} else {
		chosen, ok, err := b.chosenPane(m, rest, toList)
		if err != nil || !ok {
			return err
		}
		s = chosen
	}
	list, wishes, err := b.waitsFor(s.Pane)
	if err != nil {
		return err
	}
	out := message.Next(list, wishes, b.style().Title(s.Agent, s.Name, s.Project), m.Chat.ID, b.seal, b.style(), time.Now())
	b.sayThen(m.Chat.ID, m.ID, out, func(sent sent) nudge.Receipt { return nextReceipt(m.Chat.ID, sent, listedNext(list), true) })
	return nil
}

// panesWithNext returns the panes whose agent has a queue.
func (b *Bot) panesWithNext() (busy []detect.Sighting, err error) {
	for _, s := range b.cfg.Panes() {
		list, wishes, err := b.waitsFor(s.Pane)
		if err != nil {
			return nil, err
		}
		if len(list)+len(wishes) > 0 {
			busy = append(busy, s)
		}
	}
	return busy, nil
}

// tapPane replaces the buttons by the queue of the chosen pane.
func (b *Bot) tapPane(chat int64, number int, id string) string {
	s, found := firstPane(b.cfg.Panes(), func(s detect.Sighting) bool { return paneID(s.Pane) == id })
	if !found {
		return "That pane is gone."
	}
	b.redrawNext(chat, number, nudge.Instruction{Addressee: nudge.Addressee{Whereabouts: s.Whereabouts}})
	return ""
}

// listedNext returns the ids of the instructions that have buttons in their list.
func listedNext(list []nudge.Placed) (ids []string) {
	for _, i := range list {
		if i.Position <= message.MaxNext {
			ids = append(ids, i.ID)
		}
	}
	return ids
}

// nextReceipt returns the receipt for a message with buttons about instructions.
func nextReceipt(chat int64, m sent, ids []string, list bool) nudge.Receipt {
	n := nudge.Notice{Kind: nudge.Listed, Place: message.Place(chat)}
	return nudge.Receipt{Notice: n, Message: m.ID, Topic: m.topic(), Sent: m.at(), Instructions: ids, List: list}
}

// closeNext removes the buttons of an ended instruction from a message. A list stays, without it.
func (s *sender) closeNext(ctx context.Context, n nudge.Notice, i nudge.Instruction) (nudge.Receipt, error) {
	r := nudge.Receipt{Notice: n, List: true}
	if !n.Newest {
		return r, s.strip(ctx, n.Copy.Message)
	}
	ids, err := s.drawNext(ctx, n.Copy.Message, i)
	r.Instructions = ids
	return r, err
}

// drawNext edits a message to show the queue of an instruction's agent, and returns the ids that have buttons
// there.
func (s *sender) drawNext(ctx context.Context, number int, i nudge.Instruction) (ids []string, err error) {
	list, wishes, err := s.bot.waitsFor(i.Pane)
	if err != nil {
		return nil, err
	}
	style := s.bot.style()
	_, err = s.edit(ctx, number, message.Next(list, wishes, style.Title(i.Agent, i.Name, i.Project), s.id, s.bot.seal, style, time.Now()))
	return listedNext(list), err
}

// waitsFor returns the instructions and wishes for the agent of a pane.
func (b *Bot) waitsFor(pane detect.PaneRef) ([]nudge.Placed, []nudge.Wish, error) {
	list, err := b.cfg.Keeper.Instructions(&pane)
	wishes, err2 := b.cfg.Keeper.Wishes(&pane)
	if err = errors.Join(err, err2); err != nil {
		return nil, nil, fmt.Errorf("list the instructions for %s: %w", pane.ID, err)
	}
	return list, wishes, nil
}

// tapNext carries out a button under an instruction and returns the text to show after the tap. It also
// redraws the tapped message.
func (b *Bot) tapNext(c *callback, p message.Tap) (string, error) {
	chat := c.Message.Chat.ID
	var i nudge.Instruction
	var err error
	said := ""
	switch p.Verb {
	case message.VerbUp:
		i, err = b.cfg.Keeper.MoveUp(p.ID)
		said = "Moved up by one."
	case message.VerbOutlast:
		i, err = b.cfg.Keeper.Outlast(p.ID, personOf(c.From))
		said = "It goes on by itself when the usage limit has ended."
	default:
		i, err = b.cfg.Keeper.CancelInstruction(p.ID, personOf(c.From))
		said = words.Why(i.Detail)
	}
	if err != nil {
		if known, found, findErr := b.cfg.Keeper.Instruction(p.ID); findErr != nil {
			return "", errors.Join(err, findErr)
		} else if found {
			b.redrawNext(chat, c.Message.ID, known)
		}
		return message.OneLine(strings.ToUpper(err.Error()[:1])+err.Error()[1:]) + ".", nil
	}
	b.redrawNext(chat, c.Message.ID, i)
	return message.OneLine(b.style().Redact(said)), nil
}

func (b *Bot) redrawNext(chat int64, number int, i nudge.Instruction) {
	b.queue(chat, job{what: "what is next in " + i.Pane.ID, edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		ids, err := s.drawNext(ctx, number, i)
		if err != nil {
			return nil, err
		}
		r := nextReceipt(chat, sent{ID: number}, ids, true)
		return &r, nil
	}})
}

// tapQueue queues the words that a busy agent could not take, and returns their position.
func (b *Bot) tapQueue(id int, c *callback, p message.Tap) (string, error) {
	chat := c.Message.Chat.ID
	a := tapped(id, c, p)
	a.Repeat = p.Claim
	placed, err := b.cfg.Keeper.SubmitRefused(a, nudge.InstructionTimeout)
	switch {
	case err != nil:
		return "", fmt.Errorf("queue words: %w", err)
	case placed.Repeated:
		return "", nil
	case placed.Reason != "":
		return "Nothing was queued. " + message.OneLine(b.style().Redact(words.Why(placed.Refusal))), nil
	}
	b.stripLater(chat, c.Message.ID)
	b.sayThen(chat, c.Message.ID, message.Queued(placed, chat, b.seal, b.style()), func(m sent) nudge.Receipt {
		return nextReceipt(chat, m, []string{placed.ID}, false)
	})
	return message.PlaceWords(placed), nil
}
