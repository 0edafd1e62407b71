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

// ProgramQuestion is a program's question to its human. It has no pane: the asker reads the answer from the
// record, so an answer is delivered as soon as it is taken.
type ProgramQuestion struct {
	Text    string
	File    string   // a text that the question is about; empty: none
	Options []string // the answers to choose from
	Words   bool     // free text is an answer too
	Default string   // the program's answer on timeout; empty: none
	Timeout time.Duration
	Call    *Call // only whether this call may be made is asked; nil: Text is the question
	// Door: it is an agent's own prompt, outside tmux. The agent's hook waits and takes the answer.
	Door bool
	// Hears, with Call: the asker receives the words that come with a denial.
	Hears bool
	// Form: it is a question of a Form.
	Form bool
	// Join: a machine wants to join. Only a button under the full text answers it, or the whole label at the
	// machine itself.
	Join bool

	Program string  // the name of the asker
	Name    string  // the owner's name for it; empty: Program
	Project string  // where it runs
	Where   string  // its pane, for people; empty: unknown
	Agent   proc.ID // the agent that it runs in, the outermost one; zero: none
	Machine string  // the machine that it runs on; empty: this one
}

// Call is an action that a program asks permission for.
type Call struct {
	Verb    string // "edit", "use mcp__x__y"; empty for a command
	Subject string
	Lead    int // the number of leading lines of Subject that are the command, file or address itself
}

// The limits of a question.
const (
	MaxQuestion = 4000 // code points
	maxOptions  = 30
	maxOption   = 100       // code points
	maxFile     = 256 << 10 // bytes
	maxTimeout  = 30 * 24 * time.Hour
)

// The shapes of programs' prompts.
const (
	shapeAsk  = "ask"
	shapeCall = "ask.call"
)

// The answers to a Call. They take the place of a prompt's keys: the asker gets them.
const (
	Allow = "allow"
	Deny  = "deny"
)

// The answers to a machine that wants to join.
const (
	LetIn   = "Let it in"
	KeepOut = "Refuse"
)

// leftFor is how long a question stays while no connection waits for its answer. A caller that lost its
// connection, or that asks in turns, comes back sooner.
const leftFor = time.Minute

// Asker is who asks: an agent, or the programs outside of agents on a machine.
type Asker struct {
	Machine string
	Agent   proc.ID
}

// Asker returns who asks.
func (q ProgramQuestion) Asker() Asker { return Asker{q.Machine, q.Agent} }

// Asker returns who asks a program's question. plain is false if the question ends with its asker, as those
// of hooks, forms and joining machines do.
func (n *Nudge) Asker() (by Asker, plain bool) {
	p := n.Program()
	if p == nil {
		return by, false
	}
	return Asker{p.Machine, n.Process}, !p.Door && !p.Form && !p.Join
}

// Flaw returns what is wrong with q; zero: nothing.
func (q ProgramQuestion) Flaw() reason.Why {
	switch {
	case q.Timeout <= 0 || q.Timeout > maxTimeout:
		return reason.Why{Kind: reason.AskTimeout}
	case q.Call != nil:
		return q.Call.flaw()
	case strings.TrimSpace(q.Text) == "":
		return reason.Why{Kind: reason.AskBlank}
	case !plainText(q.Text) || utf8.RuneCountInString(q.Text) > MaxQuestion:
		return reason.Why{Kind: reason.AskLong, What: fmt.Sprint(MaxQuestion)}
	case !plainText(q.File) || len(q.File) > maxFile:
		return reason.Why{Kind: reason.AskFile, What: fmt.Sprint(maxFile >> 10)}
	case len(q.Options) == 0 && !q.Words:
		return reason.Why{Kind: reason.AskUnanswered}
	case len(q.Options) > maxOptions:
		return reason.Why{Kind: reason.AskManyOptions, What: fmt.Sprint(maxOptions)}
	}
	for i, option := range q.Options {
		if !fitsOneLine(option) || utf8.RuneCountInString(option) > maxOption {
			return reason.Why{Kind: reason.AskLongOption, What: fmt.Sprint(maxOption)}
		}
		if slices.ContainsFunc(q.Options[:i], func(o string) bool { return sameAnswer(o, option) }) {
			return reason.Why{Kind: reason.AskSameOption, What: strconv.Quote(option)}
		}
	}
	named := slices.ContainsFunc(q.Options, func(o string) bool { return o == q.Default })
	if q.Default != "" && !named && !(q.Words && fitsOneLine(q.Default)) {
		return reason.Why{Kind: reason.AskDefault}
	}
	return reason.Why{}
}

// flaw returns why nobody can be asked for c; zero: somebody can.
func (c *Call) flaw() reason.Why {
	if len(c.Subject) > maxFile {
		return reason.Why{Kind: reason.AskCall, What: fmt.Sprint(maxFile >> 10)}
	}
	return reason.Why{}
}

// plainText reports whether text can be shown: valid UTF-8, no control characters but line breaks and tabs.
func plainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
	})
}

func fitsOneLine(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// sameAnswer reports whether the words said mean option.
func sameAnswer(option, said string) bool {
	return strings.EqualFold(strings.TrimSpace(option), strings.TrimSpace(said))
}

// MeansNo reports whether the whole answer is a no.
func MeansNo(answer string) bool { return means(answer) == screen.Deny }

// means returns the decision that the whole answer is: a yes or a no; empty: neither. Whoever replies may
// shorten one to a or d, but as an answer to choose these are letters.
func means(answer string) screen.Decision {
	d, id, _ := ParseWord(answer, ByReply)
	if id != "" || sameAnswer(answer, "a") || sameAnswer(answer, "d") {
		return ""
	}
	return d
}

// OpenQuestion makes the nudge of a program's question without flaws.
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

// asks returns the prompt of q.
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
		// Any answer but a plain no may let the program act, so it needs consent if its subject is not shown
		// whole.
		scope := screen.Once
		if MeansNo(label) || q.Form && label == Decline || q.Join && label == KeepOut {
			scope = screen.No
		}
		p.Options = append(p.Options, screen.Option{Label: label, Scope: scope})
	}
	return Question{p}
}

// joinTakes reports whether an answer can let a machine in. A bare word, number or reply can't: it may be
// meant for something else.
func (a Answer) joinTakes() bool {
	label := strings.EqualFold(strings.TrimSpace(a.Line), LetIn) || strings.EqualFold(strings.TrimSpace(a.Line), KeepOut)
	return a.Way == ByButton && a.Choice != nil || a.Way == ByInbox || a.Way == ByPage || a.Way == ByCommand && label
}

// readProgram finds the answer to a program's question: an option by label, by number, or by the yes or no
// that its label is; otherwise words, if the question takes any.
func (n *Nudge) readProgram(a Answer) (Answer, Verdict) {
	said := strings.TrimSpace(a.Text)
	value := n.Program().Form && n.Prompt().TextField // it may be a number
	option := slices.IndexFunc(n.Prompt().Options, func(o screen.Option) bool { return said != "" && sameAnswer(o.Label, said) })
	if called := n.optionsSaid(said); !value && len(called) > 1 {
		return a, n.reject(deliver.NeedsConfirmation, n.whyOf(reason.OptionsAlike, said))
	} else if !value && len(called) == 1 {
		option = called[0]
	}
	if option < 0 && a.Decision != "" {
		option = slices.IndexFunc(n.Prompt().Options, func(o screen.Option) bool { return means(o.Label) == a.Decision })
	}
	if option >= 0 {
		a.Decision = ""
		return n.choose(a, option)
	}
	if a.Way == ByFresh || said == "" {
		return a, n.reject(deliver.NoKey, n.why(reason.ProgramNoYesNo))
	}
	a.Decision = ""
	if isNumber(said) && len(n.Prompt().Options) > 0 && !value {
		return a, n.reject(deliver.NoKey, n.whyOf(reason.NoOption, numberIn(said)))
	}
	return a, Verdict{}
}

// TakesReason reports whether a denial of n can have words: the agent gets them with the denial, or next.
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

// overdue reports whether a program's question has timed out.
func (n *Nudge) overdue(now time.Time) bool { return n.Program() != nil && !n.Expires.After(now) }

// Withdraw ends a pending program's question. It reports whether it did.
func (n *Nudge) Withdraw(now time.Time) bool { return n.Program() != nil && n.end(Gone, now) }

// Recover ends a pending program's question that was answered without nod, and records how. It reports
// whether it did.
func (n *Nudge) Recover(how reason.Why, now time.Time) bool {
	if n.Program() == nil || !n.end(Recovered, now) {
		return false
	}
	n.Detail = how
	return true
}

// Attend records whether somebody waits for the answer. It reports whether n changed.
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

// abandoned returns when a program's question ends because nobody waits for its answer; zero: never.
func (n *Nudge) abandoned() time.Time {
	p := n.Program()
	if p == nil || p.Left.IsZero() {
		return time.Time{}
	}
	return p.Left.Add(leftFor)
}

// Meant returns the yes or no that n was answered with; empty: neither.
func (n *Nudge) Meant() screen.Decision {
	c := n.Claim
	switch {
	case c == nil:
		return ""
	case n.Program() != nil && c.Choice != nil:
		return means(c.Choice.Label)
	}
	return c.Decision
}

// Answered returns the program's answer: the chosen label or the words, or the default after a timeout.
// Empty: none.
func (n *Nudge) Answered() string {
	p := n.Program()
	switch {
	case p != nil && n.State == Expired:
		return p.Default
	case p == nil || n.State != Delivered:
		return ""
	case n.Claim.Decision == screen.Approve:
		return Allow
	case n.Claim.Decision == screen.Deny:
		return Deny
	case n.Claim.Choice != nil:
		return n.Claim.Choice.Label
	}
	return n.Claim.Text
}
