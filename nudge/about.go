package nudge

import (
	"fmt"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// About is what a nudge is about: a Permission, a Question, a TurnEnded, a Silence, or a Program that asks one of the first
// two. What the rules make of each is a method, and what people are shown of each goes through Match, so that the compiler
// finds what was forgotten of one that is added.
type About interface {
	// Kind names it in records, in events and on the socket.
	Kind() screen.State
	// prompt is what asks; nil: nothing does.
	prompt() *screen.Prompt
	// asking is the same with another prompt.
	asking(p *screen.Prompt) About
	// opened is the event with which its nudge begins.
	opened() string
	// store writes it into the record of its nudge.
	store(r *record)
	// observe carries a look over to n, whose answer is not being typed just now. opens is what the look would open.
	observe(n *Nudge, o Look, opens About, now time.Time) Change
	// takesYesNo and takesOption report whether a bare yes or no, or a bare number or label, may answer it.
	takesYesNo() bool
	takesOption() bool
	// reply finds what of a reply to n counts.
	reply(n *Nudge, a Answer) (Answer, Verdict)
	// noDecision is why neither a yes nor a no answers n; zero: they do.
	noDecision(n *Nudge) reason.Why
	// noWords is why words do not answer n; zero: they do.
	noWords(n *Nudge) (deliver.Reason, reason.Why)
	// gone and closed say how n ended so long ago: what it is about is not there any more, or was settled without nod.
	gone(n *Nudge, ago time.Duration) reason.Why
	closed(n *Nudge, ago time.Duration) reason.Why
}

// Permission is an agent's prompt that asks whether something may be done. Nobody writes into a Prompt: the copies of a
// nudge share it.
type Permission struct{ Prompt *screen.Prompt }

// Question is an agent's prompt that asks something else.
type Question struct{ Prompt *screen.Prompt }

// TurnEnded is an agent that waits for its next instruction.
type TurnEnded struct {
	Words   string        // the agent's last words; empty where nothing told them
	Blocked reason.Why    // the known dead end that the agent is at; zero: none
	Edits   []detect.Edit // what the agent has changed in that turn, as its events told; kept as long as the nudge waits
	Did     *Did          // the queued instruction that the agent is done with; nil: none
	Since   time.Time     // when the turn ended, as far as the watcher saw: it names the turn
	// Resend is the instruction that the turn began with, where it went through nod and the agent stopped at a dead end.
	Resend string
}

// Silence is an agent that may be stuck.
type Silence struct {
	Blocked reason.Why // the known dead end that the agent is at; zero: none
	Exited  bool       // the agent has exited in the middle of its work: a shell owns the pane
	Since   time.Time
}

// Program is a Permission or a Question of a program's: it is in no pane.
type Program struct {
	About   `json:"-"`
	Default string
	Door    bool   // an agent's hook waits for the answer, and Call is what the agent asks for
	Hears   bool   `json:",omitempty"` // whoever asks takes the words that come with a denial
	Form    bool   `json:",omitempty"` // it is one of a Form's: nothing that answers no message of it is meant for it
	Join    bool   `json:",omitempty"` // a machine wants to join: only a button under the very words lets it in
	Machine string `json:",omitempty"` // on which it runs; empty: this one
	// Left is since when nobody waits for the answer; zero: somebody does.
	Left time.Time
}

// Did names a queued instruction that was carried out.
type Did struct{ ID, Text string }

// Match gives what belongs to what a nudge is about. Whoever asks names all of them.
func Match[T any](
	a About, permission func(Permission) T, question func(Question) T, program func(Program) T, turn func(TurnEnded) T, silence func(Silence) T,
) T {
	switch a := a.(type) {
	case Permission:
		return permission(a)
	case Question:
		return question(a)
	case Program:
		return program(a)
	case TurnEnded:
		return turn(a)
	case Silence:
		return silence(a)
	}
	panic(fmt.Sprintf("a nudge is about %T", a))
}

// aboutOf is what a look opens a nudge about where there is none; nil: nothing.
func aboutOf(s detect.Sighting, r Rules) About {
	switch {
	case s.Unseen:
		return nil
	case s.State == screen.Permission && s.Prompt != nil:
		return Permission{copied(s.Prompt)}
	case s.State == screen.Question && s.Prompt != nil:
		return Question{copied(s.Prompt)}
	case s.State == screen.Idle && (!s.Blocked.IsZero() || s.Worked && r.Idle):
		return turnOf(s)
	case s.State == screen.Silent, s.State == screen.Shell && !s.Blocked.IsZero():
		return Silence{Blocked: s.Blocked, Exited: s.State == screen.Shell, Since: s.Since.UTC()}
	}
	return nil
}

func turnOf(s detect.Sighting) TurnEnded {
	return TurnEnded{Words: s.Words, Edits: s.Edits, Blocked: s.Blocked, Since: s.Since.UTC()}
}

func copied(p *screen.Prompt) *screen.Prompt { own := *p; return &own }

func (Permission) Kind() screen.State { return screen.Permission }
func (Question) Kind() screen.State   { return screen.Question }
func (TurnEnded) Kind() screen.State  { return screen.Idle }
func (Silence) Kind() screen.State    { return screen.Silent }

func (p Permission) prompt() *screen.Prompt { return p.Prompt }
func (q Question) prompt() *screen.Prompt   { return q.Prompt }
func (TurnEnded) prompt() *screen.Prompt    { return nil }
func (Silence) prompt() *screen.Prompt      { return nil }

func (Permission) asking(p *screen.Prompt) About { return Permission{p} }
func (Question) asking(p *screen.Prompt) About   { return Question{p} }
func (t TurnEnded) asking(*screen.Prompt) About  { return t }
func (s Silence) asking(*screen.Prompt) About    { return s }

func (p Program) asking(prompt *screen.Prompt) About {
	p.About = p.About.asking(prompt)
	return p
}
