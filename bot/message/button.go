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

// Keys are a message's buttons, row by row. An empty list removes the buttons of a message.
type Keys [][]button

// button is one button. The library's own type has no style. Servers and apps without styles show a plain
// button, so the label alone must say what it does.
type button struct {
	Text  string  `json:"text"`
	Data  string  `json:"callback_data,omitempty"`
	Style string  `json:"style,omitempty"`
	App   *webApp `json:"web_app,omitempty"`
}

// webApp is a page that a button opens within Telegram. Only buttons in private chats may have one.
type webApp struct {
	URL string `json:"url"`
}

// The styles of buttons, which Telegram draws green and red.
const (
	green = "success"
	red   = "danger"
)

func (b button) styled(style string) button {
	b.Style = style
	return b
}

// Verb is the action of a button. The number of an option follows it, if there is one: "c2".
type Verb string

const (
	VerbApprove  Verb = "a"
	VerbDeny     Verb = "d"
	VerbChoose   Verb = "c"
	VerbScreen   Verb = "s"
	VerbShow     Verb = "w"
	VerbAgain    Verb = "g"
	VerbTell     Verb = "t" // give the words of the nudge's claim once more
	VerbSkip     Verb = "k"
	VerbQueue    Verb = "q" // queue the words of the nudge's claim
	VerbDrop     Verb = "x" // an instruction: drop it from its queue
	VerbNew      Verb = "n" // start the agent that /new named
	VerbUp       Verb = "u" // an instruction: swap it with the one before
	VerbOutlast  Verb = "T" // an instruction: continue when the agent's usage limit has ended
	VerbSendWish Verb = "f" // a wish: make it an instruction
	VerbDropWish Verb = "j"
	VerbShowWish Verb = "i" // show the words of a wish after a short preview
	VerbWhy      Verb = "e" // deny, and say why
	VerbSnooze   Verb = "z"
	VerbTick     Verb = "o" // tick or untick an option of a list with the ticks that the message shows: "o2.5"
	VerbSend     Verb = "v" // send the list with the ticks that the message shows: "v5"
	VerbLeave    Verb = "l" // leave a question unanswered
	VerbNeither  Verb = "m" // none of the nudges that a "which one" question lists
	VerbTo       Verb = "y" // words for an agent; the id names the agent
	VerbWords    Verb = "p" // the message asks for words for the agent that the id names; a tap withdraws it
	VerbNext     Verb = "b" // show the queue of a pane; the id names the pane
	VerbDiff     Verb = "D" // show the agent's changes in its turn
	VerbMute     Verb = "h" // mute; the id is the number of minutes
	VerbRenew    Verb = "r" // read the screen of a pane again; the id names the pane

	VerbAllow       Verb = "Y" // a denied call, by its number: allow it once
	VerbLeaveDenied Verb = "N" // a denied call: leave it denied
	VerbTryAgain    Verb = "R" // a denied call: tell the agent to try it again
	VerbShowDenied  Verb = "A" // show the denied calls after a short preview
)

// Flags before the verb of an answer.
const (
	flagLeave  = 'L' // leave copy mode first
	flagUnseen = 'U' // with consent to the unseen part
	flagSure   = 'S' // the second tap for an option that grants more than once
	flagWait   = 'W' // waits a minute for a machine that is away
)

// Tap is the data of a button: its action and the nudge or instruction that it is about.
type Tap struct {
	Verb                Verb
	Option              int    // VerbChoose, VerbTick: the option; VerbSnooze: the length, 0: the usual one; denied calls: which one
	Ticks               string // VerbTick, VerbSend: screen.Prompt.Ticks of the list
	Leave, Unseen, Sure bool
	Wait                bool // the answer waits a minute for a machine that is away
	ID                  string

	// own: the button is under the own message of the nudge or wish. subject is the hash of the subject, if
	// that message shows all of it. A reply to a message without a record in nod uses them.
	own     bool
	subject string
	reason  bool   // the button is under the question for the reason of a denial
	Claim   string // VerbTell, VerbQueue: the stamp of the answer with the words
}

// Further contents of the data. The seal covers them.
const (
	holdsPart   = "p"
	holdsWhole  = "w" // followed by the hash of the subject
	holdsClaim  = "c" // followed by the stamp of the claim
	holdsReason = "r"
)

// more returns the contents other than verb and nudge; empty: none.
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

// Shown returns what the button's message shows, according to the button.
func (p Tap) Shown() nudge.Shown {
	return nudge.Shown{Nudge: p.ID, Own: p.own, Subject: p.subject, Reason: p.reason}
}

// Sealer signs button data. Telegram clients can be made to send any data, so the signature for each nudge
// and chat must be impossible to guess.
type Sealer struct{ secret []byte }

// NewSealer returns a Sealer with the secret of a database.
func NewSealer(secret []byte) Sealer { return Sealer{secret} }

// sealLength cuts the signature to 132 bits in base64, so that the longest data stays below Telegram's 64
// bytes.
const sealLength = 22

func (s Sealer) seal(id, more string, chat int64) string {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte("button\x00" + id + "\x00" + strconv.FormatInt(chat, 10)))
	if more != "" {
		mac.Write([]byte("\x00" + more))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))[:sealLength]
}

// sealable returns a list's ticks, or nothing if they are not valid: a damaged record must not make data that
// Telegram refuses.
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
	}{{p.Leave, flagLeave}, {p.Unseen, flagUnseen}, {p.Sure, flagSure}, {p.Wait, flagWait}} {
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

// Open parses button data from a tap in chat; false: it is not nod's own for that chat.
func (s Sealer) Open(data string, chat int64) (Tap, bool) {
	p, seal, ok := parseTap(data)
	if !ok || !hmac.Equal([]byte(seal), []byte(s.seal(p.ID, p.more(), chat))) {
		return Tap{}, false
	}
	return p, true
}

// parseTap parses button data, and returns its seal.
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
		case flagWait:
			p.Wait = true
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

// Button returns a button whose data is a verb and an id, sealed for the chat.
func (s Sealer) Button(label string, v Verb, id string, chat int64) button {
	return s.Tap(label, Tap{Verb: v, ID: id}, chat)
}

// Tap returns a button with the data p, sealed for the chat.
func (s Sealer) Tap(label string, p Tap, chat int64) button {
	return button{Text: label, Data: s.data(p, chat)}
}

// tap returns the data of a button under the nudge's own message. It records whether the message shows all of
// the subject.
func (r Renderer) tap(verb Verb) Tap {
	p := Tap{Verb: verb, ID: r.ID, own: true}
	if !r.Masked && !r.Unfiled && !r.partly && !r.Style.Minimal {
		p.subject = r.SubjectHash()
	}
	return p
}

// buttons returns the buttons of a nudge's message. Phones cut labels, so there are three in a row at most,
// and a long label has its own row.
func (r Renderer) buttons(chat int64, s Sealer) Keys {
	return r.buttonsOf(chat, s, r.tap)
}

// buttonsElsewhere returns the buttons for another message about the nudge.
func (r Renderer) buttonsElsewhere(chat int64, s Sealer) Keys {
	return r.buttonsOf(chat, s, func(verb Verb) Tap { return Tap{Verb: verb, ID: r.ID} })
}

func (r Renderer) buttonsOf(chat int64, s Sealer, data func(Verb) Tap) Keys {
	if !r.Away.IsZero() {
		return nil
	}
	var others Keys // buttons that answer nothing, if the nudge has a pane
	if r.Program() == nil {
		others = Keys{{s.Tap("🔎 Screen", data(VerbScreen), chat)}}
		if t, ended := r.About.(nudge.TurnEnded); ended && len(t.Edits) > 0 {
			others[0] = append(others[0], s.Tap("📝 Diff", data(VerbDiff), chat))
		}
		if r.Asks() && !r.Style.Watches {
			others[0] = append(others[0], s.Tap("💤 Snooze", data(VerbSnooze), chat))
		}
	}
	if r.Style.Watches {
		return others
	}
	if r.TakesReason() {
		if len(others) == 0 {
			others = Keys{nil}
		}
		others[0] = append([]button{s.Tap("✍ Deny…", data(VerbWhy), chat)}, others[0]...)
	}
	if r.Style.Page != "" && r.Asks() && r.long() {
		others = append(others, []button{{Text: "🖥 Open", App: &webApp{r.Style.Page + "/?nudge=" + r.ID}}})
	}
	return append(r.answering(r.About, chat, s, data), others...)
}

// long reports whether a nudge is easier to read on a page than in a message: a plan, a diff, a long command.
func (r Renderer) long() bool {
	subject := r.Prompt.Subject
	return r.Prompt.Partial || utf8.RuneCountInString(subject) > openRoom || strings.Count(subject, "\n") >= openLines
}

// answering returns the buttons that answer a nudge of that kind.
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

// verdicts returns the buttons that answer a permission.
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
