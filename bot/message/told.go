package message

import (
	"strings"

	"nod/detect/screen"
)

// Told is what messages say of a question, in parts, for whoever shows it elsewhere than in a chat. All of it is masked and shows
// what is invisible.
type Told struct {
	Verb     string // what the subject is asked for; empty for a command
	Question string
	Subject  string // whole
	Lead     int    // how many lines of Subject, from its first, are the command, file or address itself
	Says     string // what the agent says of it
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
		Verb: r.verb, Question: OneLine(r.Style.Redact(r.Prompt.Question)), Subject: r.subject, Lead: 1 + strings.Count(r.lead, "\n"),
		Says: r.says, Minds: r.minds(),
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
