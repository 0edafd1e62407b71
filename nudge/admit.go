package nudge

import (
	"slices"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Decide takes the answer a, which Read has matched to n, or rejects it with a reason. changed reports
// whether n changed. Taken means that n is claimed. No other verdict types anything.
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

// admit decides whether the answer may be taken, without changing n.
func (n *Nudge) admit(a Answer) Verdict {
	code, why, over := n.notWaiting(a.Read)
	switch {
	case over:
		return n.reject(code, why)
	case !n.Away.IsZero():
		return n.reject(deliver.Away, n.machineAway(a.Read))
	case a.Choice != nil:
		return n.admitChoice(a)
	case a.Text != "":
		return n.admitText(a)
	}
	return n.admitDecision(a)
}

// reject returns the verdict that nothing is typed, with its reason.
func (n *Nudge) reject(code deliver.Reason, why reason.Why) Verdict {
	return Verdict{Kind: Rejected, Nudge: *n, Reason: code, Detail: why}
}

// why returns a reason with the fields that sentences about n may name.
func (n *Nudge) why(kind reason.Kind) reason.Why {
	return reason.Why{Kind: kind, Nudge: n.ID, Agent: n.Agent, Pane: n.Pane.ID, Where: n.Where}
}

// whyOf is why with a What.
func (n *Nudge) whyOf(kind reason.Kind, what string) reason.Why {
	why := n.why(kind)
	why.What = what
	return why
}

// whyAgo is why with the time since it happened.
func (n *Nudge) whyAgo(kind reason.Kind, ago time.Duration) reason.Why {
	why := n.why(kind)
	why.Ago = ago
	return why
}

// whySince is whyAgo with how n was answered.
func (n *Nudge) whySince(kind reason.Kind, ago time.Duration) reason.Why {
	why, decided := n.whyAgo(kind, ago), n.decided()
	why.Because = &decided
	return why
}

// notWaiting reports whether n no longer takes an answer at now, and why. The reason has a duration, not a
// time, because its reader may have another clock.
func (n *Nudge) notWaiting(now time.Time) (deliver.Reason, reason.Why, bool) {
	ago := now.Sub(n.Ended)
	switch n.State {
	case Pending:
		return "", reason.Why{}, false
	case Claimed, Typing:
		return deliver.Answered, n.whySince(reason.BeingAnswered, ago), true
	case Delivered:
		return deliver.Answered, n.whySince(reason.OverAnswered, ago), true
	case Unknown:
		if n.Door {
			return deliver.Answered, n.whySince(reason.OverUnheard, ago), true
		}
		return deliver.Answered, n.whySince(reason.OverUnsure, ago), true
	case Refused:
		return deliver.Answered, n.whyAgo(reason.OverRefused, ago), true
	case Expired:
		if n.Standing {
			return deliver.Expired, n.whyAgo(reason.ExpiredStanding, ago), true
		}
		return deliver.Expired, n.whyAgo(reason.OverExpired, ago), true
	case Gone:
		return deliver.Gone, n.About.gone(n, ago), true
	}
	return deliver.Answered, n.About.closed(n, ago), true
}

func (Permission) gone(n *Nudge, ago time.Duration) reason.Why { return n.lostPane(ago) }
func (Question) gone(n *Nudge, ago time.Duration) reason.Why   { return n.lostPane(ago) }
func (TurnEnded) gone(n *Nudge, ago time.Duration) reason.Why  { return n.lostPane(ago) }
func (Silence) gone(n *Nudge, ago time.Duration) reason.Why    { return n.lostPane(ago) }

func (p Program) gone(n *Nudge, ago time.Duration) reason.Why {
	if p.Door {
		return n.whyAgo(reason.HookLeft, ago)
	}
	return n.whyAgo(reason.QuestionWithdrawn, ago)
}

func (n *Nudge) lostPane(ago time.Duration) reason.Why {
	return n.whyAgo(reason.PaneLost, ago)
}

func (Permission) closed(n *Nudge, ago time.Duration) reason.Why { return n.leftScreen(ago) }
func (Question) closed(n *Nudge, ago time.Duration) reason.Why   { return n.leftScreen(ago) }
func (TurnEnded) closed(n *Nudge, ago time.Duration) reason.Why  { return n.wentOn(ago) }
func (Silence) closed(n *Nudge, ago time.Duration) reason.Why    { return n.wentOn(ago) }

func (Program) closed(n *Nudge, ago time.Duration) reason.Why {
	why := n.whySince(reason.ClosedElsewhere, ago)
	why.Because = &n.Detail
	return why
}

func (n *Nudge) leftScreen(ago time.Duration) reason.Why {
	return n.whyAgo(reason.LeftScreen, ago)
}

func (n *Nudge) wentOn(ago time.Duration) reason.Why {
	return n.whyAgo(reason.WentOn, ago)
}

func (n *Nudge) admitDecision(a Answer) Verdict {
	switch a.Decision {
	case screen.Send:
		return n.admitSend(a)
	case screen.Dismiss:
		return n.admitDismiss()
	}
	keys, none := n.Prompt().Approve, reason.NoKeyApproves
	if a.Decision == screen.Deny {
		keys, none = n.Prompt().Deny, reason.NoKeyDenies
	}
	switch {
	case a.Decision != screen.Approve && a.Decision != screen.Deny:
		return n.reject(deliver.NeedsConfirmation, n.why(reason.NeitherYesNorNo))
	case !n.About.noDecision(n).IsZero():
		return n.reject(deliver.NoKey, n.About.noDecision(n))
	case len(keys) == 0:
		why := n.why(none)
		if a.Decision == screen.Approve && !n.Prompt().Why.IsZero() {
			why = n.Prompt().Why
		}
		return n.reject(deliver.NoKey, why)
	case a.Decision == screen.Approve && n.lacksConsent(a):
		return n.askUnseen()
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

func (Permission) noDecision(*Nudge) reason.Why { return reason.Why{} }

func (Question) noDecision(n *Nudge) reason.Why {
	return n.whyBut(reason.NotYesOrNo)
}

func (TurnEnded) noDecision(n *Nudge) reason.Why {
	return n.why(reason.AsksNothing)
}

func (Silence) noDecision(n *Nudge) reason.Why {
	return n.why(reason.NoQuestionKnown)
}

// whyBut is why with the way to answer the question instead.
func (n *Nudge) whyBut(kind reason.Kind) reason.Why {
	why, how := n.why(kind), n.why(n.howToAnswer())
	why.Because = &how
	return why
}

// howToAnswer returns the way to answer a question.
func (n *Nudge) howToAnswer() reason.Kind {
	options := !n.Prompt().AtTerminal && slices.ContainsFunc(n.Prompt().Options, func(o screen.Option) bool {
		return o.Scope != screen.Text || n.Program() != nil
	})
	switch {
	case options && takesWords(n.Prompt().Field):
		return reason.ChooseOrWrite
	case options:
		return reason.ChooseOne
	case takesWords(n.Prompt().Field):
		return reason.WriteWords
	case len(n.Prompt().Send) > 0:
		return reason.ReplySend
	}
	return reason.AnswerThere
}

// takesWords reports whether a question accepts free text too.
func takesWords(f screen.Field) bool { return f.TextField || f.Writes > 0 }

// admitText accepts words for an agent that waits for some. Only the typist can see whether the input box is
// empty and free of a prompt.
func (n *Nudge) admitText(a Answer) Verdict {
	if strings.TrimSpace(a.Text) == "" {
		return n.reject(deliver.NoKey, n.why(reason.NoText))
	}
	if code, why := n.About.noWords(n); code != "" {
		return n.reject(code, why)
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

func (Permission) noWords(n *Nudge) (deliver.Reason, reason.Why) {
	return deliver.AwaitingDecision, n.why(reason.NoWordsToPermission)
}

func (q Question) noWords(n *Nudge) (deliver.Reason, reason.Why) {
	if takesWords(q.Prompt.Field) {
		return "", reason.Why{}
	}
	return deliver.AwaitingDecision, n.whyBut(reason.NoWordsHere)
}

func (TurnEnded) noWords(*Nudge) (deliver.Reason, reason.Why) { return "", reason.Why{} }

func (s Silence) noWords(n *Nudge) (deliver.Reason, reason.Why) {
	if s.Exited {
		return deliver.Shell, n.why(reason.BackAtShell)
	}
	return deliver.Working, n.why(reason.NotSeenWaiting)
}

// wider lists the scopes that allow more than the one call in question.
var wider = []screen.Scope{screen.Session, screen.Always, screen.Mode}

func (n *Nudge) admitChoice(a Answer) Verdict {
	i := a.Choice.Index
	if i < 0 || i >= len(n.Prompt().Options) || n.Prompt().Options[i].Label != a.Choice.Label {
		return n.reject(deliver.Changed, n.why(reason.NoSuchOption))
	}
	if n.ticks(a.Choice) {
		switch {
		case a.Ticks != n.Prompt().Ticks():
			return n.otherTicks()
		case n.Prompt().Options[i].Scope == screen.Text:
			return n.reject(deliver.NoKey, n.why(reason.BoxTakesWords))
		}
		return Verdict{Kind: Taken, Nudge: *n}
	}
	if n.Prompt().Writes == i+1 {
		return n.reject(deliver.NeedsConfirmation, n.why(reason.OptionTakesWords))
	}
	scope := n.Prompt().Options[i].Scope
	// An unclassified option of a permission may allow anything, and so may a yes with free text.
	vague := scope == screen.Other || scope == screen.Text
	wide := slices.Contains(wider, scope) || vague && n.Kind() == screen.Permission
	switch {
	case (wide || scope == screen.Once || vague && n.Prompt().Partial) && n.lacksConsent(a):
		return n.askUnseen()
	case wide && !a.Sure:
		return Verdict{
			Kind: AskSure, Nudge: *n, Reason: deliver.NeedsConfirmation,
			Detail: reason.Why{Kind: reason.MayAllowMore, What: a.Choice.Label},
		}
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

func (n *Nudge) askUnseen() Verdict {
	return Verdict{
		Kind: AskUnseen, Nudge: *n, Reason: deliver.NeedsConfirmation,
		Detail: reason.Why{Kind: reason.PartUnseen},
	}
}

// lacksConsent reports whether an approval covers something that the human was not shown and did not accept
// unseen. Consent counts only for the dialog that it was asked about, so a button counts only while the
// question for consent is valid. On the command line the same words ask and consent.
func (n *Nudge) lacksConsent(a Answer) bool {
	if !n.Prompt().Partial && !n.hiddenFrom(a) {
		return false
	}
	return !a.Unseen || a.Way != ByCommand && n.Asked.IsZero()
}

// hiddenFrom reports whether no message in the answer's place shows the whole known subject. The inbox and
// the page report themselves what they show.
func (n *Nudge) hiddenFrom(a Answer) bool {
	if a.Way == ByInbox || a.Way == ByPage {
		return !slices.ContainsFunc(a.Shown, func(s Shown) bool { return s.Nudge == n.ID && s.Subject == n.SubjectHash() })
	}
	return a.Place != "" && !slices.ContainsFunc(n.Copies, func(c Copy) bool { return c.Place == a.Place && !c.Unseen && !c.Hidden })
}
