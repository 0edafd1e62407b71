package botapi

import (
	"strconv"
	"testing"
)

// A bot may pin in a private chat, and in a group where it is an administrator; Telegram says so in the chat.
func TestPins(t *testing.T) {
	s := New(Options{Token: token})
	ann := s.Person(4242, "Ann")
	ann.Start()
	call(s, "sendMessage", "chat_id", "4242", "text", "one")
	if a := call(s, "pinChatMessage", "chat_id", "4242", "message_id", "2"); !a.OK {
		t.Fatal(a.Description)
	}
	if all := ann.Messages(); !all[1].Pinned || all[2].PinnedMessage == nil || all[2].PinnedMessage.ID != 2 || !all[2].Silent {
		t.Errorf("the chat is %+v", all[1:])
	}
	if a := call(s, "unpinChatMessage", "chat_id", "4242", "message_id", "2"); !a.OK || ann.Messages()[1].Pinned {
		t.Error("it stays pinned: ", a.Description)
	}
	for chat, want := range map[string]bool{"-1001": true, "-1002": false} {
		id := int64(-1001)
		if !want {
			id = -1002
		}
		s.Forum(id, "Agents", want)
		sent := result[Message](t, call(s, "sendMessage", "chat_id", chat, "text", "one"))
		if a := call(s, "pinChatMessage", "chat_id", chat, "message_id", strconv.Itoa(sent.ID)); a.OK != want {
			t.Errorf("in %s it was pinned: %v, %s", chat, a.OK, a.Description)
		}
	}
}
