// Package desk shows everything that waits to whoever sits at the machine, as one feed of cards. The inbox in the terminal and the
// page in the browser read the feed, and answer by its cards.
//
// It captures nothing and decides nothing. What a card shows was read and stored before; an answer goes the way of every
// other answer. All texts of a card are masked as in messages, and their invisible characters are made visible.
package desk

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nod/bot/message"
	"nod/detect/screen"
)

// Change is one line of inbox.watch. The first one of a stream is a snapshot.
type Change struct {
	Seq      uint64 `json:"seq"`                // counts by one; a reader that misses one connects again
	Snapshot bool   `json:"snapshot,omitempty"` // it replaces all that the reader has
	// Cards are the new and changed cards, each whole.
	Cards []Card `json:"cards,omitempty"`
	// Gone are the ids of removed cards.
	Gone     []string   `json:"gone,omitempty"`
	Answered []Answered `json:"answered,omitempty"` // what was answered last, the newest first; absent: as before
	Health   *Health    `json:"health,omitempty"`   // absent: as before
}

// Section is the part of the list that a card is in.
type Section string

// The sections, in the order in which they are shown.
const (
	Needs     Section = "needs"     // an agent or a program goes on only when a human has answered
	Denied    Section = "denied"    // an agent's own guard blocked a call
	Idle      Section = "idle"      // an agent waits for its next instruction
	Working   Section = "working"   // an agent at work, silent or stuck ones included
	Elsewhere Section = "elsewhere" // agents that run in no pane, and instructions or wishes that wait for a human
)

// Sections are all of them.
var Sections = []Section{Needs, Denied, Idle, Working, Elsewhere}

// Name returns the name of a section.
func (s Section) Name() string {
	if s == Needs {
		return "needs you"
	}
	return string(s)
}

// Compare orders cards as they are shown. An unknown section comes last.
func Compare(a, b *Card) int {
	place := func(s Section) uint { return uint(slices.Index(Sections, s)) }
	return cmp.Or(cmp.Compare(place(a.Section), place(b.Section)), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID))
}

// Card shows one thing: a question, an agent, a blocked call.
type Card struct {
	ID      string  `json:"id"` // names the card as long as it lives, whatever it asks: of a pane, a program's question, blocked calls
	Section Section `json:"section"`
	Rank    int     `json:"rank"` // orders the section, the smallest first: what is stuck longest. It tells no position
	Agent
	// Asks is the question that waits for an answer; nil: none does.
	Asks *Asks `json:"asks,omitempty"`
	// Did is what an idle agent did last; nil: not known.
	Did     *Did      `json:"did,omitempty"`
	State   string    `json:"state"`             // of the agent or of the question, in a word
	Since   time.Time `json:"since"`             // of State
	Note    string    `json:"note,omitempty"`    // a sentence: why it stopped, what became of the last answer, what never asks
	Actions []Action  `json:"actions,omitempty"` // what can be done, and what can't be with the reason; in the order of the footer
	// Screen is the pane's screen as nod last read it, with a role for each row of a dialog; empty: there is no pane.
	Screen []screen.Drawn `json:"screen,omitempty"`
}

// About returns what a card is about; empty: not known.
func (c *Card) About() string {
	switch {
	case c.Asks != nil && c.Asks.Subject != "":
		return strings.TrimSpace(c.Asks.Verb + " " + c.Asks.Subject)
	case c.Asks != nil:
		return c.Asks.Question
	case c.Did != nil:
		return c.Did.Words
	}
	return ""
}

// Leading returns the first lines of what a card is about, or else its state, on one line.
func (c *Card) Leading() string {
	text := c.About()
	if c.Asks != nil && c.Asks.Lead > 0 {
		lines := strings.Split(c.Asks.Subject, "\n")
		text = c.Asks.Verb + " " + strings.Join(lines[:min(c.Asks.Lead, len(lines))], " ")
	}
	return message.Cut(message.OneLine(cmp.Or(strings.TrimSpace(text), c.State)), 200)
}

// Agent is where a card's agent runs.
type Agent struct {
	Title   string `json:"title"` // "claude in api", as messages begin
	Agent   string `json:"agent"`
	Project string `json:"project"`
	Where   string `json:"where"`  // session:window.pane; empty: in no pane
	Pane    string `json:"pane"`   // "%12"
	Server  string `json:"server"` // the socket's path
	Life    string `json:"life"`   // tells it from a later agent in the same pane
}

// Asks is a question with its warnings.
type Asks struct {
	Nudge       string   `json:"nudge"` // its id; empty: it has none yet
	Call        int      `json:"call,omitempty"`
	Fingerprint string   `json:"fingerprint"`
	Kind        string   `json:"kind"` // permission, question, denied, wish
	Verb        string   `json:"verb,omitempty"`
	Question    string   `json:"question,omitempty"` // empty: Subject has its rows
	Subject     string   `json:"subject"`            // whole
	Lead        int      `json:"lead"`               // how many lines of Subject, from its first, are the command, file or address itself
	Says        string   `json:"says,omitempty"`
	Diff        []File   `json:"diff,omitempty"` // from the agent's own event, or the file that a program asks about
	Plan        []Block  `json:"plan,omitempty"`
	Minds       []string `json:"minds,omitempty"` // sentences to read before answering: risks, doubts, masked secrets
	Options     []Option `json:"options,omitempty"`
	Reminder    int      `json:"reminder"` // how often it was told: by each reminder, and once more where it was snoozed or asked again
	Stuck       bool     `json:"stuck,omitempty"`
}

// cutEdit removes the lines of an edit from the subject if the diff has all of them. Otherwise they would be shown twice: below the file's
// name, and in the diff.
func (a *Asks) cutEdit() {
	lines, diff := strings.Split(a.Subject, "\n"), map[string]bool{}
	for _, f := range a.Diff {
		for _, p := range f.Parts {
			for _, line := range slices.Concat(p.Same, p.Old) { // what stays is the same before and after
				diff["-"+line] = true
			}
			for _, line := range slices.Concat(p.Same, p.New) {
				diff["+"+line] = true
			}
			for _, line := range p.Same {
				diff[" "+line] = true
			}
		}
	}
	if a.Diff == nil || a.Lead < 2 || a.Lead > len(lines) {
		return
	}
	for _, line := range lines[1:a.Lead] {
		if !diff[line] && !diff["+"+line] { // of a new file, the lines have no signs
			return
		}
	}
	a.Subject, a.Lead = strings.Join(append(lines[:1], lines[a.Lead:]...), "\n"), 1
}

// Option is one answer that is offered.
type Option struct {
	Number int    `json:"number"` // from 1, as answers name it
	Label  string `json:"label"`
	Note   string `json:"note,omitempty"`
	Lasts  string `json:"lasts,omitempty"` // what it grants beyond this once; empty: nothing
	Ticked *bool  `json:"ticked,omitempty"`
	// Refused says in a sentence why it can't be chosen from here; empty: it can.
	Refused string `json:"refused,omitempty"`
}

// Did is what an agent did in its last turn.
type Did struct {
	Words   string `json:"words,omitempty"`
	Diff    []File `json:"diff,omitempty"`
	Files   int    `json:"files,omitempty"`
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`
}

// Action is an act that can be done now, or that is refused now.
type Action struct {
	Do      Act    `json:"do"`
	Refused string `json:"refused,omitempty"` // a sentence, why it can't be done now; empty: it can
}

// Answered is a recent answer, given here or elsewhere.
type Answered struct {
	Nudge   string    `json:"nudge"`
	Title   string    `json:"title"`
	Subject string    `json:"subject"` // on one line
	Answer  string    `json:"answer"`
	By      string    `json:"by"`
	State   string    `json:"state"`
	At      time.Time `json:"at"`
}

// Health is the state of nod itself.
type Health struct {
	Problems []string `json:"problems"` // sentences; none: all is well
}
