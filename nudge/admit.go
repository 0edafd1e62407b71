package nudge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/text/elapsed"
	"nod/internal/words"
)

// Decide takes an answer that means n and was read by it, or says why not, and reports whether n has changed. Taken
// means that it is claimed; every other verdict types nothing.
func (n *Nudge) Decide(a Answer, now time.Time) (v Verdict, changed bool) {
	changed = n.adopt(a)
	if n.overdue(now) {
		changed = n.end(Expired, now) || changed
	}
	v = n.admit(a)
	switch v.Kind {
	case Taken:
		if a.Unseen && n.Asked.IsZero() {
			n.Asked = now
		}
		n.claim(a.claim(now))
		if p := n.Program(); p != nil && !p.Door {
			n.settle(now)
		}
		changed = true
	case AskUnseen:
		n.Asked = now
		changed = true
	}
	v.Nudge = *n
	return v, changed
}

// admit decides whether an answer that means n may be taken. Taken says that it may; every other
// verdict types nothing.
func (n *Nudge) admit(a Answer) Verdict {
	reason, detail, over := n.notWaiting(a.Read)
	switch {
	case over:
		return n.reject(reason, detail)
	case a.Choice != nil:
		return n.admitChoice(a)
	case a.Text != "":
		return n.admitText(a)
	}
	return n.admitDecision(a)
}

// reject gives the verdict that nothing is typed, and why.
func (n *Nudge) reject(reason deliver.Reason, detail string) Verdict {
	return Verdict{Kind: Rejected, Nudge: *n, Reason: reason, Detail: detail}
}

// notWaiting says why n takes no answer any more at now, if it does not. It tells how long ago that was: who reads it may have
// another clock.
func (n *Nudge) notWaiting(now time.Time) (deliver.Reason, string, bool) {
	ago := elapsed.Short(now.Sub(n.Ended)) + " ago"
	switch n.State {
	case Pending:
		return "", "", false
	case Claimed, Typing:
		return deliver.Answered, fmt.Sprintf("#%s is being answered: already %s.", n.ID, n.decided()), true
	case Delivered:
		return deliver.Answered, fmt.Sprintf("#%s is over: already %s, %s.", n.ID, n.decided(), ago), true
	case Unknown:
		if n.Door {
			return deliver.Answered, fmt.Sprintf("#%s is over: it was %s %s, and that may not have reached the agent. Look at %s.", n.ID, n.decided(), ago, n.Where), true
		}
		return deliver.Answered, fmt.Sprintf("#%s is over: it was %s %s, and a key may or may not have been typed. Look at %s.", n.ID, n.decided(), ago, n.Where), true
	case Refused:
		return deliver.Answered, fmt.Sprintf("#%s is over: its answer was refused %s.", n.ID, ago), true
	case Expired:
		if n.Standing {
			return deliver.Expired, fmt.Sprintf("#%s expired %s, but its question still stands: tap Ask again.", n.ID, ago), true
		}
		return deliver.Expired, fmt.Sprintf("#%s expired %s.", n.ID, ago), true
	case Gone:
		return deliver.Gone, n.About.gone(n, ago), true
	}
	return deliver.Answered, n.About.closed(n, ago), true
}

func (Permission) gone(n *Nudge, ago string) string { return n.lostPane(ago) }
func (Question) gone(n *Nudge, ago string) string   { return n.lostPane(ago) }
func (TurnEnded) gone(n *Nudge, ago string) string  { return n.lostPane(ago) }
func (Silence) gone(n *Nudge, ago string) string    { return n.lostPane(ago) }

func (p Program) gone(n *Nudge, ago string) string {
	if p.Door {
		return fmt.Sprintf("#%s is over: the hook of %s stopped waiting %s.", n.ID, n.Agent, ago)
	}
	return fmt.Sprintf("#%s was withdrawn %s: the program asks no more.", n.ID, ago)
}

func (n *Nudge) lostPane(ago string) string {
	return fmt.Sprintf("#%s is over: its pane went away %s.", n.ID, ago)
}

func (Permission) closed(n *Nudge, ago string) string { return n.leftScreen(ago) }
func (Question) closed(n *Nudge, ago string) string   { return n.leftScreen(ago) }
func (TurnEnded) closed(n *Nudge, ago string) string  { return n.wentOn(ago) }
func (Silence) closed(n *Nudge, ago string) string    { return n.wentOn(ago) }

func (Program) closed(n *Nudge, ago string) string {
	return fmt.Sprintf("#%s is over: it was closed %s, but not through nod. %s", n.ID, ago, n.Detail)
}

func (n *Nudge) leftScreen(ago string) string {
	return fmt.Sprintf("#%s is over: its question left the screen %s, not through nod.", n.ID, ago)
}

func (n *Nudge) wentOn(ago string) string {
	return fmt.Sprintf("#%s is over: %s went on %s. Reply to its newest message, or use /tell.", n.ID, n.Agent, ago)
}

func (n *Nudge) admitDecision(a Answer) Verdict {
	switch a.Decision {
	case screen.Send:
		return n.admitSend(a)
	case screen.Dismiss:
		return n.admitDismiss()
	}
	keys, verb := n.Prompt().Approve, "approves"
	if a.Decision == screen.Deny {
		keys, verb = n.Prompt().Deny, "denies"
	}
	switch {
	case a.Decision != screen.Approve && a.Decision != screen.Deny:
		return n.reject(deliver.NeedsConfirmation, "That is no yes and no no: answer y or n.")
	case n.About.noDecision(n) != "":
		return n.reject(deliver.NoKey, n.About.noDecision(n))
	case len(keys) == 0:
		detail := fmt.Sprintf("No key of this dialog %s just this one time: answer it in %s.", verb, n.Where)
		if a.Decision == screen.Approve && !n.Prompt().Why.IsZero() {
			detail = words.Why(n.Prompt().Why)
		}
		return n.reject(deliver.NoKey, detail)
	case a.Decision == screen.Approve && n.lacksConsent(a):
		return n.askUnseen()
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

func (Permission) noDecision(*Nudge) string { return "" }

func (Question) noDecision(n *Nudge) string {
	return fmt.Sprintf("#%s asks a question that y and n don't answer: %s.", n.ID, n.howToAnswer())
}

func (TurnEnded) noDecision(n *Nudge) string {
	return fmt.Sprintf("#%s asks nothing that y and n answer: tell %s in words what to do next.", n.ID, n.Agent)
}

func (Silence) noDecision(n *Nudge) string {
	return fmt.Sprintf("nod knows of no question in #%s: look at %s.", n.ID, n.Where)
}

// howToAnswer says what answers a question.
func (n *Nudge) howToAnswer() string {
	options := !n.Prompt().AtTerminal && slices.ContainsFunc(n.Prompt().Options, func(o screen.Option) bool {
		return o.Scope != screen.Text || n.Program() != nil
	})
	const choose = "reply with the number of one of its options, or tap it"
	switch {
	case options && takesWords(n.Prompt()):
		return choose + ", or reply with your own words"
	case options:
		return choose
	case takesWords(n.Prompt()):
		return "reply with your words"
	case len(n.Prompt().Send) > 0:
		return "reply with send"
	}
	return "answer it in " + n.Where
}

// takesWords reports whether a question is answered in words of one's own too.
func takesWords(p *screen.Prompt) bool { return p.TextField || p.Writes > 0 }

// admitText takes words for an agent that waits for some. Whether its input box is empty and no prompt stands
// there, the screen says in the moment of typing.
func (n *Nudge) admitText(a Answer) Verdict {
	if strings.TrimSpace(a.Text) == "" {
		return n.reject(deliver.NoKey, "The text is blank: send some words.")
	}
	if reason, detail := n.About.noWords(n); reason != "" {
		return n.reject(reason, detail)
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

func (Permission) noWords(n *Nudge) (deliver.Reason, string) {
	return deliver.AwaitingDecision, fmt.Sprintf("#%s asks for permission, and words are never typed into that: answer y or n.", n.ID)
}

func (q Question) noWords(n *Nudge) (deliver.Reason, string) {
	if takesWords(q.Prompt) {
		return "", ""
	}
	return deliver.AwaitingDecision, fmt.Sprintf("#%s takes no words here: %s.", n.ID, n.howToAnswer())
}

func (TurnEnded) noWords(*Nudge) (deliver.Reason, string) { return "", "" }

func (s Silence) noWords(n *Nudge) (deliver.Reason, string) {
	if s.Exited {
		return deliver.Shell, fmt.Sprintf("%s has exited and a shell owns %s: start it again there.", n.Agent, n.Where)
	}
	return deliver.Working, fmt.Sprintf("nod does not see that %s waits for words: look at %s.", n.Agent, n.Where)
}

// wider are the scopes that allow more than the one invocation that is asked about.
var wider = []screen.Scope{screen.Session, screen.Always, screen.Mode}

func (n *Nudge) admitChoice(a Answer) Verdict {
	i := a.Choice.Index
	if i < 0 || i >= len(n.Prompt().Options) || n.Prompt().Options[i].Label != a.Choice.Label {
		return n.reject(deliver.Changed, fmt.Sprintf("#%s offers no such option.", n.ID))
	}
	if n.ticks(a.Choice) {
		switch {
		case a.Ticks != n.Prompt().Ticks():
			return n.otherTicks()
		case n.Prompt().Options[i].Scope == screen.Text:
			return n.reject(deliver.NoKey, "That box takes words of your own: write them in "+n.Where+".")
		}
		return Verdict{Kind: Taken, Nudge: *n}
	}
	if n.Prompt().Writes == i+1 {
		return n.reject(deliver.NeedsConfirmation, fmt.Sprintf("That answer of #%s takes words of your own: reply with them.", n.ID))
	}
	scope := n.Prompt().Options[i].Scope
	// What can't be classified in a permission may allow anything, and so may a yes with words of one's own.
	vague := scope == screen.Other || scope == screen.Text
	wide := slices.Contains(wider, scope) || vague && n.Kind() == screen.Permission
	switch {
	case (wide || scope == screen.Once || vague && n.Prompt().Partial) && n.lacksConsent(a):
		return n.askUnseen()
	case wide && !a.Sure:
		return Verdict{
			Kind: AskSure, Nudge: *n, Reason: deliver.NeedsConfirmation,
			Detail: fmt.Sprintf("“%s” may allow more than this one time. Really?", a.Choice.Label),
		}
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

func (n *Nudge) askUnseen() Verdict {
	return Verdict{
		Kind: AskUnseen, Nudge: *n, Reason: deliver.NeedsConfirmation,
		Detail: "A part of what is asked can't be seen here. Approve it unseen?",
	}
}

// lacksConsent reports whether an approval rests on what the human was not shown and did not accept
// unseen. Consent counts only for the dialog that it was asked about, so a button counts while the
// question for it holds; on the command line the same words ask and consent.
func (n *Nudge) lacksConsent(a Answer) bool {
	if !n.Prompt().Partial && !n.hiddenFrom(a) {
		return false
	}
	return !a.Unseen || a.Way != ByCommand && n.Asked.IsZero()
}

// hiddenFrom reports whether no message in the answer's place shows the whole subject that nod knows.
func (n *Nudge) hiddenFrom(a Answer) bool {
	return a.Place != "" && !slices.ContainsFunc(n.Copies, func(c Copy) bool { return c.Place == a.Place && !c.Unseen && !c.Hidden })
}
