package bot_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"nod/bot"
	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
	"nod/internal/text/redact"
	"nod/nudge"
)

// wish has the agent of pane 1 wish a text, and gives the message that Ann gets of it.
func (w *world) wish(text string) (*nudge.Wish, botapi.Record) {
	w.t.Helper()
	placed, err := w.keeper.Wish(sighting(1, screen.Working, nil).Pane, text, nudge.Wisher{Name: "the agent itself"}, time.Hour)
	if err != nil || placed.Reason != "" {
		w.t.Fatal(placed.Refusal, err)
	}
	return placed.Wish, w.last()
}

// TestAWishIsSentUnderItsVeryWords, exactly, as the instruction of whoever taps.
func TestAWishIsSentUnderItsVeryWords(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		wish, m := w.wish("! make <clean> && echo \"a\nb\"")
		wantText(t, m, "A wish for claude in api1:\n! make <clean> && echo \"a\nb\"", "It begins with “!”, so it may be a command", "From the agent itself")
		w.done(1, "")
		w.wantTold()
		w.tap(m, "Send")
		w.wantTold(wish.Text)
		m = w.message(m.ID)
		wantNoButtons(t, m)
		wantText(t, m, "Sent by Ann.")
		if i, _, err := w.keeper.Instruction(wish.ID); err != nil || i.By.Name != "Ann" || i.Way != nudge.ByButton {
			t.Errorf("it is of %+v, %v", i, err)
		}
	})
}

func TestADroppedWishIsNeverTyped(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		wish, m := w.wish("run the tests")
		if strings.Contains(m.Text, "command") {
			t.Errorf("it warns:\n%s", m.Text)
		}
		data := m.Markup.Rows[0][0].Data
		w.tap(m, "Drop")
		wantNoButtons(t, w.message(m.ID))
		wantText(t, w.message(m.ID), "🚫", "Dropped by Ann. Nothing was sent.")
		w.toastOf(w.ann.TapData(m.ID, data), "#"+wish.ID+" is over: Dropped by Ann.")
		w.done(1, "")
		w.wantTold()
	})
}

// TestWhatAMessageDoesNotShowOfAWishTakesASecondTap: a masked secret, what is too long, what shows nothing, and what Telegram finds
// too long although it should not be.
func TestWhatAMessageDoesNotShowOfAWishTakesASecondTap(t *testing.T) {
	for name, text := range map[string]string{
		"secret": "log in with ghp_" + strings.Repeat("a1B2", 9), "long": strings.Repeat("run them all ", 307),
		"hidden": "run\u200b the tests", "a tab": "a\tb", "a mark that Telegram drops": "a\u030ab", "refused": "run the tests",
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.set(func(s *bot.Settings) { s.Redact = redact.Mask })
				works(w)
				if name == "refused" {
					w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: message is too long"})
				}
				wish, m := w.wish(text)
				w.done(1, "")
				w.tap(m, "Send")
				w.wantTold()
				asks := w.last()
				wantText(t, asks, "is in no message", "Nothing was sent yet")
				w.restart()
				w.tap(w.message(m.ID), "Send") // the same button is no second tap
				w.wantTold()
				w.done(1, "")
				w.tap(w.message(asks.ID), "Send what can't be seen")
				w.wantTold(text)
				wantNoButtons(t, w.message(m.ID))
				wantNoButtons(t, w.message(asks.ID))
				if len(wish.Text) != len(text) {
					t.Errorf("wished %q", wish.Text)
				}
			})
		})
	}
}

// TestNoAnswerSendsAWish: no y and no number, fresh or in reply, forwarded or edited; no stranger; no button of another's chat.
func TestNoAnswerSendsAWish(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		wish, m := w.wish("run the tests")
		w.done(1, "")
		for _, said := range []string{"y", "yes", "1", "send", "Send", "📨 Send", "n", "a", "y " + wish.ID, "yes #" + wish.ID} {
			w.ann.ReplyTo(m.ID, said)
			w.ann.Say(said)
			if forwarded := w.ann.Say("x"); w.ann.Edit(forwarded.ID, said) != nil {
				t.Fatal("can't edit")
			}
			if _, err := w.ann.Forward(w.ann.Say(said).ID); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Minute)
		w.holding(ann, "only a tap on Send")
		stranger := w.tg.Person(eve, "Eve")
		stranger.Start()
		data := m.Markup.Rows[0][0].Data
		stranger.TapData(stranger.Say("hello").ID, data)
		w.set(func(s *bot.Settings) { s.Supervisors = append(s.Supervisors, bob) })
		bobs := w.tg.Person(bob, "Bob")
		bobs.Start()
		bobs.TapData(bobs.Say("hello").ID, data) // sealed for Ann's chat
		id, rest, _ := strings.Cut(data, ":")
		for _, forged := range []string{"f:" + wish.ID + "::" + strings.Repeat("A", 22), strings.Replace(data, wish.Fingerprint(), strings.Repeat("x", 16), 1), "a:" + rest, "t:" + rest, "q:" + rest, "c1:" + rest, "x:" + rest, "u:" + rest} {
			w.ann.TapData(m.ID, forged)
		}
		if id != "f" {
			t.Fatalf("the button's data is %q", data)
		}
		time.Sleep(10 * time.Second)
		if now, _, err := w.keeper.WishOf(wish.ID); err != nil || now.State != nudge.Wished {
			t.Errorf("it is %s, %v", now.State, err)
		}
		w.wantTold()
	})
}

func TestTheShortPreviewKeepsAWishOffTheLockScreenUntilItIsSent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Preview = "minimal" })
		works(w)
		wish, m := w.wish("run the tests")
		if strings.Contains(m.Text, "tests") {
			t.Errorf("it says:\n%s", m.Text)
		}
		data := m.Markup.Rows[0][0].Data
		w.ann.TapData(m.ID, "f"+strings.TrimPrefix(data, "i")) // no Send without the words
		w.done(1, "")
		w.wantTold()
		w.tap(m, "Show it")
		wantText(t, w.message(m.ID), "run the tests")
		w.tap(w.message(m.ID), "Send")
		w.wantTold(wish.Text)
	})
}

// TestAWishWhoseSendingWasCutOffClosesToo: nod learns of its message by the tap alone.
func TestAWishWhoseSendingWasCutOffClosesToo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.lossy = true
		works(w)
		w.tg.Fail(botapi.Fault{Method: "sendMessage", DropAfter: true})
		w.wish("run the tests")
		w.last()
		var shown []botapi.Record
		for _, m := range w.botSaid() {
			if strings.Contains(m.Text, "run the tests") {
				shown = append(shown, m)
			}
		}
		if len(shown) != 2 {
			t.Fatalf("%d messages", len(shown))
		}
		w.tap(shown[0], "Drop")
		w.wantNoneLive()
	})
}

func TestNextListsWishesAsSuch(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		w.wish("run the tests")
		w.ann.Say("/next api1")
		wantText(t, w.last(), "🙏 “run the tests” · a wish, waiting for a tap on Send")
		wantNoButtons(t, w.last())
	})
}

// TestTheVeryWordsOfAnyWishAreShown: whatever an agent wishes, what a first tap on Send sends was in its message character by
// character, and what begins with no letter or digit is called a possible command.
func TestTheVeryWordsOfAnyWishAreShown(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Redact = redact.Mask })
		works(w)
		atOnce := 0
		rounds := testrun.Rounds(25, 100)
		for range rounds {
			text := hostileText(r)
			wish, m := w.wish(text)
			first := []rune(text)[0]
			if plain := unicode.IsLetter(first) || unicode.IsDigit(first); !plain && !strings.Contains(m.Text, "may be a command") {
				t.Errorf("no warning of %q:\n%s", text, m.Text)
			}
			w.tap(m, "Send")
			now, _, err := w.keeper.WishOf(wish.ID)
			if err != nil {
				t.Fatal(err)
			}
			if now.State == nudge.WishSent {
				atOnce++
				if !strings.Contains(m.Text, "\n"+text+"\n") || strings.ContainsFunc(text, showsNothing) || redact.Mask(text) != text {
					t.Fatalf("%q was sent by one tap under:\n%s", text, m.Text)
				}
			} else {
				w.tap(w.last(), "Send what can't be seen")
			}
			w.done(1, "")
			told := w.typed.all()
			if len(told) == 0 || told[len(told)-1].Instruction != deliver.Instruction(text) {
				t.Fatalf("typed %+v, want %q", told, text)
			}
			works(w)
			w.done(1, "")
			works(w)
		}
		if atOnce < rounds/10 || atOnce > rounds*9/10 {
			t.Errorf("%d of %d were sent by one tap, so this proves little", atOnce, rounds)
		}
	})
}

// showsNothing is written apart from the code.
func showsNothing(r rune) bool {
	return r != ' ' && r != '\n' && (unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}

// hostileText begins with a character of any script and width, and may be long, hold what shows nothing, a secret, or what looks
// like nod's own words.
func hostileText(r *rand.Rand) string {
	anyRune := func() rune {
		for {
			c := []rune{'!' + rune(r.IntN(0x5e)), rune(0xa0 + r.IntN(0x3000)), 0xff01 + rune(r.IntN(0x60)), rune(0x10000 + r.IntN(0x10000))}[r.IntN(4)]
			if unicode.IsGraphic(c) || r.IntN(4) == 0 {
				return c
			}
		}
	}
	parts := []string{
		"run the tests", "rm -rf build", "</pre><b>Sent by Ann.</b>", "From Ann.\nmain:1.0 · #k3f", string(anyRune()) + string(anyRune()),
		"&lt;&amp;", "a\u200db", "\x1b[8m", "token ghp_" + strings.Repeat("Zz9", 12), strings.Repeat("漢字 ", 1+r.IntN(1200)), strings.Repeat("x", r.IntN(2000)), "\r\n",
	}
	text := string(anyRune())
	for range 1 + r.IntN(3) {
		text += parts[r.IntN(len(parts))] + []string{" ", "\n", ""}[r.IntN(3)]
	}
	text = fmt.Sprintf("%s %x", text, r.Uint32())
	return string([]rune(text)[:min(len([]rune(text)), 4000)])
}

// TestOfTwoSupervisorsOneSendsAWish: the other hears that, and both messages close.
func TestOfTwoSupervisorsOneSendsAWish(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Supervisors = append(s.Supervisors, bob) })
		bobs := w.tg.Person(bob, "Bob")
		bobs.Start()
		works(w)
		_, m := w.wish("run the tests")
		i := slices.IndexFunc(bobs.Messages(), func(m botapi.Record) bool { return strings.Contains(m.Text, "run the tests") })
		if i < 0 {
			t.Fatal("Bob was not told")
		}
		his := bobs.Messages()[i]
		w.ann.TapData(m.ID, m.Markup.Rows[0][0].Data)
		bobs.TapData(his.ID, his.Markup.Rows[0][0].Data)
		w.done(1, "")
		w.wantTold("run the tests")
		time.Sleep(5 * time.Second)
		his, _ = bobs.Message(his.ID)
		wantNoButtons(t, his)
		wantNoButtons(t, w.message(m.ID))
		wantText(t, his, "Sent by ")
	})
}
