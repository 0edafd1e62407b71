// Package message writes nod's messages on Telegram: their text, their buttons, and the sealed button data.
//
// The package is pure: records and a time go in, an Outgoing comes out. Only page writes HTML.
package message

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nod/detect/screen"
	"nod/internal/text/visible"
	"nod/nudge"
)

// Renderer writes the messages of one nudge. Its texts may leave this machine: those from the screen are
// masked and fully visible.
type Renderer struct {
	nudge.Nudge
	Prompt  *screen.Prompt // the prompt; blank: the nudge is none
	Title   string         // "claude in api"; with the session if another pane has the same title
	place   string         // the last line: place and id
	subject string         // the subject, verb first and tips last; may have several lines
	verb    string         // what the agent wants to do with the subject; empty for a command
	lead    string         // the subject without the labels that the agent sets apart from it
	extra   string         // those labels
	says    string         // the labels about the call
	advert  string         // the labels that are tips about the agent itself
	labels  []string
	notes   []string // the explanation of each option; empty: none
	names   []string // labels without their boxes
	Masked  bool     // a secret was masked in the subject
	Unfiled bool     // the subject needs a file and Telegram takes none
	partly  bool     // the message is too long for Telegram, so a part is missing
	Style   Style
}

// Style is how messages look, according to the current settings.
type Style struct {
	Host    string
	Minimal bool
	Watches bool // nobody in the chat may answer
	// Page is the https address at which the page opens within Telegram, in private chats; empty: none.
	Page   string
	Zone   *time.Location
	Redact func(string) string
	Places map[Named][]string // the places of all panes with a name, as in main:2.0
}

// Named is the name of a pane: the agent or its own name, and the project.
type Named struct{ Agent, Name, Project string }

// apart returns what tells the pane of n from others with its name: its session, or its place if two of them
// are in one session. It is empty if no other pane has the name.
func (s Style) apart(n nudge.Nudge) string {
	places := s.Places[Named{n.Agent, n.Name, n.Project}]
	session, _, _ := strings.Cut(n.Where, ":")
	inside := 0
	for _, place := range places {
		if of, _, _ := strings.Cut(place, ":"); of == session {
			inside++
		}
	}
	switch {
	case len(places) < 2:
		return ""
	case inside > 1:
		return n.Where
	}
	return session
}

// Below returns the style for rows that are below others on their screen. They are masked together, because a
// secret may be wrapped from the rows above into the first row.
func (s Style) Below(above []string) Style {
	if len(above) == 0 {
		return s
	}
	redact := s.Redact
	s.Redact = func(text string) string {
		rows := strings.Split(redact(strings.Join(above, "\n")+"\n"+text), "\n")
		if len(rows) <= len(above) {
			return redact(text)
		}
		return strings.Join(rows[len(above):], "\n")
	}
	return s
}

// NewStyle returns a style that shows times in zone (nil: this machine's) and masks with redact (nil:
// nothing).
func NewStyle(host string, minimal bool, zone *time.Location, redact func(string) string) Style {
	if zone == nil {
		zone = time.Local
	}
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return Style{Host: Cut(OneLine(host), NameRoom), Minimal: minimal, Zone: zone, Redact: redact}
}

// Of returns the Renderer of a nudge, with its texts masked and visible.
func Of(n nudge.Nudge, style Style) Renderer {
	r := Renderer{Nudge: n, Prompt: n.Prompt(), Style: style, Title: style.titleOf(n)}
	if apart := style.apart(n); apart != "" {
		r.Title = Cut(r.Title, NameRoom/2) + "·" + cutMiddle(OneLine(style.Redact(apart)), NameRoom/2)
	}
	r.readSubject()
	for _, o := range r.Prompt.Options {
		r.labels = append(r.labels, OneLine(style.Redact(o.Label)))
		r.names = append(r.names, OneLine(style.Redact(o.Name())))
	}
	r.notes = make([]string, len(r.labels))
	for i, note := range r.Prompt.Notes[:min(len(r.Prompt.Notes), len(r.notes))] {
		r.notes[i] = OneLine(style.Redact(note))
	}
	r.place = style.place(n.Where, n.ID)
	return r
}

// tail returns the last rows of the screen. They are masked only when needed, because that takes longer than
// everything else and most messages show none.
func (r Renderer) tail() []string {
	return forPhone(trimmed(r.withoutFurniture(masked(r.Nudge.Tail, r.Style.Below(r.Above)))))
}

// Topic returns the title of the pane's topic, which never contains a session.
func (r Renderer) Topic() string { return r.Style.titleOf(r.Nudge) }

// readSubject masks the subject as one text, because a secret may be wrapped over two lines. Labels that the
// agent sets apart from the command come after an empty line.
func (r *Renderer) readSubject() {
	masked, verb := r.Style.Redact(r.Prompt.Subject), r.Style.Redact(r.Prompt.Verb)
	r.Masked = masked != r.Prompt.Subject || verb != r.Prompt.Verb
	r.lead = ForeignText(masked)
	lines := strings.Split(r.lead, "\n")
	if n := r.Prompt.Lead; n > 0 && n < len(lines) && len(lines) == 1+strings.Count(r.Prompt.Subject, "\n") {
		r.lead, r.extra = strings.Join(lines[:n], "\n"), strings.Trim(strings.Join(lines[n:], "\n"), "\n ")
		r.says, r.advert = withoutAdvert(r.extra)
		r.says = r.withoutTabs(r.says)
	}
	r.lead = strings.Trim(r.lead, "\n ")
	question := OneLine(r.Style.Redact(r.Prompt.Question))
	if r.Kind() == screen.Question && !r.reviews() {
		r.lead = screen.QuestionFirst(r.lead, question)
	}
	switch {
	case r.lead == "" && question == "":
		r.lead = "something that its screen doesn't name"
	case r.lead == "":
		r.lead = question
	case verb != "":
		r.verb = Cut(OneLine(verb), lineRoom)
		r.lead = r.verb + " " + r.lead
	}
	r.subject = r.lead
	said, advert := withoutAdvert(r.extra)
	for _, more := range []string{said, advert} {
		if more != "" {
			r.subject += "\n\n" + more
		}
	}
}

// withoutAdvert separates an agent's words about a call from the lines that it labels as a tip, such as "Tip:
// auto mode handles these prompts for you": tips praise the agent and say nothing about the call.
func withoutAdvert(extra string) (says, advert string) {
	var said, praise []string
	for line := range strings.SplitSeq(extra, "\n") {
		if strings.HasPrefix(line, "Tip: ") {
			praise = append(praise, line)
		} else {
			said = append(said, line)
		}
	}
	return strings.Trim(strings.Join(said, "\n"), "\n "), strings.Join(praise, "\n")
}

// withoutTabs removes the row of headings from an agent's words, if the message itself says which page this
// is.
func (r Renderer) withoutTabs(says string) string {
	tabs := visible.Unspaced(ForeignText(r.Style.Redact(r.Prompt.Tabs)))
	if tabs == "" || r.page() == "" {
		return says
	}
	lines := strings.Split(says, "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return visible.Unspaced(l) == tabs }); i >= 0 {
		lines = slices.Delete(lines, i, i+1)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n ")
}

// place returns the last line of a message for one nudge.
func (s Style) place(where, id string) string {
	if where == "" {
		return "#" + id
	}
	return s.Where(where) + " · #" + id
}

// Where returns the position of a pane for people. Its session may be named after a branch or a ticket, so it
// is text from outside.
func (s Style) Where(where string) string { return cutMiddle(OneLine(s.Redact(where)), placeRoom) }

// Title returns the title of a pane, in messages and as a topic: agent, machine, project. A folder's name is
// text from outside.
func (s Style) Title(agent, name, project string) string {
	title := OneLine(name)
	switch {
	case title == "":
		title = OneLine(agent)
	case strings.EqualFold(title, "nod"): // what is told of an agent is not nod's own
		title = OneLine(agent) + " (" + title + ")"
	}
	switch p := OneLine(project); {
	case strings.Contains(p, ":"): // it contains another machine's name
		title += " in " + p
	case p != "" && s.Host != "":
		title += " in " + s.Host + ":" + p
	case p != "":
		title += " in " + p
	case s.Host != "":
		title += " on " + s.Host
	}
	return Cut(OneLine(s.Redact(title)), NameRoom)
}

// titleOf returns the title of the asker: an agent, or another program in its terminal.
func (s Style) titleOf(n nudge.Nudge) string {
	by := n.Prompt().Program()
	if by == "" || !n.Asks() {
		return s.Title(n.Agent, n.Name, n.Project)
	}
	return s.Title(by+", run by "+cmp.Or(n.Name, n.Agent), "", n.Project)
}

// ScreenLines masks rows as one text, because a secret may be wrapped over two of them, and draws them for a
// phone.
func ScreenLines(rows []string, style Style) []string {
	return forPhone(trimmed(masked(rows, style)))
}

// masked returns rows of a screen with their secrets masked. They are masked as one text, because a secret
// may be wrapped over two rows.
func masked(rows []string, style Style) []string {
	if len(rows) == 0 {
		return nil
	}
	drawn := make([]string, len(rows))
	for i, row := range rows {
		drawn[i] = plainIndent(row)
	}
	lines := strings.Split(ForeignText(style.Redact(strings.Join(drawn, "\n"))), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// trimmed returns lines without blank ones at both ends.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return lines
}

// withoutFurniture removes the dialog's decorative rows from lines, which are its screen. A row is removed
// only if the same row is still in the same position.
func (r Renderer) withoutFurniture(lines []string) []string {
	if len(lines) != len(r.Tail) {
		return lines
	}
	said := map[int]bool{}
	for _, row := range r.Prompt.Furniture {
		if i := len(lines) - 1 - row.Up; i >= 0 && i < len(lines) && r.Tail[i] == row.Text {
			said[i] = true
		}
	}
	var left []string
	for i, line := range lines {
		if !said[i] {
			left = append(left, line)
		}
	}
	return left
}

// headline returns the first line of the subject, cut to n code points, and whether that is all of it.
func (r Renderer) headline(n int) (string, bool) {
	first, rest, several := strings.Cut(r.lead, "\n")
	short := Cut(OneLine(first), n)
	whole := short == r.lead
	if several && strings.TrimSpace(rest) != "" && !strings.HasSuffix(short, "…") {
		short += " …"
	}
	return short, whole
}

// Short names the nudge in one line of another message.
func (r Renderer) Short() string {
	if w := r.rests(); w != nil {
		if w.what == "" || r.Style.Minimal {
			return w.saying
		}
		return w.saying + ": " + Cut(w.what, 60)
	}
	if r.Style.Minimal {
		return r.Title
	}
	what, _ := r.headline(60)
	return r.Title + ": " + what
}

// sentence returns foreign text for use in a sentence.
func (r Renderer) sentence(text string) string {
	return Cut(OneLine(r.Style.Redact(text)), SentenceRoom)
}

// subjectLine returns the line that names the subject in a message about the nudge's answer or end: the
// question, the words to the agent, or the agent's words.
func (r Renderer) subjectLine() (saying, what string) {
	w := r.rests()
	switch {
	case w == nil:
		saying = r.Title
		what, _ = r.headline(headRoom)
	case instructed(r.Nudge):
		saying, what = r.Title, OneLine(r.Style.Redact(r.Claim.Text))
	default:
		saying, what = w.saying, w.what
	}
	return saying, Cut(what, headRoom)
}
