// Package detect tells what a coding agent's screen says: which state the agent is in, what it
// asks, what each option does, and which keys approve or deny.
//
// It reads screens and types nothing. Every agent has one file with its shapes; the structure
// that they share (question, option block, cursor, footer) is read in one place.
package detect

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
}

// Prompt is a question on screen that blocks the agent until a human answers.
type Prompt struct {
	Agent       string
	Shape       string // "claude.tool_confirmation"
	Question    string
	Subject     string // what is asked about; rows joined by newlines
	Verb        string // "edit", "fetch", …: what the subject is asked for; empty for a command
	Partial     bool   // a part of the subject is not on this screen
	Options     []Option
	Highlighted int // index of the marked option; -1 where none is proven
	// Approve and Deny are the keys to press, in order, from this very screen. Empty: there is none.
	Approve []string
	Deny    []string
	// Fingerprint covers what the human decides on, and nothing cosmetic.
	Fingerprint string
	// First and Last are the dialog's rows in the screen that was read, from 0.
	First, Last int
	// Colour says that the highlight is told by colour alone.
	Colour bool
	// TextField says that the cursor stands in a text field of this prompt, ready for words.
	TextField bool
	// Why names the reason where Approve is empty, as a sentence for the human.
	Why string

	approve, deny []Step
	choices       [][]Step // how each option is chosen; nil where that is not proven
}

// Decision is what a human said to a permission.
type Decision string

// The two decisions.
const (
	Approve Decision = "approve"
	Deny    Decision = "deny"
)

// Step is one key and what must be on the screen before the key after it is pressed.
type Step struct {
	Key string
	// Opens is the shape of the dialog that the key opens, where it opens one ("kilo.reject"). Else the
	// key only moves the highlight: the same fingerprint must stand there, the highlight one step on.
	Opens string
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
	// Why lists the rules that matched or failed, for `nod check --explain`.
	Why []string
}

// Composer is an agent's input box.
type Composer struct {
	Draft string // what stands in it; empty where only a hint does
	Row   int    // its first row on the screen, from 0
}
