package bot

import (
	"strings"
	"time"

	"nod/nudge"
)

// renderer writes the messages of one nudge. It holds what of the nudge may leave this machine: texts of the screen are
// masked, and show all that they hold.
type renderer struct {
	nudge.Nudge
	title   string // "claude in api"
	place   string // the second line: where, shape, id
	subject string // what is asked about, verb first; may have several lines
	lead    string // of the subject, what stands before the labels that the agent sets apart from it
	aside   string // of the subject, those labels: what the agent says of it
	words   string // what an idle agent said last; may have several lines
	blocked string // the dead end that it is at, without a full stop
	labels  []string
	notes   []string // what explains each option; empty where nothing does
	names   []string // labels without the boxes that stand before them
	tail    []string
	masked  bool // a secret was masked in the subject
	unfiled bool // the subject needs a file and Telegram takes none
	partly  bool // the message is too long for Telegram, so it does not show all
	style   style
}

// style is how messages look, by the settings of the moment.
type style struct {
	host    string
	minimal bool
	watches bool // nobody in the chat may answer
	zone    *time.Location
	redact  func(string) string
}

// below is the style of rows that stand below others on their screen: masked with those, for a secret may be wrapped from
// them into the first row.
func (s style) below(above []string) style {
	if len(above) == 0 {
		return s
	}
	redact := s.redact
	s.redact = func(text string) string {
		rows := strings.Split(redact(strings.Join(above, "\n")+"\n"+text), "\n")
		if len(rows) <= len(above) {
			return redact(text)
		}
		return strings.Join(rows[len(above):], "\n")
	}
	return s
}

// newStyle is a style that shows times in zone, nil being this machine's, and masks with redact, nil masking nothing.
func newStyle(host string, minimal bool, zone *time.Location, redact func(string) string) style {
	if zone == nil {
		zone = time.Local
	}
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return style{host: cut(oneLine(host), nameRoom), minimal: minimal, zone: zone, redact: redact}
}

func newRenderer(n nudge.Nudge, style style) renderer {
	r := renderer{Nudge: n, style: style, title: style.title(n.Agent, n.Name, n.Project)}
	r.readSubject()
	r.words = strings.TrimSpace(foreignText(style.redact(n.Words)))
	r.blocked = strings.TrimRight(oneLine(style.redact(n.Blocked)), ".")
	for _, o := range n.Prompt.Options {
		r.labels = append(r.labels, oneLine(style.redact(o.Label)))
		r.names = append(r.names, oneLine(style.redact(o.Name())))
	}
	r.notes = make([]string, len(r.labels))
	for i, note := range n.Prompt.Notes[:min(len(n.Prompt.Notes), len(r.notes))] {
		r.notes[i] = oneLine(style.redact(note))
	}
	r.tail = screenLines(n.Tail, style.below(n.Above))
	shape := n.Prompt.Shape
	if !n.Kind.Asks() {
		shape = string(n.Kind)
	}
	r.place = style.place(n.Where, shape, n.ID)
	return r
}

// readSubject masks the subject as one text, for a secret may be wrapped over two of its lines. Labels that the agent
// sets apart from the command stand behind an empty line.
func (r *renderer) readSubject() {
	masked := r.style.redact(r.Prompt.Subject)
	r.masked = masked != r.Prompt.Subject
	r.lead = foreignText(masked)
	lines := strings.Split(r.lead, "\n")
	if n := r.Prompt.Lead; n > 0 && n < len(lines) && len(lines) == 1+strings.Count(r.Prompt.Subject, "\n") {
		r.lead, r.aside = strings.Join(lines[:n], "\n"), strings.Trim(strings.Join(lines[n:], "\n"), "\n ")
	}
	r.lead = strings.Trim(r.lead, "\n ")
	question := oneLine(r.style.redact(r.Prompt.Question))
	switch {
	case r.lead == "" && question == "":
		r.lead = "something that its screen does not name"
	case r.lead == "":
		r.lead = question
	case r.Prompt.Verb != "":
		r.lead = cut(oneLine(r.Prompt.Verb), lineRoom) + " " + r.lead
	}
	r.subject = r.lead
	if r.aside != "" {
		r.subject += "\n\n" + r.aside
	}
}

// place is the second line of a message for one nudge.
func (s style) place(where, shape, id string) string {
	parts := []string{cut(oneLine(shape), nameRoom), "#" + id}
	if where != "" {
		parts = append([]string{s.where(where)}, parts...)
	}
	if s.host != "" {
		parts = append([]string{s.host}, parts...)
	}
	return strings.Join(parts, " · ")
}

// where is the place of a pane. A session may be named after a branch or a ticket, and so after anything.
func (s style) where(where string) string { return cutMiddle(oneLine(s.redact(where)), placeRoom) }

// title names what runs in a pane, in messages and as a topic. A folder's name is text from outside like any other.
func (s style) title(agent, name, project string) string {
	title := oneLine(name)
	if title == "" {
		title = oneLine(agent)
	}
	if p := oneLine(project); p != "" {
		title += " in " + p
	}
	return cut(oneLine(s.redact(title)), nameRoom)
}

// screenLines masks rows as one text, for a secret may be wrapped over two of them, and draws them for a
// phone.
func screenLines(rows []string, style style) []string {
	if len(rows) == 0 {
		return nil
	}
	drawn := make([]string, len(rows))
	for i, row := range rows {
		drawn[i] = plainIndent(row)
	}
	lines := strings.Split(foreignText(style.redact(strings.Join(drawn, "\n"))), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return forPhone(lines)
}

// headline is the subject's first line, cut to n code points, and whether that is all of it.
func (r renderer) headline(n int) (string, bool) {
	first, rest, several := strings.Cut(r.lead, "\n")
	short := cut(oneLine(first), n)
	whole := short == r.subject
	if several && strings.TrimSpace(rest) != "" && !strings.HasSuffix(short, "…") {
		short += " …"
	}
	return short, whole
}

// short names the nudge in one line of another message.
func (r renderer) short() string {
	switch {
	case !r.Kind.Asks():
		saying, what := r.summary()
		if what == "" || r.style.minimal {
			return saying
		}
		return saying + ": " + cut(what, 60)
	case r.style.minimal:
		return r.title
	}
	what, _ := r.headline(60)
	return r.title + ": " + what
}

// sentence is foreign text that stands in a sentence.
func (r renderer) sentence(text string) string {
	return cut(oneLine(r.style.redact(text)), sentenceRoom)
}

// subjectLine is the one line that names what a message about the nudge's answer or end is about: what was asked,
// what the agent was told, or what it said.
func (r renderer) subjectLine() (saying, what string) {
	switch {
	case r.Kind.Asks():
		saying, what = r.title, ""
		what, _ = r.headline(headRoom)
	case instructed(r.Nudge):
		saying, what = r.title, oneLine(r.style.redact(r.Claim.Text))
	default:
		saying, what = r.summary()
	}
	return saying, cut(what, headRoom)
}
