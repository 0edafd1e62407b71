package deliver

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
)

const multi, review = "claude.ask_user_multi", "claude.ask_user_review"

// tick is a tap on a box of Claude's check list on a recorded screen without its colours.
func tick(t testing.TB, name string, option int) Request {
	r := plainRequest(t.(*testing.T), "claude", name, "")
	p := promptOn(t, "claude", name)
	r.Choice = &Choice{option, p.Options[option].Label}
	return r
}

// TestAToggleNeverSends: a tap on a box types that box's key and no other, and only the box itself proves the
// effect.
func TestAToggleNeverSends(t *testing.T) {
	for name, c := range map[string]struct {
		onKey func(p *pane, key string)
		want  want
	}{
		"the box shows it":     {func(p *pane, _ string) { p.edit("[ ] Metrics", "[✔] Metrics") }, want{Delivered, "", "2", 1, multi}},
		"it shows it late":     {func(p *pane, _ string) { p.later(time.Second, func() { p.edit("[ ] Metrics", "[✔] Metrics") }) }, want{Delivered, "", "2", 1, multi}},
		"nothing happens":      {func(*pane, string) {}, want{Unknown, Unsure, "2", 1, multi}},
		"another box shows it": {func(p *pane, _ string) { p.edit("[ ] Tracing", "[✔] Tracing") }, want{Unknown, Unsure, "2", 1, multi}},
		"two boxes show it":    {func(p *pane, _ string) { p.edit("[ ]", "[✔]") }, want{Unknown, Unsure, "2", 1, multi}},
		"another list comes": {func(p *pane, _ string) {
			p.edit("[ ] Metrics", "[✔] Metrics")
			p.edit("Which features", "Which other features")
		}, want{Unknown, Unsure, "2", 1, multi}},
		"it leads on":       {func(p *pane, _ string) { p.show("claude-boxes-review") }, want{Unknown, Unsure, "2", 1, review}},
		"no look succeeds":  {func(p *pane, _ string) { p.lookErr = errors.New("boom") }, want{Unknown, Unsure, "2", 1, ""}},
		"the question goes": {func(p *pane, _ string) { p.show("claude-question-answered") }, want{Unknown, Unsure, "2", 1, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plainPane(t, "claude", "claude-boxes")
				p.onKey = c.onKey
				var began begins
				res := p.typist().Type(t.Context(), tick(t, "claude-boxes", 1), began.begin)
				check(t, p, res, began, c.want)
				if unchanged := res.Detail.Kind == reason.ListUnchanged; unchanged != (name == "nothing happens") {
					t.Errorf("says %q", words.Why(res.Detail))
				}
			})
		})
	}
}

// TestAListThatChangedGetsNoKey: neither a tap on a box nor one that sends types anything if other boxes are
// ticked, the answers differ, or the mark is not on a box.
func TestAListThatChangedGetsNoKey(t *testing.T) {
	changes := map[string]func(p *pane){
		"a box was ticked":   func(p *pane) { p.edit("[ ] Tracing", "[✔] Tracing") },
		"that box was":       func(p *pane) { p.edit("[ ] Metrics", "[✔] Metrics") },
		"one was unticked":   func(p *pane) { p.edit("[✔] Logging", "[ ] Logging") },
		"an answer changed":  func(p *pane) { p.edit("Tracing", "Traces") },
		"another question":   func(p *pane) { p.edit("Which features", "Which of the features") },
		"the mark moved off": func(p *pane) { p.edit("❯ 1. [✔]", "  1. [✔]"); p.edit("  5. Chat", "❯ 5. Chat") },
		"the next page":      func(p *pane) { p.show("claude-question") },
		"the review":         func(p *pane) { p.show("claude-boxes-review") },
	}
	send := plainRequest(t, "claude", "claude-boxes-ticked", screen.Send)
	for name, change := range changes {
		for kind, r := range map[string]Request{"a box": tick(t, "claude-boxes-ticked", 1), "send": send} {
			for when, arrange := range map[string]func(p *pane){
				"before the tap": change,
				"before the key": func(p *pane) { p.onGuard = change },
				"between two looks": func(p *pane) {
					p.onLook = func(p *pane) {
						if p.looks == 2 {
							change(p)
						}
					}
				},
			} {
				t.Run(kind+", "+name+" "+when, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						p := plainPane(t, "claude", "claude-boxes-ticked")
						p.look.Pane.Activity = time.Now().Truncate(time.Second) // so that it is looked at twice
						arrange(p)
						var began begins
						res := p.typist().Type(t.Context(), r, began.begin)
						if res.Outcome != Refused || len(p.typed) > 0 {
							t.Errorf("%s (%s), typed %q: %s", res.Outcome, res.Reason, p.typed, words.Why(res.Detail))
						}
					})
				})
			}
		}
	}
}

// TestSendNeverSendsOtherTicks: the page with the review is sent only if it lists the ticked answers.
func TestSendNeverSendsOtherTicks(t *testing.T) {
	on := func(steps map[string]func(p *pane)) func(p *pane, key string) {
		return func(p *pane, key string) {
			if do := steps[key]; do != nil {
				do(p)
			}
		}
	}
	shown := func(name string) func(p *pane) { return func(p *pane) { p.show(name) } }
	other := func(p *pane) {
		p.show("claude-boxes-review")
		p.draw(p.look.Capture, p.rows)
		p.edit("Logging", "Metrics")
	}
	for name, c := range map[string]struct {
		onKey func(p *pane, key string)
		want  want
	}{
		"it lists what was ticked": {on(map[string]func(*pane){"Tab": shown("claude-boxes-review"), "1": shown("claude-question-answered")}), want{Delivered, "", "Tab 1", 1, ""}},
		"it comes late": {on(map[string]func(*pane){
			"Tab": func(p *pane) { p.later(500*time.Millisecond, func() { p.show("claude-boxes-review") }) }, "1": shown("claude-question-answered"),
		}), want{Delivered, "", "Tab 1", 1, ""}},
		"it lists something else":      {on(map[string]func(*pane){"Tab": other}), want{Refused, Changed, "Tab", 1, review}},
		"Tab has no effect":            {on(nil), want{Refused, Changed, "Tab", 1, ""}},
		"the question goes":            {on(map[string]func(*pane){"Tab": shown("claude-idle")}), want{Unknown, Unsure, "Tab", 1, ""}},
		"another question comes":       {on(map[string]func(*pane){"Tab": shown("claude-question")}), want{Unknown, Unsure, "Tab", 1, "claude.ask_user"}},
		"what is sent is not taken up": {on(map[string]func(*pane){"Tab": shown("claude-boxes-review")}), want{Unknown, Unsure, "Tab 1", 1, review}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plainPane(t, "claude", "claude-boxes-ticked")
				p.onKey = c.onKey
				var began begins
				res := p.typist().Type(t.Context(), plainRequest(t, "claude", "claude-boxes-ticked", screen.Send), began.begin)
				check(t, p, res, began, c.want)
			})
		})
	}
}

// TestAListWithMoreAnswersThanWereSeenIsNotSent: the last row of Gemini's list sends it, and Enter needs the
// row that names exactly these answers.
func TestAListWithMoreAnswersThanWereSeenIsNotSent(t *testing.T) {
	up := func(end func(p *pane)) func(p *pane, key string) {
		return func(p *pane, key string) {
			switch {
			case key == "Enter":
				p.show("gemini-idle")
			case len(p.typed) == 1:
				p.edit("● 2.", "  2.")
				p.edit("  1. [ ] Small", "● 1. [ ] Small")
			default:
				p.show("gemini-boxes-end")
				p.draw(strings.Join(p.rows, "\n"), p.rows)
				end(p)
			}
		}
	}
	for name, c := range map[string]struct {
		onKey func(p *pane, key string)
		want  want
	}{
		"it has those":      {up(func(*pane) {}), want{Delivered, "", "Up Up Enter", 1, ""}},
		"it has one more":   {up(func(p *pane) { p.edit("5. [", "6. ["); p.edit("4. [", "5. [") }), want{Unknown, Unsure, "Up Up", 1, ""}},
		"all are ticked":    {up(func(p *pane) { p.edit("[ ] All", "[x] All") }), want{Unknown, Unsure, "Up Up", 1, ""}},
		"words stand in it": {up(func(p *pane) { p.edit("[ ] Enter", "[x] Enter") }), want{Unknown, Unsure, "Up Up", 1, ""}},
		"the mark stays":    {func(*pane, string) {}, want{Refused, Changed, "Up", 1, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plainPane(t, "gemini", "gemini-boxes-ticked")
				p.onKey = c.onKey
				var began begins
				res := p.typist().Type(t.Context(), plainRequest(t, "gemini", "gemini-boxes-ticked", screen.Send), began.begin)
				if res.After != nil && res.After.Shape != "" {
					res.After = nil // it ends in an overlay, whose shape says what it proves
				}
				check(t, p, res, began, c.want)
			})
		})
	}
}

// TestAnEmptyListIsNotSent, and only a question is sent or dismissed.
func TestAnEmptyListIsNotSent(t *testing.T) {
	for name, d := range map[string]screen.Decision{
		"claude-boxes": screen.Send, "claude-question": screen.Send, "claude-bash": screen.Dismiss, "claude-boxes-ticked": screen.Approve, "claude-boxes-review": screen.Deny,
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", name)
			var began begins
			check(t, p, p.typist().Type(t.Context(), request(t, "claude", name, d), began.begin), began, want{Refused, NoKey, "", 0, ""})
		})
	}
}

// TestDismissLeavesTheQuestion with the only key that is proven to do so.
func TestDismissLeavesTheQuestion(t *testing.T) {
	for _, name := range []string{"claude-question", "claude-boxes-ticked", "claude-plan"} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", name)
			p.onKey = func(p *pane, _ string) { p.show("claude-idle") }
			var began begins
			check(t, p, p.typist().Type(t.Context(), request(t, "claude", name, screen.Dismiss), began.begin), began, want{Delivered, "", "Escape", 1, ""})
		})
	}
}

// TestAPageThatFollowsIsAnotherPrompt: an answer to the previous page types nothing there.
func TestAPageThatFollowsIsAnotherPrompt(t *testing.T) {
	first, second := capture(t, "claude-question"), capture(t, "claude-boxes")
	read := func(s string) *screen.Prompt { return agents.Read("claude", screen.Parse(s)).Prompt }
	if read(first).Same(read(second)) || read(second).Same(read(capture(t, "claude-boxes-review"))) {
		t.Fatal("two pages are one prompt")
	}
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-boxes")
		r := request(t, "claude", "claude-question", "")
		r.Choice = &Choice{0, promptOn(t, "claude", "claude-question").Options[0].Label}
		var began begins
		check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{Refused, Changed, "", 0, ""})
	})
	synctest.Test(t, func(t *testing.T) { // the next page has the same answers
		p := plainPane(t, "claude", "claude-question")
		r := plainRequest(t, "claude", "claude-question", "")
		r.Choice = &Choice{0, promptOn(t, "claude", "claude-question").Options[0].Label}
		p.edit("Which ", "And which ")
		var began begins
		check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{Refused, Changed, "", 0, ""})
	})
}
