package message

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nod/nudge"
)

// Keys are a message's buttons, row by row. No rows take the buttons off a message.
type Keys [][]button

// button is one button. The library's own type knows no style. Where a server or an app knows none it shows a plain
// one, so the label alone says what it does.
type button struct {
	Text  string  `json:"text"`
	Data  string  `json:"callback_data,omitempty"`
	Style string  `json:"style,omitempty"`
	App   *webApp `json:"web_app,omitempty"`
}

// webApp is a page that a button opens within Telegram. Only buttons of private chats may have one.
type webApp struct {
	URL string `json:"url"`
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

// Verb is what a tap asks for. An option's number follows where there is one: "c2".
type Verb string

const (
	VerbApprove  Verb = "a"
	VerbDeny     Verb = "d"
	VerbChoose   Verb = "c"
	VerbScreen   Verb = "s"
	VerbShow     Verb = "w"
	VerbAgain    Verb = "g"
	VerbTell     Verb = "t" // the words of the nudge's claim once more
	VerbSkip     Verb = "k"
	VerbQueue    Verb = "q" // the words of the nudge's claim when their turn has come
	VerbDrop     Verb = "x" // an instruction: out of its queue
	VerbNew      Verb = "n" // start the agent that /new named
	VerbUp       Verb = "u" // an instruction: before the one that it stands behind
	VerbOutlast  Verb = "T" // an instruction: let it go on when the agent's usage limit has ended
	VerbSendWish Verb = "f" // a wish: make it an instruction
	VerbDropWish Verb = "j"
	VerbShowWish Verb = "i" // the words of a wish, where a preview keeps them off the lock screen
	VerbWhy      Verb = "e" // deny, and say why
	VerbSnooze   Verb = "z"
	VerbTick     Verb = "o" // tick or untick an option, of a list with what the message shows ticked: "o2.5"
	VerbSend     Verb = "v" // send the list with what the message shows ticked: "v5"
	VerbLeave    Verb = "l" // leave a question unanswered
	VerbNeither  Verb = "m" // none of those that a question which one is meant lists
	VerbTo       Verb = "y" // words for an agent; its id names the agent
	VerbWords    Verb = "p" // words for the agent that its id names are asked for here; a tap takes that back
	VerbNext     Verb = "b" // the queue of a pane; its id names the pane
	VerbDiff     Verb = "D" // what the agent has changed in its turn
	VerbMute     Verb = "h" // messages come silently; its id is for how many minutes
	VerbRenew    Verb = "r" // the screen of a pane once more; its id names the pane

	VerbAllow       Verb = "Y" // a denied call, by its number: let it through once
	VerbLeaveDenied Verb = "N" // it stays denied
	VerbTryAgain    Verb = "R" // the agent is told to try it again
	VerbShowDenied  Verb = "A" // the denied calls, where a preview keeps them off the lock screen
)

// What an answer may say besides; these are before its verb.
const (
	flagLeave  = 'L' // leave copy mode first
	flagUnseen = 'U' // with consent to what can't be seen
	flagSure   = 'S' // the second tap that an option which grants more needs
)

// Tap is the data of a button: what it asks for, of which nudge or instruction.
type Tap struct {
	Verb                Verb
	Option              int    // for verbChoose and verbTick; for verbSnooze how long, 0: as usual; of those about a denied call which one
	Ticks               string // for verbTick and verbSend: screen.Prompt.Ticks of the list
	Leave, Unseen, Sure bool
	ID                  string

	// own says that the button is under the own message of the nudge or wish, subject by its hash what that shows whole. A reply
	// to a message that nod has no record of goes by them.
	own     bool
	subject string
	reason  bool   // it is under the question for the reason of a denial
	Claim   string // for verbTell and verbQueue: the stamp of the answer whose words are meant
}

// What else the data may hold. It is sealed with it.
const (
	holdsPart   = "p"
	holdsWhole  = "w" // and the hash of the subject
	holdsClaim  = "c" // and the stamp of the claim
	holdsReason = "r"
)

// more is what the data holds besides verb and nudge; empty: nothing.
func (p Tap) more() string {
	switch {
	case p.Claim != "":
		return holdsClaim + p.Claim
	case p.own && p.subject != "":
		return holdsWhole + p.subject
	case p.own:
		return holdsPart
	case p.reason:
		return holdsReason
	}
	return ""
}

func (p Tap) withMore(text string) (Tap, bool) {
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
		p.Claim = rest
	default:
		return Tap{}, false
	}
	return p, rest != ""
}

// Shown is what the button's message shows, by what the button says.
func (p Tap) Shown() nudge.Shown {
	return nudge.Shown{Nudge: p.ID, Own: p.own, Subject: p.subject, Reason: p.reason}
}

// Sealer signs button data. Telegram's clients can be made to send any data, so each nudge and chat
// has a value of its own that nobody can guess.
type Sealer struct{ secret []byte }

// NewSealer signs with the secret of a database.
func NewSealer(secret []byte) Sealer { return Sealer{secret} }

// sealLength cuts the signature to 132 bits in base64, so that the longest data stays below
// Telegram's 64 bytes.
const sealLength = 22

func (s Sealer) seal(id, more string, chat int64) string {
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

func (s Sealer) data(p Tap, chat int64) string {
	var text strings.Builder
	for _, f := range []struct {
		on   bool
		mark rune
	}{{p.Leave, flagLeave}, {p.Unseen, flagUnseen}, {p.Sure, flagSure}} {
		if f.on {
			text.WriteRune(f.mark)
		}
	}
	text.WriteString(string(p.Verb))
	switch p.Verb {
	case VerbChoose, VerbAllow, VerbLeaveDenied, VerbTryAgain:
		text.WriteString(strconv.Itoa(p.Option))
	case VerbSnooze:
		if p.Option > 0 {
			text.WriteString(strconv.Itoa(p.Option))
		}
	case VerbTick:
		text.WriteString(strconv.Itoa(p.Option) + "." + sealable(p.Ticks))
	case VerbSend:
		text.WriteString(sealable(p.Ticks))
	}
	parts := []string{text.String(), p.ID, s.seal(p.ID, p.more(), chat)}
	if more := p.more(); more != "" {
		parts = slices.Insert(parts, 2, more)
	}
	return strings.Join(parts, ":")
}

// Open reads button data that a tap in chat brought; false if it is not nod's own for that chat.
func (s Sealer) Open(data string, chat int64) (Tap, bool) {
	p, seal, ok := parseTap(data)
	if !ok || !hmac.Equal([]byte(seal), []byte(s.seal(p.ID, p.more(), chat))) {
		return Tap{}, false
	}
	return p, true
}

// parseTap reads button data, and gives the seal that it bears.
func parseTap(data string) (p Tap, seal string, ok bool) {
	parts := strings.Split(data, ":")
	if len(parts) == 3 {
		parts = slices.Insert(parts, 2, "")
	}
	if len(parts) != 4 {
		return Tap{}, "", false
	}
	if p, ok = (Tap{ID: parts[1]}).withMore(parts[2]); !ok {
		return Tap{}, "", false
	}
	text := parts[0]
	for text != "" {
		switch text[0] {
		case flagLeave:
			p.Leave = true
		case flagUnseen:
			p.Unseen = true
		case flagSure:
			p.Sure = true
		default:
			p, ok = p.withVerb(text)
			return p, parts[3], ok
		}
		text = text[1:]
	}
	return Tap{}, "", false
}

func (p Tap) withVerb(text string) (Tap, bool) {
	p.Verb = Verb(text[:1])
	switch p.Verb {
	case VerbChoose, VerbAllow, VerbLeaveDenied, VerbTryAgain:
		n, err := strconv.Atoi(text[1:])
		p.Option = n
		return p, err == nil && n >= 0
	case VerbSnooze:
		n, err := strconv.Atoi(text[1:])
		p.Option = n
		return p, len(text) == 1 || err == nil && n > 0
	case VerbTick:
		option, ticks, ok := strings.Cut(text[1:], ".")
		n, err := strconv.Atoi(option)
		p.Option, p.Ticks = n, ticks
		return p, ok && err == nil && n >= 0 && ticks != ""
	case VerbSend:
		p.Ticks = text[1:]
		return p, true
	case VerbLeave, VerbApprove, VerbDeny, VerbScreen, VerbShow, VerbAgain, VerbTell, VerbSkip, VerbQueue, VerbDrop, VerbUp, VerbOutlast, VerbNew, VerbWhy, VerbTo, VerbWords, VerbNext, VerbDiff, VerbMute, VerbRenew, VerbNeither, VerbSendWish, VerbDropWish, VerbShowWish, VerbShowDenied:
		return p, len(text) == 1
	}
	return Tap{}, false
}

func (s Sealer) Button(label string, v Verb, id string, chat int64) button {
	return s.Tap(label, Tap{Verb: v, ID: id}, chat)
}

func (s Sealer) Tap(label string, p Tap, chat int64) button {
	return button{Text: label, Data: s.data(p, chat)}
}

// tap is a button's data under the nudge's own message. It says whether all of the subject is there.
func (r Renderer) tap(verb Verb) Tap {
	p := Tap{Verb: verb, ID: r.ID, own: true}
	if !r.Masked && !r.Unfiled && !r.partly && !r.Style.Minimal {
		p.subject = r.SubjectHash()
	}
	return p
}

// buttons are those of a nudge's message. Phones cut labels, so there are three in a row at most,
// and a long label has its row alone.
func (r Renderer) buttons(chat int64, s Sealer) Keys {
	return r.buttonsOf(chat, s, r.tap)
}

// buttonsElsewhere are the same under another message about the nudge.
func (r Renderer) buttonsElsewhere(chat int64, s Sealer) Keys {
	return r.buttonsOf(chat, s, func(verb Verb) Tap { return Tap{Verb: verb, ID: r.ID} })
}

func (r Renderer) buttonsOf(chat int64, s Sealer, data func(Verb) Tap) Keys {
	if !r.Away.IsZero() {
		return nil
	}
	var besides Keys // what answers nothing, where it has a pane
	if r.Program() == nil {
		besides = Keys{{s.Tap("🔎 Screen", data(VerbScreen), chat)}}
		if t, ended := r.About.(nudge.TurnEnded); ended && len(t.Edits) > 0 {
			besides[0] = append(besides[0], s.Tap("📝 Diff", data(VerbDiff), chat))
		}
		if r.Asks() && !r.Style.Watches {
			besides[0] = append(besides[0], s.Tap("💤 Snooze", data(VerbSnooze), chat))
		}
	}
	if r.Style.Watches {
		return besides
	}
	if r.TakesReason() {
		if len(besides) == 0 {
			besides = Keys{nil}
		}
		besides[0] = append([]button{s.Tap("✍ Deny…", data(VerbWhy), chat)}, besides[0]...)
	}
	if r.Style.Page != "" && r.Asks() && r.long() {
		besides = append(besides, []button{{Text: "🖥 Open", App: &webApp{r.Style.Page + "/?nudge=" + r.ID}}})
	}
	return append(r.answering(r.About, chat, s, data), besides...)
}

// long reports whether a nudge is better read on a page than in a message: a plan, a diff, a long command.
func (r Renderer) long() bool {
	subject := r.Prompt.Subject
	return r.Prompt.Partial || utf8.RuneCountInString(subject) > openRoom || strings.Count(subject, "\n") >= openLines
}

// answering are the buttons that answer what a nudge is about.
func (r Renderer) answering(a nudge.About, chat int64, s Sealer, data func(Verb) Tap) Keys {
	return nudge.Match(a,
		func(nudge.Permission) Keys { return r.verdicts(chat, s, data) },
		func(nudge.Question) Keys { return r.answers(chat, s, data) },
		func(p nudge.Program) Keys { return r.answering(p.About, chat, s, data) },
		func(t nudge.TurnEnded) Keys {
			if t.Resend == "" {
				return nil
			}
			p := data(VerbTell)
			p.Claim = nudge.Failed
			return Keys{{s.Tap("🔁 Resend: "+Cut(OneLine(r.Style.Redact(t.Resend)), labelRoom), p, chat)}}
		},
		func(nudge.Silence) Keys { return nil })
}

// verdicts are the buttons that answer a permission.
func (r Renderer) verdicts(chat int64, s Sealer, data func(Verb) Tap) (rows Keys) {
	var row []button
	yes, no := "✅ Approve", "❌ Deny"
	if r.ofForm() {
		yes, no = "✅ Accept", "❌ Decline"
	}
	if len(r.Prompt.Approve) > 0 {
		row = append(row, s.Tap(yes, data(VerbApprove), chat).styled(green))
	} else {
		rows = r.choices(chat, s, data(VerbChoose))
	}
	if len(r.Prompt.Deny) > 0 {
		row = append(row, s.Tap(no, data(VerbDeny), chat).styled(red))
	}
	if len(row) > 0 {
		rows = append(rows, row)
	}
	return rows
}
