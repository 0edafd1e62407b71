package desk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/plural"
	"nod/internal/words"
	"nod/nudge"
	"nod/nudge/keeper"
)

// builder makes cards from what was seen and stored.
type builder struct {
	style message.Style
	now   time.Time
}

// made is everything that a card depends on, except its screen.
type made struct {
	Pane   *seen
	Nudge  *nudge.Nudge
	Denied *nudge.Denials
	Call   int // of Denied
	Wish   *nudge.Wish
	Queued int // instructions that wait for the pane
}

// seen is the part of a look at a pane that its card shows.
type seen struct {
	detect.Whereabouts
	State   screen.State
	Since   time.Time
	Words   string
	Edits   []detect.Edit
	Blocked reason.Why
	Unasked []reason.Why
}

// inputs returns what the cards are made from, by their ids.
func (b builder) inputs(panes []detect.Sighting, open keeper.Open) map[string]input {
	inputs, queued := map[string]input{}, map[detect.PaneRef]int{}
	for _, i := range open.Queued {
		queued[i.Pane]++
	}
	for _, s := range panes {
		if s.State == screen.Gone {
			continue
		}
		id := s.Pane.String()
		if s.Pane.ID == "" {
			id = "session/" + s.Pane.Machine + s.Agent + "/" + s.Session
		}
		inputs[id] = input{pane: s.Pane, screen: s.Screen, made: made{
			Pane:   &seen{s.Whereabouts, s.State, s.Since, s.Words, s.Edits, s.Blocked, s.Unasked},
			Queued: queued[s.Pane],
		}}
	}
	for _, n := range open.Nudges {
		id := n.Pane.String()
		in, watched := inputs[id]
		switch {
		case n.Program() != nil:
			id, in = "asks/"+n.ID, input{}
		case !watched, in.made.Nudge != nil && in.made.Nudge.Number > n.Number:
			continue
		}
		in.made.Nudge = &n
		inputs[id] = in
	}
	for _, d := range open.Denials {
		for call := range d.Calls {
			if d.Open(call) {
				inputs[fmt.Sprintf("blocked/%s/%d", d.ID, call)] = input{made: made{Denied: &d, Call: call}}
			}
		}
	}
	for _, w := range open.Wishes {
		inputs["wish/"+w.ID] = input{made: made{Wish: &w}}
	}
	for id, in := range inputs { // a shell is nobody's agent any more, unless it ended at its work
		if in.made.Pane != nil && in.made.Pane.State == screen.Shell && in.made.Nudge == nil {
			delete(inputs, id)
		}
	}
	return inputs
}

// card returns the card for an input, without its id and its screen.
func (b builder) card(in input) (c Card) {
	switch m := in.made; {
	case m.Denied != nil:
		return b.blocked(*m.Denied, m.Call)
	case m.Wish != nil:
		return b.wish(*m.Wish)
	case m.Pane == nil:
		c = Card{Agent: b.agent(m.Nudge.Whereabouts)}
	default:
		c = b.pane(*m.Pane, m.Queued)
	}
	if n := in.made.Nudge; n != nil && n.Asks() {
		b.ask(&c, n)
	}
	if m := in.made; m.Pane != nil && m.Pane.Pane.ID != "" {
		_, why := nudge.RefuseQueued("x", detect.Sighting{Whereabouts: m.Pane.Whereabouts, State: m.Pane.State}, m.Queued)
		c.Actions = append(c.Actions, Action{Do: Tell, Refused: b.why(why)})
	}
	return c
}

// why returns a reason in words. It may quote a screen, so it is masked.
func (b builder) why(w reason.Why) string { return message.OneLine(b.style.Redact(words.Why(w))) }

// text returns foreign text masked, with every character visible.
func (b builder) text(s string) string { return message.ForeignText(b.style.Redact(s)) }

// code is text with tabs at their usual width.
func (b builder) code(s string) string { return b.text(strings.ReplaceAll(s, "\t", "    ")) }

func (b builder) line(s string) string { return message.OneLine(b.style.Redact(s)) }

func (b builder) agent(w detect.Whereabouts) Agent {
	return Agent{
		Title: b.style.Title(w.Agent, w.Name, w.Project), Agent: b.line(w.Agent), Project: b.line(w.Project),
		Where: b.style.Where(w.Where), Pane: w.Pane.ID, Server: w.Pane.Address(), Life: w.Life(),
	}
}

// The order in a section: first what is stuck, then what waits, last what was put off.
const (
	stuckFirst = iota
	waitsNext
	skippedLast
)

// rank is a card's place in its section; it does not depend on other cards. Of one kind the older one comes first.
func rank(kind int, since time.Time) int { return kind*1e13 + int(since.UnixMilli()) }

// pane makes the card of an agent without a known question, in a pane or outside.
func (b builder) pane(s seen, queued int) Card {
	c := Card{Section: Working, Agent: b.agent(s.Whereabouts), State: string(s.State), Since: s.Since.UTC(), Rank: rank(waitsNext, s.Since)}
	var notes []string
	if !s.Blocked.IsZero() {
		notes = append(notes, b.why(s.Blocked))
	}
	if s.State == screen.Silent || !s.Blocked.IsZero() {
		c.Rank = rank(stuckFirst, s.Since)
	}
	for _, why := range s.Unasked {
		notes = append(notes, b.why(why))
	}
	if queued > 0 {
		notes = append(notes, plural.Of(queued, "instruction waits", "instructions wait")+" for its turn.")
	}
	c.Note = strings.Join(notes, " ")
	switch {
	case s.Pane.ID == "":
		c.Section = Elsewhere
	case s.State == screen.Idle:
		c.Section, c.Did = Idle, b.did(s)
	}
	return c
}

// did returns what an idle agent did last; nil: not known.
func (b builder) did(s seen) *Did {
	did := Did{Words: strings.TrimSpace(b.text(s.Words))}
	files := map[string]bool{}
	for _, e := range s.Edits {
		files[e.Path] = true
		did.Added, did.Removed = did.Added+e.Added, did.Removed+e.Removed
		f := File{Name: b.line(e.Path)}
		for line := range strings.Lines(b.code(e.Diff)) {
			f.line(strings.TrimSuffix(line, "\n"))
		}
		if e.Cut {
			f.line("…")
		}
		did.Diff = append(did.Diff, f)
	}
	did.Files = len(files)
	if did.Words == "" && did.Diff == nil {
		return nil
	}
	return &did
}

// ask adds a question to a card, with the answers that are possible under the rules for answers.
func (b builder) ask(c *Card, n *nudge.Nudge) {
	r := message.Of(*n, b.style)
	told := r.Told()
	c.Section, c.Title, c.State, c.Since = Needs, r.Title, string(n.Kind()), n.Detected.UTC()
	c.Rank = rank(waitsNext, n.Detected)
	switch {
	case !n.Skipped.IsZero():
		c.Rank = rank(skippedLast, n.Skipped)
	case n.Stuck():
		c.Rank = rank(stuckFirst, n.Detected)
	}
	c.Note = strings.TrimSpace(c.Note + " " + b.noteOf(n))
	c.Asks = &Asks{
		Nudge: n.ID, Fingerprint: n.Drawn(), Kind: string(n.Kind()), Verb: told.Verb, Question: told.Question, Subject: told.Subject, Lead: told.Lead,
		Diff: editOf(b.text(n.Prompt().Diff)), Plan: planOf(b.code(n.Prompt().Plan)), Minds: minds(told.Minds),
		Reminder: n.Reminder + n.Round, Stuck: n.Stuck(),
	}
	c.Asks.cutEdit()
	c.Asks.Diff = editOf(b.code(n.Prompt().Diff)) // as wide as it is; the subject has a blank for a tab
	b.file(c.Asks, n)
	for i, o := range n.Prompt().Options {
		shown := told.Answers[i]
		option := Option{Label: shown.Label, Note: shown.Note, Lasts: shown.Lasts}
		option.Number, _ = strconv.Atoi(shown.Number)
		line := shown.Number
		if o.Tick != screen.NoBox {
			ticked := o.Tick == screen.On
			option.Ticked, line = &ticked, "tick "+line
		}
		option.Refused = b.refused(n, line, "")
		c.Asks.Options = append(c.Asks.Options, option)
	}
	c.Actions = append(b.answers(n), c.Actions...)
}

// file separates from the subject the file that a program asks about, if that is a diff.
func (b builder) file(a *Asks, n *nudge.Nudge) {
	p := n.Prompt()
	lines := strings.Split(b.code(p.Subject), "\n") // masked as one text
	if n.Program() == nil || n.Kind() != screen.Question || p.Lead >= len(lines) || len(lines) != 1+strings.Count(p.Subject, "\n") {
		return
	}
	if a.Diff = unifiedDiff(strings.Join(lines[p.Lead:], "\n")); a.Diff != nil {
		a.Subject = strings.Join(strings.Split(a.Subject, "\n")[:a.Lead], "\n")
	}
}

// minds returns the sentences without the sign at their beginning, which not every terminal can draw.
func minds(sentences []string) (bare []string) {
	for _, s := range sentences {
		if sign, rest, ok := strings.Cut(s, " "); ok && !strings.ContainsFunc(sign, func(r rune) bool { return !unicode.Is(unicode.So, r) }) {
			s = rest
		}
		bare = append(bare, s)
	}
	return bare
}

// noteOf says how the last answer ended, and until when nobody is reminded.
func (b builder) noteOf(n *nudge.Nudge) string {
	switch {
	case n.State == nudge.Claimed, n.State == nudge.Typing, n.State == nudge.Expired:
		return b.why(n.Would(nudge.Answer{Read: b.now}, b.now).Detail)
	case n.Reason != "" && !n.Detail.IsZero():
		return b.why(n.Detail)
	case n.Snoozes(b.now):
		return "Snoozed until " + n.Snoozed.In(b.style.Zone).Format("15:04") + "."
	}
	return ""
}

// answers returns the acts that answer a question, each with the reason why it can't be done now.
func (b builder) answers(n *nudge.Nudge) (list []Action) {
	add := func(do Act, line, words string) {
		list = append(list, Action{Do: do, Refused: b.refused(n, line, words)})
	}
	p := n.Prompt()
	if n.TakesYesNo() {
		add(Yes, "y", "")
		add(No, "n", "")
	}
	if n.TakesReason() {
		add(DenyWords, "n", "x")
	}
	box := slices.IndexFunc(p.Options, func(o screen.Option) bool { return o.Tick != screen.NoBox })
	for i, o := range p.Options {
		if o.Tick == screen.NoBox && n.Offers(i) {
			add(Choose, n.OptionNumber(i), "")
			break
		}
	}
	if box >= 0 {
		add(Tick, "tick "+n.OptionNumber(box), "")
	}
	if box >= 0 || len(p.Send) > 0 {
		add(Send, "send", "")
	}
	if len(p.Dismiss) > 0 {
		add(Leave, "leave", "")
	}
	if p.TextField || p.Writes > 0 {
		add(Words, "", "x")
	}
	switch {
	case n.State == nudge.Pending:
		list = append(list, Action{Do: Skip}, Action{Do: Snooze})
	case n.Standing:
		list = append(list, Action{Do: Again}, Action{Do: Skip})
	}
	return list
}

// refused says why an answer would be refused whatever its human consents to; empty: it would not.
func (b builder) refused(n *nudge.Nudge, line, text string) string {
	v := n.Would(nudge.Answer{Way: nudge.ByInbox, Line: line, Said: nudge.Said{Text: text}, Read: b.now}, b.now)
	switch v.Kind {
	case nudge.Taken, nudge.AskUnseen, nudge.AskSure:
		return ""
	}
	return b.why(v.Detail)
}

// blocked makes the card of a call that an agent's guard denied.
func (b builder) blocked(d nudge.Denials, call int) Card {
	blocked := d.Calls[call]
	told := message.BlockedTold(blocked, d.Project, b.style)
	c := Card{Section: Denied, Agent: b.agent(d.Whereabouts), State: "blocked", Since: blocked.At.UTC(), Rank: rank(waitsNext, blocked.At)}
	if d.More && call == len(d.Calls)-1 {
		c.Note = message.MoreBlocked
	}
	if blocked.Held.After(b.now) {
		c.Note, c.Rank = "The agent is held for your answer.", rank(stuckFirst, blocked.At)
	}
	c.Asks = &Asks{
		Nudge: d.ID, Call: call, Fingerprint: d.Fingerprint(call), Kind: "denied", Verb: told.Verb, Subject: told.Subject, Lead: told.Lead,
		Says: told.Says, Minds: minds(told.Minds),
	}
	c.Actions = []Action{{Do: Allow}, {Do: LeaveIt}}
	return c
}

// wish makes the card of a wish.
func (b builder) wish(w nudge.Wish) Card {
	told := message.WishTold(w, b.style)
	return Card{
		Section: Elsewhere, Agent: b.agent(w.Whereabouts), State: "wish", Since: w.Made.UTC(), Rank: rank(waitsNext, w.Made),
		Asks: &Asks{
			Nudge: w.ID, Fingerprint: w.Fingerprint(), Kind: "wish", Subject: told.Subject, Lead: told.Lead, Says: told.Says, Minds: minds(told.Minds),
		},
		Actions: []Action{{Do: SendWish}, {Do: DropWish}},
	}
}

// For how long, and how many, earlier answers are shown.
const (
	answeredFor  = 15 * time.Minute
	answeredMost = 20
)

// did says what an answer did, in a word or by the option that it chose.
func did(c *nudge.Claim) string {
	switch {
	case c.Choice != nil:
		return c.Choice.Label
	case c.Decision == "":
		return "told"
	}
	past := map[screen.Decision]string{screen.Approve: "approved", screen.Deny: "denied", screen.Dismiss: "dismissed", screen.Send: "sent"}
	return past[c.Decision]
}

// answered returns the last answers, the newest first.
func (b builder) answered(nudges []nudge.Nudge) (list []Answered) {
	for _, n := range nudges[:min(len(nudges), answeredMost)] {
		subject := strings.TrimSpace(n.Prompt().Verb + " " + n.Prompt().Leading())
		if !n.Asks() {
			subject = n.Claim.Text
		}
		list = append(list, Answered{
			Nudge: n.ID, Title: message.Of(n, b.style).Title, Subject: message.Cut(b.line(subject), 200), Answer: b.line(did(n.Claim)), By: b.line(n.Claim.By.Name),
			State: string(n.State), At: n.Ended.UTC(),
		})
	}
	return list
}
