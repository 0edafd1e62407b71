package nudge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"nod/detect/screen"
)

// position orders the messages of a place: by the place's own date, then by message number, because
// Telegram's dates are whole seconds.
type position struct {
	at      time.Time
	message int
}

func (p position) compare(o position) int {
	return cmp.Or(p.at.Compare(o.at), cmp.Compare(p.message, o.message))
}

func (p position) before(o position) bool { return p.compare(o) < 0 }

func (c Copy) position() position { return position{c.Sent, c.Message} }

// position returns a's position among the messages of its place.
func (a Answer) position() position {
	if a.Message == 0 {
		return position{a.Written, math.MaxInt}
	}
	return position{a.Written, a.Message}
}

// mayFollow reports whether a message that came after a may have come before it as well, unnoticed: it had waited that long.
func (a Answer) mayFollow(r Ref, sent time.Time, waited time.Duration) bool {
	return r.Place == a.Place && a.position().before(position{sent, r.Message}) && sent.Add(-waited).Before(a.Written)
}

// JustBefore returns the message before a.
func (a Answer) JustBefore() OtherMessage {
	return OtherMessage{Ref: Ref{Place: a.Place, Message: a.Message - 1, Topic: a.Topic}, Sent: a.Written}
}

// wroteAtLatest returns the latest time, by this machine's clock, at which a may have been written. The
// clocks of this machine and of the place may differ; the earlier time errs towards asking.
func (a Answer) wroteAtLatest() time.Time {
	if a.Read.Before(a.Written) {
		return a.Read
	}
	return a.Written
}

// candidate is a nudge with its newest message that the writer of a fresh answer could see.
type candidate struct {
	*Nudge
	newest  position
	grouped bool   // the message shows other nudges too
	topic   int    // of the message
	ticked  string // the ticks in the message
}

// gotBefore returns the nudges that had a message in the place before a was written, newest first. Questions
// for consent don't count: a bare y does not answer them.
func gotBefore(a Answer, nudges []*Nudge) []candidate {
	var got []candidate
	for _, n := range nudges {
		c := candidate{Nudge: n}
		for _, copy := range n.Copies {
			p := copy.position()
			if copy.Place == a.Place && !copy.Unseen && !copy.Sent.IsZero() && p.before(a.position()) && c.newest.before(p) {
				c.newest, c.grouped, c.topic, c.ticked = p, len(copy.Group) > 0, copy.Topic, copy.Ticks
			}
		}
		if !c.newest.at.IsZero() {
			got = append(got, c)
		}
	}
	slices.SortFunc(got, func(a, b candidate) int { return b.newest.compare(a.newest) })
	return got
}

// partOf returns the part of the scene that matters to a: its place and, in a pane's topic, only what is
// about that pane or in that topic.
func (s Scene) partOf(a Answer) Scene {
	s.Asking = slices.DeleteFunc(slices.Clone(s.Asking), func(o OtherMessage) bool {
		return o.Over || o.Place != a.Place || a.Pane != nil && o.Topic != a.Topic
	})
	if a.Pane != nil {
		s.Nudges = slices.DeleteFunc(slices.Clone(s.Nudges), func(n *Nudge) bool { return n.Pane != *a.Pane })
	}
	return s
}

// TakesYesNo reports whether a bare yes or no answers n: a permission, or a program's question with one yes
// and one no.
func (n *Nudge) TakesYesNo() bool { return n.About.takesYesNo() }

func (Permission) takesYesNo() bool { return true }
func (Question) takesYesNo() bool   { return false }
func (TurnEnded) takesYesNo() bool  { return false }
func (Silence) takesYesNo() bool    { return false }

func (p Program) takesYesNo() bool {
	if p.Form || p.Join {
		return false
	}
	said := map[screen.Decision]bool{}
	for _, o := range p.prompt().Options {
		said[means(o.Label)] = true
	}
	return p.About.takesYesNo() || len(p.prompt().Options) == 2 && said[screen.Approve] && said[screen.Deny]
}

// YesNo returns the options of a program's question that has exactly a yes and a no; ok is false for any
// other nudge.
func (n *Nudge) YesNo() (yes, no int, ok bool) {
	p := n.Program()
	if p == nil || p.Kind() != screen.Question || !p.takesYesNo() {
		return 0, 0, false
	}
	if means(p.prompt().Options[0].Label) == screen.Deny {
		return 1, 0, true
	}
	return 0, 1, true
}

// A bare number or label never answers a permission.
func (Permission) takesOption() bool { return false }
func (q Question) takesOption() bool { return len(q.Prompt.Options) > 0 }
func (TurnEnded) takesOption() bool  { return false }
func (Silence) takesOption() bool    { return false }
func (p Program) takesOption() bool  { return !p.Form && !p.Join && p.About.takesOption() }

// OptionSaid returns the option that a whole message names, by number or by a unique label. If the number and
// a label name different options, ok is false.
func (n *Nudge) OptionSaid(text string) (option int, ok bool) {
	option, ok = n.optionCalled(text)
	return option, ok && n.About.takesOption()
}

func (n *Nudge) optionCalled(text string) (option int, ok bool) {
	if called := n.optionsCalled(text); len(called) == 1 {
		return called[0], true
	}
	return 0, false
}

// optionsCalled returns the options whose number or label a text is.
func (n *Nudge) optionsCalled(text string) (options []int) {
	text = strings.TrimSpace(text)
	for i, o := range n.Prompt().Options {
		if text != "" && (text == n.OptionNumber(i) || sameAnswer(o.Label, text)) {
			options = append(options, i)
		}
	}
	return options
}

// Snoozes reports whether somebody has snoozed n.
func (n *Nudge) Snoozes(now time.Time) bool { return n.State == Pending && n.Snoozed.After(now) }
