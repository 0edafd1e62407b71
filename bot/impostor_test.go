package bot_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"nod/internal/botapi"
)

// object is a part of an update, as Telegram writes it.
type object = map[string]any

// forged is an update that comes near to an answer, and what makes it none.
type forged struct {
	update object
	why    []string
}

// person and the others are who may write in a chat. Telegram itself uses the ids of the last three.
func person(id int64) object { return object{"id": id, "first_name": "Ann", "is_bot": false} }

var impostors = map[string]object{
	"a stranger":              person(eve),
	"a watcher":               person(bob),
	"a negative id":           person(-ann),
	"nobody":                  nil,
	"a huge id":               person(math.MaxInt64),
	"the bot itself":          {"id": 700001, "is_bot": true, "first_name": "nod"},
	"a bot with Ann's id":     {"id": ann, "is_bot": true, "first_name": "Ann"},
	"an anonymous admin":      {"id": 1087968824, "is_bot": true, "username": "GroupAnonymousBot", "first_name": "Group"},
	"somebody of a channel":   {"id": 136817688, "is_bot": true, "username": "Channel_Bot", "first_name": "Channel"},
	"Telegram's own messages": {"id": 777000, "is_bot": false, "first_name": "Telegram"},
}

// notOnesOwn are fields of a message that is not its sender's own word, here and now.
var notOnesOwn = map[string]any{
	"sender_chat": object{"id": forum, "type": "supergroup"}, "via_bot": object{"id": 9, "is_bot": true}, "sender_business_bot": object{"id": 9, "is_bot": true},
	"forward_origin": object{"type": "hidden_user", "sender_user_name": "Ann", "date": 1}, "forward_date": 1, "is_automatic_forward": true,
	"external_reply": object{"origin": object{"type": "user"}}, "reply_to_story": object{"id": 1},
}

// forge takes one or several things from a good answer that make it one. ids of updates are given when it is sent.
func forge(r *rand.Rand, good object) forged {
	f := forged{update: clone(good)}
	for range 1 + r.IntN(3) {
		if part, ok := f.update["callback_query"].(object); ok {
			f.why = append(f.why, forgeTap(r, f.update, part))
		} else if part, ok := f.update["message"].(object); ok {
			f.why = append(f.why, forgeMessage(r, f.update, part))
		}
	}
	return f
}

func forgeMessage(r *rand.Rand, u, m object) string {
	switch r.IntN(5) {
	case 0:
		return impersonate(r, m)
	case 1, 2:
		field := pick(r, notOnesOwn)
		m[field] = notOnesOwn[field]
		return field
	case 3:
		kind := []string{"edited_message", "channel_post", "edited_channel_post", "business_message", "guest_message", "message_reaction", "deleted_business_messages", "inline_query"}[r.IntN(8)]
		delete(u, "message")
		u[kind] = m
		return kind
	}
	m["chat"] = []any{object{"id": ann, "type": "group"}, object{"id": -77, "type": "group"}, object{"id": forum - 1, "type": "supergroup"}, object{"id": bob, "type": "private"}, nil, object{"id": -ann, "type": "private"}, object{"id": forum, "type": "private"}}[r.IntN(6)]
	return fmt.Sprint("in the chat ", m["chat"])
}

func forgeTap(r *rand.Rand, _, c object) string {
	m, _ := c["message"].(object)
	switch r.IntN(4) {
	case 0:
		return impersonate(r, c)
	case 1:
		delete(c, "message")
		c["inline_message_id"] = "x"
		return "of an inline message"
	case 2:
		if m != nil {
			m["chat"] = []any{object{"id": ann, "type": "group"}, object{"id": -77, "type": "group"}, object{"id": forum - 1, "type": "supergroup", "is_forum": true}, object{"id": bob, "type": "private"}, nil}[r.IntN(5)]
		}
		return "in another chat"
	}
	data := []byte(c["data"].(string))
	first := strings.IndexByte(string(data), ':') + 1
	for i := first + r.IntN(len(data)-first); ; {
		if with := "abcXYZ019:-_ ~"[r.IntN(14)]; data[i] != with {
			data[i] = with
			break
		}
	}
	c["data"] = string(data)
	return "the data " + string(data)
}

func impersonate(r *rand.Rand, of object) string {
	who := pick(r, impostors)
	of["from"] = clone(impostors[who])
	if impostors[who] == nil {
		delete(of, "from")
	}
	return who
}

func pick[V any](r *rand.Rand, of map[string]V) string {
	keys := slices.Sorted(maps.Keys(of))
	return keys[r.IntN(len(keys))]
}

func clone(o object) object {
	c := maps.Clone(o)
	for k, v := range c {
		if inner, ok := v.(object); ok {
			c[k] = clone(inner)
		}
	}
	return c
}

// encoded gives an update an id, which hostile fills in, and its JSON.
func (w *world) encoded(u object) string {
	w.t.Helper()
	u["update_id"] = 0
	data, err := json.Marshal(u)
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Replace(strings.ReplaceAll(string(data), "%", "%%"), `"update_id":0`, `"update_id":%d`, 1)
}

// goodAnswer draws an answer that counts to a question that was told in a chat: a fresh one, a reply, a tap, one in a topic.
func goodAnswer(r *rand.Rand, m botapi.Record, id string, number int) (name string, u object) {
	from, at := person(ann), object{"id": m.Chat.ID, "type": m.Chat.Type}
	message := object{"message_id": 100_000 + number, "date": time.Now().Unix(), "from": from, "chat": at, "text": "y"}
	if m.ThreadID != 0 {
		message["message_thread_id"], message["is_topic_message"] = m.ThreadID, true
	}
	told := object{"message_id": m.ID, "date": m.Date, "chat": at, "text": m.Text, "from": object{"id": 700001, "is_bot": true, "first_name": "nod"}}
	kinds := []string{"fresh", "named", "reply", "quote", "tap", "old tap"}
	if m.Chat.Type != "private" {
		kinds = []string{"reply", "quote", "tap", "old tap"}
	}
	if m.ThreadID != 0 {
		kinds = append(kinds, "topic")
	}
	name = kinds[r.IntN(len(kinds))]
	switch name {
	case "named":
		message["text"] = "y " + id
	case "reply":
		message["reply_to_message"] = told
	case "quote":
		message["reply_to_message"], message["quote"] = told, object{"text": "make other", "position": 0, "is_manual": true}
	case "topic":
		message["reply_to_message"] = object{"message_id": m.ThreadID, "chat": at, "from": told["from"]}
	case "tap", "old tap":
		if name == "old tap" { // Telegram tells nothing of such a message
			told = object{"message_id": m.ID, "date": 0, "chat": at}
		}
		return name, object{"callback_query": object{"id": "77", "from": from, "message": told, "data": m.Markup.Rows[0][0].Data}}
	}
	return name, object{"message": message}
}
