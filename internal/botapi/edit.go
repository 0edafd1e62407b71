package botapi

import (
	"encoding/json"
	"reflect"
	"time"
)

// editable finds the message that a request wants to change. Telegram lets a bot change its own
// messages without a time limit, but none with a reply keyboard and none that was forwarded.
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

// change puts an edit into the history, or says that it is none.
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

// editMessageText takes the buttons off where reply_markup is absent, as Telegram does.
func (s *Server) editMessageText(r *request) (any, error) {
	if r.params["text"] == "" {
		return nil, badRequest("Message text is empty")
	}
	f, err := r.formattedText("text", "entities")
	if err != nil {
		return nil, err
	}
	markup, _, err := r.markup()
	if err != nil {
		return nil, err
	}
	c, m, err := s.editable(r)
	if err != nil {
		return nil, err
	}
	if m.Text == "" {
		return nil, badRequest("There is no text in the message to edit")
	}
	if f.text == "" {
		return nil, badRequest("Text must be non-empty")
	}
	if codePoints(f.text) > maxText {
		return nil, badRequest("MESSAGE_TOO_LONG")
	}
	next := m.Message
	next.Text, next.Entities, next.Markup = f.text, f.entities, markup
	return s.change(c, m, next)
}

func (s *Server) editMessageCaption(r *request) (any, error) {
	var capture Record
	if err := s.caption(r, &capture); err != nil {
		return nil, err
	}
	markup, _, err := r.markup()
	if err != nil {
		return nil, err
	}
	c, m, err := s.editable(r)
	if err != nil {
		return nil, err
	}
	if m.Document == nil && m.Photo == nil {
		return nil, badRequest("There is no caption in the message to edit")
	}
	next := m.Message
	next.Caption, next.CaptionEntities, next.Markup = capture.Caption, capture.CaptionEntities, markup
	return s.change(c, m, next)
}

// editMessageMedia puts another photo into a message that has one: that is all of it that is played.
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
	var caption Record
	f, err := s.attachment(&inner, "photo")
	if err == nil {
		err = s.caption(&inner, &caption)
	}
	if err != nil {
		return nil, err
	}
	markup, _, err := r.markup()
	if err != nil {
		return nil, err
	}
	c, m, err := s.editable(r)
	if err != nil {
		return nil, err
	}
	if m.Document == nil && m.Photo == nil {
		return nil, badRequest("There is no media in the message to edit")
	}
	next := m.Message
	next.Document = nil
	if next.Photo, err = photoOf(f); err != nil {
		return nil, err
	}
	next.Caption, next.CaptionEntities, next.Markup = caption.Caption, caption.CaptionEntities, markup
	return s.change(c, m, next)
}

func (s *Server) editMessageReplyMarkup(r *request) (any, error) {
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
	return s.change(c, m, next)
}

// deleteMessage works for 48 hours, and in groups for the bot's own messages only: this bot is no
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
