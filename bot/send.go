package bot

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/nudge"
)

// sent is what Telegram says of a message that it took.
type sent struct {
	ID   int   `json:"message_id"`
	Date int64 `json:"date"`
}

func (s sent) at() time.Time { return dated(s.Date) }

// dated is the time of one of Telegram's dates: unix seconds. Other servers that speak the Bot API are
// seen to send milliseconds, and no date may become a year that a record can't hold.
func dated(date int64) time.Time {
	const yearOf5138 = 100_000_000_000
	for date > yearOf5138 || date < -yearOf5138 {
		date /= 1000
	}
	return time.Unix(date, 0).UTC()
}

// pace waits until the limits let the chat have another message or edit.
func (b *Bot) pace(ctx context.Context, chat int64) error {
	b.mu.Lock()
	l := b.lane(chat)
	b.mu.Unlock()
	if err := l.limit.Wait(ctx); err != nil {
		return context.Canceled
	}
	if err := b.all.Wait(ctx); err != nil {
		return context.Canceled
	}
	return nil
}

// send brings one message to a chat. What Telegram can't read as HTML goes as plain text.
func (b *Bot) send(ctx context.Context, chat int64, l letter) (sent, error) {
	p := address(chat, l)
	p["disable_web_page_preview"] = "true"
	if err := putKeys(p, l.keys); err != nil {
		return sent{}, err
	}
	var m sent
	err := b.write(ctx, chat, "sendMessage", p, &l.page, &m)
	if err == nil && l.file != nil {
		b.mu.Lock()
		delete(b.filed, fileKey(chat, l.file))
		b.mu.Unlock()
	}
	return m, err
}

// withFile sends the file of a letter, if it has one, before the letter promises it. A letter whose
// file Telegram refuses is made anew without, and hides a part then.
func (b *Bot) withFile(ctx context.Context, chat int64, v view, l letter) (whole letter, hidden bool, err error) {
	if l.file == nil {
		return l, v.masked, nil
	}
	err = b.sendFile(ctx, chat, l)
	if err == nil {
		return l, v.masked, nil
	}
	if k := classify(err).kind; k != permanent && k != unauthorized { // a server without sendDocument says 404
		return l, true, err
	}
	b.cfg.Log.Error("Telegram refused a file", "chat", chat, "file", l.file.name, "error", err)
	v.unfiled = true
	without := v.fullLetter(chat, b.seal, time.Now(), false)
	without.replyTo, without.silent = l.replyTo, l.silent
	return without, true, nil
}

// sendFile sends the letter's file, once: when the letter behind it has to be tried again, the file
// is there already.
func (b *Bot) sendFile(ctx context.Context, chat int64, l letter) error {
	key := fileKey(chat, l.file)
	b.mu.Lock()
	there := b.filed[key]
	b.mu.Unlock()
	if there {
		return nil
	}
	if err := b.pace(ctx, chat); err != nil {
		return err
	}
	p := address(chat, l)
	p["disable_notification"] = "true"
	if err := b.api.upload(ctx, p, l.file.name, l.file.data, nil); err != nil {
		return err
	}
	b.mu.Lock()
	b.filed[key] = true
	b.mu.Unlock()
	return nil
}

func fileKey(chat int64, f *file) string { return strconv.FormatInt(chat, 10) + " " + f.name }

// edit changes a message. No keys take its buttons off.
func (b *Bot) edit(ctx context.Context, chat int64, message int, l letter) error {
	p := tgbotapi.Params{"chat_id": strconv.FormatInt(chat, 10), "message_id": strconv.Itoa(message)}
	p["disable_web_page_preview"] = "true"
	if err := putKeys(p, l.keys); err != nil {
		return err
	}
	return unlessMoot(b.write(ctx, chat, "editMessageText", p, &l.page, nil))
}

// strip takes the buttons off a message and leaves its text.
func (b *Bot) strip(ctx context.Context, chat int64, message int) error {
	if err := b.pace(ctx, chat); err != nil {
		return err
	}
	p := tgbotapi.Params{"chat_id": strconv.FormatInt(chat, 10), "message_id": strconv.Itoa(message)}
	if err := putKeys(p, keys{}); err != nil {
		return err
	}
	return unlessMoot(b.api.call(ctx, sendLimit, "editMessageReplyMarkup", p, nil))
}

// takeBack deletes a message. Where Telegram does not let it, as after 48 hours, what it says becomes instead.
func (b *Bot) takeBack(ctx context.Context, chat int64, message int, instead letter) error {
	if err := b.pace(ctx, chat); err != nil {
		return err
	}
	p := tgbotapi.Params{"chat_id": strconv.FormatInt(chat, 10), "message_id": strconv.Itoa(message)}
	err := unlessMoot(b.api.call(ctx, sendLimit, "deleteMessage", p, nil))
	if err != nil && classify(err).kind == permanent {
		return b.edit(ctx, chat, message, instead)
	}
	return err
}

func unlessMoot(err error) error {
	if err != nil && classify(err).kind == moot {
		return nil
	}
	return err
}

func (b *Bot) write(ctx context.Context, chat int64, method string, p tgbotapi.Params, text *page, into any) error {
	if err := b.pace(ctx, chat); err != nil {
		return err
	}
	p["text"], p["parse_mode"] = text.html, tgbotapi.ModeHTML
	err := b.api.call(ctx, sendLimit, method, p, into)
	if err == nil || classify(err).kind != badMarkup {
		return err
	}
	b.cfg.Log.Error("Telegram can't read a message's markup, so it goes as plain text", "error", err)
	if err := b.pace(ctx, chat); err != nil {
		return err
	}
	p["text"] = text.plain
	delete(p, "parse_mode")
	return b.api.call(ctx, sendLimit, method, p, into)
}

func address(chat int64, l letter) tgbotapi.Params {
	p := tgbotapi.Params{"chat_id": strconv.FormatInt(chat, 10)}
	p.AddNonZero("reply_to_message_id", l.replyTo)
	p.AddBool("allow_sending_without_reply", true)
	p.AddBool("disable_notification", l.silent)
	return p
}

// putKeys adds buttons: nil says nothing of them, an empty list takes them off. The library would
// write an empty list that is nil as null, which Telegram refuses.
func putKeys(p tgbotapi.Params, k keys) error {
	if k == nil {
		return nil
	}
	data, err := json.Marshal(tgbotapi.InlineKeyboardMarkup{InlineKeyboard: k})
	if err != nil {
		return err
	}
	p["reply_markup"] = string(data)
	return nil
}

// perform does what a notice asks for, and gives the receipt for it.
func (b *Bot) perform(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	v, now := newView(n.Nudge, b.look()), time.Now()
	switch n.Kind {
	case nudge.Send:
		return b.remind(ctx, n, v, now)
	case nudge.Close:
		if !n.Newest {
			return nudge.Receipt{Notice: n}, b.strip(ctx, n.Chat, n.Copy.Message)
		}
		return nudge.Receipt{Notice: n}, b.edit(ctx, n.Chat, n.Copy.Message, v.endingLetter(n.Chat, b.seal, now))
	case nudge.Clear:
		return nudge.Receipt{Notice: n}, b.takeBack(ctx, n.Chat, n.Copy.Message, v.replacedLetter())
	}
	return nudge.Receipt{Notice: n}, b.report(ctx, n, v, now)
}

func (b *Bot) remind(ctx context.Context, n nudge.Notice, v view, now time.Time) (nudge.Receipt, error) {
	r := nudge.Receipt{Notice: n, Hidden: true}
	var l letter
	var err error
	if v.chat.minimal {
		l = v.preview(n.Chat, b.seal, now)
	} else {
		l = v.letter(n.Chat, b.seal, now, seenIn(n.Nudge, n.Chat))
	}
	l.replyTo, l.silent = n.ReplyTo, n.Silent
	if !v.chat.minimal {
		if l, r.Hidden, err = b.withFile(ctx, n.Chat, v, l); err != nil {
			return r, err
		}
	}
	m, err := b.send(ctx, n.Chat, l)
	r.Message, r.Sent = m.ID, m.at()
	return r, err
}

// seenIn reports whether a message in that chat brought the whole subject.
func seenIn(n nudge.Nudge, chat int64) bool {
	for _, c := range n.Copies {
		if c.Chat == chat && !c.Unseen && !c.Hidden {
			return true
		}
	}
	return false
}

// report tells the one who answered what became of it. After a tap that went well the nudge's own message
// says so itself, where there is one.
func (b *Bot) report(ctx context.Context, n nudge.Notice, v view, now time.Time) error {
	c := n.Nudge.Claim
	shows := slices.ContainsFunc(n.Nudge.Copies, func(c nudge.Copy) bool { return c.Chat == n.Chat && !c.Unseen })
	if c != nil && c.Way == nudge.ByButton && n.Nudge.State == nudge.Delivered && shows {
		return nil
	}
	l := v.outcomeLetter(n.Chat, b.seal, now)
	if c != nil {
		l.replyTo = c.Message
	}
	_, err := b.send(ctx, n.Chat, l)
	return err
}
