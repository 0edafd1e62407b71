package deliver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// lookAfter calls do before each look at which what holds, with their number from 1.
func lookAfter(p *pane, what func() bool, do func(look int)) {
	look := 0
	p.onLook = func(*pane) {
		if what() {
			look++
			do(look)
		}
	}
}

// TestWhatBecomesOfATextIsSeenTwice: an agent took it only if two looks in a row agree, and no Enter follows once something else
// was in its place.
func TestWhatBecomesOfATextIsSeenTwice(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		arrange func(p *pane)
		want    want
	}{
		"the agent asks before Enter": {func(p *pane) {
			p.onPaste = func(p *pane, _ string) {
				p.show("claude-working")
				p.later(absorb+50*time.Millisecond, func() { p.show("claude-bash") })
			}
		}, want{Unknown, Unsure, "", 1, "claude.tool_confirmation"}},
		"somebody presses Enter first": {func(p *pane) {
			p.onPaste = func(p *pane, _ string) { p.show("claude-working") }
		}, want{Delivered, "", "", 1, ""}},
		"a prompt comes and goes before Enter": {func(p *pane) {
			taker(p, 1)
			p.later(200*time.Millisecond, func() { p.show("claude-bash") })
			p.later(absorb+50*time.Millisecond, func() {
				p.show("claude-draft")
				p.edit("half typed draft", "run the tests")
			})
		}, want{Unknown, Unsure, "", 1, "claude.tool_confirmation"}},
		"the agent exits after one look without the text": {func(p *pane) {
			taker(p, 9)
			p.onKey = func(p *pane, _ string) {
				p.show("claude-idle")
				p.later(50*time.Millisecond, func() { p.front = []proc.Process{bash} })
			}
		}, want{Unknown, Unsure, "Enter", 1, ""}},
		"each second look fails": {func(p *pane) {
			taker(p, 9)
			p.onKey = func(p *pane, _ string) { p.show("claude-idle") }
			lookAfter(p, func() bool { return len(p.typed) > 0 }, func(look int) {
				if p.lookErr = nil; look%2 == 0 {
					p.lookErr = boom
				}
			})
		}, want{Unknown, Unsure, "Enter", 1, ""}},
		"one look fails": {func(p *pane) {
			taker(p, 1)
			lookAfter(p, func() bool { return len(p.pasted) > 0 }, func(look int) {
				if p.lookErr = nil; look == 1 {
					p.lookErr = boom
				}
			})
		}, want{Delivered, "", "Enter", 1, ""}},
		"the box is drawn late": {func(p *pane) {
			taker(p, 1)
			p.onPaste = func(p *pane, text string) {
				p.later(800*time.Millisecond, func() { p.show("claude-draft"); p.edit("half typed draft", text) })
			}
		}, want{Delivered, "", "Enter", 1, ""}},
		"somebody empties the box just before Enter": {func(p *pane) {
			taker(p, 1)
			p.onGuard = func(p *pane) {
				if strings.Contains(p.look.Capture, "run the tests") {
					p.show("claude-idle")
				}
			}
		}, want{Unknown, Unsure, "", 1, ""}},
		"somebody types on before each Enter": {func(p *pane) {
			taker(p, 1)
			p.onGuard = func(p *pane) { p.edit("run the tests", "run the tests,") }
		}, want{Unknown, Unsure, "", 1, ""}},
		"the box is never still for the paste": {func(p *pane) {
			p.onGuard = func(p *pane) {
				p.draw(p.look.Capture, append(p.rows[:len(p.rows)-1:len(p.rows)-1], time.Now().String()))
			}
		}, want{Refused, Changed, "", 1, ""}},
		"the pane goes just before Enter": {func(p *pane) {
			taker(p, 1)
			p.onGuard = func(p *pane) {
				if len(p.pasted) > 0 {
					p.sent, p.lost = tmux.ErrNoPane, true
				}
			}
		}, want{Unknown, Unsure, "", 1, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-idle")
				c.arrange(p)
				var began begins
				res := p.typist().Type(t.Context(), text("claude", "run the tests"), began.begin)
				check(t, p, res, began, c.want)
			})
		})
	}
}

// TestEnterInAFieldNeedsTheTextThere, in the field that has the focus, and the text counts as taken only once its question is gone.
func TestEnterInAFieldNeedsTheTextThere(t *testing.T) {
	form := promptOn(t, "codex", "codex-form").Shape
	shown := func(name string) func(p *pane) { return func(p *pane) { p.show(name) } }
	typed := func(change func(*screen.Prompt)) func(p *pane, r *screen.Reading) {
		return func(p *pane, r *screen.Reading) {
			if len(p.typed) > 0 {
				change(r.Prompt)
			}
		}
	}
	for name, c := range map[string]struct {
		paste, key func(p *pane)
		read       func(p *pane, r *screen.Reading)
		want       want
	}{
		"the text never comes":        {func(*pane) {}, nil, nil, want{Unknown, Unsure, "", 1, form}},
		"the question goes before it": {shown("codex-working"), nil, nil, want{Unknown, Unsure, "", 1, ""}},
		"the field loses the focus": {shown("codex-form-typed"), nil, func(p *pane, r *screen.Reading) {
			r.Prompt.TextField = len(p.pasted) == 0
		}, want{Unknown, Unsure, "", 1, form}},
		"the field is emptied": {shown("codex-form-typed"), shown("codex-form"), nil, want{Unknown, Unsure, "Enter", 1, form}},
		"the question is back": {shown("codex-form-typed"), func(p *pane) {
			p.show("codex-working")
			p.later(50*time.Millisecond, func() { p.show("codex-form-typed") })
		}, nil, want{Unknown, Unsure, "Enter", 1, form}},
		"something covers the question": {shown("codex-form-typed"), nil, func(p *pane, r *screen.Reading) {
			if len(p.typed) > 0 {
				*r = screen.Reading{State: screen.Overlay}
			}
		}, want{Unknown, Unsure, "Enter", 1, ""}},
		"another question of that kind": {shown("codex-form-typed"), nil, typed(func(p *screen.Prompt) { p.Question += "?" }), want{Delivered, "", "Enter", 1, form}},
		"that question of another kind": {shown("codex-form-typed"), nil, typed(func(p *screen.Prompt) { p.Shape = "codex.other" }), want{Delivered, "", "Enter", 1, "codex.other"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "codex", "codex-form")
				p.onPaste = func(p *pane, _ string) { c.paste(p) }
				p.onKey = func(p *pane, _ string) {
					if c.key != nil {
						c.key(p)
					}
				}
				typist := p.typist()
				if c.read != nil {
					typist = p.reading(func(r *screen.Reading) { c.read(p, r) })
				}
				r := Request{Pane: ref, Process: processes["codex"].ID, Agent: "codex", Answer: Say("abc")}
				r.decides(promptOn(t, "codex", "codex-form"))
				var began begins
				check(t, p, typist.Type(t.Context(), r, began.begin), began, c.want)
			})
		})
	}
}

// TestAnInstructionIsNoAnswer: an agent that asks meanwhile gets no text, even if its question has a field for some. Nor does one
// whose input box is not seen.
func TestAnInstructionIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "codex", "codex-form")
		var began begins
		check(t, p, p.typist().Type(t.Context(), text("codex", "run the tests"), began.begin), began, want{outcome: Refused, reason: AwaitingDecision})
		p = newPane(t, "claude", "claude-idle")
		typist := p.reading(func(r *screen.Reading) { r.Composer = nil })
		check(t, p, typist.Type(t.Context(), text("claude", "run the tests"), began.begin), began, want{outcome: Refused, reason: Unreadable})
		if len(p.pasted) > 0 {
			t.Errorf("pasted %q", p.pasted)
		}
	})
}

// TestWhatIsTypedIsSeenThrough: the end of ctx after the first key stops no further one.
func TestWhatIsTypedIsSeenThrough(t *testing.T) {
	for name, r := range map[string]Request{
		"a text":       text("claude", "run the tests"),
		"keys by hand": {Pane: ref, Keys: []string{"Down", "Enter"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-idle")
			taker(p, 1)
			ctx, cancel := context.WithCancel(t.Context())
			paste, key := p.onPaste, p.onKey
			p.onPaste = func(p *pane, text string) { cancel(); paste(p, text) }
			p.onKey = func(p *pane, k string) { cancel(); key(p, k) }
			if res := p.typist().Type(ctx, r, func() error { return nil }); res.Outcome != Delivered {
				t.Errorf("%s: %s, typed %q, pasted %q", name, res.Outcome, p.typed, p.pasted)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := newReviewed(t, "touch a")
		ctx, cancel := context.WithCancel(t.Context())
		paste := r.onPaste
		r.onPaste = func(p *pane, text string) { cancel(); paste(p, text) }
		if res := r.typist().Type(ctx, granted("touch a"), func() error { return nil }); res.Outcome != Delivered || len(r.taken) != 1 {
			t.Errorf("a granted call: %s, typed %q", res.Outcome, r.typed)
		}
	})
}

// TestALongPasteIsKnownByItsMark, which agents draw instead of it, and another text by its beginning.
func TestALongPasteIsKnownByItsMark(t *testing.T) {
	long := "the quick brown fox jumps over the lazy dog"
	for shown, want := range map[string]bool{
		"› [Pasted text #1 +40 lines]": true, "› [Pasted Content 4096 chars]": true, "› [Pasted": false,
		"│ the quick brown fox │\n│ jumps over │": true, "› the quick brown": false, "› the slow brown fox jumps over": false,
	} {
		rows := append([]string{long}, strings.Split(shown, "\n")...)
		if got := shows(append(rows, long), 1, len(rows)-1, long); got != want {
			t.Errorf("%q: %t", shown, got)
		}
	}
}
