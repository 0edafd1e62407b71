package message

import (
	"strconv"

	"nod/nudge"
)

// Place returns the place of a chat: a user's own with the bot, which has the user's id, or a group.
func Place(chat int64) nudge.Place { return nudge.Place(strconv.FormatInt(chat, 10)) }

// ChatOf returns the chat of a place; 0: it is not on Telegram.
func ChatOf(p nudge.Place) int64 {
	chat, err := strconv.ParseInt(string(p), 10, 64)
	if err != nil {
		return 0
	}
	return chat
}
