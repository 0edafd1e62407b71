package screen

import (
	"slices"
	"strings"

	"nod/internal/reason"
	"nod/internal/text/visible"
)

// State is what a pane's agent is doing.
type State string

// The states of a pane. Only one look at a screen says Overlay: the watcher of a pane keeps the state that the overlay covers.
const (
	Working    State = "working"
	Permission State = "permission"
	Question   State = "question"
	Idle       State = "idle"
	Silent     State = "silent"
	Shell      State = "shell"
	Gone       State = "gone"
	Overlay    State = "overlay"
)

// Asks reports whether a human must answer before the agent goes on.
func (s State) Asks() bool { return s == Permission || s == Question }

// Scope is the effect of choosing an option, read from its label.
type Scope string

// The scopes of an option.
const (
	Once     Scope = "once"      // yes, this one invocation
	Session  Scope = "session"   // yes, and for the rest of the session or turn
	Always   Scope = "always"    // yes, and from now on
	Mode     Scope = "mode"      // switches auto-accept or another permission mode on
	No       Scope = "no"        // not this time
	NoAlways Scope = "no-always" // never again
	Text     Scope = "text"      // asks for words
	Other    Scope = "other"     // none of these, or the label is not whole
)

// Option is one answer that a prompt offers.
type Option struct {
	Key   string `json:"key"`   // the tmux key that chooses it at once; empty if the mark has to move
	Label string `json:"label"` // wrapped rows joined, without its key hint
	Scope Scope  `json:"scope"`
	// Tick is the state of the box before it; empty: it has none that can be ticked.
	Tick Tick `json:"tick,omitempty"`
}

// Prompt is a question on a screen that blocks the agent until a human answers. The record of a nudge holds all of its fields flat,
// under their own names.
type Prompt struct {
	Content
	OnScreen
	Ways
	Field
	InSet
	// Fingerprint covers everything that the human decides on, and nothing cosmetic.
	Fingerprint string
	// Call is a hash of the call that the prompt is about, if the agent's own event named it; else empty. Two prompts may look alike on
	// the screen and be about different calls.
	Call string
	// Exact is a hash of everything that the agent's event says of that call: its session and sub-agent, folder, mode, tool and every
	// field of its input. Equal hashes mean the very same call. Empty: no event said that this call asks.
	Exact string
	// Taught is the day on which a person taught nod this dialog, worded for messages; empty: nobody did.
	Taught string
}

// Content is the question of a prompt and the answers that it offers.
type Content struct {
	Agent    string
	Shape    string // "claude.tool_confirmation"
	Title    string // fixed words that head the dialog; empty: none
	Question string
	Verb     string // what to do with the subject: "edit", "fetch", …; empty: run the command
	Options  []Option
	// Notes are the words under or beside each option of a question that explain it; nil: there are none.
	Notes []string `json:",omitempty"`
	// Subject is everything between the head of the dialog and its options, rows joined by newlines: first the command, file or
	// address, then words that the agent sets apart, such as a reason. Source says where it comes from.
	Subject string
	Lead    int // the number of lines of Subject, from its first, that are the command, file or address itself
	Source  Source
	// Partial says that a part of the subject may be missing in Subject, and Doubts why.
	Partial bool
	Doubts  []reason.Why
	// Diff is the lines of the edit, with their signs, and Plan is the plan, both from the agent's own event; empty: it gave none.
	Diff, Plan string `json:",omitempty"`
}

// OnScreen is where and how a prompt is drawn.
type OnScreen struct {
	// Rows are the dialog's rows from its head to its last option, as drawn, without frames and highlight. Width is the number of
	// columns that they were drawn for.
	Rows  []string
	Width int
	// First and Last are the dialog's rows in the screen that was read, from 0.
	First, Last int
	Highlighted int // index of the marked option; -1: none is proven
	// Colour says that only a colour marks the option.
	Colour bool
	// More says that more options may be below those that are seen.
	More bool `json:",omitempty"`
	// Furniture are the rows that add nothing to the subject: fixed words and repetitions.
	Furniture []FixedRow `json:",omitempty"`
}

// FixedRow is a row of a screen: its distance from the last row that is not blank, from 0, and its text.
type FixedRow struct {
	Up   int    `json:"up"`
	Text string `json:"text"`
}

// Ways are the keys that answer a prompt, from the very screen that it was read from. A record holds only their names.
type Ways struct {
	// Approve and Deny are the keys to press, in order. Empty: none are proven.
	Approve []string
	Deny    []string
	// Send are the keys that lead on from a check list with the ticked boxes; Dismiss are those that leave a question unanswered and do
	// nothing else. Empty: none are proven.
	Send, Dismiss []string `json:",omitempty"`
	// Tickable says that nod can tick the boxes of its options.
	Tickable bool `json:",omitempty"`
	// AtTerminal says that the prompt has options and nod can choose none of them.
	AtTerminal bool
	// Why says why Approve is empty.
	Why reason.Why

	approve, deny []Step
	tell          []Step // deny with words for the agent
	write         []Step // answer with words of one's own
	send, dismiss []Step
	choices       [][]Step // choose each option; nil: not proven
	ticks         [][]Step // tick or untick the box of each option; nil: not proven
}

// Field is the text field of a prompt for words of one's own.
type Field struct {
	// TextField says that the cursor is in a text field of this prompt, ready for words.
	TextField bool
	// Typed is the text in that field, or in the field of the dialog that takes the words of a denial (Step.Words). If the field has no
	// room for all of it, it is the end that the field shows.
	Typed string `json:",omitempty"`
	// Writes is the option, from 1, with a field for words of one's own; 0: none is proven.
	Writes int `json:",omitempty"`
	// Room is the number of columns of words that this field shows at once; 0: all of them.
	Room int `json:",omitempty"`
}

// InSet is the place of a prompt in a set of questions.
type InSet struct {
	// Page is the number of this question, from 1, and Pages the number of questions in the set; 0: the screen does not prove it. The
	// page that reviews the answers has Page 0.
	Page, Pages int `json:",omitempty"`
	// Tabs is the row of headings.
	Tabs string `json:",omitempty"`
	// Ends says that Send gives the answers to the whole set, without a page that reviews them.
	Ends bool `json:",omitempty"`

	answers []string // on the page that reviews the answers: the answer to each question
}

// Source is where the text of a subject comes from.
type Source string

// The sources of a subject.
const (
	FromScreen Source = ""     // read from the screen
	FromEvent  Source = "hook" // taken from the agent's own event; the screen renders the same call
)

// Decision is a human's answer to a prompt other than choosing an option.
type Decision string

// The decisions. A permission is approved or denied, a check list is sent, and a question is dismissed.
const (
	Approve Decision = "approve"
	Deny    Decision = "deny"
	Send    Decision = "send"
	Dismiss Decision = "dismiss"
)

// Step is one key, and the screen that must follow before the next key is pressed.
type Step struct {
	Key string
	// Opens is the shape of the dialog that the key opens ("kilo.reject"). Empty: the key only moves the highlight, one step on, and the
	// fingerprint must stay the same.
	Opens string
	// Ends says that a key with Opens gives the answer at once in some versions: then the prompt goes, and no dialog comes.
	Ends bool
	// Reviews says that the opened dialog must list exactly the ticked answers; then the keys that send that dialog follow.
	Reviews bool
	// Ticks says that the key ticks or unticks a box, and that nothing else may change.
	Ticks bool
	// Words is the shape of this dialog once the words of a denial are in its field (Prompt.Typed). They are typed, and seen there,
	// before the key is pressed. Empty: the step takes no words.
	Words string
	// Takes is the option, from 1, whose field takes the words of an answer. They are typed, and seen there alone (Prompt.Typed), before
	// the key is pressed. 0: none.
	Takes int
	// Lights is the option, from 1, that must be marked after the key, with nothing else changed. 0: no such proof is needed.
	Lights int
	// Last says that this key gives the answer.
	Last bool
}

// Reading is the result of one look at one screen.
type Reading struct {
	Agent string
	State State
	// Prompt is set for Permission and Question, and for an Overlay that a key of a longer answer opens (Step.Opens): that one has a
	// shape and no keys.
	Prompt *Prompt
	// Composer is the agent's live input box; nil: there is none.
	Composer *Composer
	// Text is the screen without lines that change for show, for hashing.
	Text string
	// Rows are the rows of the dialog and those around it, each with its role.
	Rows []Drawn
	// Ticking are the rows of the screen that Text leaves out, counted from 0.
	Ticking []int
	// Why lists the rules that matched or failed, for `nod check --explain`.
	Why []string
	// Fault is what failed in the reader, which is a bug of nod; empty: nothing. Then nothing was read, and State is Silent.
	Fault string
}

// Composer is an agent's input box.
type Composer struct {
	Draft string // the text in it, without a hint
	Row   int    // its first row on the screen, from 0
	// Shell says that its next line goes to a shell and not to the agent, since it begins with "!".
	Shell bool
}

// Steps carries out decision d, key by key, from the very screen that the prompt was read from; nil: not proven. Only a prompt that
// Read returned knows it.
func (w *Ways) Steps(d Decision) []Step {
	switch d {
	case Approve:
		return w.approve
	case Deny:
		return w.deny
	case Send:
		return w.send
	case Dismiss:
		return w.dismiss
	}
	return nil
}

// Tell denies the prompt with words for the agent, from the very screen that it was read from: a key opens their field, another one
// gives them. nil: it takes none, or that is not proven.
func (w *Ways) Tell() []Step { return w.tell }

// Write is how words of one's own answer the question, from the very screen that it was read from: a key that opens the field of an
// option, unless that is open and empty, and the one that gives them. nil where it takes none, or that is not proven.
func (w *Ways) Write() []Step { return w.write }

// Choose is how option i is chosen from the very screen that it was read from: its own key, or the
// highlight moved to it and Enter. It is nil where that is not proven, where the option asks for words, and
// where it opens a second dialog.
func (w *Ways) Choose(i int) []Step {
	if i < 0 || i >= len(w.choices) {
		return nil
	}
	return w.choices[i]
}

// Leading is the beginning of the subject: the command, file or address itself, without what the agent sets apart from it.
func (c *Content) Leading() string {
	lines := strings.Split(c.Subject, "\n")
	if c.Lead <= 0 || c.Lead >= len(lines) {
		return c.Subject
	}
	return strings.Join(lines[:c.Lead], "\n")
}

// QuestionFirst is a lead with the rows of the question before those that the screen draws above it, such as a heading, for lists that
// show one row of it. A lead without that question is unchanged.
func QuestionFirst(lead, question string) string {
	rows, want := strings.Split(lead, "\n"), visible.Unspaced(question)
	for i := range rows {
		for end := i + 1; want != "" && end <= len(rows); end++ {
			if visible.Unspaced(strings.Join(rows[i:end], "")) == want {
				return strings.TrimRight(question+"\n"+strings.Join(slices.Concat(rows[:i], rows[end:]), "\n"), "\n ")
			}
		}
	}
	return lead
}
