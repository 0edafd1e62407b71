package nudge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The model of fresh answers follows the sentences of the specification. It works on what happened in a chat,
// not on records. Times are seconds.

// happening is one nudge or other message: its kind, the times of its messages, and how it ended.
type happening struct {
	name    string
	sort    sort
	told    []int // when its first message and its reminders came
	consent []int // when questions for consent about it came
	snoozed int   // the end of the snooze
	ended   int   // 0: it still waits
	byMe    bool  // Ann's own answer ended it
}

// sort is what a happening is to somebody who answers with y or with a number.
type sort int

const (
	aPermission   sort = iota
	aYesNo             // a program's question with the answers yes and no
	otherOptions       // a question with other answers
	wordsOnly          // a question that only words can answer
	idleAsking         // an idle agent whose last words ask something
	idleQuiet          // an idle agent whose last words ask nothing
	forSeveral         // a message about several nudges
	somethingElse      // a wish, a denied call, a machine that wants to join
	sorts
)

// story is everything that happened in the chat, and the answer.
type story struct {
	things  []happening
	number  bool // the answer is 2 instead of y
	written int
	read    int
}

// answers reports whether h is of the kind that the answer is for.
func (s story) answers(h happening) bool {
	if s.number {
		return h.sort == aYesNo || h.sort == otherOptions
	}
	return h.sort == aPermission || h.sort == aYesNo
}

// last returns the newest message of h that Ann had received when she wrote; 0: none. Never do two messages
// come in the same second.
func (s story) last(h happening) int {
	newest := 0
	for _, at := range h.told {
		if at < s.written {
			newest = max(newest, at)
		}
	}
	return newest
}

func (h happening) pending() bool { return h.ended == 0 }

// endedJustNow reports whether h ended less than a minute before she wrote, other than by her own answer.
func (s story) endedJustNow(h happening) bool {
	return h.ended != 0 && s.written-h.ended < 60 && !(h.byMe && h.ended < s.written)
}

// model returns what the sentences demand: the name of the nudge that is meant, or that nod asks.
func (s story) model() (name string, ask bool) {
	// The answer goes to the pending nudge whose newest message is the last that this person received before
	// they wrote. A snoozed nudge is never meant.
	var meant happening
	for _, h := range s.things {
		if s.answers(h) && h.pending() && h.snoozed <= s.written && s.last(h) > s.last(meant) {
			meant = h
		}
	}
	if meant.name == "" {
		return "", true
	}
	that := s.last(meant)
	for _, h := range s.things {
		if h.name == meant.name {
			continue
		}
		// A message of another nudge, pending or ended less than a minute before, came within thirty
		// seconds of that message.
		if s.answers(h) && (h.pending() || s.endedJustNow(h)) {
			for _, at := range slices.Concat(h.told, h.consent) {
				if at < s.written && max(at-that, that-at) <= 30 {
					return "", true
				}
			}
		}
		// Another nudge is pending, and that message came less than ten seconds before the answer.
		if s.answers(h) && h.pending() && s.written-that < 10 {
			return "", true
		}
		// A newer nudge waits for another kind of answer, or is an idle notice whose last words ask
		// something.
		if !s.answers(h) && h.sort != idleQuiet && h.pending() && s.last(h) > that {
			return "", true
		}
		// A newer nudge ended less than a minute before they wrote, other than by their own answer.
		if h.sort != idleQuiet && s.endedJustNow(h) && s.last(h) > that {
			return "", true
		}
	}
	for _, h := range s.things {
		for _, at := range h.consent { // a question for consent about any nudge
			if h.pending() && at > that && at < s.written {
				return "", true
			}
		}
	}
	// It is read more than five minutes after it was written.
	return meant.name, s.read-s.written > 5*60
}

// records returns nod's records of the story.
func (s story) records() (Answer, Scene) {
	var c chatter
	scene := Scene{OnTheWay: func(*Nudge) bool { return false }}
	for _, h := range s.things {
		if h.sort == forSeveral || h.sort == somethingElse {
			for _, at := range h.told {
				m := c.sent(at)
				scene.Asking = append(scene.Asking, OtherMessage{Ref: m.Ref, Sent: m.Sent, Several: h.sort == forSeveral})
			}
			continue
		}
		n := c.open(map[sort]Nudge{
			aPermission: permissionOf(h.name), aYesNo: optionsOf(h.name, true, "yes", "no"),
			otherOptions: optionsOf(h.name, true, "dev", "prod"), wordsOnly: optionsOf(h.name, true),
			idleAsking: idleOf(h.name, "Done.\nMay I go on?"), idleQuiet: idleOf(h.name, "Done."),
		}[h.sort], h.told...)
		if h.sort == wordsOnly {
			n.Prompt().TextField = true
		}
		for _, at := range h.consent {
			m := c.sent(at)
			m.Unseen = true
			n.Copies = append(n.Copies, m)
		}
		if h.snoozed > 0 {
			n.Snoozed = second(h.snoozed)
		}
		switch {
		case h.byMe && h.ended != 0:
			n.claimedBy("ann", Delivered, h.ended)
		case h.ended%3 == 1:
			n.claimedBy("bob", Delivered, h.ended)
		case h.ended != 0:
			n.ends(Recovered, h.ended)
		}
	}
	scene.Nudges = c.nudges
	text := "y"
	if s.number {
		text = "2"
	}
	a := c.says(text, s.written)
	a.Read = second(s.read)
	return a, scene
}

// drawStory invents a chat in which times are close to all limits of the sentences.
func drawStory(r *rand.Rand) story {
	taken := map[int]bool{0: true}
	now := 100
	moment := func() int {
		steps := []int{1, 2, 5, 9, 10, 11, 19, 29, 30, 31, 40, 59, 60, 61, 90, 300}
		at := now + steps[r.IntN(len(steps))]
		for taken[at] {
			at++
		}
		taken[at], now = true, at
		return at
	}
	s := story{number: r.IntN(3) == 0}
	for i := range 1 + r.IntN(4) {
		sorts := []sort{aPermission, aPermission, aYesNo, sort(r.IntN(int(sorts)))}
		if s.number {
			sorts[1] = otherOptions
		}
		s.things = append(s.things, happening{name: fmt.Sprint("n", i), sort: sorts[r.IntN(len(sorts))], told: []int{moment()}})
	}
	for range r.IntN(4) {
		h := &s.things[r.IntN(len(s.things))]
		single := h.sort == forSeveral || h.sort == somethingElse
		asks := h.sort == aPermission || h.sort == aYesNo || h.sort == otherOptions
		switch what := r.IntN(6); {
		case single || h.ended != 0:
		case what < 2:
			h.told = append(h.told, moment())
		case what == 2 && asks:
			h.snoozed = now + 1 + r.IntN(200)
		case what == 3 && h.sort == aPermission:
			h.consent = append(h.consent, moment())
		case what > 3:
			h.ended, h.byMe = moment(), asks && r.IntN(2) == 0
		}
	}
	s.written = moment()
	late := []int{0, 1, 20, 299, 300, 301, 1000}
	s.read = s.written + late[r.IntN(len(late))]
	if h := &s.things[r.IntN(len(s.things))]; r.IntN(6) == 0 && h.ended == 0 && s.read > s.written+1 && h.sort != forSeveral && h.sort != somethingElse {
		h.ended = s.written + 1 // between the two
	}
	if r.IntN(6) == 0 { // and something came afterwards
		s.things = append(s.things, happening{name: "after", sort: aPermission, told: []int{s.written + 1}})
	}
	return s
}

// TestNoFreshAnswerIsAppliedWhereTheModelAsks: the function applies an answer only if the sentences do, and
// to the same nudge. It may ask more often only if the newest message came within ten seconds of the answer,
// according to the sentence about the previous question in the same pane.
func TestNoFreshAnswerIsAppliedWhereTheModelAsks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	applied := 0
	for range 3000 {
		s := drawStory(r)
		want, ask := s.model()
		a, scene := s.records()
		m := Meant(a, scene)
		switch {
		case m.Nudge != nil && (ask || m.Nudge.ID != want):
			t.Fatalf("%+v: applied to %s, the model says %q, ask %t", s, m.Nudge.ID, want, ask)
		case m.Nudge != nil:
			applied++
		case !ask && m.Doubt != cameJustNow:
			t.Fatalf("%+v: asks (%s), the model applies it to %s", s, m.Doubt, want)
		}
	}
	if applied < 300 {
		t.Errorf("%d answers were applied: the stories prove little", applied)
	}
}
