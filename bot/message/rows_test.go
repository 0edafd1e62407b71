package message

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/nudge"
)

// eachRound calls f with a random source for each of n rounds, in a fast run an eighth of them.
func eachRound(t *testing.T, n int, f func(r *rand.Rand)) {
	t.Helper()
	seed := rand.Uint64()
	for round := range uint64(testrun.Rounds(n/8, n)) {
		if f(rand.New(rand.NewPCG(seed, round))); t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// word is a word that stands nowhere else.
func word(r *rand.Rand) string { return fmt.Sprintf("w%dq", r.Uint64()) }

func someWords(r *rand.Rand) string {
	all := make([]string, 1+r.IntN(4))
	for i := range all {
		all[i] = word(r)
	}
	return strings.Join(all, " ")
}

func asking(n nudge.Nudge, now time.Time) page {
	return Of(n, goldenStyle()).Asking(goldenChat, goldenSeal, now, false).Page
}

var foldedQuote = regexp.MustCompile(`(?s)<blockquote expandable>.*?</blockquote>`)

// TestOnlyAReminderSaysHowLongItWaits, first of all, so that a lock screen tells it from a new question.
func TestOnlyAReminderSaysHowLongItWaits(t *testing.T) {
	t.Parallel()
	eachRound(t, 30, func(r *rand.Rand) {
		n := anyPermission(r)
		if r.IntN(2) == 0 {
			n.About = nudge.Question{Prompt: n.Prompt()}
		}
		n.Prompt().Shape = word(r)
		n.Cadence, n.Reminder, n.Detected = make([]time.Duration, 6), r.IntN(7), noon
		minutes := 1 + r.IntN(59)
		p := asking(n, noon.Add(time.Duration(minutes)*time.Minute))
		again := n.Reminder > 1
		if got := strings.HasPrefix(p.Plain, fmt.Sprintf("⏰ %d min · ", minutes)); got != again {
			t.Errorf("reminder %d begins %.60q", n.Reminder, p.Plain)
		}
		if got := strings.HasSuffix(p.Plain, fmt.Sprintf("#k3f · reminder %d of 6", n.Reminder)); got != again {
			t.Errorf("reminder %d ends %q", n.Reminder, p.Plain[max(0, len(p.Plain)-60):])
		}
		if strings.Contains(p.Plain, n.Prompt().Shape) {
			t.Error("it names its shape")
		}
	})
}

// TestWhatMustBeSeenIsNeverFolded, however long the command, the screen and what the agent says are.
func TestWhatMustBeSeenIsNeverFolded(t *testing.T) {
	t.Parallel()
	eachRound(t, 30, func(r *rand.Rand) {
		n := anyPermission(r)
		n.Reminder = r.IntN(7)
		n.Prompt().Partial, n.Prompt().Doubts = true, []reason.Why{{Said: someWords(r)}, {Said: someWords(r)}}
		n.Again, n.Prompt().Taught, n.Prompt().Why = reason.Why{Said: someWords(r)}, word(r), reason.Why{Said: someWords(r)}
		n.Prompt().Subject += "\nsudo rm -rf build " + word(r)
		seen := []string{n.Again.Said, n.Prompt().Doubts[0].Said, n.Prompt().Doubts[1].Said, n.Prompt().Taught, "runs as root", "deletes files"}
		if r.IntN(2) == 0 {
			n.Prompt().Approve = nil
			seen = append(seen, n.Prompt().Why.Said)
		} else {
			seen = append(seen, "accept the rest unseen")
		}
		style := NewStyle("", false, time.UTC, func(text string) string { return strings.ReplaceAll(text, "sudo", "•••o") })
		p := Of(n, style).Asking(goldenChat, goldenSeal, noon, false).Page
		seen = append(seen, "A secret in it is masked")
		open := foldedQuote.ReplaceAllString(p.HTML, "")
		for _, part := range seen {
			if !strings.Contains(open, part) {
				t.Errorf("%q can't be seen without a tap in\n%.2000s", part, open)
			}
		}
	})
}

// TestAnAdvertisementIsNeverWhatTheAgentSays, and is behind all that it does say; a command is never taken for one.
func TestAnAdvertisementIsNeverWhatTheAgentSays(t *testing.T) {
	eachRound(t, 300, func(r *rand.Rand) {
		says, command, tip := someWords(r), "Tip: "+someWords(r), "Tip: "+someWords(r)
		lines := []string{tip, says}
		if r.IntN(2) == 0 {
			lines = []string{says, tip}
		}
		n := goldenNudge(func(n *nudge.Nudge) {
			n.Prompt().Subject, n.Prompt().Lead = strings.Join(append([]string{command}, lines...), "\n"), 1
			n.Tail = append([]string{someWords(r)}, n.Tail...)
		})
		p := asking(n, noon)
		where := func(part string) int { return strings.Index(p.HTML, part) }
		if !strings.HasPrefix(p.Plain, "⚠ claude in api: "+command+"\n") {
			t.Errorf("the command is not its first line:\n%s", p.Plain)
		}
		if where("<blockquote>"+says+"</blockquote>") < 0 {
			t.Errorf("what the agent says does not stand by itself:\n%s", p.HTML)
		}
		if at := where("<blockquote expandable>" + tip); at < where(says) || at < where(strings.Fields(n.Tail[0])[0]) {
			t.Errorf("the tip does not stand last:\n%s", p.HTML)
		}
	})
}

// TestTheScreenIsShownOnlyWhereItSaysMore than title, question and answers of its dialog.
func TestTheScreenIsShownOnlyWhereItSaysMore(t *testing.T) {
	eachRound(t, 300, func(r *rand.Rand) {
		more := someWords(r)
		n := goldenNudge(func(n *nudge.Nudge) {
			n.Prompt().Subject, n.Prompt().Title = someWords(r), someWords(r)
			n.Tail = []string{" " + n.Prompt().Title, "", "   " + n.Prompt().Subject, "", " " + n.Prompt().Question}
			for i := range n.Prompt().Options {
				n.Prompt().Options[i].Label += " " + word(r)
				n.Tail = append(n.Tail, fmt.Sprintf("  %d. %s", i+1, n.Prompt().Options[i].Label))
			}
			n.Tail = append(n.Tail, "", " Esc to cancel")
		})
		if p := asking(n, noon); foldedQuote.MatchString(p.HTML) {
			t.Errorf("the screen says no more, and is shown:\n%s", p.HTML)
		}
		at := r.IntN(4)
		n.Tail = append(n.Tail[:at:at], append([]string{" " + more}, n.Tail[at:]...)...)
		if p := asking(n, noon); !strings.Contains(foldedQuote.FindString(p.HTML), more) {
			t.Errorf("%q is lost:\n%s", more, p.HTML)
		}
	})
}

// TestAPlainCommandIsApprovableFromAMessageForSeveral, where all of it is there, and what is longer is not.
func TestAPlainCommandIsApprovableFromAMessageForSeveral(t *testing.T) {
	eachRound(t, 30, func(r *rand.Rand) {
		n := anyPermission(r)
		n.Prompt().Partial, n.Prompt().Verb, n.Prompt().Question = false, "", ""
		plain := r.IntN(2) == 0
		if plain {
			n.Prompt().Subject, n.Prompt().Lead = strings.Join([]string{someWords(r), someWords(r), "Tip: " + word(r)}[:1+r.IntN(3)], "\n"), 1
		}
		v := Of(n, goldenStyle())
		whole := v.WholeInGroup()
		if plain && !whole {
			t.Errorf("there is more to see of %q", n.Prompt().Subject)
		}
		p := Group([]nudge.Nudge{n, n, n}, goldenChat, goldenSeal, goldenStyle(), noon, true).Page
		if whole && !p.Short && !holdsLines(p.Plain, v.subject) {
			t.Errorf("a part of %q stands nowhere in\n%s", v.subject, p.Plain)
		}
	})
}
