package botapi

import "fmt"

// Pins are the bar of messages at the top of a chat. A message from Telegram itself says who pinned what, and
// may make a sound.

func (s *Server) pinChatMessage(r *request) (any, error) {
	c, m, err := s.pinnable(r, "pin")
	switch {
	case err != nil:
		return nil, err
	case m.Pinned:
		return true, nil // it moves to the front of the bar, without a message
	}
	s.pin(c, m, &s.me, r.bool("disable_notification"))
	return true, nil
}

func (s *Server) unpinChatMessage(r *request) (any, error) {
	_, m, err := s.pinnable(r, "unpin")
	if err != nil {
		return nil, err
	}
	m.Pinned = false
	m.rev = s.touch()
	return true, nil
}

// pinnable returns the message that a request wants to pin or unpin. In a group the bot needs a right for
// that.
func (s *Server) pinnable(r *request, what string) (*chat, *Record, error) {
	c, err := s.target(r)
	if err != nil {
		return nil, nil, err
	}
	m := c.messages[r.int("message_id")]
	switch {
	case c.Type != "private" && !c.manages:
		return nil, nil, badRequest("Not enough rights to manage pinned messages in the chat")
	case m == nil || m.Deleted:
		return nil, nil, badRequest("Message to %s not found", what)
	case m.PinnedMessage != nil || m.Created != nil:
		return nil, nil, badRequest("Message can't be pinned")
	}
	return c, m, s.mayWrite(c)
}

// pin pins a message and adds the message about it. The caller holds the lock.
func (s *Server) pin(c *chat, m *Record, by *User, silent bool) {
	m.Pinned = true
	m.rev = s.touch()
	told := &Record{Silent: silent || c.Type == "private"}
	shown := m.Message
	told.From, told.PinnedMessage, told.ThreadID, told.InTopic = by, &shown, m.ThreadID, m.InTopic
	s.add(c, told)
	s.push("message", c.view(told))
}

// Pin pins a message of the chat as a person.
func (p *Person) Pin(message int) error {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	c := p.s.chatOf(p.chat)
	m := c.messages[message]
	if m == nil || m.Deleted {
		return fmt.Errorf("pin message %d: there is none in chat %d", message, p.chat.ID)
	}
	p.s.pin(c, m, &p.user, false)
	return nil
}
