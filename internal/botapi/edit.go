package botapi

import (
	"encoding/json"
	"reflect"
	"time"
)

// editable returns the message that a request wants to change. Telegram lets a bot change its own messages
// without a time limit, except messages with a reply keyboard and forwarded ones.
func (s *Server) editable(r *request) (*chat, *Record, error) {
	c, err := s.target(r)
	if err != nil {
		return nil, nil, err
	}
	m := c.messages[r.int("message_id")]
	if m == nil || m.Deleted {
		return nil, nil, badRequest("Message to edit not found")
	}
	if m.From == nil || m.From.ID != s.me.ID || m.special || m.ForwardOrigin != nil {
		return nil, nil, badRequest("Message can't be edited")
	}
	return c, m, s.mayEdit(c)
}

// change stores an edit, or refuses it if it changes nothing.
func (s *Server) change(c *chat, m *Record, next Message) (any, error) {
	if next.Text == m.Text && next.Caption == m.Caption && reflect.DeepEqual(next.Markup, m.Markup) && reflect.DeepEqual(next.Photo, m.Photo) &&
		sameEntities(next.Entities, m.Entities) && sameEntities(next.CaptionEntities, m.CaptionEntities) {
		return nil, badRequest("message is not modified: specified new message content and reply markup are exactly " +
			"the same as a current content and reply markup of the message")
	}
	now := time.Now()
	buttons := 0
	if m.Markup != nil {
		for _, row := range m.Markup.Rows {
			buttons += len(row)
		}
	}
	m.Before = append(m.Before, Version{Text: m.Text + m.Caption, Buttons: buttons, Until: now})
	m.Message = next
	m.EditDate = now.Unix()
	m.rev = s.touch()
	return c.view(m), nil
}

func sameEntities(a, b []Entity) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// edit changes the message of a request: its buttons, and what alter does. As with Telegram, an edit without
// reply_markup removes the buttons.
func (s *Server) edit(r *request, alter func(next *Message) error) (any, error) {
	markup, _, err := r.markup()
	if err != nil {
		return nil, err
	}
	c, m, err := s.editable(r)
	if err != nil {
		return nil, err
	}
	next := m.Message
	next.Markup = markup
	if err := alter(&next); err != nil {
		return nil, err
	}
	return s.change(c, m, next)
}

func (s *Server) editMessageText(r *request) (any, error) {
	if r.params["text"] == "" {
		return nil, badRequest("Message text is empty")
	}
	f, err := r.formattedText("text", "entities")
	if err != nil {
		return nil, err
	}
	return s.edit(r, func(next *Message) error {
		switch {
		case next.Text == "":
			return badRequest("There is no text in the message to edit")
		case f.text == "":
			return badRequest("Text must be non-empty")
		case codePoints(f.text) > maxText:
			return badRequest("MESSAGE_TOO_LONG")
		}
		next.Text, next.Entities = f.text, f.entities
		return nil
	})
}

func (s *Server) editMessageCaption(r *request) (any, error) {
	var caption Record
	if err := s.caption(r, &caption); err != nil {
		return nil, err
	}
	return s.edit(r, func(next *Message) error {
		if next.Document == nil && next.Photo == nil {
			return badRequest("There is no caption in the message to edit")
		}
		next.Caption, next.CaptionEntities = caption.Caption, caption.CaptionEntities
		return nil
	})
}

// editMessageMedia replaces the photo of a message. Other media are not implemented.
func (s *Server) editMessageMedia(r *request) (any, error) {
	var media map[string]string
	if json.Unmarshal([]byte(r.params["media"]), &media) != nil {
		return nil, badRequest("Can't parse input media JSON object")
	}
	if media["type"] != "photo" {
		return nil, badRequest("this emulator edits photos, not %q", media["type"])
	}
	inner := *r
	inner.params = map[string]string{"photo": media["media"], "caption": media["caption"], "parse_mode": media["parse_mode"]}
	f, caption, err := s.media(&inner, "photo")
	if err != nil {
		return nil, err
	}
	return s.edit(r, func(next *Message) (err error) {
		if next.Document == nil && next.Photo == nil {
			return badRequest("There is no media in the message to edit")
		}
		next.Document = nil
		next.Caption, next.CaptionEntities = caption.Caption, caption.CaptionEntities
		next.Photo, err = photoOf(f)
		return err
	})
}

func (s *Server) editMessageReplyMarkup(r *request) (any, error) {
	return s.edit(r, func(*Message) error { return nil })
}

// deleteMessage works for 48 hours, and in groups only for the bot's own messages, since this bot is no
// administrator.
func (s *Server) deleteMessage(r *request) (any, error) {
	c, err := s.target(r)
	if err != nil {
		return nil, err
	}
	m := c.messages[r.int("message_id")]
	switch {
	case m == nil || m.Deleted:
		return nil, badRequest("Message to delete not found")
	case c.Type != "private" && m.From.ID != s.me.ID,
		time.Since(time.Unix(m.Date, 0)) > 48*time.Hour:
		return nil, badRequest("Message can't be deleted for everyone")
	}
	if err := s.mayEdit(c); err != nil {
		return nil, err
	}
	m.Deleted = true
	m.Markup = nil
	m.rev = s.touch()
	return true, nil
}
