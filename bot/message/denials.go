package message

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"nod/internal/words"
	"nod/nudge"
	"nod/nudge/grant"
)

// Messages about calls that an agent's own guard denied.

// How the calls share the length of a message. Each has the same room, so that another call does not change the
// others.
const (
	deniedRoom = 480
	guardRoom  = 120 // for the guard's reason
)

// MoreBlocked is said once where an agent's turn has more denied calls than are shown.
const MoreBlocked = "More calls of this turn were blocked than nod shows: look at the agent."

// Denials shows the calls of a message, in full if there is room, with buttons to allow each once or leave it
// denied. For a call that is not shown as it is, the first tap on Allow only asks for consent.
func Denials(d nudge.Denials, chat int64, seal Sealer, style Style) Outgoing {
	out := Outgoing{Keys: Keys{}, partial: Keys{}}
	p := &out.Page
	end := style.place(d.Where, d.ID)
	if d.More {
		end = "🚧 " + MoreBlocked + "\n" + end
	}
	p.kept = utf8.RuneCountInString("\n" + end)
	for i, c := range d.Calls {
		if i == 0 {
			p.Text("🚧 ").Bold(style.Title(d.Agent, d.Name, d.Project)).Text(": " + blockedBy(c) + " ")
		} else {
			p.Text(fmt.Sprintf("🚧 %d. %s ", i+1, blockedBy(c)))
		}
		shown := style.Minimal || denied(p, c, d.Project, style)
		if style.Minimal {
			p.Text("a call").Line()
		}
		out.Keys = append(out.Keys, deniedKeys(d, i, shown && !style.Minimal && !c.Cut(), chat, seal)...)
		out.partial = append(out.partial, deniedKeys(d, i, false, chat, seal)...)
	}
	if style.Minimal {
		out.Keys, out.partial = Keys{{seal.Button("👁 Show it", VerbShowDenied, d.ID, chat)}}, nil
	}
	if p.kept = 0; p.Short {
		p.Line()
	}
	p.Text(end)
	return out
}

func blockedBy(c nudge.Denial) string {
	who := "its guard"
	switch {
	case c.Settings:
		who = "its settings"
	case c.Mode == "auto" || c.Taking == nudge.ByWords:
		who = "auto mode"
	case c.Taking == nudge.OnList, c.Taking == nudge.ByServer:
		who = "its reviewer"
	}
	if c.Part != "" {
		who += " of a sub-agent"
	}
	return who + " blocked"
}

// denied writes one call with the guard's reason and its state. It reports whether the call is shown as it
// is.
func denied(p *page, c nudge.Denial, project string, style Style) (whole bool) {
	text := c.Text
	if c.Verb != "" {
		text = c.Verb + " " + text
	}
	drawn := ForeignText(style.Redact(text))
	shown := Cut(drawn, deniedRoom)
	whole = shown == drawn && style.Redact(text) == text
	if strings.Contains(shown, "\n") {
		p.Line().Pre(shown)
	} else {
		p.Code(shown)
	}
	if c.Count > 1 {
		p.Text(fmt.Sprintf(" (%d times)", c.Count))
	}
	p.Line()
	if risks := risksLine(c.Text, project); risks != "" {
		p.Text(risks).Line()
	}
	if !whole {
		p.Text("⚠ Not all of it is shown here. Allow asks you again.").Line()
	}
	if said := OneLine(style.Redact(c.Reason)); said != "" {
		p.Text("The guard says: ").Text(Cut(said, guardRoom)).Line()
	}
	if c.Folder != "" {
		p.Text("In " + Cut(OneLine(style.Redact(c.Folder)), placeRoom) + ". ")
	}
	p.Text(deniedState(c, style)).Line()
	return whole
}

// deniedState returns the state of a call.
func deniedState(c nudge.Denial, style Style) string {
	by := Cut(OneLine(style.Redact(c.By.Name)), NameRoom)
	switch {
	case !c.Flaw.IsZero():
		return Cut(words.Why(c.Flaw), SentenceRoom)
	case c.Left:
		return "❌ Left denied by " + by + "."
	}
	if c.Taking != nudge.ByHook {
		return takenState(c, by)
	}
	switch c.Grant.State {
	case grant.Open:
		return "✅ Allowed once by " + by + ", for 10 minutes: it has not run yet."
	case grant.Taken:
		return "✅ Allowed once by " + by + ": it is let through."
	case grant.Used:
		return "✅ Allowed once by " + by + ", and let through."
	case grant.Asked:
		return "✅ Allowed once by " + by + ": the agent asks about it, and nod answers where that shows the very call."
	case grant.Own:
		return "Allowed once by " + by + ": if the agent still asks about it, that is a question of its own."
	case grant.Unknown:
		return "⚠ Allowed once by " + by + ": it may or may not have run. It is not let through again."
	case grant.Expired:
		return "Allowed once by " + by + ", and not tried within 10 minutes: it did not run."
	case grant.Void:
		return "Allowed once by " + by + ", and it did not run."
	}
	if !c.Held.IsZero() {
		return "The agent is held for your answer."
	}
	return "The agent has gone on without it."
}

// takenState returns the state of a call whose agent does not take permissions through its hooks.
func takenState(c nudge.Denial, by string) string {
	switch {
	case c.Grant.State == "" && c.Taking == nudge.ByWords:
		return "The agent has gone on without it. Allow it, and the agent is told to make that very call again, and asks you about it."
	case c.Grant.State == "":
		return "The agent has gone on without it. Allow it, and it is reviewed again when the agent tries it again."
	case c.Taking == nudge.ByWords:
		return "✅ " + by + " has it made again: the agent asks about it then."
	}
	if c.Taking == nudge.ByServer {
		return servedState(c, by)
	}
	switch c.Grant.State {
	case grant.Open:
		return "✅ Allowed once by " + by + ": marked in the agent's list when it is idle, within 10 minutes."
	case grant.Taken:
		return "✅ Allowed once by " + by + ": being marked in the agent's list."
	case grant.Used:
		return "✅ Allowed once by " + by + ", and marked in the agent's list: it is reviewed again when the agent tries it again."
	case grant.Unknown:
		return "⚠ Allowed once by " + by + ": it may or may not be marked in the agent's list."
	}
	return "Allowed once by " + by + ", and not marked in the agent's list: nothing was allowed."
}

// servedState returns the state of a call that the agent's own server is told about.
func servedState(c nudge.Denial, by string) string {
	switch c.Grant.State {
	case grant.Open, grant.Taken:
		return "✅ Allowed once by " + by + ": the agent's server is being told."
	case grant.Used:
		return "✅ Allowed once by " + by + ", and the agent's server knows it: it is reviewed again when the agent tries it again."
	case grant.Unknown:
		return "⚠ Allowed once by " + by + ": the agent's server may or may not know it. It is not told again."
	}
	return "Allowed once by " + by + ", and the agent's server was not told: nothing was allowed."
}

// deniedKeys returns the buttons of one call. The labels of the first call have no number, so that they stay
// the same when another call comes.
func deniedKeys(d nudge.Denials, call int, whole bool, chat int64, seal Sealer) Keys {
	which := ""
	if call > 0 {
		which = fmt.Sprintf(" (%d)", call+1)
	}
	allow := Tap{Verb: VerbAllow, Option: call, ID: d.ID, own: true}
	if whole {
		allow.subject = d.Fingerprint(call)
	}
	leave := Tap{Verb: VerbLeaveDenied, Option: call, ID: d.ID, own: true}
	again := Tap{Verb: VerbTryAgain, Option: call, ID: d.ID, own: true}
	switch {
	case d.Open(call):
		return Keys{{seal.Tap("✅ Allow this once"+which, allow, chat).styled(green), seal.Tap("❌ Leave it"+which, leave, chat).styled(red)}}
	case d.Again(call) != "":
		return Keys{{seal.Tap("🔁 Tell it to try again"+which, again, chat)}}
	}
	return nil
}

// DenialUnseen asks for the second tap that a call needs if a part of it was not shown.
func DenialUnseen(d nudge.Denials, call int, chat int64, seal Sealer, style Style) Outgoing {
	p := Tap{Verb: VerbAllow, Option: call, ID: d.ID, own: true, subject: d.Fingerprint(call)}
	out := Outgoing{Keys: Keys{{seal.Tap("⚠ Allow what can't be seen, once", p, chat)}}}
	out.Page.Text("⚠ A part of a call that was blocked in ").Bold(style.Title(d.Agent, d.Name, d.Project)).Text(" is in no message.").Line()
	shown := Cut(ForeignText(style.Redact(d.Calls[call].Text)), MaxText-out.Page.Size()-utf8.RuneCountInString(d.ID)-guardRoom)
	if !style.Minimal {
		out.Page.foldedCode(shown).Line()
	}
	out.Page.Text("Nothing was allowed yet. Allow it unseen, once?")
	return out
}

// DenialsOver says how the calls of a message ended.
func DenialsOver(d nudge.Denials, style Style) Outgoing {
	out := Denials(d, 0, Sealer{}, style)
	out.Keys, out.partial = Keys{}, nil
	out.Page.Line().Text(Cut(OneLine(style.Redact(words.Why(d.Detail))), SentenceRoom))
	return out
}
