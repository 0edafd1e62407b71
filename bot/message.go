package bot

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"nod/detect"
)

// How a message's length is shared out, in code points. The rest is the tail's.
const (
	headRoom  = 200  // of the subject on the first line
	quoteRoom = 2400 // of the subject in a folded quote; what is longer goes as a file
	quoteHead = 600  // of such a long one, what the message shows nevertheless
	tailRoom  = 500  // kept for the tail beside a long quote
)

// letter is one message to send.
type letter struct {
	page    page
	keys    keys
	replyTo int
	silent  bool
	// file goes out before the message, so that the message never promises what did not come.
	file *file
}

type file struct {
	name string
	data []byte
}

// fullLetter shows all that is known. The command stands first: a lock screen shows little more. filed
// says that an earlier message brought the whole subject, as a file where it had to.
func (v view) fullLetter(chat int64, seal sealer, now time.Time, filed bool) letter {
	l := letter{keys: v.buttons(chat, seal)}
	what, whole := v.headline(headRoom)
	p := &l.page
	p.text(v.icon() + " ").bold(v.title + ": ").code(what).line()
	v.where(p)
	p.line().text(v.timing(now)).line()

	foot := v.foot()
	room := maxText - p.size() - utf8.RuneCountInString(foot) - 16
	if shown, _ := lastLines(v.tail, room); !whole && !within(v.subject, shown) {
		quote := v.subject
		if utf8.RuneCountInString(quote) > quoteRoom {
			quote = cut(quote, quoteHead) + "\n" + v.rest()
			if !filed && !v.unfiled {
				l.file = &file{"nod-" + v.ID + ".txt", []byte(v.subject + "\n")}
			}
		}
		p.line().folded(quote).line()
		room = max(tailRoom, room-utf8.RuneCountInString(quote)-2)
	}
	v.screen(p, room)
	p.line().text(foot)
	return l
}

// screen writes the pane's tail, as much of its end as fits room code points.
func (v view) screen(p *page, room int) {
	shown, short := lastLines(v.tail, room)
	if len(shown) == 0 {
		return
	}
	text := strings.Join(shown, "\n")
	if short {
		text = "…\n" + text
	}
	p.line().pre(text).line()
}

// rest says where the rest of a long subject is.
func (v view) rest() string {
	if v.unfiled {
		return "(the rest could not be sent)"
	}
	return "(the whole is in the file nod-" + v.ID + ".txt)"
}

// minimalLetter keeps what is asked off the lock screen; its Show button turns it into the full one.
func (v view) minimalLetter(chat int64, seal sealer, now time.Time) letter {
	l := letter{keys: keys{{seal.button("👁 Show", verbShow, v.ID, chat)}}}
	p := &l.page
	p.text(v.icon() + " ").bold(v.title).text(" waits for an answer").line()
	v.where(p)
	p.line().text(v.timing(now)).line().line().text("Tap Show to see what it asks.")
	return l
}

func (v view) icon() string {
	if v.Kind == detect.Question {
		return "❓"
	}
	return "⚠"
}

func (v view) where(p *page) { p.text(v.place) }

// timing is the third line, and the sentence why this is asked again if it is.
func (v view) timing(now time.Time) string {
	n, of := max(v.Reminder, 1), max(len(v.Cadence), 1)
	s := fmt.Sprintf("First detected %s (%s ago) · reminder %d of %d",
		moment(v.Detected, now, v.chat.zone), ago(now.Sub(v.Detected)), n, of)
	if v.Again != "" {
		s += "\nAsked again: " + oneLine(v.chat.redact(v.Again))
	}
	if n > 1 && n == of {
		s += "\nThis is the last reminder."
	}
	return s
}

// foot says how to answer, and what to mind.
func (v view) foot() string {
	var lines []string
	if v.Prompt.Partial {
		lines = append(lines, "Only a part of what is asked can be seen from here: an approval asks for your consent to the rest.")
	}
	if v.masked {
		lines = append(lines, "A secret in it is masked: an approval asks for your consent to what is not shown.")
	}
	return strings.Join(append(lines, v.howTo()), "\n")
}

func (v view) howTo() string {
	if v.Kind == detect.Question {
		return v.howToChoose()
	}
	approve, deny := len(v.Prompt.Approve) > 0, len(v.Prompt.Deny) > 0
	switch {
	case approve && deny:
		return "Reply y or n."
	case approve:
		return "Reply y. No key is known that denies: to say no, answer at the terminal."
	}
	why := "no option on its screen is a plain yes for this once"
	if v.Prompt.Why != "" {
		why = strings.TrimRight(oneLine(v.chat.redact(v.Prompt.Why)), ".")
	}
	if deny {
		return "Reply n to deny. There is no y: " + why + "."
	}
	return "There is no y and no n: " + why + ". Answer at the terminal."
}

func (v view) howToChoose() string {
	var lines []string
	for i, label := range v.labels {
		line := fmt.Sprintf("%s. %s", v.number(i), label)
		switch scope := v.Prompt.Options[i].Scope; scope {
		case detect.Session, detect.Always, detect.Mode:
			line += " (" + grants(scope) + "; asks once more)"
		case detect.NoAlways:
			line += " (" + grants(scope) + ")"
		}
		lines = append(lines, cut(line, 160))
	}
	how := "Tap an answer, or reply with its number."
	switch {
	case len(v.labels) == 0 && v.Prompt.TextField:
		how = "Reply with your words."
	case len(v.labels) == 0:
		how = "Answer at the terminal: no options could be read."
	case v.Prompt.TextField:
		how = "Tap an answer, reply with its number, or with your own words."
	}
	return strings.Join(append(lines, how), "\n")
}

// number is what a person types to choose option i: the digit that its row shows if every row has
// one, else its place in the list.
func (v view) number(i int) string {
	for _, o := range v.Prompt.Options {
		if len(o.Key) != 1 || o.Key < "0" || o.Key > "9" {
			return fmt.Sprint(i + 1)
		}
	}
	return v.Prompt.Options[i].Key
}

// within reports whether every line of subject stands in rows, in order. Rows for a phone lack blank ones.
func within(subject string, rows []string) bool {
	if strings.Contains(subject, "\n\n\n") {
		return false
	}
	at := 0
	for line := range strings.SplitSeq(subject, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for at < len(rows) && !strings.Contains(rows[at], line) {
			at++
		}
		if at == len(rows) {
			return false
		}
		at++
	}
	return true
}
