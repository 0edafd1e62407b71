package message

import (
	"strconv"

	"nod/nudge"
)

// Place names a chat: a user's own with the bot, which has the user's id, or a group.
func Place(chat int64) nudge.Place { return nudge.Place(strconv.FormatInt(chat, 10)) }

// ChatOf is the chat of that name; 0 where the place is none of Telegram's.
func ChatOf(p nudge.Place) int64 {
	chat, err := strconv.ParseInt(string(p), 10, 64)
	if err != nil {
		return 0
	}
	return chat
}
