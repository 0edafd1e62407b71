package message

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/text/risk"
	"nod/internal/words"
	"nod/nudge"
)

// How a message's length is divided, in code points. The rest is for the tail.
const (
	headRoom  = 200  // for the subject on the first line
	quoteRoom = 2400 // for the subject in a folded quote; a longer one goes into a file
	quoteHead = 600  // how much of such a long subject the message still shows
	tailRoom  = 500  // reserved for the tail next to a long quote
	openRoom  = 700  // for a subject that is not folded, and so many lines
	openLines = 14
)

// The maximum lengths of texts from outside, so that their sum fits too.
const (
	NameRoom     = 80  // an agent, a project, a person, a machine
	placeRoom    = 100 // session:window.pane
	SentenceRoom = 400 // a reason, a detail
	lineRoom     = 160 // an option, a line of a list
	optionsRoom  = 1200
	labelRoom    = 36 // the longest button label that a phone of 360 pixels shows whole
	maxChoices   = 30 // buttons for options; the others are chosen by number
)

// Outgoing is one message to send.
type Outgoing struct {
	Page    page
	Keys    Keys
	partial Keys // the keys if the message is sent incomplete; nil: Keys
	ReplyTo int
	Topic   int // 0: the topic of the message that it replies to, or none
	Silent  bool
	// WantsReply opens the reply field of an app, if the app and the server support it. Only for a message
	// with buttons.
	WantsReply bool
	// File is sent before the message, so that the message never refers to a missing file.
	File *file
}

// KeysFor returns the buttons of the message as it is sent: whole, or incomplete (short).
func (o Outgoing) KeysFor(short bool) Keys {
	if short && o.partial != nil {
		return o.partial
	}
	return o.Keys
}

type file struct {
	Name string
	Data []byte
}

// Asking shows all that is known. The command comes first, because a lock screen shows little more. Then come
// the warnings, the rest of the command, the agent's words about it, and the parts of the screen that were
// not shown yet. filed: an earlier message showed the whole subject, with a file if needed.
func (r Renderer) Asking(chat int64, seal Sealer, now time.Time, filed bool) Outgoing {
	out := Outgoing{Keys: r.buttons(chat, seal)}
	r.partly = true
	out.partial = r.buttons(chat, seal)
	what, _ := r.headline(headRoom)
	p := &out.Page
	p.Text(r.icon(now)).Bold(r.Title + ": ").Code(what).Line()
	p.dated(joined(append(r.pageLine(), r.minds()...)), r.awaySince(), r.Away)

	foot, until, end := joined(r.foot()), r.untilWhen(), r.end()
	room := MaxText - p.Size() - utf8.RuneCountInString(foot+until+end) - 16
	if utf8.RuneCountInString(r.subject) > min(quoteRoom, room-tailRoom) {
		quote := Cut(r.subject, quoteHead) + "\n" + r.rest()
		if !filed && !r.Unfiled {
			out.File = &file{"nod-" + r.ID + ".txt", []byte(r.subject + "\n")}
		}
		p.foldedCode(quote).Line()
		r.advert = "" // the file has it
	} else {
		r.restOfSubject(p, what)
	}
	room = MaxText - p.Size() - utf8.RuneCountInString(foot+until+end+r.advert) - 16
	r.screen(p, r.unsaid(), room, p.foldedCode)
	if r.advert != "" {
		p.folded(r.advert).Line()
	}
	p.Text(foot)
	if until != "" {
		p.dated(until, r.expiry(), r.Expires).Line()
	}
	p.Text(end)
	return out
}

// joined joins lines, each with a line break.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// restOfSubject writes the part of a subject that did not fit on the first line, which shows what, and the
// agent's words about it.
func (r Renderer) restOfSubject(p *page, what string) {
	lead := r.lead
	if r.Kind() == screen.Question { // a command stays in one piece
		lead = behindFirst(lead, strings.TrimSuffix(what, " …"))
	}
	switch {
	case what == lead: // the first line has all of it
	case utf8.RuneCountInString(lead) > openRoom || strings.Count(lead, "\n") >= openLines:
		p.foldedCode(lead).Line()
	default:
		p.Pre(lead).Line()
	}
	if r.says != "" {
		p.quoted(r.says).Line()
	}
}

// behindFirst returns the lines of a text behind its first, if the message shows that one whole already; else the text.
func behindFirst(text, shown string) string {
	if first, rest, more := strings.Cut(text, "\n"); more && shown == OneLine(first) {
		return strings.Trim(rest, "\n")
	}
	return text
}

// Dangerous reports whether a nudge asks for something risky, or for something that can't be seen whole.
func Dangerous(n nudge.Nudge) bool {
	return n.Asks() && (n.Prompt().Partial || Risky(n.Prompt().Subject, n.Project))
}

// Risky reports whether a text that may run in a project says something dangerous.
func Risky(text, project string) bool { return len(risk.Reasons(text, project)) > 0 }

// risksLine names the risks of a text that may run in a project; empty: none.
func risksLine(text, project string) string {
	list := risk.Reasons(text, project)
	if len(list) == 0 {
		return ""
	}
	return "❗ " + strings.Join(list, " · ")
}

// screen writes the last rows that fit into room code points.
func (r Renderer) screen(p *page, rows []string, room int, write func(string) *page) {
	shown, short := LastLines(rows, room)
	if len(shown) == 0 {
		return
	}
	text := strings.Join(shown, "\n")
	if short {
		text = "…\n" + text
	}
	write(text)
	p.Line()
}

// rest says where the rest of a long subject is.
func (r Renderer) rest() string {
	if r.Unfiled {
		return "(the rest could not be sent)"
	}
	return "(all of it is in the file nod-" + r.ID + ".txt)"
}

// promptPreview keeps the question off the lock screen. Its Show button replaces it by the whole message.
func (r Renderer) promptPreview(chat int64, seal Sealer, now time.Time) Outgoing {
	out := Outgoing{Keys: Keys{{seal.Tap("👁 Show", r.tap(VerbShow), chat)}}}
	out.Page.Text(r.icon(now)).Bold(r.Title).Text(" waits for an answer").Line()
	out.Page.Text("Tap Show to see what it asks.").Line().Text(r.end())
	return out
}

// icon returns the beginning of a message. In a reminder it contains the waiting time, so that a lock screen
// distinguishes it from a new question.
func (r Renderer) icon(now time.Time) string {
	switch {
	case r.Reminder > 1:
		return "⏰ " + Length(now.Sub(r.Detected)) + " · "
	case r.Kind() == screen.Question:
		return "❓ "
	}
	return "⚠ "
}

// end returns the last line: place, id, and the number of the reminder.
func (r Renderer) end() string {
	if r.Reminder > 1 {
		return fmt.Sprintf("%s · reminder %d of %d", r.place, r.Reminder, max(len(r.Cadence), r.Reminder))
	}
	return r.place
}

func (r Renderer) awaySince() string { return r.Away.In(r.Style.Zone).Format("15:04") }

// minds returns the warnings that must be seen before an answer. They come right below the command and are
// never folded.
func (r Renderer) minds() []string {
	var lines []string
	if !r.Away.IsZero() {
		lines = append(lines, fmt.Sprintf("📴 %s has been away since %s: this can be answered when it is back.", OneLine(r.Pane.Machine), r.awaySince()))
	}
	if risks := risksLine(r.Prompt.Subject, r.Project); risks != "" {
		lines = append(lines, risks)
	}
	if !r.Again.IsZero() {
		lines = append(lines, "Asked again: "+r.sentence(words.Why(r.Again)))
	}
	switch doubts := r.doubts(); {
	case doubts != "" && r.approvable():
		lines = append(lines, "Seen only in part: "+doubts+" To approve it, you have to accept the rest unseen.")
	case doubts != "":
		lines = append(lines, "Seen only in part: "+doubts)
	case r.Prompt.Partial && r.approvable():
		lines = append(lines, "Only a part of what is asked can be seen from here: an approval asks for your consent to the rest.")
	case r.Prompt.Partial:
		lines = append(lines, "Only a part of what is asked can be seen from here.")
	}
	if r.Masked {
		lines = append(lines, "A secret in it is masked: an approval asks for your consent to what is not shown.")
	}
	return lines
}

// approvable reports whether a yes can be given, by y or by the button of an option.
func (r Renderer) approvable() bool {
	for i := range r.Prompt.Options {
		if r.Offers(i) {
			return true
		}
	}
	return len(r.Prompt.Approve) > 0
}

// foot says how to answer, if the buttons do not.
func (r Renderer) foot() []string {
	var lines []string
	if r.Prompt.Taught != "" {
		lines = append(lines, "What its answers mean was taught on "+Cut(OneLine(r.Prompt.Taught), NameRoom)+".")
	}
	if how := r.howTo(); how != "" {
		lines = append(lines, how)
	}
	return lines
}

// doubts returns why a part of the subject may be unseen; empty: no reason known.
func (r Renderer) doubts() string {
	if !r.Prompt.Partial {
		return ""
	}
	var all []string
	for _, doubt := range r.Prompt.Doubts {
		if said := strings.TrimRight(OneLine(r.Style.Redact(words.Why(doubt))), "."); said != "" {
			all = append(all, said+".")
		}
	}
	return Cut(strings.Join(all, " "), SentenceRoom)
}

// howTo says how to answer; empty: the buttons say it.
func (r Renderer) howTo() string {
	if r.Style.Watches {
		var lines []string
		if r.Kind() == screen.Question {
			lines = r.optionLines()
		}
		return strings.Join(append(lines, "A supervisor answers it; you can only watch."), "\n")
	}
	if r.Kind() == screen.Question {
		return r.howToChoose()
	}
	approve, deny := len(r.Prompt.Approve) > 0, len(r.Prompt.Deny) > 0
	switch {
	case approve && deny:
		return ""
	case approve:
		return "nod knows no key that denies: to say no, answer at the terminal."
	}
	why := "no option on its screen is a plain yes for this once"
	if !r.Prompt.Why.IsZero() {
		why = strings.TrimRight(r.sentence(words.Why(r.Prompt.Why)), ".")
	}
	if deny {
		return "There is no y: " + why + "."
	}
	if !strings.HasSuffix(why, "at the terminal") {
		why += ". Answer at the terminal"
	}
	return "There is no y and no n: " + why + "."
}
