package keeper_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/testrun"
	"nod/nudge"
)

var itself = nudge.Wisher{Name: "the agent itself", Agent: proc.ID{PID: 7, Start: 70}}

// wish has the agent of pane %1 wish for a text.
func (w *world) wish(text string) *nudge.Wish {
	w.Helper()
	placed, err := w.Wish(pane("%1"), text, itself, time.Hour)
	if err != nil || placed.Reason != "" {
		w.Fatal(placed.Refusal, err)
	}
	synctest.Wait()
	return placed.Wish
}

// tapOf is a tap on a button under a wish, by somebody in their own chat.
func (w *world) tapOf(who nudge.Place, wish *nudge.Wish) nudge.Answer {
	w.update++
	a := nudge.Answer{
		Nudge: wish.ID, By: nudge.Person{ID: who, Name: "No. " + string(who)}, Way: nudge.ByButton,
		Ref: nudge.Ref{Place: who, Update: w.update}, Written: time.Now(), Read: time.Now(),
	}
	for _, c := range w.wishNow(wish.ID).Copies {
		if c.Place == who {
			a.Message = c.Message
		}
	}
	return a
}

func (w *world) send(who nudge.Place, wish *nudge.Wish, fingerprint string) nudge.Placed {
	w.Helper()
	placed, err := w.SendWish(w.tapOf(who, wish), fingerprint)
	if err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
	return placed
}

func (w *world) wishNow(id string) nudge.Wish {
	w.Helper()
	wish, found, err := w.WishOf(id)
	if err != nil || !found {
		w.Fatalf("wish %s: found %t, %v", id, found, err)
	}
	return wish
}

func (w *world) wantWish(id string, want nudge.WishState) nudge.Wish {
	w.Helper()
	wish := w.wishNow(id)
	if wish.State != want {
		w.Fatalf("wish %s is %s, want %s", id, wish.State, want)
	}
	return wish
}

// anyText returns a text for a wish. Its first character has any script or width, or is invisible.
func anyText(r *rand.Rand) string {
	var first rune
	for first == 0 || !unicode.In(first, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C) || first >= 0xd800 && first < 0xe000 {
		first = []rune{rune(r.IntN(0x80)), rune(r.IntN(0x3000)), 0xff00 + rune(r.IntN(0x100)), rune(r.IntN(unicode.MaxRune))}[r.IntN(4)]
	}
	body := []string{"run the tests", "rm -rf build", "/clear", "токен=abc", "\u202egnp", "", strings.Repeat("long ", 700), "key ghp_" + strings.Repeat("a1", 18)}[r.IntN(8)]
	return fmt.Sprintf("%c%s %x", first, body, r.Uint32())
}

// TestNoWishIsTypedWithoutATapOnSend: agents wish, become idle, leave and come; supervisors and strangers
// send, drop, and answer with words; time passes and nod is restarted, in any order. Only a text that a
// supervisor sent under exactly these words is typed: in their name, once, and into no other agent.
func TestNoWishIsTypedWithoutATapOnSend(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	ends := map[nudge.WishState]int{}
	for round := range uint64(testrun.Rounds(75, 300)) {
		r := rand.New(rand.NewPCG(seed, round))
		inBubble(t, func(w *world) {
			w.rules.Supervisors, w.rules.Idle = []nudge.Place{ann, bob}, true
			w.deliver()
			s := &wishStorm{world: w, Rand: r, process: proc.ID{PID: 7, Start: 70}, sent: map[string]nudge.Person{}}
			s.looks(screen.Working)
			for range 20 {
				s.happen()
				s.check()
			}
			s.looks(screen.Idle)
			s.check()
			for _, wish := range s.wishes {
				ends[s.wishNow(wish.ID).State]++
			}
			ends["typed"] += len(s.typings()) + len(s.typed)
		})
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	for _, end := range []nudge.WishState{nudge.Wished, nudge.WishSent, nudge.WishDropped, nudge.WishExpired, nudge.WishVoid, "typed"} {
		if ends[end] < testrun.Rounds(2, 10) {
			t.Errorf("%d wishes were %s, so this proves little: %v", ends[end], end, ends)
		}
	}
	t.Log(ends)
}

// wishStorm makes things happen around wishes, in any order.
type wishStorm struct {
	*world
	*rand.Rand
	process proc.ID // the agent in the pane now
	wishes  []*nudge.Wish
	sent    map[string]nudge.Person // who sent each wish under exactly its words
	typed   []deliver.Request       // by earlier typists
}

func (s *wishStorm) looks(state screen.State) {
	s.Helper()
	time.Sleep(time.Second)
	look := is("%1", state)
	if state.Asks() {
		look = shows("%1", permission(fmt.Sprint("make ", s.IntN(3))))
	}
	look.Process, look.Since, look.Worked = s.process, time.Now(), true
	for range 3 {
		look.At = time.Now()
		s.see(look)
		time.Sleep(time.Millisecond)
	}
	synctest.Wait()
	if state == screen.Gone {
		s.process.PID++
	}
}

func (s *wishStorm) happen() {
	s.Helper()
	switch s.IntN(16) {
	case 0, 1, 2:
		text := anyText(s.Rand)
		placed, err := s.Wish(pane("%1"), text, itself, time.Hour)
		if err != nil {
			s.Fatal(err)
		}
		if placed.Reason == "" {
			s.wishes = append(s.wishes, placed.Wish)
		}
	case 3, 4:
		s.looks([]screen.State{screen.Idle, screen.Working, screen.Permission}[s.IntN(3)])
	case 5:
		s.process.PID++
		s.looks(screen.Working)
	case 6:
		s.looks([]screen.State{screen.Shell, screen.Gone}[s.IntN(2)])
	case 7:
		s.typed = append(s.typed, s.typings()...)
		s.typist = &typist{}
		s.restart()
		s.deliver()
	case 8:
		time.Sleep([]time.Duration{time.Minute, 10 * time.Minute, 10 * time.Minute, 9 * time.Hour}[s.IntN(4)])
		s.tick()
	case 9:
		s.tell()
	case 10, 11, 12, 13:
		s.tap()
	case 14:
		s.answer()
	case 15:
		s.rules.Supervisors = [][]nudge.Place{{ann}, {ann, bob}, {bob}}[s.IntN(3)]
	}
	synctest.Wait()
}

// tap has somebody tap a button of some wish, with the text of that message.
func (s *wishStorm) tap() {
	s.Helper()
	if len(s.wishes) == 0 {
		return
	}
	wish := s.wishes[s.IntN(len(s.wishes))]
	who := []nudge.Place{ann, ann, bob, "666"}[s.IntN(4)]
	if s.IntN(4) == 0 {
		if _, err := s.DropWish(s.tapOf(who, wish)); err != nil {
			s.Fatal(err)
		}
		return
	}
	shown := []string{wish.Fingerprint(), wish.Fingerprint(), "", s.wishes[s.IntN(len(s.wishes))].Fingerprint()}[s.IntN(4)]
	a := s.tapOf(who, wish)
	if placed, err := s.SendWish(a, shown); err != nil {
		s.Fatal(err)
	} else if placed.Reason == "" && !placed.Repeated {
		if shown != wish.Fingerprint() || !s.rules.Supervises(who) || s.sent[wish.ID].ID != "" {
			s.Fatalf("%s was sent by %s, who was shown %q", wish.ID, who, shown)
		}
		s.sent[wish.ID] = a.By
	}
	if placed, err := s.SendWish(a, shown); err != nil || !placed.Repeated { // Telegram delivers it again
		s.Fatalf("the same update: %+v, %v", placed, err)
	}
}

// answer has a supervisor say something: fresh, in reply to a wish, or with its id.
func (s *wishStorm) answer() {
	s.Helper()
	said := []string{"y", "yes", "n", "1", "Yes", "send"}[s.IntN(6)]
	a := s.world.answer([]nudge.Way{nudge.ByFresh, nudge.ByReply, nudge.ByCommand}[s.IntN(3)], "")
	a.Text = said
	a.Decision, a.Nudge, _ = nudge.ParseWord(said, a.Way)
	if len(s.wishes) > 0 {
		wish := s.wishes[s.IntN(len(s.wishes))]
		a.Nudge = wish.ID
		if a.Way == nudge.ByFresh && s.IntN(2) == 0 {
			a.Nudge = ""
		}
		if a.Way == nudge.ByReply {
			a.Shown = []nudge.Shown{{Nudge: wish.ID, Own: true, Subject: wish.Fingerprint()}}
			for _, c := range s.wishNow(wish.ID).Copies {
				a.ReplyTo = c.Message
			}
		}
	}
	if _, err := s.Answer(a); err != nil {
		s.Fatal(err)
	}
}

// typings returns the texts that this typist was allowed to type.
func (w *world) typings() (typed []deliver.Request) {
	w.typist.mu.Lock()
	defer w.typist.mu.Unlock()
	for _, r := range w.typist.asked {
		if r.Instruction != "" && slices.Contains(w.typist.began, r.Nudge) {
			typed = append(typed, r)
		}
	}
	return typed
}

// check fails if something was typed that nobody sent.
func (s *wishStorm) check() {
	s.Helper()
	waiting := map[detect.PaneRef]int{}
	for _, wish := range s.wishes {
		now := s.wishNow(wish.ID)
		if now.State == nudge.Wished {
			waiting[now.Pane]++
		}
		typed := 0
		for _, r := range append(s.typings(), s.typed...) {
			if string(r.Instruction) != wish.Text {
				continue
			}
			typed++
			if by, ok := s.sent[wish.ID]; !ok || r.Nudge != wish.ID || r.Process != wish.Process || now.State != nudge.WishSent {
				s.Fatalf("typed %q, which is %s and was sent by %q", r.Instruction, now.State, by.Name)
			}
			if i, found, err := s.Instruction(wish.ID); err != nil || !found || i.By != s.sent[wish.ID] || i.Way != nudge.ByButton {
				s.Fatalf("it is the instruction of %+v, %v", i.By, err)
			}
		}
		if _, sent := s.sent[wish.ID]; typed > 1 || sent != (now.State == nudge.WishSent) {
			s.Fatalf("wish %s is %s, typed %d times, sent %t", wish.ID, now.State, typed, sent)
		}
	}
	for ref, n := range waiting {
		if n > 5 {
			s.Fatalf("%d wishes wait for %s", n, ref)
		}
	}
}

// TestAReplyUnderAWishIsNoAnswer, according to nod's record of the message alone.
func TestAReplyUnderAWishIsNoAnswer(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		wish := w.wish("! make")
		w.tell()
		a := w.answer(nudge.ByReply, screen.Approve)
		a.ReplyTo = w.wishNow(wish.ID).Copies[0].Message
		if v := w.give(a, nudge.Rejected); v.Reason != deliver.Wish {
			t.Errorf("refused for %s", v.Reason)
		}
		w.wantWish(wish.ID, nudge.Wished)
	})
}

// TestAnUnlearntMessageOfAWishCloses after a tap under it, like the messages that nod knows.
func TestAnUnlearntMessageOfAWishCloses(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		wish := w.wish("! make")
		tap := w.tapOf(ann, wish)
		tap.Message = 77
		if placed, err := w.DropWish(tap); err != nil || placed.Reason != "" {
			t.Fatal(placed.Refusal, err)
		}
		if told := w.tell(); len(told) != 1 || told[0].Copy.Message != 77 {
			t.Errorf("told %+v", told)
		}
	})
}

// TestAWishIsSentOnceByTwoTaps at the same time.
func TestAWishIsSentOnceByTwoTaps(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.rules.Supervisors = []nudge.Place{ann, bob}
		w.look(screen.Idle)
		wish := w.wish("! make")
		w.tell()
		results := make(chan nudge.Placed, 2)
		for _, who := range w.rules.Supervisors {
			a := w.tapOf(who, wish)
			go func() {
				placed, err := w.SendWish(a, wish.Fingerprint())
				if err != nil {
					w.Error(err)
				}
				results <- placed
			}()
		}
		one, two := <-results, <-results
		if (one.Reason == "") == (two.Reason == "") {
			w.Errorf("%+v and %+v", one, two)
		}
		w.wantTexts("! make")
	})
}

// TestAWishIsToldToEverySupervisorUntilItIsOver, even to one who is added later, and is closed everywhere:
// after a restart, and with a changed clock.
func TestAWishIsToldToEverySupervisorUntilItIsOver(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		wish := w.wish("go on")
		w.wantKinds(w.tell(), nudge.Wanted)
		w.wantKinds(w.tell())
		w.rules.Supervisors = []nudge.Place{ann, bob}
		if told := w.tell(); len(told) != 1 || told[0].Place != bob {
			w.Errorf("told %+v", told)
		}
		w.rules.Supervisors = []nudge.Place{ann}
		if told := w.tell(); len(told) != 1 || told[0].Kind != nudge.Close || told[0].Place != bob || told[0].Newest {
			w.Errorf("told %+v", told)
		}
		w.restart()
		w.deliver()
		w.wantKinds(w.tell())
		time.Sleep(7*time.Hour + 59*time.Minute)
		w.tick()
		w.wantWish(wish.ID, nudge.Wished)
		time.Sleep(time.Minute)
		w.tick()
		w.wantWish(wish.ID, nudge.WishExpired)
		if told := w.tell(); len(told) != 1 || told[0].Kind != nudge.Close || !told[0].Newest || told[0].Place != ann {
			w.Errorf("told %+v", told)
		}
		w.wantKinds(w.tell())
		if placed := w.send(ann, wish, wish.Fingerprint()); placed.Reason != deliver.Expired {
			w.Errorf("it was sent: %+v", placed)
		}
		time.Sleep(40 * 24 * time.Hour)
		w.tick()
		if _, found, err := w.WishOf(wish.ID); found || err != nil {
			w.Errorf("it is kept: %v", err)
		}
	})
}

// TestAWishWaitsForItsAgentToBeSeen: after a restart nod knows nothing about the pane.
func TestAWishWaitsForItsAgentToBeSeen(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Idle)
		wish := w.wish("go on")
		w.tell()
		w.restart()
		w.deliver()
		if placed := w.send(ann, wish, wish.Fingerprint()); placed.Reason != deliver.Unreadable {
			w.Errorf("sent: %+v", placed)
		}
		if err := w.Lost(func(detect.PaneRef) screen.State { return screen.Gone }, time.Now()); err != nil {
			w.Fatal(err)
		}
		w.wantWish(wish.ID, nudge.WishVoid)
		w.wantTexts()
	})
}

// TestABareAnswerIsNeverTakenFromAWish: a y that may be meant for a wish, which was told, is being told or
// has just ended, answers no question above it.
func TestABareAnswerIsNeverTakenFromAWish(t *testing.T) {
	for name, do := range map[string]func(w *world){
		"told":            func(w *world) { w.wish("go on"); w.tell() },
		"being told":      func(w *world) { w.wish("go on"); w.untold() },
		"just over":       func(w *world) { wish := w.wish("go on"); w.tell(); w.drop(wish, bob); w.tell() },
		"over in between": func(w *world) { wish := w.wish("go on"); w.tell(); time.Sleep(20 * time.Second); w.drop(wish, bob) },
	} {
		t.Run(name, func(t *testing.T) {
			inIdleBubble(t, func(w *world) {
				w.rules.Supervisors = []nudge.Place{ann, bob}
				n := w.see(shows("%2", permission("make")))
				w.tell()
				w.see(is("%1", screen.Working))
				time.Sleep(time.Minute)
				do(w)
				time.Sleep(30 * time.Second)
				w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.WhichOne)
				w.wantState(n.ID, nudge.Pending)
			})
		})
	}
	inIdleBubble(t, func(w *world) { // but not for ever, and not for somebody who dropped it
		n := w.see(shows("%2", permission("make")))
		w.tell()
		w.see(is("%1", screen.Working))
		wish := w.wish("go on")
		w.tell()
		time.Sleep(time.Minute)
		w.drop(wish, ann)
		w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
	})
}

func (w *world) drop(wish *nudge.Wish, who nudge.Place) {
	w.Helper()
	if placed, err := w.DropWish(w.tapOf(who, wish)); err != nil || placed.Reason != "" {
		w.Fatal(placed.Refusal, err)
	}
}

// TestAWishThatIsTakenBackAgainAndAgain: an agent that makes and withdraws wishes in a loop is refused for a
// while, as if they still waited.
func TestAWishThatIsTakenBackAgainAndAgain(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.see(is("%1", screen.Working))
		made := 0
		for ; made < 100; made++ {
			placed, err := w.Wish(pane("%1"), "go on", itself, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if placed.Reason != "" {
				break
			}
			if placed, err := w.DropWish(nudge.Answer{Nudge: placed.Wish.ID, By: nudge.Person{Name: itself.Name}, Way: nudge.ByCommand}); err != nil || placed.Reason != "" {
				t.Fatal(placed.Refusal, err)
			}
		}
		if made == 100 {
			t.Error("a hundred wishes were taken back")
		}
		time.Sleep(10 * time.Minute)
		w.drop(w.wish("go on"), ann) // a wish that a human dropped no longer counts
		for range made {
			w.wish("go on")
		}
	})
}
