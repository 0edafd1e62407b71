package bot

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
)

// update is the part of Telegram's update that nod reads. The library's own types stop at Bot API 5.5 and
// lack forward_origin and external_reply, both of which make a message no answer.
type update struct {
	ID       int           `json:"update_id"`
	Message  *incoming     `json:"message"`
	Edited   *incoming     `json:"edited_message"`
	Callback *callback     `json:"callback_query"`
	Member   *memberChange `json:"my_chat_member"`
}

type incoming struct {
	ID       int             `json:"message_id"`
	Date     int64           `json:"date"`
	Thread   int             `json:"message_thread_id"`
	InTopic  bool            `json:"is_topic_message"`
	From     *tgbotapi.User  `json:"from"`
	Chat     *tgbotapi.Chat  `json:"chat"`
	Text     string          `json:"text"`
	ReplyTo  *incoming       `json:"reply_to_message"`
	Keyboard *keyboard       `json:"reply_markup"`
	Photo    json.RawMessage `json:"photo"`
	Document *attachment     `json:"document"`
	Voice    *attachment     `json:"voice"`
	Sticker  json.RawMessage `json:"sticker"`
	Caption  string          `json:"caption"`
	Pinned   json.RawMessage `json:"pinned_message"` // Telegram's own message that somebody pinned this one

	// Fields that make a message something other than its sender's own words in this chat.
	SenderChat    json.RawMessage `json:"sender_chat"`
	ViaBot        json.RawMessage `json:"via_bot"`
	BusinessBot   json.RawMessage `json:"sender_business_bot"` // the bot that wrote in the name of the sender
	ForwardOrigin json.RawMessage `json:"forward_origin"`
	ForwardDate   int64           `json:"forward_date"`
	AutoForward   bool            `json:"is_automatic_forward"`
	// A reply to a message in another chat, or to a story, comes without reply_to_message.
	ExternalReply json.RawMessage `json:"external_reply"`
	ReplyToStory  json.RawMessage `json:"reply_to_story"`
	// Implicit: an app sent the message by itself, as a scheduled one or an away message. Its date is not the
	// time of writing.
	Implicit bool `json:"is_from_offline"`
}

// keyboard are the buttons under a message.
type keyboard struct {
	Rows message.Keys `json:"inline_keyboard"`
}

type callback struct {
	ID      string         `json:"id"`
	From    *tgbotapi.User `json:"from"`
	Message *incoming      `json:"message"`
	Data    string         `json:"data"`
}

type memberChange struct {
	Chat tgbotapi.Chat `json:"chat"`
	From tgbotapi.User `json:"from"`
	New  struct {
		Status string `json:"status"`
	} `json:"new_chat_member"`
}

var errNoUpdateID = errors.New("it has no update id")

// readUpdate decodes one update. With an error it still returns the id if that can be read, so that a
// malformed update can be confirmed and does not come again forever.
func readUpdate(raw json.RawMessage) (update, error) {
	var u update
	if err := json.Unmarshal(raw, &u); err != nil {
		var only struct {
			ID int `json:"update_id"`
		}
		_ = json.Unmarshal(raw, &only) // 0 if unreadable
		return update{ID: only.ID}, err
	}
	if u.ID <= 0 || u.ID == math.MaxInt { // no offset could confirm it
		return update{}, errNoUpdateID
	}
	for _, m := range []*incoming{u.Message, u.Edited} {
		if m != nil {
			m.dropRoot()
		}
	}
	return u, nil
}

// sender returns the author of an update; nil: unknown.
func (u update) sender() *tgbotapi.User {
	switch {
	case u.Callback != nil:
		return u.Callback.From
	case u.Member != nil:
		return &u.Member.From
	case u.Message != nil:
		return u.Message.From
	case u.Edited != nil:
		return u.Edited.From
	}
	return nil
}

// topic returns the topic of the message; 0: none.
func (m *incoming) topic() int {
	if m.InTopic {
		return m.Thread
	}
	return 0
}

// dropRoot removes the reply to the message that opened the topic: Telegram adds it to every message that
// replies to nothing.
func (m *incoming) dropRoot() {
	if m.topic() != 0 && m.ReplyTo != nil && m.ReplyTo.ID == m.Thread {
		m.ReplyTo = nil
	}
}

// own reports whether the message is its sender's own: written by a person, here, and not sent through
// something else.
func (m *incoming) own() bool {
	return m.From != nil && !m.From.IsBot && !given(m.SenderChat) && !given(m.ViaBot) && !given(m.BusinessBot)
}

func (m *incoming) forwarded() bool {
	return given(m.ForwardOrigin) || m.ForwardDate != 0 || m.AutoForward
}

// elsewhere reports whether the message replies to something outside this chat.
func (m *incoming) elsewhere() bool { return given(m.ExternalReply) || given(m.ReplyToStory) }

// private reports whether the message is in the sender's own chat with the bot.
func (m *incoming) private() bool {
	return m.Chat != nil && m.From != nil && m.Chat.Type == "private" && m.Chat.ID == m.From.ID
}

func (m *incoming) written() time.Time { return dated(m.Date) }

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
