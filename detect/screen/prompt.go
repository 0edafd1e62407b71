package screen

import (
	"strings"

	"nod/internal/reason"
)

// State is what a pane's agent is doing.
type State string

// The states of a pane. Overlay is said only by one look at a screen: who watches a pane keeps
// the state that the overlay covers.
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

// Scope is what choosing an option does, read from its label.
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
	Other    Scope = "other"     // none of these, or not readable whole
)

// Option is one answer that a prompt offers.
type Option struct {
	Key   string `json:"key"`   // the tmux key that chooses it at once; empty where it takes moving
	Label string `json:"label"` // wrapped rows joined, without its key hint
	Scope Scope  `json:"scope"`
	// Tick says whether the box before it is ticked; empty where it has none that can be.
	Tick Tick `json:"tick,omitempty"`
}

// Prompt is a question on screen that blocks the agent until a human answers. The record of a nudge holds it flat, under the names
// of all these fields.
type Prompt struct {
	Content
	OnScreen
	Ways
	Field
	InSet
	// Fingerprint covers what the human decides on, and nothing cosmetic.
	Fingerprint string
	// Call is a hash of the call that is asked about, where the agent's own event told it; else empty. Two prompts may
	// look alike on the screen and be about two calls.
	Call string
	// Exact is a hash of all that the agent's event told of that call: its session and the part of it that makes it, its folder, mode, tool and
	// every field of its input. Two with the same are the very same call; empty: it was not told that this call asks.
	Exact string
	// Taught is the day on which a person taught nod this dialog, as messages say it; empty: nobody did.
	Taught string
}

// Content is what a prompt asks, and what it offers as answers.
type Content struct {
	Agent    string
	Shape    string // "claude.tool_confirmation"
	Title    string // fixed words that head the dialog; empty where it has none
	Question string
	Verb     string // "edit", "fetch", …: what the subject is asked for; empty for a command
	Options  []Option
	// Notes are what is under or beside each option of a question to explain it; nil where nothing does.
	Notes []string `json:",omitempty"`
	// Subject is all that is between the head of the dialog and its options, rows joined by newlines: the command,
	// file or address first, then what the agent sets apart from it, such as a reason. Source tells who said it.
	Subject string
	Lead    int // how many lines of Subject, from its first, are the command, file or address itself
	Source  Source
	// Partial says that a part of the subject may not be in Subject, Doubts why.
	Partial bool
	Doubts  []reason.Why
	// Diff are the lines of the edit that is asked about, with their signs, and Plan the plan, as the agent's own event told the
	// call; empty where none did.
	Diff, Plan string `json:",omitempty"`
}

// OnScreen is where and how a prompt is drawn.
type OnScreen struct {
	// Rows are the dialog's rows from its head to its last option, as they are drawn, without frames and highlight.
	// Width is the number of columns that they were drawn for.
	Rows  []string
	Width int
	// First and Last are the dialog's rows in the screen that was read, from 0.
	First, Last int
	Highlighted int // index of the marked option; -1 where none is proven
	// Colour says that the highlight is told by colour alone.
	Colour bool
	// More says that more options may be below those that are seen.
	More bool `json:",omitempty"`
	// Furniture are the rows that say nothing of what is asked about: fixed words, and the subject once more.
	Furniture []FixedRow `json:",omitempty"`
}

// FixedRow is a row of a screen: how far it is above the last one that is not blank, from 0, and what it shows.
type FixedRow struct {
	Up   int    `json:"up"`
	Text string `json:"text"`
}

// Ways are the keys that answer a prompt, from the very screen that it was read from. A record holds only their names.
type Ways struct {
	// Approve and Deny are the keys to press, in order. Empty: there is none.
	Approve []string
	Deny    []string
	// Send are the keys that lead on from a check list with what is ticked, Dismiss those that leave a question
	// unanswered and do nothing else. Empty: there is none that is proven.
	Send, Dismiss []string `json:",omitempty"`
	// Tickable says that the boxes of its options are proven to be ticked from here.
	Tickable bool `json:",omitempty"`
	// AtTerminal says that this question has options, and that none of them is proven to be chosen from here.
	AtTerminal bool
	// Why is the reason where Approve is empty.
	Why reason.Why

	approve, deny []Step
	tell          []Step // how it is denied with words for the agent
	write         []Step // how words of one's own answer it
	send, dismiss []Step
	choices       [][]Step // how each option is chosen; nil where that is not proven
	ticks         [][]Step // how the box of each option is ticked or unticked; nil where that is not proven
}

// Field is what a prompt has for words of one's own.
type Field struct {
	// TextField says that the cursor is in a text field of this prompt, ready for words.
	TextField bool
	// Typed is what is in the text field, or in the field of the dialog that takes the words of a denial (Step.Words), as far
	// as it shows them: their end, where it has no room for more.
	Typed string `json:",omitempty"`
	// Writes is the option, from 1, that takes words of one's own, typed into a field of its own; 0: none is proven to.
	Writes int `json:",omitempty"`
	// Room is how many columns of words that field shows at once; 0: all of them.
	Room int `json:",omitempty"`
}

// InSet is which question of a set a prompt is.
type InSet struct {
	// Page is which question of a set this is, from 1, and Pages how many the set has, where the screen proves it; 0: it
	// does not. The page that reviews the answers is no question: its Page is 0.
	Page, Pages int `json:",omitempty"`
	// Tabs is the row of headings that says that.
	Tabs string `json:",omitempty"`
	// Ends says that Send gives the answers to the whole set: no page reviews them first.
	Ends bool `json:",omitempty"`

	answers []string // what the page that reviews the answers says of each question
}

// Source is where the text of a subject comes from.
type Source string

// The sources of a subject.
const (
	FromScreen Source = ""     // read from the screen
	FromEvent  Source = "hook" // the agent's own event told the call, and the screen is a rendering of it
)

// Decision is what a human said to a prompt, where it is none of its options.
type Decision string

// The decisions. A permission is approved or denied, a check list is sent, and a question is dismissed.
const (
	Approve Decision = "approve"
	Deny    Decision = "deny"
	Send    Decision = "send"
	Dismiss Decision = "dismiss"
)

// Step is one key and what must be on the screen before the key after it is pressed.
type Step struct {
	Key string
	// Opens is the shape of the dialog that the key opens, where it opens one ("kilo.reject"). Else the
	// key only moves the highlight: the same fingerprint must be there, the highlight one step on.
	Opens string
	// More says that more options may be below those that are seen.
	More bool `json:",omitempty"`
	// Ends says that a key with Opens gives the answer at once in some versions: then the prompt goes, and no
	// dialog comes.
	Ends bool
	// Reviews says that the dialog it opens must list what is ticked now, and nothing else: what sends that dialog then follows.
	Reviews bool
	// Ticks says that the key ticks or unticks a box, and that nothing else may change.
	Ticks bool
	// Words is the shape of this dialog once the words of a denial stand in its field (Prompt.Typed): they are typed, and seen
	// there, before the key is pressed. Empty: it takes none.
	Words string
	// Takes is the option, from 1, whose field takes the words of an answer: they are typed, and seen there alone (Prompt.Typed),
	// before the key is pressed; 0: none does.
	Takes int
	// Lights is the option, from 1, that must be the marked one after the key, while nothing else has changed; 0: the key does
	// not have to prove itself so.
	Lights int
	// Last says that this key gives the answer.
	Last bool
}

// Reading is what one look at one screen says.
type Reading struct {
	Agent string
	State State
	// Prompt is set for Permission and Question, and for an Overlay that a key of a longer answer opens
	// (Step.Opens): that one has a shape, and no keys.
	Prompt *Prompt
	// Composer is the agent's input box, where one is live on the screen.
	Composer *Composer
	// Text is the screen without the lines that change for cosmetic reasons: what is hashed.
	Text string
	// Rows are those of the dialog and the ones right above and below it, each with its role.
	Rows []Drawn
	// Ticking are the rows of the screen that Text leaves out, from 0.
	Ticking []int
	// Why lists the rules that matched or failed, for `nod check --explain`.
	Why []string
}

// Composer is an agent's input box.
type Composer struct {
	Draft string // what is in it; empty where only a hint does
	Row   int    // its first row on the screen, from 0
	// Shell says that its next line goes to a shell, and not to the agent, since somebody typed "!" before it.
	Shell bool
}

// Steps is how decision d is carried out, key by key, from the very screen that it was read from; nil
// where there is no way that is proven. It is known only to a prompt that Read returned.
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

// Tell is how the prompt is denied with words for the agent, from the very screen that it was read from: a key that opens
// their field, and the one that gives them. nil where it takes none, or that is not proven.
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
	if c.Lead == 0 || c.Lead >= len(lines) {
		return c.Subject
	}
	return strings.Join(lines[:c.Lead], "\n")
}
