package bot

import (
	"fmt"
	"strings"
	"time"

	"nod/detect"
	"nod/nudge"
)

// view is what of a nudge may leave this machine: its screen texts masked and cleaned.
type view struct {
	nudge.Nudge
	title   string // "claude in api"
	place   string // the second line: where, shape, id
	subject string // what is asked about, verb first; may have several lines
	ask     string // the question in the agent's words, one line
	words   string // what an idle agent said last; may have several lines
	blocked string // the dead end that it is at, without a full stop
	labels  []string
	tail    []string
	masked  bool // a secret was masked in the subject
	unfiled bool // the subject needs a file and Telegram takes none
	chat    look
}

// look is how messages look, by the settings of the moment.
type look struct {
	host    string
	minimal bool
	zone    *time.Location
	redact  func(string) string
}

func (s Settings) look() look {
	l := look{host: oneLine(s.Host), minimal: s.Preview == "minimal", zone: s.Zone, redact: s.Redact}
	if l.zone == nil {
		l.zone = time.Local
	}
	if l.redact == nil {
		l.redact = func(text string) string { return text }
	}
	return l
}

func newView(n nudge.Nudge, l look) view {
	v := view{Nudge: n, chat: l, title: titleOf(n.Agent, n.Name, n.Project)}
	masked := l.redact(n.Prompt.Subject)
	v.masked = masked != n.Prompt.Subject
	v.subject = strings.Trim(clean(masked), "\n ")
	if n.Prompt.Verb != "" && v.subject != "" {
		v.subject = oneLine(n.Prompt.Verb) + " " + v.subject
	}
	v.ask = oneLine(l.redact(n.Prompt.Question))
	if v.subject == "" {
		v.subject = v.ask
	}
	if v.subject == "" {
		v.subject = "something that its screen does not name"
	}
	v.words = strings.TrimSpace(clean(l.redact(n.Words)))
	v.blocked = strings.TrimRight(oneLine(l.redact(n.Blocked)), ".")
	for _, o := range n.Prompt.Options {
		v.labels = append(v.labels, oneLine(l.redact(o.Label)))
	}
	v.tail = screenLines(n.Tail, l)
	shape := n.Prompt.Shape
	if !n.Kind.Asks() {
		shape = string(n.Kind)
	}
	v.place = place(l.host, n.Where, shape, n.ID)
	return v
}

// place is the second line of a message for one nudge. Nothing foreign may follow the id, for a
// reply to a message that nod has no record of is resolved by it.
func place(host, where, shape, id string) string {
	parts := []string{oneLine(where), oneLine(shape), "#" + id}
	if host != "" {
		parts = append([]string{host}, parts...)
	}
	return strings.Join(parts, " · ")
}

func titleOf(agent, name, project string) string {
	title := oneLine(name)
	if title == "" {
		title = oneLine(agent)
	}
	if p := oneLine(project); p != "" {
		title += " in " + p
	}
	return cut(title, 80)
}

// screenLines masks rows as one text, for a secret may be wrapped over two of them, and draws them for a
// phone.
func screenLines(rows []string, l look) []string {
	if len(rows) == 0 {
		return nil
	}
	lines := strings.Split(clean(l.redact(strings.Join(rows, "\n"))), "\n")
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
func (v view) headline(n int) (string, bool) {
	first, rest, several := strings.Cut(v.subject, "\n")
	short := cut(oneLine(first), n)
	whole := !several && short == first
	if several && strings.TrimSpace(rest) != "" && !strings.HasSuffix(short, "…") {
		short += " …"
	}
	return short, whole
}

// short names the nudge in one line of another message.
func (v view) short() string {
	switch {
	case !v.Kind.Asks():
		saying, what := v.gist()
		if what == "" || v.chat.minimal {
			return saying
		}
		return saying + ": " + cut(what, 60)
	case v.chat.minimal:
		return v.title
	}
	what, _ := v.headline(60)
	return v.title + ": " + what
}

// subjectLine is the one line that names what a message about the nudge's answer or end is about: what was asked,
// what the agent was told, or what it said.
func (v view) subjectLine() (saying, what string) {
	switch {
	case v.Kind.Asks():
		saying, what = v.title, ""
		what, _ = v.headline(headRoom)
	case instructed(v.Nudge):
		saying, what = v.title, oneLine(v.chat.redact(v.Claim.Text))
	default:
		saying, what = v.gist()
	}
	return saying, cut(what, headRoom)
}

// grants says what an option of that scope does beyond this once; empty where it does nothing more.
func grants(s detect.Scope) string {
	switch s {
	case detect.Session:
		return "for the rest of the session or turn"
	case detect.Always:
		return "from now on"
	case detect.Mode:
		return "switches a permission mode on"
	case detect.NoAlways:
		return "never again"
	}
	return ""
}

// clock is a time of day as people read it, with the date where it is not today's.
func clock(t, now time.Time, zone *time.Location) string {
	t, now = t.In(zone), now.In(zone)
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("15:04 on 2 Jan")
}

// moment is clock with seconds.
func moment(t, now time.Time, zone *time.Location) string {
	return t.In(zone).Format("15:04:05") + strings.TrimPrefix(clock(t, now, zone), t.In(zone).Format("15:04"))
}

// took is a span as a stopwatch says it: "0.4 s", "12 s", "3 min 5 s".
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// ago is a span as people say it: "12s", "5m", "2h 10m", "3d".
func ago(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		if m := int(d.Minutes()) % 60; m > 0 {
			return fmt.Sprintf("%dh %dm", int(d.Hours()), m)
		}
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}
