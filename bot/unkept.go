package bot

import (
	"encoding/json"

	"nod/bot/message"
)

const messageUnkept = "nod could not keep your message, so nothing was typed yet. It counts as soon as nod can write to its disk again: free some space there; nod doctor says where."

// sayUnkept tells people, once for each of their messages, that it can't be kept, so that they look for no outcome. A tap has its own
// answer.
func (b *Bot) sayUnkept(batch []json.RawMessage) {
	if b.unkept == nil {
		b.unkept = map[int]bool{}
	}
	for _, raw := range batch {
		u, err := readUpdate(raw)
		m := u.Message
		if err != nil || m == nil || !m.own() || m.From == nil || m.Chat == nil || !m.Chat.IsPrivate() || !b.supervises(m.From.ID) || b.unkept[u.ID] {
			continue
		}
		b.unkept[u.ID] = true
		b.say(m.Chat.ID, m.ID, message.Sentence(messageUnkept))
	}
}
