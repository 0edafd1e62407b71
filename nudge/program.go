package nudge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// ProgramQuestion is what a program asks its human. It is in no pane: whoever asked reads the answer from the record, so
// an answer is delivered as soon as it is taken.
type ProgramQuestion struct {
	Text    string
	File    string   // the text that it is about; empty: none
	Options []string // the answers to choose from
	Words   bool     // words of one's own are an answer too
	Default string   // the answer that the program takes when time is up; empty: none
	Timeout time.Duration
	Call    *Call // it asks whether this may be done, and for nothing else; nil: it asks what Text says
	// Door says that it is an agent's own prompt, outside tmux: its hook waits for the answer, which is handed over to it.
	Door bool
	// Hears says, with Call, that whoever asks takes the words that come with a denial.
	Hears bool
	// Form says that it is one of a Form's.
	Form bool
	// Join says that a machine wants to join: nothing but a button under the very words answers it, or its whole label at the machine itself.
	Join bool

	Program string  // the name of the one who asks
	Name    string  // what the owner calls it; empty: as its program
	Project string  // where it runs
	Where   string  // its pane, for people; empty: none that nod knows
	Agent   proc.ID // the agent that it runs in, the outermost of several; zero: none
	Machine string  // on which it runs; empty: this one
}

// Call is what a program wants to do, and asks whether it may.
type Call struct {
	Verb    string // "edit", "use mcp__x__y"; empty for a command
	Subject string
	Lead    int // how many lines of Subject, from its first, are the command, file or address itself
}

// The bounds of a question.
const (
	MaxQuestion = 4000 // code points
	maxOptions  = 30
	maxOption   = 100       // code points
	maxFile     = 256 << 10 // bytes
	maxTimeout  = 30 * 24 * time.Hour
)

// The shapes of a program's questions.
const (
	shapeAsk  = "ask"
	shapeCall = "ask.call"
)

// The answers to a Call. They stand where a prompt on a screen has its keys: they are what is handed over.
const (
	Allow = "allow"
	Deny  = "deny"
)

// The answers to a machine that wants to join.
const (
	LetIn   = "Let it in"
	KeepOut = "Refuse"
)

// leftFor is how long a question outlives the last connection that waited for its answer, or waits for the first one: a
// caller that lost it, or that asks in turns, comes back sooner.
const leftFor = time.Minute

// Flaw says in a sentence what is wrong with q; empty: nothing.
func (q ProgramQuestion) Flaw() string {
	switch {
	case q.Timeout <= 0 || q.Timeout > maxTimeout:
		return "The timeout must be longer than nothing and at most 30 days."
	case q.Call != nil:
		return q.Call.flaw()
	case strings.TrimSpace(q.Text) == "":
		return "The question is blank."
	case !plainText(q.Text) || utf8.RuneCountInString(q.Text) > MaxQuestion:
		return fmt.Sprintf("The question must be plain text of at most %d characters: put the rest into a file.", MaxQuestion)
	case !plainText(q.File) || len(q.File) > maxFile:
		return fmt.Sprintf("The file must be plain text of at most %d KiB.", maxFile>>10)
	case len(q.Options) == 0 && !q.Words:
		return "Nothing could answer it: name options, or take words."
	case len(q.Options) > maxOptions:
		return fmt.Sprintf("There are more than %d options.", maxOptions)
	}
	for i, option := range q.Options {
		if !fitsOneLine(option) || utf8.RuneCountInString(option) > maxOption {
			return fmt.Sprintf("Option %d must be one line of at most %d characters.", i+1, maxOption)
		}
		if slices.ContainsFunc(q.Options[:i], func(o string) bool { return sameAnswer(o, option) }) {
			return fmt.Sprintf("The option %q is there twice.", option)
		}
	}
	named := slices.ContainsFunc(q.Options, func(o string) bool { return o == q.Default })
	if q.Default != "" && !named && !(q.Words && fitsOneLine(q.Default)) {
		return "The default is none of the options."
	}
	return ""
}

// flaw says why nobody could be asked for c; empty: somebody can.
func (c *Call) flaw() string {
	if len(c.Subject) > maxFile {
		return fmt.Sprintf("What is asked for is more than the %d KiB that nod shows a human.", maxFile>>10)
	}
	return ""
}

// plainText reports whether text is text that can be shown: lines and tabs, and no other control characters.
func plainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
	})
}

func fitsOneLine(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// sameAnswer reports whether a person who writes said means option.
func sameAnswer(option, said string) bool {
	return strings.EqualFold(strings.TrimSpace(option), strings.TrimSpace(said))
}

// MeansNo reports whether an answer is, as a whole, a no.
func MeansNo(answer string) bool { return means(answer) == screen.Deny }

// means is what an answer is as a whole: a yes or a no; empty: neither.
func means(answer string) screen.Decision {
	d, id, ok := ParseWord(answer, ByReply)
	if !ok || id != "" {
		return ""
	}
	return d
}

// OpenQuestion makes the nudge of a program's question, which has no flaw.
func OpenQuestion(id string, q ProgramQuestion, r Rules, now time.Time) *Nudge {
	n := &Nudge{
		ID: id, Number: 1, Whereabouts: detect.Whereabouts{Agent: q.Program, Name: q.Name, Project: q.Project, Where: q.Where, Process: q.Agent}, By: shapeAsk,
		About:   Program{About: q.asks(), Default: q.Default, Left: now, Door: q.Door, Hears: q.Hears, Form: q.Form, Join: q.Join, Machine: q.Machine},
		Telling: Telling{Detected: now, Expires: now.Add(q.Timeout), Cadence: r.Cadence}, Answering: Answering{State: Pending},
	}
	if q.Door || q.Form {
		n.By = deliver.Taker(q.Program)
	}
	if len(n.Cadence) == 0 {
		n.Cadence = []time.Duration{0}
	}
	n.raise(now)
	return n
}

// asks is the prompt of q.
func (q ProgramQuestion) asks() About {
	if c := q.Call; c != nil {
		p := &screen.Prompt{
			Content:  screen.Content{Shape: shapeCall, Verb: c.Verb, Subject: c.Subject, Lead: c.Lead},
			OnScreen: screen.OnScreen{Highlighted: -1},
			Ways:     screen.Ways{Approve: []string{Allow}, Deny: []string{Deny}},
		}
		p.Fingerprint = hashOf(p.Subject)
		return Permission{p}
	}
	p := &screen.Prompt{Content: screen.Content{Shape: shapeAsk, Subject: strings.TrimSpace(q.Text)}, OnScreen: screen.OnScreen{Highlighted: -1}, Field: screen.Field{TextField: q.Words}}
	p.Lead = 1 + strings.Count(p.Subject, "\n")
	if file := strings.TrimRight(q.File, "\n"); file != "" {
		p.Subject += "\n\n" + file
	}
	for _, label := range q.Options {
		// Whatever is no plain no may let the program do what it asks about: it takes consent where that is not shown whole.
		scope := screen.Once
		if MeansNo(label) || q.Form && label == Decline || q.Join && label == KeepOut {
			scope = screen.No
		}
		p.Options = append(p.Options, screen.Option{Label: label, Scope: scope})
	}
	return Question{p}
}

// joinTakes reports whether an answer is one that can let a machine in: never a bare word, number or reply, which may be meant for something else.
func (a Answer) joinTakes() bool {
	label := strings.EqualFold(strings.TrimSpace(a.Line), LetIn) || strings.EqualFold(strings.TrimSpace(a.Line), KeepOut)
	return a.Way == ByButton && a.Choice != nil || a.Way == ByInbox || a.Way == ByPage || a.Way == ByCommand && label
}

// readProgram finds which answer to a program's question is meant: an option by its label, its number, or a yes or no
// that is what its label says; else words, where it takes any.
func (n *Nudge) readProgram(a Answer) (Answer, Verdict) {
	said := strings.TrimSpace(a.Text)
	for i, o := range n.Prompt().Options {
		if said != "" && sameAnswer(o.Label, said) || a.Decision != "" && means(o.Label) == a.Decision {
			a.Decision = ""
			return n.choose(a, i)
		}
	}
	if a.Way == ByFresh || said == "" {
		return a, n.reject(deliver.NoKey, n.why(reason.ProgramNoYesNo))
	}
	a.Decision = ""
	value := n.Program().Form && n.Prompt().TextField // which may be a number
	if number, err := strconv.Atoi(strings.Trim(said, ".)# ")); err == nil && len(n.Prompt().Options) > 0 && !value {
		return n.readNumber(a, number)
	}
	return a, Verdict{}
}

// TakesReason reports whether n is denied with words where somebody gives them: the agent hears them with the denial, or next.
func (n *Nudge) TakesReason() bool {
	p := n.Program()
	return n.Kind() == screen.Permission && len(n.Prompt().Deny) > 0 && (p == nil || p.Hears)
}

// settle delivers the answer that a program's question was just given.
func (n *Nudge) settle(now time.Time) {
	has := reason.ProgramAnswered
	if !n.Claim.Because.IsZero() {
		has = reason.ProgramTold
	}
	n.Finish(deliver.Result{Outcome: deliver.Delivered, Detail: reason.Why{Kind: has}}, now)
}

// overdue reports whether the time of a program's question is up.
func (n *Nudge) overdue(now time.Time) bool { return n.Program() != nil && !n.Expires.After(now) }

// Withdraw ends a program's question that waits. It reports whether it did.
func (n *Nudge) Withdraw(now time.Time) bool { return n.Program() != nil && n.end(Gone, now) }

// Recover ends a program's question that waits because it was answered without nod, and keeps how. It reports whether it did.
func (n *Nudge) Recover(how reason.Why, now time.Time) bool {
	if n.Program() == nil || !n.end(Recovered, now) {
		return false
	}
	n.Detail = how
	return true
}

// Attend takes note that somebody waits for the answer, or that nobody does any more. It reports whether that changed n.
func (n *Nudge) Attend(waits bool, now time.Time) bool {
	p := n.Program()
	if p == nil || n.State != Pending || p.Left.IsZero() == waits {
		return false
	}
	if p.Left = now; waits {
		p.Left = time.Time{}
	}
	n.About = *p
	return true
}

// abandoned is when a program's question ends because nobody waits for its answer; zero: never.
func (n *Nudge) abandoned() time.Time {
	p := n.Program()
	if p == nil || p.Left.IsZero() {
		return time.Time{}
	}
	return p.Left.Add(leftFor)
}

// Answered gives the answer that the program of a question has: what was chosen or said, or its default when time was up.
func (n *Nudge) Answered() string {
	switch {
	case n.Program() == nil:
	case n.State == Expired:
		return n.Program().Default
	case n.State == Delivered && n.Claim.Decision == screen.Approve:
		return Allow
	case n.State == Delivered && n.Claim.Decision == screen.Deny:
		return Deny
	case n.State == Delivered && n.Claim.Choice != nil:
		return n.Claim.Choice.Label
	case n.State == Delivered:
		return n.Claim.Text
	}
	return ""
}
