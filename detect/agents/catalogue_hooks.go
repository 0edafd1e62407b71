package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// EventKind is what an event of an agent means, whatever the agent calls it.
type EventKind string

// The kinds of events.
const (
	Asks      EventKind = "asks"      // a dialog is about to be drawn, or is there
	Started   EventKind = "started"   // a session began
	Submitted EventKind = "submitted" // somebody gave the agent its next instruction
	Stopped   EventKind = "stopped"   // the agent's turn is over
	Before    EventKind = "before"    // a tool is about to be called, after a question or without one
	Ran       EventKind = "ran"       // a tool has run or failed
	Ended     EventKind = "ended"     // the session is over
	Denied    EventKind = "denied"    // the hook that waited for a call's permission was ended: it was denied at the terminal
	Blocked   EventKind = "blocked"   // the agent's own guard denied a call, and nobody was asked
	Elicits   EventKind = "elicits"   // an MCP server asks a human through the agent; its dialog comes when the hook has ended
	Unrelated EventKind = "unrelated" // anything else
)

// eventKinds are the kinds of the events of all agents, by their names as PlainName writes them: no two agents use one name for different
// things. agent-turn-complete is what the program gets that Codex's `notify` names.
var eventKinds = map[string]EventKind{
	"permissionrequest": Asks, "permissionasked": Asks, "permissionshown": Asks, "questionasked": Asks,
	"sessionstart": Started, "sessioncreated": Started,
	"userpromptsubmit": Submitted, "userpromptsubmitted": Submitted, "beforeagent": Submitted,
	"stop": Stopped, "stopfailure": Stopped, "agentstop": Stopped, "agentturncomplete": Stopped, "afteragent": Stopped, "sessionidle": Stopped,
	"pretooluse": Before, "beforetool": Before, "toolexecutebefore": Before,
	"posttooluse": Ran, "posttoolusefailure": Ran, "aftertool": Ran, "toolexecuteafter": Ran, "permissionreplied": Ran,
	"sessionend": Ended, "sessiondeleted": Ended,
	"permissiondenied": Blocked, "elicitation": Elicits,
}

// dialogNotices are the types of those notifications that announce a dialog, written so too.
var dialogNotices = []string{"permissionprompt", "elicitationdialog", "toolpermission"}

// Hooks is what one agent's hooks do in their own way.
type Hooks struct {
	Unnamed           []FieldEvent           // the events that it sends without a name, by a field that the later ones don't have
	Failures          map[string]reason.Kind // the errors with which its event of a turn's end says that the turn failed
	UntypedDialog     string                 // begins the message of a notification without a type that announces a dialog; empty: it sends none
	AnnouncesAnswered bool                   // it announces a call that asks only when it has its answer: that is the end of a question, and no new call

	Message   string                                       // the field of a transcript's line that holds the message; empty in an agent's file: "message"
	Version   string                                       // the field of a transcript's line that holds the agent's version; empty: none does
	VersionIn func(getenv func(string) string) string      // finds the agent's version in the environment of its hook; nil: it is not there
	Denied    func(lines Lines) (d DeniedCalls, wait bool) // finds the calls that its own guard denied, and whether one has no result yet; nil: not there
	Escaped   func(lines Lines) map[string]json.RawMessage // finds the last line that says that a person stopped it; nil: none does

	Door     *Door        // how its hook gives a human's answer to a prompt; nil: keys alone do
	Guard    *Guard       // how its hooks take a human's word about calls that its own guard denied; nil: they do not
	Forms    *Forms       // how its hook gives a human's answer to the form of an MCP server; nil: it gives none
	Sessions *Sessions    // how its program lists the sessions that it runs in no terminal; nil: it runs none there
	Settings HookSettings // where it learns that it is to call a command on its events
}

// Door is how an agent takes an answer from its own hook, as it was proven: the hook does not hold the prompt back, the
// terminal's answer wins, and one that comes late is ignored.
type Door struct {
	Event string // the event whose hook may answer, as PlainName writes it
	Proven
	Questions   []string                  // the tools whose permission is a question or switches a mode: those are answered on the screen alone
	Allow, Deny string                    // what the hook prints; neither says anything that lasts
	DenySaying  func(words string) string // Deny with words of the human for the agent; nil: it takes none from its hook
}

// Guard is how an agent's hooks take a human's word about calls that its own guard denied, as it was proven: the hook that reports a
// denial holds the agent up and may have it try again, and the hook before a call decides in place of the guard. Neither affects any
// other call.
type Guard struct {
	Event string // the hook that reports a denial, as PlainName writes it
	Proven
	// Remarks are the fields of a tool's input that are no part of what it does, by tool.
	Remarks map[string][]string
	Retry   string // what the hook of a denial prints to have the agent try again
	Allow   string // what the hook before a call prints to have it run without the guard
	Deny    string // what it prints to have it denied
	// Ask is what it prints to have the agent ask about the call in a dialog of its own, Asks whose dialog, by version, was proven to show
	// the call whole above one yes, which is for once, and one no: tools that a session itself calls.
	Ask  string
	Asks map[string][]string
	// Silent are the versions in which settings that deny what would be asked were proven to draw no dialog: the hook that asks decides alone.
	Silent Proven
}

// Through is what the hook before a call of a tool prints to let it through once, and whether the agent asks about it then.
func (g *Guard) Through(version, tool string) (print string, asks bool) {
	if slices.Contains(g.Asks[version], tool) {
		return g.Ask, true
	}
	return g.Allow, false
}

// Forms is how an agent takes a human's answer to the form of an MCP server from its own hook, as it was proven: it holds the form's
// dialog back until the hook has ended, and draws it where that printed nothing.
type Forms struct {
	Event string // as PlainName writes it
	Proven
	Accept  func(content string) string // what the hook prints to send values, a JSON object: the agent does not check them
	Decline string
}

// Sessions is how an agent's program lists its sessions, as JSON, and starts nothing.
type Sessions struct {
	Program string // its name in PATH
	Args    []string
	Proven
}

// HookSettings is the file in which an agent finds the commands that it calls, and how they stand there.
type HookSettings struct {
	Variable string // the environment's name for the folder of the file, which Folder is below the home directory without it
	Folder   string
	File     string // in that folder
	Form     HookForm
	Events   []string // those that nod asks for of every version, as the agent writes them
	Matcher  string   // of every entry; what fits any tool
	Timeout  int      // of every entry, in the agent's own unit
	Waits    int      // of one that waits for a human, in place of Timeout
	Note     string   // what the person must still do, or should know; empty: nothing
	// Later are those that only some versions know. In another one's file such a name breaks the whole file.
	Later []LaterEvents
}

// LaterEvents are events that an agent knows from a version on, as far as was tried.
type LaterEvents struct {
	Since  string
	Unread bool // they are asked for where the version can't be read as well
	Names  []string
}

// EventsFor gives the events that all of these versions know, as `--version` prints them, and those that it leaves out because
// one does not. No version at all is as one that can't be read.
func (s HookSettings) EventsFor(versions ...string) (events, missing []string) {
	events = slices.Clone(s.Events)
	if len(versions) == 0 {
		versions = []string{""}
	}
	for _, later := range s.Later {
		if slices.ContainsFunc(versions, func(version string) bool { return !later.known(version) }) {
			missing = append(missing, later.Names...)
		} else {
			events = append(events, later.Names...)
		}
	}
	return events, missing
}

func (l LaterEvents) known(version string) bool {
	running, ok := numbersOf(version)
	since, _ := numbersOf(l.Since)
	return !ok && l.Unread || ok && slices.Compare(running, since) >= 0
}

// HookForm is how an agent's settings name a command.
type HookForm string

// The forms.
const (
	Matchers HookForm = "matchers" // JSON: a list of commands for whatever a matcher fits, by event
	Commands HookForm = "commands" // JSON: a list of commands by event
	Plugin   HookForm = "plugin"   // the file is a plugin in JavaScript, and calls the command itself
)

// FieldEvent is an event that a field gives away.
type FieldEvent struct{ Field, Event string }

// HooksOf is how the hooks of an agent work; of one that nobody has catalogued, what is known of any of them.
func HooksOf(name string) (hooks Hooks) {
	if known := byName(name).hooks; known != nil {
		hooks = *known
	}
	hooks.Message = cmp.Or(hooks.Message, "message")
	return hooks
}

// Hooked lists the names of the agents whose hooks are proven to fire, sorted.
func Hooked() []string { return namesOf(func(a *agent) bool { return a.hooks != nil }) }

// Failure is what the error means with which a turn ended.
func (h Hooks) Failure(name string) reason.Why {
	if kind := h.Failures[name]; kind != "" {
		return reason.Why{Kind: kind}
	}
	return reason.Why{Kind: reason.TurnFailed, What: name}
}

// Timeout is that of the hook of an event, in the agent's own unit.
func (h Hooks) Timeout(event string) int {
	switch event = PlainName(event); {
	case h.Door != nil && h.Door.Event == event, h.Guard != nil && h.Guard.Event == event, h.Forms != nil && h.Forms.Event == event:
		return h.Settings.Waits
	}
	return h.Settings.Timeout
}

// Kind is what an event means, given its name and, of a notification, its type and message.
func (h Hooks) Kind(event, notification, message string) EventKind {
	name := PlainName(event)
	untyped := notification == "" && h.UntypedDialog != "" && strings.HasPrefix(message, h.UntypedDialog)
	if name == "notification" && (slices.Contains(dialogNotices, PlainName(notification)) || untyped) {
		return Asks
	}
	return cmp.Or(eventKinds[name], Unrelated)
}

// NameOf is the name of an event without one, by its fields; empty: unknown.
func (h Hooks) NameOf(has func(field string) bool) string {
	for _, e := range h.Unnamed {
		if has(e.Field) {
			return e.Event
		}
	}
	return ""
}

// PlainName is an event's name in lower case and without what separates words, since agents write the same names
// in their own ways.
func PlainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// versionNumbers is how a version begins: "2.1.329 (Claude Code)", "1.18.33". A dash begins the name of a trial of it.
var versionNumbers = lazy.MustCompile(`^\s*v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(-|\b)`)

// numbersOf reads a version; ok is false if s is no version, or a trial that came before one.
func numbersOf(version string) (numbers []int, ok bool) {
	found := versionNumbers().FindStringSubmatch(version)
	if found == nil || found[4] != "" {
		return nil, false
	}
	for _, digits := range found[1:4] {
		n, _ := strconv.Atoi(digits) // six of them at most
		numbers = append(numbers, n)
	}
	return numbers, true
}

// Proven are the versions of an agent in which something was proven, the newest first.
type Proven []string

// Takes reports whether an agent of a version is known to have it: the oldest version that was proven has it, and so have those that
// follow. An unreadable version is not known to have it.
func (p Proven) Takes(version string) bool {
	running, ok := numbersOf(version)
	oldest, proven := numbersOf(p[len(p)-1])
	return ok && proven && slices.Compare(running, oldest) >= 0
}
