package message

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/text/elapsed"
	"nod/internal/words"
	"nod/nudge"
)

// Over returns the text of a nudge's newest message after its end.
func (r Renderer) Over(chat int64, seal Sealer, now time.Time) Outgoing {
	var out Outgoing
	icon, sentence := r.ending(now)
	r.about(&out.Page, icon+" ")
	r.ended(&out.Page, sentence, now)
	r.sign(&out.Page)
	out.Keys = Keys{}
	if r.canAskAgain() {
		out.Keys = Keys{{seal.Button("🔁 Ask again", VerbAgain, r.ID, chat)}}
	}
	return out
}

// canAskAgain reports whether the nudge expired and its question is still there, for people who may answer it.
func (r Renderer) canAskAgain() bool {
	return r.State == nudge.Expired && r.Standing && !r.Style.Watches
}

// ended writes how the nudge ended. The time in it is one that an app can show in its reader's zone.
func (r Renderer) ended(p *page, sentence string, now time.Time) {
	p.dated(sentence, clock(r.Ended, now, r.Style.Zone), r.Ended)
}

// about writes the line that names the nudge: saying, then agent, project and subject.
func (r Renderer) about(p *page, saying string) {
	p.Text(saying)
	if name, what := r.subjectLine(); what == "" || r.Style.Minimal {
		p.Bold(name)
	} else {
		p.Bold(name + ": ").Code(what)
	}
	p.Line()
}

// sign writes the last line of a message: the place and the id.
func (r Renderer) sign(p *page) { p.Line().Text(r.place) }

// ending returns how the nudge ended.
func (r Renderer) ending(now time.Time) (icon, sentence string) {
	at := clock(r.Ended, now, r.Style.Zone)
	switch r.State {
	case nudge.Delivered:
		return r.verdictIcon(), r.decision() + " at " + at + r.way() + r.effect() + "."
	case nudge.Unknown:
		return "⚠", r.unknownSentence(at)
	case nudge.Refused:
		return "🚫", r.refusal()
	case nudge.Recovered:
		return r.recovered(at)
	case nudge.Expired:
		if r.Program() != nil {
			return "⌛", r.lateAnswer(at)
		}
		s := fmt.Sprintf("Expired at %s: no answer came for %s.", at, elapsed.Short(r.Ended.Sub(r.Detected)))
		if r.Standing {
			s += " The question is still there at the terminal."
		}
		return "⌛", s
	case nudge.Gone:
		if r.Program() != nil && (r.Program().Door || r.ofForm()) {
			return "☑", "It stopped waiting at " + at + ", and nod gave no answer: look at its window."
		}
		if r.Program() != nil {
			return "↩", "Withdrawn at " + at + ": the program no longer asks."
		}
		return "👋", strings.TrimSpace("The pane has been gone, or no longer watched, since " + at + ". " + r.detail())
	}
	return "🔕", "This chat no longer gets messages about it."
}

// provenIcons are the icons for a prompt that was answered at the terminal, by the proof from an event.
var provenIcons = map[string]string{"approved": "✅", "denied": "❌", "answered": "☑"}

// recovered returns how a nudge ended that left the screen without nod. It says who answered, and what, only
// if an event of the agent proves it.
func (r Renderer) recovered(at string) (icon, sentence string) {
	if w := r.rests(); w != nil {
		return "▶", w.moved + at + "."
	}
	if icon = provenIcons[r.Proof]; icon != "" {
		return icon, strings.ToUpper(r.Proof[:1]) + r.Proof[1:] + " at the terminal at " + at + r.effect() + "."
	}
	return "☑", strings.TrimSpace("Closed at " + at + ", but not through nod. " + r.detail())
}

// effect returns the outcome of the approved call, if an event of the agent reported one; otherwise nothing.
func (r Renderer) effect() string {
	e := r.Effect
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

// way says how an answer reached the agent, unless it was by keys.
func (r Renderer) way() string {
	if r.Door {
		return ", through the agent's own " + deliver.Taker(r.Agent)
	}
	return ""
}

// ticked returns the names of the ticked boxes of a check list.
func (r Renderer) ticked() string {
	names := r.Prompt.Ticked()
	if len(names) == 0 {
		return "nothing"
	}
	return Cut(OneLine(r.Style.Redact(strings.Join(names, ", "))), lineRoom)
}

func (r Renderer) verdictIcon() string {
	switch {
	case r.Claim != nil && r.Claim.Decision == screen.Deny:
		return "❌"
	case r.Claim != nil && r.Claim.Decision == screen.Dismiss:
		return "✖"
	}
	return "✅"
}

// decision returns what the claim did: "Approved by Ann".
func (r Renderer) decision() string {
	c := r.Claim
	if c == nil {
		return "Answered"
	}
	by := " by " + r.who()
	switch {
	case r.ofForm() && c.Decision == screen.Approve:
		return "Accepted" + by
	case r.ofForm() && c.Decision == screen.Deny:
		return "Declined" + by
	case c.Decision == screen.Send:
		did := "Sent"
		switch {
		case r.Prompt.Ticks() == "":
			return did + by
		case r.Prompt.Pages > 1:
			did = "Answered" // it is sent with the others
		}
		return did + by + ": " + r.ticked() + ","
	case c.Decision == screen.Dismiss:
		return "Dismissed" + by + ", and not answered,"
	case c.Choice != nil:
		return fmt.Sprintf("%s answered “%s”", r.who(), Cut(OneLine(r.Style.Redact(c.Choice.Label)), lineRoom))
	case c.Text != "" && r.Asks():
		return "Answered in words" + by
	case c.Text != "":
		return "Sent" + by
	case c.Decision == screen.Deny:
		return "Denied" + by
	case c.Unseen:
		return "Approved, with a part unseen," + by
	}
	return "Approved" + by
}

func (r Renderer) who() string {
	name := Cut(OneLine(r.Claim.By.Name), NameRoom)
	if name == "" {
		name = fmt.Sprintf("user %s", Cut(OneLine(string(r.Claim.By.ID)), NameRoom))
	}
	switch r.Claim.Way {
	case nudge.ByCommand:
		name += " (terminal)"
	case nudge.ByInbox:
		name += " (at this machine)"
	case nudge.ByPage:
		name += " (on the page)"
	}
	return name
}

// unknownSentence returns the text for an outcome that nobody can be sure of.
func (r Renderer) unknownSentence(at string) string {
	said := []string{"A key may or may not have been typed at " + at}
	if instructed(r.Nudge) {
		said[0] = "Perhaps not submitted at " + at
	} else if r.Door {
		said[0] = "The answer was handed to the agent at " + at + ", but nothing showed that it landed"
	} else if keys := Cut(OneLine(strings.Join(r.Keys, " ")), NameRoom); len(r.Keys) > 1 {
		said[0] = "The keys " + keys + " were typed at " + at + ", but nothing showed that they landed"
	} else if keys != "" {
		said[0] = "The key " + keys + " was typed at " + at + ", but nothing showed that it landed"
	}
	if r.Claim != nil {
		said[0] += fmt.Sprintf(" (%s wanted to %s)", r.who(), r.wanted())
	}
	said[0] += "."
	const look = "Look at "
	d := r.detail()
	if d != "" {
		said = append(said, d)
	}
	if !strings.Contains(d, look) {
		said = append(said, look+"the pane before you answer again.")
	}
	return strings.Join(said, " ")
}

func (r Renderer) detail() string { return r.sentence(words.Why(r.Detail)) }

// refusal says why nothing was answered. The detail of the refusal also says what was typed; without a detail
// it is a sentence for the bare reason.
func (r Renderer) refusal() string {
	if d := r.detail(); d != "" {
		return d
	}
	return "Nothing was typed. " + words.Refused(string(r.Reason))
}

// ToAnswerer returns the message to whoever answered. After a temporary refusal it has a button to continue.
func (r Renderer) ToAnswerer(chat int64, seal Sealer, now time.Time) Outgoing {
	out := Outgoing{}
	c := r.Claim
	if r.Ticked() {
		r.about(&out.Page, "☑ ")
		out.Page.Text("Ticked now: " + r.ticked() + ".")
		r.sign(&out.Page)
		return out
	}
	if !r.State.Over() || r.State == nudge.Refused {
		saying, why := "", r.detail()
		if why == "" {
			saying, why = "Nothing was typed: ", words.Refused(string(r.Reason))
		}
		r.about(&out.Page, "🚫 "+saying)
		out.Page.Text(why)
		if c != nil && !c.Because.IsZero() {
			out.Page.Text(r.followed())
		}
		r.sign(&out.Page)
		if r.Reason == deliver.CopyMode && c != nil && (!r.State.Over() || c.Text != "") {
			out.Keys = Keys{{seal.Tap("Leave copy mode and "+r.wanted(), goOn(r.ID, c), chat)}}
		}
		if c != nil && r.RefusedWords(c.Stamp()) {
			out.Keys = Keys{{seal.Tap("⏳ Queue it", Tap{Verb: VerbQueue, ID: r.ID, Claim: c.Stamp()}, chat)}}
		}
		return out
	}
	icon, sentence := r.ending(now)
	r.about(&out.Page, icon+" ")
	r.ended(&out.Page, sentence, now)
	if c != nil && !c.Because.IsZero() {
		out.Page.Text(r.followed())
	}
	r.sign(&out.Page)
	return out
}

// wanted returns what the claim asked for, as a verb.
func (r Renderer) wanted() string {
	switch c := r.Claim; {
	case c.Decision == screen.Send:
		return "send it"
	case c.Decision == screen.Dismiss:
		return "dismiss it"
	case c.Choice != nil:
		return "answer “" + Cut(OneLine(r.Style.Redact(c.Choice.Label)), 30) + "”"
	case c.Text != "":
		return "tell it"
	case c.Decision == screen.Deny:
		return "deny"
	case c.Unseen:
		return "approve unseen"
	}
	return "approve"
}

// goOn returns the data for the same answer once more, leaving copy mode first. An option that grants more
// than once was confirmed before.
func goOn(id string, c *nudge.Claim) Tap {
	p := tapOf(nudge.Answer{Said: c.Said}, id)
	p.Leave = true
	switch {
	case p.Verb == VerbChoose:
		p.Sure = true
	case c.Text != "" && (p.Verb == VerbApprove || p.Verb == VerbDeny):
		p.Verb, p.Claim = VerbTell, c.Stamp()
	}
	return p
}

// followed says what happens to the words of a denial, after the text about the denial.
func (r Renderer) followed() string {
	d := r.detail()
	switch {
	case d != "" && r.State == nudge.Delivered:
		return " " + d
	case r.State == nudge.Unknown && slices.Contains(r.Keys, deliver.TypedWords):
		return "" // the detail says that it is not known
	}
	return " Your words were not sent."
}
