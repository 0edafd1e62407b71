package botapi

import (
	"strconv"
	"testing"
)

const forumID = int64(-1001234567890)

func TestTopics(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		prepare func(*Server) int64 // returns the chat
		refusal string
	}{
		{"a private chat", Options{Topics: true}, private, ""},
		{"threaded mode is off", Options{}, private, "Bad Request: the chat is not a forum"},
		{"a server of before", Options{Topics: true, Version: 902}, private, "Bad Request: the chat is not a forum"},
		{"a forum", Options{}, func(s *Server) int64 { s.Forum(forumID, "work", true); return forumID }, ""},
		{"without the right", Options{}, func(s *Server) int64 { s.Forum(forumID, "work", false); return forumID }, "Bad Request: not enough rights to create a topic"},
		{"a group", Options{}, func(s *Server) int64 { s.Group(forumID, "work"); return forumID }, "Bad Request: the chat is not a forum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Token = token
			s := New(c.options)
			chat := strconv.FormatInt(c.prepare(s), 10)
			if a := call(s, "createForumTopic", "chat_id", chat, "name", "claude in api"); a.Description != c.refusal {
				t.Errorf("it says %q, want %q", a.Description, c.refusal)
			}
		})
	}
}

func private(s *Server) int64 { s.Person(7, "Ann").Start(); return 7 }

func TestAMessageStandsInItsTopic(t *testing.T) {
	s := New(Options{Token: token, Topics: true})
	private(s)
	first := result[Message](t, call(s, "createForumTopic", "chat_id", "7", "name", "one")).ThreadID
	second := result[Message](t, call(s, "createForumTopic", "chat_id", "7", "name", "two")).ThreadID
	in := func(topic int, more ...string) answer {
		return call(s, "sendMessage", append([]string{"chat_id", "7", "text", "x", "message_thread_id", strconv.Itoa(topic)}, more...)...)
	}
	m := result[Message](t, in(first))
	if m.ThreadID != first || !m.InTopic {
		t.Errorf("it is in %d, want %d", m.ThreadID, first)
	}
	reply := []string{"reply_to_message_id", strconv.Itoa(m.ID), "allow_sending_without_reply", "true"}
	if a := in(second, reply...); a.Description != "Bad Request: message to be replied not found" {
		t.Errorf("a reply into another topic: %q", a.Description)
	}
	if got := s.Person(7, "Ann").ReplyTo(m.ID, "y"); got.ThreadID != first {
		t.Errorf("the person's reply is in %d, want %d", got.ThreadID, first)
	}
	if got := s.Person(7, "Ann").Say("y"); got.ThreadID == 0 || got.ThreadID == first || got.ThreadID == second {
		t.Errorf("what is written outside of all is in %d", got.ThreadID)
	}
	s.DeleteTopic(7, first)
	if a := in(first); a.Description != "Bad Request: message thread not found" {
		t.Errorf("into a deleted topic: %q", a.Description)
	}
}
