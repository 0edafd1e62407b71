package botapi

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// chat is one conversation of the bot.
type chat struct {
	Chat
	open     bool // the person has written, or the group has the bot
	blocked  bool
	upgraded int64 // the group's new id; 0 if it kept its own
	last     int   // the last message id; each supergroup has its own sequence
	forum    bool  // a group with topics
	manages  bool  // the bot may open and close topics, and pin messages
	topics   map[int]*topic
	messages map[int]*Record
	order    []int
	flood    *rate.Limiter
	typing   time.Time // when the bot last sent a typing action
	rev      int       // the revision of typing
}

// chatOf returns a chat, and creates it if needed. The caller holds the lock.
func (s *Server) chatOf(c Chat) *chat {
	if have, ok := s.chats[c.ID]; ok {
		return have
	}
	limit := rate.NewLimiter(1, 5)
	if s.opts.Strict {
		limit = rate.NewLimiter(1, 1)
	}
	if c.Type != "private" {
		limit = rate.NewLimiter(rate.Every(3*time.Second), 20)
	}
	n := &chat{Chat: c, messages: map[int]*Record{}, topics: map[int]*topic{}, flood: limit}
	s.chats[c.ID] = n
	return n
}

// target returns the chat of a request, if the bot may act there.
func (s *Server) target(r *request) (*chat, error) {
	raw := r.params["chat_id"]
	if raw == "" {
		return nil, badRequest("Chat_id is empty")
	}
	id, err := strconv.ParseInt(raw, 10, 64)
	c := s.chats[id]
	if err != nil || c == nil || !c.open {
		return nil, badRequest("Chat not found")
	}
	if c.upgraded != 0 {
		e := badRequest("Group chat was upgraded to a supergroup chat")
		e.MigrateTo = c.upgraded
		return nil, e
	}
	return c, nil
}

// mayWrite refuses messages that Telegram refuses: to people who blocked the bot, and too many.
func (s *Server) mayWrite(c *chat) error {
	if c.blocked {
		if c.Type != "private" {
			return &Error{Code: http.StatusForbidden, Description: "Forbidden: bot was kicked from the group chat"}
		}
		return &Error{Code: http.StatusForbidden, Description: "Forbidden: bot was blocked by the user"}
	}
	return s.floods(c)
}

// mayEdit refuses edits and deletions in Strict mode, which counts them as messages.
func (s *Server) mayEdit(c *chat) error {
	if !s.opts.Strict {
		return nil
	}
	return s.floods(c)
}

// floods refuses a call that comes too soon after others.
func (s *Server) floods(c *chat) error {
	if !s.opts.Flood && !s.opts.Strict {
		return nil
	}
	now := time.Now()
	for _, limit := range []*rate.Limiter{c.flood, s.flood} {
		if limit.AllowN(now, 1) {
			continue
		}
		missing := 1 - limit.TokensAt(now)
		return tooMany(max(1, int(math.Ceil(missing/float64(limit.Limit())))))
	}
	return nil
}

func tooMany(seconds int) *Error {
	return &Error{
		Code:        http.StatusTooManyRequests,
		Description: "Too Many Requests: retry after " + strconv.Itoa(seconds),
		RetryAfter:  seconds,
	}
}

// add appends a message to a chat's history and gives it its id and date.
func (s *Server) add(c *chat, m *Record) {
	if c.Type == "supergroup" {
		c.last++
		m.ID = c.last
	} else {
		s.lastMessage++
		m.ID = s.lastMessage
	}
	m.Chat = c.Chat
	m.Date = time.Now().Unix()
	c.messages[m.ID] = m
	c.order = append(c.order, m.ID)
	m.rev = s.touch()
}

// view returns a message as a bot gets it, including the message that it replies to, one level deep.
func (c *chat) view(m *Record) Message {
	out := m.Message
	if to, ok := c.messages[m.ReplyID]; ok && !to.Deleted {
		inner := to.Message
		out.ReplyTo = &inner
	} else if root := c.messages[m.ThreadID]; c.forum && root != nil && root.ID != m.ID {
		inner := root.Message
		out.ReplyTo = &inner // in a topic, a message without a reply is delivered as a reply to the topic's first message
	}
	return out
}

// Group makes a group with the bot: a "supergroup" if id is below -1000000000000, else a "group". People
// write there through Person.In.
func (s *Server) Group(id int64, title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := "group"
	if id < -1_000_000_000_000 {
		kind = "supergroup"
	}
	s.chatOf(Chat{ID: id, Type: kind, Title: title}).open = true
	s.touch()
}

// Upgrade turns a group into a forum with another id, as happens when topics are enabled.
func (s *Server) Upgrade(id, now int64) {
	s.mu.Lock()
	title := s.chats[id].Title
	s.chats[id].upgraded = now
	s.mu.Unlock()
	s.Forum(now, title, true)
}

// Messages returns a chat's history, oldest first, including deleted messages.
func (s *Server) Messages(chatID int64) []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since(chatID, 0)
}

// since returns the messages that were added or edited after the revision rev.
func (s *Server) since(chatID int64, rev int) []Record {
	c := s.chats[chatID]
	if c == nil {
		return nil
	}
	var out []Record
	for _, id := range c.order {
		if m := c.messages[id]; m.rev > rev {
			copied := *m
			copied.Message = c.view(m)
			copied.Before = slices.Clone(m.Before)
			out = append(out, copied)
		}
	}
	return out
}

func (s *Server) getChat(r *request) (any, error) {
	c, err := s.target(r)
	if err != nil {
		return nil, err
	}
	if c.blocked && c.Type != "private" {
		return nil, s.mayWrite(c)
	}
	return c.Chat, nil
}

// getChatMember answers about the bot itself.
func (s *Server) getChatMember(r *request) (any, error) {
	c, err := s.target(r)
	switch {
	case err != nil:
		return nil, err
	case r.params["user_id"] != strconv.FormatInt(s.me.ID, 10):
		return nil, badRequest("PARTICIPANT_ID_INVALID")
	case !c.manages:
		return map[string]any{"status": "member", "user": s.me}, nil
	}
	return map[string]any{"status": "administrator", "user": s.me, "can_manage_topics": true, "can_pin_messages": true}, nil
}

func (s *Server) leaveChat(r *request) (any, error) {
	c, err := s.target(r)
	if err != nil {
		return nil, err
	}
	if c.Type == "private" {
		return nil, badRequest("Chat member status can't be changed in private chats")
	}
	c.blocked = true
	s.touch()
	return true, nil
}
