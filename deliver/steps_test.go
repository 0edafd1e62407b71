package deliver

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/words"
)

// TestEachLaterKeyNeedsItsDialog denies in Kilo, where Escape opens a dialog and Enter there denies,
// while Enter in the first dialog approves.
func TestEachLaterKeyNeedsItsDialog(t *testing.T) {
	shape := promptOn(t, "kilo", "kilo-bash").Shape
	show := func(screen string) func(p *pane, key string) {
		return func(p *pane, key string) {
			if key == "Escape" {
				p.show(screen)
			}
		}
	}
	for name, c := range map[string]struct {
		onKey func(p *pane, key string)
		want  want
	}{
		"the dialog comes late": {func(p *pane, key string) {
			next := map[string]string{"Escape": "kilo-reject", "Enter": "kilo-denied"}[key]
			p.later(400*time.Millisecond, func() { p.show(next) })
		}, want{Delivered, "", "Escape Enter", 1, ""}},
		"Escape has no effect":  {func(*pane, string) {}, want{Refused, Changed, "Escape", 1, ""}},
		"another prompt comes":  {func(p *pane, _ string) { p.edit("touch", "torch") }, want{Unknown, Unsure, "Escape", 1, shape}},
		"Escape denies at once": {show("kilo-denied"), want{Delivered, "", "Escape", 1, ""}},
		"the dialog goes once more": {func(p *pane, key string) {
			p.show("kilo-reject")
			p.later(100*time.Millisecond, func() { p.show("kilo-bash") })
		}, want{Refused, Changed, "Escape", 1, ""}},
		"copy mode comes": {func(p *pane, key string) {
			p.show("kilo-reject")
			p.look.Pane.InMode, p.look.Clients = true, []tmux.Client{{Pane: ref.ID}}
		}, want{Unknown, Unsure, "Escape", 1, "kilo.reject"}},
		"Enter is lost": {show("kilo-reject"), want{Unknown, Unsure, "Escape Enter", 1, "kilo.reject"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plainPane(t, "kilo", "kilo-bash")
				p.onKey = c.onKey
				var began begins
				res := p.typist().Type(t.Context(), request(t, "kilo", "kilo-bash", screen.Deny), began.begin)
				check(t, p, res, began, c.want)
			})
		})
	}
	t.Run("the dialog goes just before Enter", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "kilo", "kilo-bash")
			p.onKey = show("kilo-reject")
			p.onGuard = func(p *pane) {
				if len(p.typed) == 1 {
					p.show("kilo-bash")
				}
			}
			var began begins
			res := p.typist().Type(t.Context(), request(t, "kilo", "kilo-bash", screen.Deny), began.begin)
			check(t, p, res, began, want{Refused, Changed, "Escape", 1, ""})
		})
	})
}

// plainPane shows a recorded screen without its colours, so that a test can edit it.
func plainPane(t *testing.T, agent, screen string) *pane {
	p := newPane(t, agent, screen)
	drawn := p.look.Pane.Activity
	p.draw(strings.Join(p.rows, "\n"), p.rows)
	p.look.Pane.Activity = drawn
	return p
}

// plainRequest returns an answer to the prompt on a recorded screen without its colours.
func plainRequest(t *testing.T, agent, name string, d screen.Decision) Request {
	r := request(t, agent, name, d)
	r.decides(agents.Read(agent, screen.Parse(strings.Join(rowsOf(t, name), "\n"))).Prompt)
	return r
}

// guarded moves the highlight of Claude's menu without numbers as Claude does.
func guarded(p *pane, key string) {
	switch key {
	case "Down":
		p.edit("❯ No", "  No")
		p.edit("  Yes", "❯ Yes")
	case "Up":
		p.edit("❯ Yes", "  Yes")
		p.edit("  No", "❯ No")
	case "Enter":
		p.show("claude-guarded-denied")
	}
}

func TestEnterOnlyOnTheProvenHighlight(t *testing.T) {
	shape := promptOn(t, "claude", "claude-guarded").Shape
	for name, c := range map[string]struct {
		onKey func(p *pane, key string)
		want  want
	}{
		"the highlight follows":        {guarded, want{Delivered, "", "Down Enter", 1, ""}},
		"the highlight follows slowly": {func(p *pane, key string) { p.later(300*time.Millisecond, func() { guarded(p, key) }) }, want{Delivered, "", "Down Enter", 1, ""}},
		"the highlight stays":          {func(*pane, string) {}, want{Refused, Changed, "Down", 1, ""}},
		"the prompt is another one":    {func(p *pane, _ string) { p.edit("touch rig-simple-ran", "touch rig-simple-ram") }, want{Refused, Changed, "Down", 1, ""}},
		"Enter has no effect": {func(p *pane, key string) {
			if key == "Down" {
				guarded(p, key)
			}
		}, want{Unknown, Unsure, "Down Enter", 1, shape}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plainPane(t, "claude", "claude-guarded")
				p.onKey = c.onKey
				var began begins
				res := p.typist().Type(t.Context(), plainRequest(t, "claude", "claude-guarded", screen.Approve), began.begin)
				check(t, p, res, began, c.want)
				if res.Outcome == Refused && !strings.Contains(words.Why(res.Detail), "Typed Down, which answers nothing") {
					t.Errorf("does not say what was typed: %s", words.Why(res.Detail))
				}
			})
		})
	}
	t.Run("the highlight moves just before Enter", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := plainPane(t, "claude", "claude-guarded")
			p.onKey = guarded
			p.onGuard = func(p *pane) {
				if len(p.typed) == 1 {
					guarded(p, "Up")
				}
			}
			var began begins
			res := p.typist().Type(t.Context(), plainRequest(t, "claude", "claude-guarded", screen.Approve), began.begin)
			check(t, p, res, began, want{Refused, Changed, "Down", 1, ""})
		})
	})
}

// openCode moves the coloured button of OpenCode's panel as OpenCode does.
func openCode(answered string) func(p *pane, key string) {
	labels := []string{"Allow once", "Allow always", "Reject"}
	at := 0
	row := func() string {
		cells := make([]string, len(labels))
		for i, label := range labels {
			cells[i] = " \x1b[38;5;8m" + label + "\x1b[38;5;15m "
			if i == at {
				cells[i] = "\x1b[48;5;215m \x1b[38;5;232m" + label + "\x1b[38;5;15m \x1b[48;5;234m"
			}
		}
		return strings.Join(cells, " ")
	}
	return func(p *pane, key string) {
		old := row()
		switch key {
		case "Right":
			at++
		case "Left":
			at--
		case "Enter":
			p.show(answered)
			return
		}
		if !strings.Contains(p.look.Capture, old) {
			p.t.Errorf("the panel is not drawn as expected")
		}
		p.draw(strings.Replace(p.look.Capture, old, row(), 1), p.rows)
	}
}

// TestAColouredHighlightNeedsASilentWindow: tmux can't compare colours, so any output between the look and
// Enter must refuse.
func TestAColouredHighlightNeedsASilentWindow(t *testing.T) {
	for name, c := range map[string]struct {
		option  int // of opencode-bash: Allow once, Allow always, Reject
		arrange func(p *pane)
		want    want
	}{
		"output just before Enter": {0, func(p *pane) {
			p.onGuard = func(p *pane) { p.show("opencode-bash") }
		}, want{Refused, Unreadable, "", 1, ""}},
		"drawn this very second": {0, func(p *pane) {
			p.show("opencode-bash")
			p.onKey = func(p *pane, _ string) { p.show("opencode-bash-approved") }
		}, want{Delivered, "", "Enter", 1, ""}},
		"a window that never rests": {0, func(p *pane) {
			p.onLook = func(p *pane) { p.show("opencode-bash") }
		}, want{Refused, Unreadable, "", 0, ""}},
		"moved there and then Enter": {2, func(p *pane) {
			p.onKey = openCode("opencode-idle")
		}, want{Delivered, "", "Right Right Enter", 1, ""}},
		"moved back just before Enter": {2, func(p *pane) {
			act := openCode("opencode-idle")
			p.onKey = act
			p.onGuard = func(p *pane) {
				if len(p.typed) == 2 {
					act(p, "Left")
				}
			}
		}, want{Refused, Changed, "Right Right", 1, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "opencode", "opencode-bash")
				c.arrange(p)
				var began begins
				r := request(t, "opencode", "opencode-bash", "")
				r.Choice = &Choice{c.option, promptOn(t, "opencode", "opencode-bash").Options[c.option].Label}
				res := p.typist().Type(t.Context(), r, began.begin)
				check(t, p, res, began, c.want)
			})
		})
	}
}

func TestChoosesTheNamedOption(t *testing.T) {
	options := promptOn(t, "claude", "claude-bash").Options
	for name, c := range map[string]struct {
		choice Choice
		screen string // the screen that is there instead
		want   want
	}{
		"an option that lasts":      {Choice{1, options[1].Label}, "", want{Delivered, "", "2", 1, ""}},
		"the no":                    {Choice{3, options[3].Label}, "", want{Delivered, "", "4", 1, ""}},
		"another label":             {Choice{1, options[0].Label}, "", want{outcome: Refused, reason: Changed}},
		"no such option":            {Choice{4, "No"}, "", want{outcome: Refused, reason: Changed}},
		"a negative index":          {Choice{-1, options[0].Label}, "", want{outcome: Refused, reason: Changed}},
		"the same label, elsewhere": {Choice{0, options[0].Label}, "claude-bash-git", want{outcome: Refused, reason: Changed}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				if c.screen != "" {
					p.show(c.screen)
				}
				p.onKey = func(p *pane, _ string) { p.show("claude-bash-approved") }
				r := request(t, "claude", "claude-bash", "")
				r.Choice = &c.choice
				var began begins
				check(t, p, p.typist().Type(t.Context(), r, began.begin), began, c.want)
			})
		})
	}
	t.Run("an option of a question", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-question")
			p.onKey = func(p *pane, _ string) { p.show("claude-question-answered") }
			r := request(t, "claude", "claude-question", "")
			r.Choice = &Choice{1, promptOn(t, "claude", "claude-question").Options[1].Label}
			var began begins
			check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{Delivered, "", "2", 1, ""})
		})
	})
}

func TestKeysByHand(t *testing.T) {
	by := func(keys ...string) Request { return Request{Pane: ref, Keys: keys} }
	for name, c := range map[string]struct {
		request Request
		arrange func(p *pane)
		want    want
	}{
		"past recognition":  {by("1"), func(p *pane) { p.show("claude-working") }, want{Delivered, "", "1", 1, ""}},
		"one after another": {by("Down", "C-c", "Enter"), func(*pane) {}, want{Delivered, "", "Down C-c Enter", 1, ""}},
		"into a shell, if no agent is named": {by("l", "s"), func(p *pane) {
			p.front[0] = bash
		}, want{Delivered, "", "l s", 1, ""}},
		"the pane dies in between": {by("q", "y"), func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.look.Pane.Dead = true }
		}, want{Unknown, Unsure, "q", 1, ""}},
		"the pane is respawned just before": {by("y"), func(p *pane) {
			p.onGuard = func(p *pane) { p.look.Pane.PID++ }
		}, want{Refused, Changed, "", 1, ""}},
		"tmux does not say whether it typed": {by("q", "y"), func(p *pane) { p.sent = tmux.ErrUnsure }, want{Unknown, Unsure, "q", 1, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				c.arrange(p)
				var began begins
				check(t, p, p.typist().Type(t.Context(), c.request, began.begin), began, c.want)
			})
		})
	}
}
