package nudge

import (
	"fmt"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// About is the subject of a nudge: a Permission, a Question, a TurnEnded, a Silence, or a Program that asks
// one of the first two. The rules for each kind are methods, and the texts for people go through Match, so
// the compiler finds what a new kind still lacks.
type About interface {
	// Kind is the name of the subject in records, in events and on the socket.
	Kind() screen.State
	// prompt returns the prompt that asks; nil: the subject is no prompt.
	prompt() *screen.Prompt
	// asking returns the same subject with another prompt.
	asking(p *screen.Prompt) About
	// opened returns the kind of the event with which the nudge begins.
	opened() string
	// store writes the subject into the record of its nudge.
	store(r *record)
	// observe applies a look to n while no answer to n is being typed. opens is the subject that the look
	// would open a nudge about.
	observe(n *Nudge, o Look, opens About, now time.Time) Change
	// takesYesNo and takesOption report whether a bare yes or no, or a bare number or label, may answer the
	// nudge.
	takesYesNo() bool
	takesOption() bool
	// reply returns the part of a reply to n that counts.
	reply(n *Nudge, a Answer) (Answer, Verdict)
	// noDecision returns why a yes or no can't answer n; zero: it can.
	noDecision(n *Nudge) reason.Why
	// noWords returns why words can't answer n; zero: they can.
	noWords(n *Nudge) (deliver.Reason, reason.Why)
	// gone and closed say how n ended, ago being the time since then. gone: the pane or the asker is gone.
	// closed: it was settled without nod.
	gone(n *Nudge, ago time.Duration) reason.Why
	closed(n *Nudge, ago time.Duration) reason.Why
}

// Permission is an agent's prompt that asks whether something may be done. Prompt is read-only: copies of a
// nudge share it.
type Permission struct{ Prompt *screen.Prompt }

// Question is an agent's prompt that asks anything else.
type Question struct{ Prompt *screen.Prompt }

// TurnEnded is an agent that waits for its next instruction.
type TurnEnded struct {
	Words   string        // the agent's last words; empty if nothing reported them
	Blocked reason.Why    // the known error that stopped the agent; zero: none
	Edits   []detect.Edit // the agent's changes in that turn, from its events; kept while the nudge waits
	Did     *Did          // the queued instruction that the agent has completed; nil: none
	Since   time.Time     // when the watcher saw the turn end; it identifies the turn
	// Resend is the instruction that began the turn, if it went through nod and the agent stopped at a known
	// error.
	Resend string
}

// Silence is an agent that may be stuck.
type Silence struct {
	Blocked reason.Why // the known error that stopped the agent; zero: none
	Exited  bool       // the agent exited in the middle of its work and a shell owns the pane
	Since   time.Time
}

// Program is a Permission or Question from a program. It has no pane.
type Program struct {
	About   `json:"-"`
	Default string
	Door    bool   // an agent's hook waits for the answer, and Call is what the agent asks for
	Hears   bool   `json:",omitempty"` // the caller receives the words that come with a denial
	Form    bool   `json:",omitempty"` // one field of a Form: only an answer to its own message counts
	Join    bool   `json:",omitempty"` // a machine wants to join: only a button under the full text lets it in
	Machine string `json:",omitempty"` // the machine that it runs on; empty: this one
	// Left is the time since which nobody waits for the answer; zero: somebody waits.
	Left time.Time
}

// Did names a queued instruction that was carried out.
type Did struct{ ID, Text string }

// Match returns the result of the function for a's kind. Every caller must name all kinds.
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

// aboutOf returns the subject of the nudge that a look would open; nil: the look opens none.
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
