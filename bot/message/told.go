package message

import (
	"fmt"
	"strings"

	"nod/detect/screen"
	"nod/nudge"
)

// Told is the content of a message about a question, in parts, for display outside a chat. All of it is
// masked and made visible.
type Told struct {
	Verb     string // what the agent wants to do with the subject; empty for a command
	Question string // empty: Subject has its rows
	Subject  string // the whole subject
	Lead     int    // the number of leading lines of Subject that are the command, file or address itself
	Says     string // further words that are not in Subject
	Minds    []string
	Answers  []Answer
}

// Answer is an option of a question.
type Answer struct {
	Number string // the number to choose it by
	Label  string
	Note   string // its explanation
	Lasts  string // what it grants beyond this once; empty: nothing
}

// Told returns the question in parts.
func (r Renderer) Told() Told {
	t := Told{
		Verb: r.verb, Question: OneLine(r.Style.Redact(r.Prompt.Question)), Subject: r.subject, Lead: 1 + strings.Count(r.lead, "\n"), Minds: r.minds(),
	}
	if r.verb != "" {
		t.Subject = strings.TrimPrefix(t.Subject, r.verb+" ")
	}
	if strings.HasPrefix(screen.QuestionFirst(t.Subject, t.Question), t.Question) {
		t.Question = ""
	}
	for i, o := range r.Prompt.Options {
		label := r.labels[i]
		if o.Tick != screen.NoBox {
			label = r.names[i]
		}
		t.Answers = append(t.Answers, Answer{Number: r.OptionNumber(i), Label: label, Note: r.notes[i], Lasts: r.grants(i)})
	}
	return t
}

// Rows returns rows of a screen at their full width, masked as one text, because a secret may be wrapped over
// two rows; nil: masking has changed the number of rows.
func Rows(rows []string, style Style) []string {
	drawn := masked(rows, style)
	if len(drawn) != len(rows) {
		return nil
	}
	return drawn
}

// BlockedTold returns a denied call in parts.
func BlockedTold(c nudge.Denial, project string, style Style) Told {
	text := style.Redact(c.Text)
	t := Told{Verb: OneLine(style.Redact(c.Verb)), Subject: ForeignText(text), Lead: c.Lead, Says: OneLine(style.Redact(c.Reason))}
	if risks := risksLine(c.Text, project); risks != "" {
		t.Minds = append(t.Minds, risks)
	}
	if text != c.Text || c.Cut() {
		t.Minds = append(t.Minds, "Not all of it is shown here. Allow asks you again.")
	}
	if c.Count > 1 {
		t.Minds = append(t.Minds, fmt.Sprintf("It was blocked %d times.", c.Count))
	}
	by, in := blockedBy(c), ""
	if c.Folder != "" {
		in = ", in " + Cut(OneLine(style.Redact(c.Folder)), placeRoom)
	}
	t.Minds = append(t.Minds, strings.ToUpper(by[:1])+by[1:]+" it"+in+".")
	return t
}

// WishTold returns a wish in parts.
func WishTold(w nudge.Wish, style Style) Told {
	t := Told{Subject: ForeignText(style.Redact(w.Text)), Says: "From " + OneLine(style.Redact(w.From.Name))}
	t.Lead = 1 + strings.Count(t.Subject, "\n")
	if command := mayBeCommand(w); command != "" && w.File == nil {
		t.Minds = append(t.Minds, command)
	}
	if t.Subject != w.Text {
		t.Minds = append(t.Minds, "Not all of it is shown here: "+wishHides(w, t.Subject, t.Subject, style)+". Send asks you again.")
	}
	return t
}
