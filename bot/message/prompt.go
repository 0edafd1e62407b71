package message

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/text/risk"
	"nod/internal/words"
)

// How a message's length is shared out, in code points. The rest is the tail's.
const (
	headRoom  = 200  // of the subject on the first line
	quoteRoom = 2400 // of the subject in a folded quote; what is longer goes as a file
	quoteHead = 600  // of such a long one, what the message shows nevertheless
	tailRoom  = 500  // kept for the tail beside a long quote
	openRoom  = 700  // of a subject that is shown without folding it, and in so many lines
	openLines = 14
)

// The most of what comes from outside that stands in one place, so that the sum fits as well.
const (
	NameRoom     = 80  // an agent, a project, a person, a machine
	placeRoom    = 100 // session:window.pane
	SentenceRoom = 400 // a reason, a detail
	lineRoom     = 160 // an option, a line of a list
	optionsRoom  = 1200
	labelRoom    = 36 // a button's label that a phone of 360 pixels does not cut
	maxChoices   = 30 // buttons for options; the others are chosen by number
)

// Outgoing is one message to send.
type Outgoing struct {
	Page    page
	Keys    Keys
	partial Keys // in the place of keys, where less is sent than the page was to show; nil: keys
	ReplyTo int
	Topic   int // 0: that of the message that it replies to, or none
	Silent  bool
	// wantsReply opens the reply field of an app, where it and the server know that. It is for a message with buttons.
	WantsReply bool
	// file goes out before the message, so that the message never promises what did not come.
	File *file
}

// KeysFor are the buttons of the message as it is sent: whole, or short of something.
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

// Asking shows all that is known. The command stands first: a lock screen shows little more. Then come what of it
// had no room there, what the agent says of it, what its text shows to mind, and the screen without what was said by
// then. filed says that an earlier message brought the whole subject, as a file where it had to.
func (r Renderer) Asking(chat int64, seal Sealer, now time.Time, filed bool) Outgoing {
	out := Outgoing{Keys: r.buttons(chat, seal)}
	r.partly = true
	out.partial = r.buttons(chat, seal)
	what, whole := r.headline(headRoom)
	p := &out.Page
	p.Text(r.icon() + " ").Bold(r.Title + ": ").Code(what).Line()
	r.where(p)
	if page := r.page(); page != "" {
		p.Line().Text(page)
	}
	r.timing(p.Line(), now)
	p.Line()

	foot, until := r.foot(), r.untilWhen()
	reasons := r.reasons()
	room := MaxText - p.Size() - utf8.RuneCountInString(foot+until) - utf8.RuneCountInString(reasons) - 16
	long := utf8.RuneCountInString(r.subject) > min(quoteRoom, room-tailRoom)
	switch {
	case long:
		quote := Cut(r.subject, quoteHead) + "\n" + r.rest()
		if !filed && !r.Unfiled {
			out.File = &file{"nod-" + r.ID + ".txt", []byte(r.subject + "\n")}
		}
		p.foldedCode(quote).Line()
		room -= utf8.RuneCountInString(quote) + 1
	case !whole:
		room -= r.restOfSubject(p, what)
	}
	p.Text(reasons)
	r.screen(p, r.unsaid(), room, p.foldedCode)
	p.Text(foot)
	if until != "" {
		p.Line().dated(until, r.expiry(), r.Expires)
	}
	return out
}

// restOfSubject writes what of a subject had no room on the first line, which shows what, and gives its length.
func (r Renderer) restOfSubject(p *page, what string) int {
	before := p.Size()
	switch {
	case what == r.lead: // the first line has all of it
	case utf8.RuneCountInString(r.lead) > openRoom || strings.Count(r.lead, "\n") >= openLines:
		p.foldedCode(r.lead).Line()
	default:
		p.Pre(r.lead).Line()
	}
	if r.aside != "" {
		p.quoted(r.aside).Line()
	}
	return p.Size() - before
}

// reasonsLine names what the subject shows that people look at twice; empty where it shows nothing.
func (r Renderer) reasonsLine() string {
	list := risk.Reasons(r.Prompt.Subject, r.Project)
	if len(list) == 0 {
		return ""
	}
	return "Mind: " + strings.Join(list, " · ")
}

// reasons is reasonsLine with its end.
func (r Renderer) reasons() string {
	if line := r.reasonsLine(); line != "" {
		return line + "\n"
	}
	return ""
}

// screen writes rows of the pane, as much of their end as fits room code points.
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
	return "(the whole is in the file nod-" + r.ID + ".txt)"
}

// promptPreview keeps what is asked off the lock screen; its Show button turns it into the full one.
func (r Renderer) promptPreview(chat int64, seal Sealer, now time.Time) Outgoing {
	out := Outgoing{Keys: Keys{{seal.press("👁 Show", r.press(VerbShow), chat)}}}
	p := &out.Page
	p.Text(r.icon() + " ").Bold(r.Title).Text(" waits for an answer").Line()
	r.where(p)
	r.timing(p.Line(), now)
	p.Line().Line().Text("Tap Show to see what it asks.")
	return out
}

func (r Renderer) icon() string {
	if r.Kind == screen.Question {
		return "❓"
	}
	return "⚠"
}

func (r Renderer) where(p *page) { p.Text(r.place) }

// timing writes the third line, and the sentence why this is asked again if it is.
func (r Renderer) timing(p *page, now time.Time) {
	n, of := max(r.Reminder, 1), max(len(r.Cadence), 1)
	p.Text("First detected ").Moment(r.Detected, now, r.Style.Zone).Text(" (").ago(r.Detected, now)
	p.Text(fmt.Sprintf(") · reminder %d of %d", n, of))
	if r.Again != "" {
		p.Line().Text("Asked again: " + r.sentence(r.Again))
	}
	if n > 1 && n == of {
		p.Line().Text("This is the last reminder.")
	}
}

// foot says how to answer, and what to mind.
func (r Renderer) foot() string {
	var lines []string
	if r.Prompt.Source == screen.FromEvent {
		lines = append(lines, "The agent's own event told the call, and its screen shows the same.")
	}
	if r.Prompt.Taught != "" {
		lines = append(lines, "What its answers mean was taught on "+Cut(OneLine(r.Prompt.Taught), NameRoom)+".")
	}
	if doubts := r.doubts(); doubts != "" {
		lines = append(lines, "Seen only in part: "+doubts+" An approval asks for your consent to the rest.")
	} else if r.Prompt.Partial {
		lines = append(lines, "Only a part of what is asked can be seen from here: an approval asks for your consent to the rest.")
	}
	if r.Masked {
		lines = append(lines, "A secret in it is masked: an approval asks for your consent to what is not shown.")
	}
	return strings.Join(append(lines, r.howTo()), "\n")
}

// doubts says why a part of what is asked may not be seen; empty where nothing tells it.
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

func (r Renderer) howTo() string {
	if r.Style.Watches {
		var lines []string
		if r.Kind == screen.Question {
			lines = r.optionLines()
		}
		return strings.Join(append(lines, "A supervisor answers it: you are told, and can't."), "\n")
	}
	if r.Kind == screen.Question {
		return r.howToChoose()
	}
	approve, deny := len(r.Prompt.Approve) > 0, len(r.Prompt.Deny) > 0
	switch {
	case approve && deny:
		return "Reply y or n."
	case approve:
		return "Reply y. No key is known that denies: to say no, answer at the terminal."
	}
	why := "no option on its screen is a plain yes for this once"
	if !r.Prompt.Why.IsZero() {
		why = strings.TrimRight(r.sentence(words.Why(r.Prompt.Why)), ".")
	}
	if deny {
		return "Reply n to deny. There is no y: " + why + "."
	}
	return "There is no y and no n: " + why + ". Answer at the terminal."
}
