package message

import (
	"fmt"
	"strings"

	"nod/detect/screen"
	"nod/internal/text/risk"
	"nod/nudge"
)

// Told is what messages say of a question, in parts, for whoever shows it elsewhere than in a chat. All of it is masked and shows
// what is invisible.
type Told struct {
	Verb     string // what the subject is asked for; empty for a command
	Question string
	Subject  string // whole
	Lead     int    // how many lines of Subject, from its first, are the command, file or address itself
	Says     string // what is said of it, and is not in Subject
	Minds    []string
	Answers  []Answer
}

// Answer is an option of a question.
type Answer struct {
	Number string // as it is chosen by
	Label  string
	Note   string // what explains it
	Lasts  string // what it grants beyond this once; empty: nothing
}

// Told is what is asked.
func (r Renderer) Told() Told {
	t := Told{
		Verb: r.verb, Question: OneLine(r.Style.Redact(r.Prompt.Question)), Subject: r.subject, Lead: 1 + strings.Count(r.lead, "\n"), Minds: r.minds(),
	}
	if r.verb != "" {
		t.Subject = strings.TrimPrefix(t.Subject, r.verb+" ")
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

// Rows are rows of a screen, each as wide as it is, masked as one text: a secret may be wrapped over two of them. None where
// that has not as many rows.
func Rows(rows []string, style Style) []string {
	drawn := masked(rows, style)
	if len(drawn) != len(rows) {
		return nil
	}
	return drawn
}

// BlockedTold is what messages say of a call that an agent's guard denied.
func BlockedTold(c nudge.Denial, project string, style Style) Told {
	text := style.Redact(c.Text)
	t := Told{Verb: OneLine(style.Redact(c.Verb)), Subject: ForeignText(text), Lead: c.Lead, Says: OneLine(style.Redact(c.Reason))}
	if list := risk.Reasons(c.Text, project); len(list) > 0 {
		t.Minds = append(t.Minds, "❗ "+strings.Join(list, " · "))
	}
	if text != c.Text || c.Cut() {
		t.Minds = append(t.Minds, "Not all of it is shown here. Allow asks you again.")
	}
	if c.Count > 1 {
		t.Minds = append(t.Minds, fmt.Sprintf("It was blocked %d times.", c.Count))
	}
	t.Minds = append(t.Minds, strings.ToUpper(blockedBy(c)[:1])+blockedBy(c)[1:]+" it, in "+Cut(OneLine(style.Redact(c.Folder)), placeRoom)+".")
	return t
}

// WishTold is what messages say of a wish.
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
