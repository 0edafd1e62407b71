package bot

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
)

// sent is Telegram's description of a message that it took.
type sent struct {
	ID      int   `json:"message_id"`
	InTopic bool  `json:"is_topic_message"`
	Thread  int   `json:"message_thread_id"`
	Date    int64 `json:"date"`
	short   bool  // some of the text is missing
}

// topic returns the topic of the message; 0: none.
func (s sent) topic() int {
	if s.InTopic {
		return s.Thread
	}
	return 0
}

func (s sent) at() time.Time { return dated(s.Date) }

// dated converts a date of Telegram, in Unix seconds. Some other servers that speak the Bot API send
// milliseconds, and no date may become a year that a record can't store.
func dated(date int64) time.Time {
	const yearOf5138 = 100_000_000_000
	for date > yearOf5138 || date < -yearOf5138 {
		date /= 1000
	}
	return time.Unix(date, 0).UTC()
}

// call makes one call in the chat, in its turn.
func (s *sender) call(ctx context.Context, edit bool, method string, p tgbotapi.Params, into any) error {
	return s.inTurn(ctx, edit, func() error { return s.bot.api.call(ctx, sendLimit, method, p, into) })
}

// inTurn makes a call when the chat's pace and Telegram's limit for all chats allow it, and learns from the
// answer.
func (s *sender) inTurn(ctx context.Context, edit bool, call func() error) error {
	for wait := s.pace.wait(edit, time.Now()); wait > 0; wait = s.pace.wait(edit, time.Now()) {
		if sleep(ctx, wait); ctx.Err() != nil {
			return context.Canceled
		}
	}
	if s.bot.all.Wait(ctx) != nil {
		return context.Canceled
	}
	s.pace.begin(edit, time.Now())
	err := s.closingMeanwhile(ctx, edit, call)
	switch f := classify(err); {
	case err == nil:
		s.pace.passed(edit, time.Now())
	case f.kind == later:
		s.pace.refuse(edit, f.after, time.Now())
	}
	return err
}

// send sends one message to the chat.
func (s *sender) send(ctx context.Context, out message.Outgoing) (sent, error) {
	p := s.address(out)
	p["disable_web_page_preview"] = "true"
	var m sent
	var f form
	err := s.somewhere(ctx, p, func() (err error) {
		f, err = s.write(ctx, false, "sendMessage", p, out, &m)
		return err
	})
	m.short = f.short
	if err == nil && f.bare {
		s.noteButtons(m.ID, false)
	}
	if err == nil && out.File != nil {
		delete(s.filed, out.File.Name)
	}
	return m, err
}

// withFile sends the file of a message, if it has one, before the message refers to it. If Telegram refuses
// the file, it returns a message without it, which hides a part.
func (s *sender) withFile(ctx context.Context, r message.Renderer, out message.Outgoing) (whole message.Outgoing, hidden bool, err error) {
	if out.File == nil {
		return out, r.Masked, nil
	}
	err = s.sendFile(ctx, out)
	if err == nil {
		return out, r.Masked, nil
	}
	if k := classify(err).kind; k != permanent && k != unauthorized { // a server without sendDocument answers 404
		return out, true, err
	}
	s.bot.cfg.Log.Error("Telegram refused a file", "chat", s.id, "file", out.File.Name, "error", err)
	r.Unfiled = true
	without := r.Asking(s.id, s.bot.seal, time.Now(), false)
	without.ReplyTo, without.Topic, without.Silent = out.ReplyTo, out.Topic, out.Silent
	return without, true, nil
}

// sendFile sends the message's file, once. When the message after it must be tried again, the file is there
// already.
func (s *sender) sendFile(ctx context.Context, out message.Outgoing) error {
	content := hashOf(out.File.Data)
	if s.filed[out.File.Name] == content {
		return nil
	}
	p := s.address(out)
	p["disable_notification"] = "true"
	err := s.somewhere(ctx, p, func() error {
		return s.inTurn(ctx, false, func() error {
			return s.bot.api.upload(ctx, "sendDocument", "document", p, out.File.Name, out.File.Data, nil)
		})
	})
	if err == nil {
		s.filed[out.File.Name] = content
	}
	return err
}

// edit changes a message; short: some of the text is missing. A message without keys loses its buttons.
func (s *sender) edit(ctx context.Context, number int, out message.Outgoing) (short bool, err error) {
	p := s.messageAt(number)
	p["disable_web_page_preview"] = "true"
	f, err := s.write(ctx, true, "editMessageText", p, out, nil)
	if err = unlessMoot(err); err == nil {
		s.noteButtons(number, len(out.Keys) > 0 && !f.bare)
	}
	return f.short, err
}

// strip removes the buttons of a message and keeps its text. A tap and the end of the nudge both ask for it,
// and Telegram returns an error for the second call.
func (s *sender) strip(ctx context.Context, number int) error {
	if s.bare[number] {
		return nil
	}
	return s.rekey(ctx, number, message.Keys{})
}

// rekey replaces the buttons of a message and keeps its text.
func (s *sender) rekey(ctx context.Context, number int, keys message.Keys) error {
	p := s.messageAt(number)
	if err := putKeys(p, keys, false); err != nil {
		return err
	}
	err := unlessMoot(s.call(ctx, true, "editMessageReplyMarkup", p, nil))
	if err == nil {
		s.noteButtons(number, len(keys) > 0)
	}
	return err
}

// maxBare is how many messages without buttons a chat remembers. A forgotten one costs a call.
const maxBare = 1000

// noteButtons remembers whether a message has buttons after its last edit.
func (s *sender) noteButtons(number int, has bool) {
	if len(s.bare) >= maxBare {
		clear(s.bare)
	}
	if s.bare[number] = true; has {
		delete(s.bare, number)
	}
}

// takeBack deletes a message. If Telegram does not allow it, as after 48 hours, the text is replaced by
// instead.
func (s *sender) takeBack(ctx context.Context, number int, instead message.Outgoing) error {
	err := unlessMoot(s.call(ctx, true, "deleteMessage", s.messageAt(number), nil))
	if err != nil && classify(err).kind == permanent {
		_, err = s.edit(ctx, number, instead)
	}
	return err
}

func (s *sender) messageAt(id int) tgbotapi.Params {
	return tgbotapi.Params{"chat_id": strconv.FormatInt(s.id, 10), "message_id": strconv.Itoa(id)}
}

func unlessMoot(err error) error {
	if err != nil && classify(err).kind == moot {
		return nil
	}
	return err
}

// shortText is the length of a message that Telegram found too long.
const shortText = 1000

// write sends or edits a text with its buttons. If Telegram refuses the entities, the buttons or the length,
// it tries again without; the returned form is the one that was taken.
func (s *sender) write(ctx context.Context, edit bool, method string, p tgbotapi.Params, out message.Outgoing, into any) (f form, err error) {
	return s.plainly(out, true, func(f form) (bool, error) {
		short, err := f.put(p, "text", out, edit)
		if err != nil {
			return short, err
		}
		return short, s.call(ctx, edit, method, p, into)
	})
}

// plainly makes a call that sends a message, in plainer and plainer forms as long as Telegram refuses the
// form. guess: the call can only be refused because of its form.
func (s *sender) plainly(out message.Outgoing, guess bool, call func(form) (short bool, err error)) (form, error) {
	f := s.bot.plainer.form()
	var refused error // the first refusal for more than times and colours
	for {
		short, err := call(f)
		if err == nil {
			if refused != nil {
				s.bot.cfg.Log.Error("Telegram refused a message as it was, so it went in a plainer form", "chat", s.id, "characters", out.Page.Size(), "error", refused)
			}
			s.bot.plainer.passed(f)
			f.short = short
			return f, nil
		}
		next, ok := f.below(err, out, guess)
		if !ok {
			return f, err
		}
		if refused == nil && (next.plain != f.plain || next.bare != f.bare || next.short != f.short) {
			refused = err
		}
		f = next
	}
}

// sendParams returns the parameters for where and how a message goes.
func sendParams(chat int64, out message.Outgoing) tgbotapi.Params {
	p := tgbotapi.Params{"chat_id": strconv.FormatInt(chat, 10)}
	p.AddNonZero("reply_to_message_id", out.ReplyTo)
	p.AddBool("allow_sending_without_reply", true)
	p.AddBool("disable_notification", out.Silent)
	return p
}

// putKeys adds buttons. nil leaves them as they are, an empty list removes them. With wantsReply the app may
// open its reply field.
func putKeys(p tgbotapi.Params, k message.Keys, wantsReply bool) error {
	delete(p, "reply_markup")
	if k == nil {
		return nil
	}
	data, err := json.Marshal(struct {
		Rows  message.Keys `json:"inline_keyboard"`
		Reply bool         `json:"force_reply,omitempty"`
	}{k, wantsReply && len(k) > 0})
	if err != nil {
		return err
	}
	p["reply_markup"] = string(data)
	return nil
}
