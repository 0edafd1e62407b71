package bot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"nod/detect/screen"
	"nod/nudge"
)

// keys are a message's buttons, row by row. No rows take the buttons off a message.
type keys [][]button

// button is one button. The library's own type knows no style. Where a server or an app knows none it shows a plain
// one, so the label alone says what it does.
type button struct {
	Text  string `json:"text"`
	Data  string `json:"callback_data"`
	Style string `json:"style,omitempty"`
}

// The styles of buttons: Telegram draws them green and red.
const (
	green = "success"
	red   = "danger"
)

func (b button) styled(style string) button {
	b.Style = style
	return b
}

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
	verbQueue   verb = "q" // the words of the nudge's claim when their turn has come
	verbDrop    verb = "x" // an instruction: out of its queue
	verbNew     verb = "n" // start the agent that /new named
	verbUp      verb = "u" // an instruction: before the one that it stands behind
	verbWhy     verb = "e" // deny, and say why
	verbSnooze  verb = "z"
	verbTick    verb = "o" // tick or untick an option, of a list with what the message shows ticked: "o2.5"
	verbSend    verb = "v" // send the list with what the message shows ticked: "v5"
	verbLeave   verb = "l" // leave a question unanswered
	verbNeither verb = "m" // none of those that a question which one is meant lists
	verbRenew   verb = "r" // the screen of a pane once more; its id names the pane
)

// What an answer may say besides; these stand before its verb.
const (
	flagLeave  = 'L' // leave copy mode first
	flagUnseen = 'U' // with consent to what can't be seen
	flagSure   = 'S' // the second tap that an option which grants more needs
)

// press is the data of a button: what it asks for, of which nudge or instruction.
type press struct {
	verb                verb
	option              int    // for verbChoose and verbTick
	ticks               string // for verbTick and verbSend: screen.Prompt.Ticks of the list
	leave, unseen, sure bool
	id                  string

	// own says that the button stands under the nudge's own message, subject by its hash what that shows whole. A reply
	// to a message that nod has no record of goes by them.
	own     bool
	subject string
	reason  bool   // it stands under the question for the reason of a denial
	claim   string // for verbTell and verbQueue: the stamp of the answer whose words are meant
}

// What else the data may hold. It is sealed with it.
const (
	holdsPart   = "p"
	holdsWhole  = "w" // and the hash of the subject
	holdsClaim  = "c" // and the stamp of the claim
	holdsReason = "r"
)

// more is what the data holds besides verb and nudge; empty: nothing.
func (p press) more() string {
	switch {
	case p.claim != "":
		return holdsClaim + p.claim
	case p.own && p.subject != "":
		return holdsWhole + p.subject
	case p.own:
		return holdsPart
	case p.reason:
		return holdsReason
	}
	return ""
}

func (p press) withMore(text string) (press, bool) {
	if text == "" {
		return p, true
	}
	kind, rest := text[:1], text[1:]
	switch kind {
	case holdsPart:
		p.own = true
		return p, rest == ""
	case holdsReason:
		p.reason = true
		return p, rest == ""
	case holdsWhole:
		p.own, p.subject = true, rest
	case holdsClaim:
		p.claim = rest
	default:
		return press{}, false
	}
	return p, rest != ""
}

// shown is what the button's message shows, by what the button says.
func (p press) shown() nudge.Shown {
	return nudge.Shown{Nudge: p.id, Own: p.own, Subject: p.subject, Reason: p.reason}
}

// sealer signs button data. Telegram's clients can be made to send any data, so each nudge and chat
// has a value of its own that nobody can guess.
type sealer struct{ secret []byte }

// newSealer signs with the secret of a database.
func newSealer(secret []byte) sealer { return sealer{secret} }

// sealLength cuts the signature to 132 bits in base64, so that the longest data stays below
// Telegram's 64 bytes.
const sealLength = 22

func (s sealer) seal(id, more string, chat int64) string {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte("button\x00" + id + "\x00" + strconv.FormatInt(chat, 10)))
	if more != "" {
		mac.Write([]byte("\x00" + more))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))[:sealLength]
}

// sealable is a list's ticks, unless they are none: a damaged record must make no data that Telegram refuses.
func sealable(ticks string) string {
	const longest = 6
	if len(ticks) > longest || strings.Trim(ticks, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return ticks
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
	switch p.verb {
	case verbChoose:
		text.WriteString(strconv.Itoa(p.option))
	case verbTick:
		text.WriteString(strconv.Itoa(p.option) + "." + sealable(p.ticks))
	case verbSend:
		text.WriteString(sealable(p.ticks))
	}
	parts := []string{text.String(), p.id, s.seal(p.id, p.more(), chat)}
	if more := p.more(); more != "" {
		parts = slices.Insert(parts, 2, more)
	}
	return strings.Join(parts, ":")
}

// open reads button data that a tap in chat brought; false if it is not nod's own for that chat.
func (s sealer) open(data string, chat int64) (press, bool) {
	parts := strings.Split(data, ":")
	if len(parts) == 3 {
		parts = slices.Insert(parts, 2, "")
	}
	if len(parts) != 4 || !hmac.Equal([]byte(parts[3]), []byte(s.seal(parts[1], parts[2], chat))) {
		return press{}, false
	}
	p, ok := press{id: parts[1]}.withMore(parts[2])
	if !ok {
		return press{}, false
	}
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
	case verbTick:
		option, ticks, ok := strings.Cut(text[1:], ".")
		n, err := strconv.Atoi(option)
		p.option, p.ticks = n, ticks
		return p, ok && err == nil && n >= 0 && ticks != ""
	case verbSend:
		p.ticks = text[1:]
		return p, true
	case verbLeave, verbApprove, verbDeny, verbScreen, verbShow, verbAgain, verbTell, verbSkip, verbQueue, verbDrop, verbUp, verbNew, verbWhy, verbSnooze, verbRenew, verbNeither:
		return p, len(text) == 1
	}
	return press{}, false
}

func (s sealer) button(label string, v verb, id string, chat int64) button {
	return s.press(label, press{verb: v, id: id}, chat)
}

func (s sealer) press(label string, p press, chat int64) button {
	return button{Text: label, Data: s.data(p, chat)}
}

// press is a button's data under the nudge's own message. It says whether all of the subject stands there.
func (r renderer) press(verb verb) press {
	p := press{verb: verb, id: r.ID, own: true}
	if !r.masked && !r.unfiled && !r.partly && !r.style.minimal {
		p.subject = r.SubjectHash()
	}
	return p
}

// buttons are those of a nudge's message. Phones cut labels, so there are three in a row at most,
// and a long label has its row alone.
func (r renderer) buttons(chat int64, s sealer) keys {
	return r.buttonsOf(chat, s, r.press)
}

// buttonsElsewhere are the same under another message about the nudge.
func (r renderer) buttonsElsewhere(chat int64, s sealer) keys {
	return r.buttonsOf(chat, s, func(verb verb) press { return press{verb: verb, id: r.ID} })
}

func (r renderer) buttonsOf(chat int64, s sealer, data func(verb) press) keys {
	var besides keys // what answers nothing, where it has a pane
	if r.Program == nil {
		besides = keys{{s.press("🔎 Screen", data(verbScreen), chat)}}
		if r.Kind.Asks() && !r.style.watches {
			besides[0] = append(besides[0], s.press("💤 30 min", data(verbSnooze), chat))
		}
	}
	if r.style.watches {
		return besides
	}
	switch r.Kind {
	case screen.Idle, screen.Silent:
		return besides
	case screen.Question:
		return append(r.answers(chat, s, data), besides...)
	}
	var row []button
	var rows keys
	if len(r.Prompt.Approve) > 0 {
		row = append(row, s.press("✅ Approve", data(verbApprove), chat).styled(green))
	} else {
		rows = r.choices(chat, s, data(verbChoose), namedYes)
	}
	if len(r.Prompt.Deny) > 0 {
		row = append(row, s.press("❌ Deny", data(verbDeny), chat).styled(red))
	}
	if len(row) > 0 {
		rows = append(rows, row)
	}
	if r.TakesReason() {
		if len(besides) == 0 {
			besides = keys{nil}
		}
		besides[0] = append([]button{s.press("✍ Deny…", data(verbWhy), chat)}, besides[0]...)
	}
	return append(rows, besides...)
}
