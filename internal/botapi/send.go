package botapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // photos come as JPEG or PNG
	_ "image/png"
	"mime"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func (s *Server) getMe(*request) (any, error) {
	type me struct {
		User
		JoinGroups bool `json:"can_join_groups"`
		ReadAll    bool `json:"can_read_all_group_messages"`
		Inline     bool `json:"supports_inline_queries"`
		Topics     bool `json:"has_topics_enabled,omitempty"`
	}
	return me{User: s.me, JoinGroups: true, Topics: s.opts.Topics && s.opts.Version >= withPrivateTopics}, nil
}

func (s *Server) sendMessage(r *request) (any, error) {
	if r.params["text"] == "" {
		return nil, badRequest("Message text is empty")
	}
	f, err := r.formattedText("text", "entities")
	if err != nil {
		return nil, err
	}
	m := &Record{}
	m.Text, m.Entities = f.text, f.entities
	return s.send(r, m, func() error {
		if m.Text == "" {
			return badRequest("Text must be non-empty")
		}
		if codePoints(m.Text) > maxText {
			return badRequest("Message is too long")
		}
		return nil
	})
}

// send does the common part of all send methods, in the order of Telegram's checks: markup, chat, reply,
// content, and finally whether the bot may write to the person.
func (s *Server) send(r *request, m *Record, content func() error) (any, error) {
	var err error
	if m.Markup, m.special, err = r.markup(); err != nil {
		return nil, err
	}
	c, err := s.target(r)
	if err != nil {
		return nil, err
	}
	if m.Markup.opensApps() && c.Type != "private" {
		return nil, badRequest("BUTTON_TYPE_INVALID")
	}
	if m.ThreadID, err = c.threadTarget(r); err != nil {
		return nil, err
	}
	m.InTopic = m.ThreadID != 0
	if m.ReplyID, err = c.replyTarget(r, m.ThreadID); err != nil {
		return nil, err
	}
	if err := content(); err != nil {
		return nil, err
	}
	if err := s.mayWrite(c); err != nil {
		return nil, err
	}
	m.From = &s.me
	m.Silent = r.bool("disable_notification")
	c.typing = time.Time{}
	s.add(c, m)
	return c.view(m), nil
}

// replyTarget parses reply_parameters; the older fields count only if that is absent. It refuses a reply into
// another topic, even if the message may be sent without a reply.
func (c *chat) replyTarget(r *request, thread int) (int, error) {
	var p struct {
		ID    int  `json:"message_id"`
		Allow bool `json:"allow_sending_without_reply"`
	}
	if raw := r.params["reply_parameters"]; raw != "" {
		if json.Unmarshal([]byte(raw), &p) != nil {
			return 0, badRequest("Can't parse reply parameters JSON object")
		}
	} else {
		p.ID, p.Allow = r.int("reply_to_message_id"), r.bool("allow_sending_without_reply")
	}
	if p.ID == 0 {
		return 0, nil
	}
	if to := c.messages[p.ID]; to == nil || to.Deleted {
		if p.Allow {
			return 0, nil
		}
		return 0, badRequest("Message to be replied not found")
	} else if to.ThreadID != thread {
		return 0, badRequest("Message to be replied not found")
	}
	return p.ID, nil
}

// attachment returns the file of a request: a part of the form, a file_id from this server, or
// "attach://part".
func (s *Server) attachment(r *request, field string) (*File, error) {
	up, ok := r.files[field]
	value := r.params[field]
	if part, found := strings.CutPrefix(value, "attach://"); found {
		up, ok = r.files[part]
	}
	if !ok {
		if f := s.files[value]; f != nil {
			return f, nil
		}
		if value == "" {
			return nil, badRequest("There is no %s in the request", field)
		}
		return nil, badRequest("Wrong remote file identifier specified: can't unserialize it. Wrong last symbol")
	}
	if len(up.data) == 0 {
		return nil, badRequest("File must be non-empty")
	}
	return s.keep(field, up.name, up.data), nil
}

// keep stores a file.
func (s *Server) keep(kind, name string, data []byte) *File {
	s.fileSeq++
	f := &File{ID: fmt.Sprintf("BQACAgIAAxkDAAI%06d", s.fileSeq), Name: filepath.Base(name), Size: len(data), data: data}
	f.Path = fmt.Sprintf("%ss/file_%d%s", kind, s.fileSeq, filepath.Ext(f.Name))
	s.files[f.ID] = f
	return f
}

func (s *Server) caption(r *request, m *Record) error {
	f, err := r.formattedText("caption", "caption_entities")
	if err != nil {
		return err
	}
	if codePoints(f.text) > maxCaption {
		return badRequest("Message caption is too long")
	}
	m.Caption, m.CaptionEntities = f.text, f.entities
	return nil
}

// media returns the file of a request, and a message with its caption.
func (s *Server) media(r *request, field string) (*File, *Record, error) {
	f, err := s.attachment(r, field)
	if err != nil {
		return nil, nil, err
	}
	m := &Record{}
	return f, m, s.caption(r, m)
}

func (s *Server) sendDocument(r *request) (any, error) {
	f, m, err := s.media(r, "document")
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(f.Name)))
	m.Document = &Document{FileID: f.ID, UniqueID: f.unique(), Name: f.Name, Mime: kind, Size: f.Size}
	return s.send(r, m, func() error { return nil })
}

func (s *Server) sendPhoto(r *request) (any, error) {
	f, m, err := s.media(r, "photo")
	if err != nil {
		return nil, err
	}
	return s.send(r, m, func() error {
		m.Photo, err = photoOf(f)
		return err
	})
}

// photoOf returns the one size of a photo that is kept, if Telegram accepts the photo.
func photoOf(f *File) ([]Photo, error) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(f.data))
	if err != nil {
		return nil, badRequest("IMAGE_PROCESS_FAILED")
	}
	// As Telegram documents sendPhoto: width and height together are at most 10000, and neither is more than
	// 20 times the other.
	if cfg.Width+cfg.Height > 10_000 || max(cfg.Width, cfg.Height) > 20*min(cfg.Width, cfg.Height) {
		return nil, badRequest("PHOTO_INVALID_DIMENSIONS")
	}
	if f.Size > 10<<20 {
		return nil, badRequest("File is too big")
	}
	return []Photo{{FileID: f.ID, UniqueID: f.unique(), Width: cfg.Width, Height: cfg.Height, Size: f.Size}}, nil
}

func (s *Server) sendChatAction(r *request) (any, error) {
	actions := []string{"typing", "upload_photo", "upload_document", "find_location", "choose_sticker", "record_voice", "upload_voice"}
	c, err := s.target(r)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(actions, strings.ToLower(r.params["action"])) {
		return nil, badRequest("Wrong parameter action in request")
	}
	if c.blocked {
		return nil, s.mayWrite(c)
	}
	c.typing = time.Now()
	c.rev = s.touch()
	return true, nil
}

// reactions are the emoji of Telegram's fixed list that a bot may set. A check mark is not among them.
const reactions = "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"

func (s *Server) setMessageReaction(r *request) (any, error) {
	c, err := s.target(r)
	if err != nil {
		return nil, err
	}
	m := c.messages[r.int("message_id")]
	if m == nil || m.Deleted {
		return nil, badRequest("Message to react not found")
	}
	var list []struct{ Type, Emoji string }
	if raw := r.params["reaction"]; raw != "" && json.Unmarshal([]byte(raw), &list) != nil {
		return nil, badRequest("Can't parse reaction types JSON object")
	}
	if len(list) > 1 {
		return nil, badRequest("REACTIONS_TOO_MANY")
	}
	emoji := ""
	if len(list) == 1 {
		emoji = strings.TrimSuffix(list[0].Emoji, "\ufe0f")
		if list[0].Type != "emoji" || emoji == "" || !slices.Contains(strings.Fields(reactions), emoji) {
			return nil, badRequest("REACTION_INVALID")
		}
	}
	m.Reaction = emoji
	m.rev = s.touch()
	return true, nil
}
