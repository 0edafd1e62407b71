package bot

import (
	"fmt"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

// endingLetter is what the newest message of a nudge says when it is over.
func (v view) endingLetter(chat int64, seal sealer, now time.Time) letter {
	var l letter
	icon, sentence := v.fate(now)
	v.about(&l.page, icon+" ", "")
	l.page.line().text(sentence)
	l.keys = keys{}
	if v.State == nudge.Expired && v.Standing {
		l.keys = keys{{seal.button("🔁 Ask again", verbAgain, v.ID, chat)}}
	}
	return l
}

// about is the two lines that name the nudge: what is said of it, agent, project and subject; where.
func (v view) about(p *page, icon, saying string) {
	p.text(icon + saying)
	if name, what := v.subjectLine(); what == "" || v.chat.minimal {
		p.bold(name)
	} else {
		p.bold(name + ": ").code(what)
	}
	p.line().text(v.place).line()
}

// fate says how the nudge ended.
func (v view) fate(now time.Time) (icon, sentence string) {
	at := clock(v.Ended, now, v.chat.zone)
	switch v.State {
	case nudge.Delivered:
		return v.verdictIcon(), v.deed() + " at " + at + v.effect() + "."
	case nudge.Unknown:
		return "⚠", v.doubt(at)
	case nudge.Refused:
		return "🚫", "Nothing was typed. " + v.reason()
	case nudge.Recovered:
		return v.recovered(at)
	case nudge.Expired:
		s := fmt.Sprintf("Expired at %s: no answer came for %s.", at, ago(v.Ended.Sub(v.Detected)))
		if v.Standing {
			s += " The question still stands at the terminal."
		}
		return "⌛", s
	case nudge.Gone:
		return "👋", strings.TrimSpace("The pane is gone since " + at + ". " + v.detail())
	}
	return "🔕", "This chat is not told about it any more."
}

// provenIcons are those of a prompt that was answered at the terminal, by what an event proved of it.
var provenIcons = map[string]string{"approved": "✅", "denied": "❌", "answered": "☑"}

// recovered says how a nudge ended that left the screen without nod. Who answered, and what, is said only
// where an event of the agent's own proves it.
func (v view) recovered(at string) (icon, sentence string) {
	if !v.Kind.Asks() {
		return v.calmFate(at)
	}
	if icon = provenIcons[v.Proof]; icon != "" {
		return icon, strings.ToUpper(v.Proof[:1]) + v.Proof[1:] + " at the terminal at " + at + v.effect() + "."
	}
	return "☑", strings.TrimSpace("Closed at " + at + ", but not through nod. " + v.detail())
}

// effect is what became of what was approved, where the agent's own event told it; else nothing is claimed.
func (v view) effect() string {
	e := v.Effect
	switch {
	case e == nil:
		return ""
	case e.Failed && e.Took > 0:
		return " · failed after " + took(e.Took)
	case e.Failed:
		return " · failed"
	case e.Took > 0:
		return " · ran, " + took(e.Took)
	}
	return " · ran"
}

func (v view) verdictIcon() string {
	if v.Claim != nil && v.Claim.Decision == detect.Deny {
		return "❌"
	}
	return "✅"
}

// deed is what the claim did: "Approved by Ann".
func (v view) deed() string {
	c := v.Claim
	if c == nil {
		return "Answered"
	}
	by := " by " + v.who()
	switch {
	case c.Choice != nil:
		return fmt.Sprintf("Answered “%s”%s", oneLine(v.chat.redact(c.Choice.Label)), by)
	case c.Text != "" && v.Kind.Asks():
		return "Answered in words" + by
	case c.Text != "":
		return "Told" + by + " and submitted"
	case c.Decision == detect.Deny:
		return "Denied" + by
	case c.Unseen:
		return "Approved, with a part unseen," + by
	}
	return "Approved" + by
}

func (v view) who() string {
	name := oneLine(v.Claim.By.Name)
	if name == "" {
		name = fmt.Sprintf("user %d", v.Claim.By.ID)
	}
	if v.Claim.Way == nudge.ByCommand {
		name += " at the command line"
	}
	return name
}

// doubt names the one outcome that nobody can be sure of.
func (v view) doubt(at string) string {
	said := []string{"A key may or may not have been typed at " + at}
	if instructed(v.Nudge) {
		said[0] = "Perhaps not submitted at " + at
	} else if len(v.Keys) > 0 {
		said[0] = fmt.Sprintf("The key %s was typed at %s, but nothing showed that it landed", oneLine(strings.Join(v.Keys, " ")), at)
	}
	if v.Claim != nil {
		said[0] += fmt.Sprintf(" (%s wanted to %s)", v.who(), v.wish())
	}
	said[0] += "."
	if d := v.detail(); d != "" {
		said = append(said, d)
	}
	return strings.Join(append(said, "Look at the pane before you answer again."), " ")
}

func (v view) detail() string { return oneLine(v.chat.redact(v.Detail)) }

// reason is the detail of a refusal, or a sentence for its bare reason.
func (v view) reason() string {
	if d := v.detail(); d != "" {
		return d
	}
	return refusalSentence(v.Reason)
}

// outcomeLetter answers the one who answered. A refusal for now has a button that goes on.
func (v view) outcomeLetter(chat int64, seal sealer, now time.Time) letter {
	l := letter{}
	c := v.Claim
	if !v.State.Over() || v.State == nudge.Refused {
		v.about(&l.page, "🚫 ", "Nothing was typed: ")
		l.page.line().text(v.reason())
		if v.Reason == deliver.CopyMode && c != nil && (!v.State.Over() || c.Text != "") {
			l.keys = keys{{seal.press("Leave copy mode and "+v.wish(), goOn(v.ID, c), chat)}}
		}
		return l
	}
	icon, sentence := v.fate(now)
	v.about(&l.page, icon+" ", "")
	l.page.line().text(sentence)
	return l
}

// wish is what the claim asked for, as a verb.
func (v view) wish() string {
	switch c := v.Claim; {
	case c.Choice != nil:
		return "answer “" + cut(oneLine(v.chat.redact(c.Choice.Label)), 30) + "”"
	case c.Text != "":
		return "tell it"
	case c.Decision == detect.Deny:
		return "deny"
	case c.Unseen:
		return "approve unseen"
	}
	return "approve"
}

// goOn is the same answer once more, leaving copy mode first. A wide option was confirmed before.
func goOn(id string, c *nudge.Claim) press {
	p := press{verb: verbApprove, id: id, leave: true, unseen: c.Unseen}
	switch {
	case c.Choice != nil:
		p.verb, p.option, p.sure = verbChoose, c.Choice.Index, true
	case c.Text != "":
		p.verb = verbTell
	case c.Decision == detect.Deny:
		p.verb = verbDeny
	}
	return p
}

var refusalSentences = map[deliver.Reason]string{
	deliver.AwaitingDecision:  "A question waits in that pane: answer it first.",
	deliver.Busy:              "The agent works: wait until it is done.",
	deliver.InShell:           "The agent has exited, a shell owns the pane: start the agent again.",
	deliver.IsGone:            "The pane is gone.",
	deliver.CopyMode:          "The pane is in copy mode and somebody looks at it: leave copy mode first.",
	deliver.Synchronized:      "The window sends every key to all of its panes: turn synchronize-panes off first.",
	deliver.Unreadable:        "The pane could not be read: try again.",
	deliver.Changed:           "The pane shows something else by now: look at it, nod tells you of what stands there.",
	deliver.Ambiguous:         "It may mean more than one question: name the id, as in y k3f.",
	deliver.Answered:          "It was answered already.",
	deliver.Expired:           "It has expired: tap Ask again under its message.",
	deliver.NoKey:             "No key is known for that answer: answer at the terminal.",
	deliver.NeedsConfirmation: "It needs a second tap that confirms it.",
	deliver.Draft:             "Somebody left a draft in the input box: send or clear it first.",
	deliver.Unsure:            "A key may or may not have been typed: look at the pane.",
	deliver.NotFound:          "There is no such question.",
	deliver.NotOwner:          "Another nod looks after that tmux server.",
	deliver.CallerIsAgent:     "An agent can't answer for itself.",
}

func refusalSentence(r deliver.Reason) string {
	if s := refusalSentences[r]; s != "" {
		return s
	}
	return "Look at the pane."
}
