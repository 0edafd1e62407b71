package bot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/detect"
)

// keys are a message's buttons, row by row. No rows take the buttons off a message; the library
// would marshal a nil slice to null, which Telegram refuses.
type keys [][]tgbotapi.InlineKeyboardButton

// verb is what a tap asks for. An option's number follows where there is one: "c2".
type verb string

const (
	verbApprove verb = "a"
	verbDeny    verb = "d"
	verbChoose  verb = "c"
	verbScreen  verb = "s"
	verbShow    verb = "w"
	verbAgain   verb = "g"
	verbTell    verb = "t" // the words of the nudge's claim once more
	verbSkip    verb = "k"
)

// What an answer may say besides; these stand before its verb.
const (
	flagLeave  = 'L' // leave copy mode first
	flagUnseen = 'U' // with consent to what can't be seen
	flagSure   = 'S' // the second tap that an option which grants more needs
)

// press is the data of a button: what it asks for, of which nudge.
type press struct {
	verb                verb
	option              int // for verbChoose
	leave, unseen, sure bool
	id                  string
}

// sealer signs button data. Telegram's clients can be made to send any data, so each nudge and chat
// has a value of its own that nobody can guess.
type sealer struct{ secret []byte }

// sealLength cuts the signature to 132 bits in base64, so that the longest data stays below
// Telegram's 64 bytes.
const sealLength = 22

func (s sealer) seal(id string, chat int64) string {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte("button\x00" + id + "\x00" + strconv.FormatInt(chat, 10)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))[:sealLength]
}

func (s sealer) data(p press, chat int64) string {
	var text strings.Builder
	for _, f := range []struct {
		on   bool
		mark rune
	}{{p.leave, flagLeave}, {p.unseen, flagUnseen}, {p.sure, flagSure}} {
		if f.on {
			text.WriteRune(f.mark)
		}
	}
	text.WriteString(string(p.verb))
	if p.verb == verbChoose {
		text.WriteString(strconv.Itoa(p.option))
	}
	return text.String() + ":" + p.id + ":" + s.seal(p.id, chat)
}

// open reads button data that a tap in chat brought; false if it is not nod's own for that chat.
func (s sealer) open(data string, chat int64) (press, bool) {
	parts := strings.Split(data, ":")
	if len(parts) != 3 || !hmac.Equal([]byte(parts[2]), []byte(s.seal(parts[1], chat))) {
		return press{}, false
	}
	p := press{id: parts[1]}
	text := parts[0]
	for text != "" {
		switch text[0] {
		case flagLeave:
			p.leave = true
		case flagUnseen:
			p.unseen = true
		case flagSure:
			p.sure = true
		default:
			return p.withVerb(text)
		}
		text = text[1:]
	}
	return press{}, false
}

func (p press) withVerb(text string) (press, bool) {
	p.verb = verb(text[:1])
	switch p.verb {
	case verbChoose:
		n, err := strconv.Atoi(text[1:])
		p.option = n
		return p, err == nil && n >= 0
	case verbApprove, verbDeny, verbScreen, verbShow, verbAgain, verbTell, verbSkip:
		return p, len(text) == 1
	}
	return press{}, false
}

func (s sealer) button(label string, v verb, id string, chat int64) tgbotapi.InlineKeyboardButton {
	return s.press(label, press{verb: v, id: id}, chat)
}

func (s sealer) press(label string, p press, chat int64) tgbotapi.InlineKeyboardButton {
	return tgbotapi.NewInlineKeyboardButtonData(label, s.data(p, chat))
}

// buttons are those of a nudge's message. Phones cut labels, so there are three in a row at most,
// and a long label has its row alone.
func (v view) buttons(chat int64, s sealer) keys {
	screen := s.button("🔎 Screen", verbScreen, v.ID, chat)
	switch v.Kind {
	case detect.Idle, detect.Silent:
		return keys{{screen}}
	case detect.Question:
		return append(v.choices(chat, s, func(detect.Scope) bool { return true }), keys{{screen}}...)
	}
	var row []tgbotapi.InlineKeyboardButton
	var rows keys
	if len(v.Prompt.Approve) > 0 {
		row = append(row, s.button("✅ Approve", verbApprove, v.ID, chat))
	} else {
		rows = v.choices(chat, s, namedYes)
	}
	if len(v.Prompt.Deny) > 0 {
		row = append(row, s.button("❌ Deny", verbDeny, v.ID, chat))
	}
	return append(rows, append(row, screen))
}

// namedYes are the scopes that a permission without a plain yes may be granted with, by a button
// that names the option. What could not be read whole is not a yes.
func namedYes(s detect.Scope) bool {
	return s == detect.Once || s == detect.Session || s == detect.Always || s == detect.Mode
}

func (v view) choices(chat int64, s sealer, offered func(detect.Scope) bool) keys {
	var rows keys
	var row []tgbotapi.InlineKeyboardButton
	end := func() {
		if len(row) > 0 {
			rows, row = append(rows, row), nil
		}
	}
	for i, label := range v.labels {
		if !offered(v.Prompt.Options[i].Scope) {
			continue
		}
		text := fmt.Sprintf("%s. %s", v.number(i), label)
		b := s.press(cut(text, 60), press{verb: verbChoose, option: i, id: v.ID}, chat)
		if utf8.RuneCountInString(text) > 16 {
			end()
			rows = append(rows, []tgbotapi.InlineKeyboardButton{b})
			continue
		}
		if row = append(row, b); len(row) == 3 {
			end()
		}
	}
	end()
	return rows
}
