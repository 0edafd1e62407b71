package botapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// topic is a part of a chat. Its bot made it, or a person opened it by writing outside of all topics.
type topic struct {
	Name   string
	lost   bool // deleted
	closed bool
}

// Created is the content of a message that opened a topic.
type Created struct {
	Name string `json:"name"`
}

// topical reports whether a chat has topics. The caller holds the lock.
func (s *Server) topical(c *chat) bool {
	if c.Type == "private" {
		return s.opts.Topics && s.opts.Version >= withPrivateTopics
	}
	return c.forum
}

// Forum makes a group with topics. mayManage says whether the bot may manage them.
func (s *Server) Forum(id int64, title string, mayManage bool) {
	s.Group(id, title)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[id]
	c.forum, c.IsForum, c.manages = true, true, mayManage
	c.last = max(c.last, 1) // the first message of every forum
}

func (s *Server) createForumTopic(r *request) (any, error) {
	c, err := s.target(r)
	switch {
	case err != nil:
		return nil, err
	case !s.topical(c):
		return nil, badRequest("The chat is not a forum")
	case c.Type != "private" && !c.manages:
		return nil, badRequest("Not enough rights to create a topic")
	case r.params["name"] == "" || codePoints(r.params["name"]) > 128:
		return nil, badRequest("TOPIC_TITLE_INVALID")
	}
	if err := s.mayWrite(c); err != nil {
		return nil, err
	}
	number := s.open(c, &s.me, r.params["name"])
	return map[string]any{"message_thread_id": number, "name": r.params["name"], "icon_color": 0x6FB9F0}, nil
}

// open opens a topic and adds the message about it, whose id is the topic's.
func (s *Server) open(c *chat, by *User, name string) int {
	m := &Record{}
	m.From, m.Created, m.InTopic = by, &Created{name}, true
	s.add(c, m)
	m.ThreadID = m.ID
	c.topics[m.ID] = &topic{Name: name}
	return m.ID
}

// threadTarget returns the topic that a message shall go to; 0 if none is named.
func (c *chat) threadTarget(r *request) (int, error) {
	raw := r.params["message_thread_id"]
	if raw == "" || raw == "0" {
		return 0, nil
	}
	number, _ := strconv.Atoi(raw) // an invalid number is no topic either
	t := c.topics[number]
	switch {
	case t == nil || t.lost:
		return 0, badRequest("Message thread not found")
	case t.closed:
		return 0, &Error{Code: http.StatusBadRequest, Description: "Bad Request: TOPIC_CLOSED"}
	}
	return number, nil
}

// DeleteTopic deletes a topic with its content, as a person may.
func (s *Server) DeleteTopic(chatID int64, number int) { s.end(chatID, number, true) }

// CloseTopic closes a topic, so that nobody can write there.
func (s *Server) CloseTopic(chatID int64, number int) { s.end(chatID, number, false) }

func (s *Server) end(chatID int64, number int, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	t := c.topics[number]
	t.closed, t.lost = true, lost
	if !lost {
		return
	}
	for _, m := range c.messages {
		if m.ThreadID == number {
			m.Deleted = true
			m.rev = s.touch()
		}
	}
}

// Topic returns the number of the newest topic with that name in a chat; 0 if there is none.
func (s *Server) Topic(chatID int64, name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	newest := 0
	if c := s.chats[chatID]; c != nil {
		for number, t := range c.topics {
			if t.Name == name && !t.lost {
				newest = max(newest, number)
			}
		}
	}
	return newest
}

// InTopic returns the same person with a topic of the chat open.
func (p *Person) InTopic(number int) *Person {
	q := *p
	q.topic = number
	return &q
}

// threadOf returns the topic of a person's message: that of the message it replies to, else the one that the
// person has opened. A message outside of all topics in a private chat opens a new one, named after the
// message.
func (p *Person) threadOf(c *chat, m *Record) int {
	if to := c.messages[m.ReplyID]; to != nil && to.InTopic {
		return to.ThreadID
	}
	if p.topic == 0 && p.s.topical(c) && c.Type == "private" {
		return p.s.open(c, &p.user, fmt.Sprintf("%.20s", m.Text))
	}
	return p.topic
}

// pageTopic is one topic for the page's script.
type pageTopic struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// topicList returns the topics of a chat, in the order in which they were opened.
func (c *chat) topicList() []pageTopic {
	list := []pageTopic{}
	if c == nil {
		return list
	}
	for number, t := range c.topics {
		if !t.lost {
			list = append(list, pageTopic{number, t.Name})
		}
	}
	slices.SortFunc(list, func(a, b pageTopic) int { return a.ID - b.ID })
	return list
}
