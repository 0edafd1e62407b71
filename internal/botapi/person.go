package botapi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Person writes to the bot in one chat. A Person's actions are those of Telegram's apps: they become updates
// that the bot fetches.
type Person struct {
	s     *Server
	user  User
	chat  Chat
	topic int // the topic that they have opened; 0 for none
}

// Person returns the user with that id and first name, in the private chat with the bot. Until they press
// Start or write anything, the bot can't write to them.
func (s *Server) Person(id int64, name string) *Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Chat{ID: id, Type: "private", FirstName: name}
	s.chatOf(c)
	return &Person{s: s, user: User{ID: id, FirstName: name, Language: "en"}, chat: c}
}

// In returns the same person in a group made by Server.Group.
func (p *Person) In(group int64) *Person {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	q := *p
	q.chat = p.s.chatOf(Chat{ID: group, Type: "group"}).Chat
	return &q
}

// Start presses Start. The payload is that of a link (https://t.me/bot?start=PAYLOAD).
func (p *Person) Start(payload ...string) Record {
	text := "/start"
	if len(payload) > 0 {
		text += " " + payload[0]
	}
	return p.Say(text)
}

// Say writes a message that replies to nothing. It opens the chat and ends a block.
func (p *Person) Say(text string) Record { return p.ReplyTo(0, text) }

// ReplyTo writes a message in reply to another one; 0 for none.
func (p *Person) ReplyTo(message int, text string) Record {
	m := Record{ReplyID: message}
	f := formatted{text: text, entities: commandEntities(text)}.clean()
	m.Text, m.Entities = f.text, f.entities
	return p.write(m)
}

// SendFile sends a file with a caption in reply to a message; 0 for none. The person chooses the file's name.
func (p *Person) SendFile(message int, name, caption string, data []byte) Record {
	f := p.upload("document", name, data)
	return p.write(Record{ReplyID: message, Message: Message{Caption: caption, Document: &Document{FileID: f.ID, UniqueID: f.unique(), Name: name, Size: f.Size}}})
}

// SendPhoto sends a photo, of which Telegram also keeps a small size.
func (p *Person) SendPhoto(message int, caption string, data []byte) Record {
	small, large := p.upload("photo", "small.jpg", data[:1]), p.upload("photo", "large.jpg", data)
	sizes := []Photo{{FileID: small.ID, UniqueID: small.unique(), Size: small.Size}, {FileID: large.ID, UniqueID: large.unique(), Size: large.Size}}
	return p.write(Record{ReplyID: message, Message: Message{Caption: caption, Photo: sizes}})
}

// Speak sends a voice message with a duration in seconds.
func (p *Person) Speak(message, seconds int, data []byte) Record {
	f := p.upload("voice", "voice.oga", data)
	return p.write(Record{ReplyID: message, Message: Message{Voice: &Voice{FileID: f.ID, UniqueID: f.unique(), Duration: seconds, Size: f.Size}}})
}

func (p *Person) upload(kind, name string, data []byte) *File {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.s.keep(kind, name, data)
}

// Forward forwards a message of this chat to the bot.
func (p *Person) Forward(message int) (Record, error) {
	p.s.mu.Lock()
	from := p.s.chatOf(p.chat).messages[message]
	if from == nil {
		p.s.mu.Unlock()
		return Record{}, fmt.Errorf("forward message %d: there is none in chat %d", message, p.chat.ID)
	}
	m := Record{Message: Message{Text: from.Text, Entities: from.Entities, Caption: from.Caption}}
	m.ForwardOrigin = &Origin{Type: "user", User: from.From, Date: from.Date}
	m.ForwardFrom, m.ForwardDate = from.From, from.Date
	p.s.mu.Unlock()
	return p.write(m), nil
}

func (p *Person) write(m Record) Record {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	c := p.s.chatOf(p.chat)
	p.open(c)
	m.From = &p.user
	m.ThreadID = p.threadOf(c, &m)
	m.InTopic = m.ThreadID != 0
	p.s.add(c, &m)
	p.s.push("message", c.view(&m))
	m.Message = c.view(&m)
	return m
}

// open opens a chat or ends a block. Telegram tells a bot about both.
func (p *Person) open(c *chat) {
	if c.open && !c.blocked {
		return
	}
	was := "member"
	if c.blocked {
		was = "kicked"
	}
	p.member(c, was, "member")
	c.open, c.blocked = true, false
}

func (p *Person) member(c *chat, from, to string) {
	p.s.push("my_chat_member", map[string]any{
		"chat": c.Chat, "from": p.user, "date": time.Now().Unix(),
		"old_chat_member": map[string]any{"user": p.s.me, "status": from},
		"new_chat_member": map[string]any{"user": p.s.me, "status": to, "until_date": 0},
	})
}

// Edit changes a message of this person.
func (p *Person) Edit(message int, text string) error {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	c := p.s.chatOf(p.chat)
	m := c.messages[message]
	if m == nil || m.From.ID != p.user.ID {
		return fmt.Errorf("edit message %d: %s did not write it", message, p.user.FirstName)
	}
	f := formatted{text: text, entities: commandEntities(text)}.clean()
	m.Before = append(m.Before, Version{Text: m.Text, Until: time.Now()})
	m.Text, m.Entities = f.text, f.entities
	m.EditDate = time.Now().Unix()
	m.rev = p.s.touch()
	p.s.push("edited_message", c.view(m))
	return nil
}

// Tap presses the button of a message with this label or callback data.
func (p *Person) Tap(message int, button string) (Tap, error) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.chatOf(p.chat).messages[message]
	if m == nil {
		return Tap{}, fmt.Errorf("tap %q: there is no message %d in chat %d", button, message, p.chat.ID)
	}
	b, ok := m.Button(button)
	if !ok || b.Data == "" {
		return Tap{}, fmt.Errorf("tap %q: message %d has no such button", button, message)
	}
	return p.tap(m, b.Data), nil
}

// TapData sends callback data that may be on no button, as a modified app can do.
func (p *Person) TapData(message int, data string) Tap {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.chatOf(p.chat).messages[message]
	if m == nil {
		m = &Record{Message: Message{ID: message, Chat: p.chat}} // date 0: an inaccessible message
	}
	return p.tap(m, data)
}

func (p *Person) tap(m *Record, data string) Tap {
	p.s.querySeq++
	q := &query{
		id:      strconv.Itoa(4_382_910_000 + p.s.querySeq),
		chat:    p.chat.ID,
		message: m.ID,
		made:    time.Now(),
	}
	p.s.queries[q.id] = q
	p.s.push("callback_query", map[string]any{
		"id": q.id, "from": p.user, "message": p.s.chatOf(p.chat).view(m),
		"chat_instance": strconv.FormatInt(p.chat.ID*7919, 10), "data": data,
	})
	return Tap{ID: q.id, s: p.s}
}

// Block blocks the bot. Start or any message ends the block.
func (p *Person) Block() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	c := p.s.chatOf(p.chat)
	if c.blocked {
		return
	}
	p.member(c, "member", "kicked")
	c.blocked = true
	p.s.touch()
}

// Messages returns the chat's history, oldest first.
func (p *Person) Messages() []Record { return p.s.Messages(p.chat.ID) }

// Message returns the current version of a message.
func (p *Person) Message(id int) (Record, bool) {
	all := p.Messages()
	i := slices.IndexFunc(all, func(m Record) bool { return m.ID == id })
	if i < 0 {
		return Record{}, false
	}
	return all[i], true
}

// Await waits for a message in the chat that matches, and returns the oldest one.
func (p *Person) Await(ctx context.Context, match func(Record) bool) (Record, error) {
	var found Record
	err := p.s.Await(ctx, func() bool {
		all := p.Messages()
		i := slices.IndexFunc(all, match)
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	return found, err
}

// Await waits until ready returns true, and checks after every change. ready may call any method of the
// server.
func (s *Server) Await(ctx context.Context, ready func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if ready() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the chat: %w", ctx.Err())
		}
	}
}
