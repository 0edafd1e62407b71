package deliver

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/words"
)

// taker is an agent that takes pasted text into its input box and submits it at the n-th Enter.
func taker(p *pane, n int) {
	p.onPaste = func(p *pane, text string) {
		p.later(50*time.Millisecond, func() {
			p.show("claude-draft")
			p.edit("half typed draft", text)
		})
	}
	enters := 0
	p.onKey = func(p *pane, key string) {
		if enters++; enters == n {
			p.later(50*time.Millisecond, func() { p.show("claude-working") })
		}
	}
}

func TestTellsAnIdleAgent(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(p *pane)
		want    want
	}{
		"at the first Enter":      {func(p *pane) { taker(p, 1) }, want{Delivered, "", "Enter", 1, ""}},
		"at the second Enter":     {func(p *pane) { taker(p, 2) }, want{Delivered, "", "Enter Enter", 1, ""}},
		"at the fourth Enter":     {func(p *pane) { taker(p, 4) }, want{Delivered, "", "Enter Enter Enter Enter", 1, ""}},
		"never":                   {func(p *pane) { taker(p, 9) }, want{Unknown, Unsure, "Enter Enter Enter Enter", 1, ""}},
		"the text never shows up": {func(p *pane) {}, want{Unknown, Unsure, "", 1, ""}},
		"a prompt appears before Enter": {func(p *pane) {
			taker(p, 1)
			p.later(200*time.Millisecond, func() { p.show("claude-bash") })
		}, want{Unknown, Unsure, "", 1, "claude.tool_confirmation"}},
		"a prompt appears just before Enter": {func(p *pane) {
			taker(p, 1)
			p.onGuard = func(p *pane) {
				if len(p.pasted) == 1 && strings.Contains(p.look.Capture, "run the tests") {
					p.show("claude-bash")
				}
			}
		}, want{Unknown, Unsure, "", 1, "claude.tool_confirmation"}},
		"the agent asks as soon as it has the text": {func(p *pane) {
			taker(p, 1)
			submit := p.onKey
			p.onKey = func(p *pane, key string) {
				submit(p, key)
				p.later(120*time.Millisecond, func() { p.show("claude-bash") })
			}
		}, want{Delivered, "", "Enter", 1, "claude.tool_confirmation"}},
		"a prompt stands where the text was": {func(p *pane) {
			taker(p, 9)
			p.onKey = func(p *pane, key string) { p.show("claude-bash") }
		}, want{Unknown, Unsure, "Enter", 1, "claude.tool_confirmation"}},
		"the text is back after a look that missed it": {func(p *pane) {
			taker(p, 9)
			p.onKey = func(p *pane, key string) {
				with := p.look.Capture
				rows := p.rows
				p.show("claude-idle")
				p.later(50*time.Millisecond, func() { p.draw(with, rows) })
			}
		}, want{Unknown, Unsure, "Enter Enter Enter Enter", 1, ""}},
		"the agent is done at once":   {func(p *pane) { taker(p, 9); p.onKey = func(p *pane, _ string) { p.show("claude-idle") } }, want{Delivered, "", "Enter", 1, ""}},
		"a transcript covers the box": {func(p *pane) { taker(p, 9); p.onKey = func(p *pane, _ string) { p.show("claude-simple-transcript") } }, want{Unknown, Unsure, "Enter", 1, ""}},
		"the agent exits before Enter": {func(p *pane) {
			taker(p, 1)
			p.later(200*time.Millisecond, func() { p.front = []proc.Process{bash} })
		}, want{Unknown, Unsure, "", 1, ""}},
		"copy mode before Enter": {func(p *pane) {
			taker(p, 1)
			p.later(200*time.Millisecond, func() { p.look.Pane.InMode = true })
		}, want{Unknown, Unsure, "", 1, ""}},
		"tmux hangs at the paste": {func(p *pane) { p.sent = tmux.ErrUnsure }, want{Unknown, Unsure, "", 1, ""}},
		"tmux hangs at the Enter": {func(p *pane) {
			taker(p, 9)
			keep := p.onKey
			p.onKey = func(p *pane, k string) { p.sent = tmux.ErrUnsure; keep(p, k) }
		}, want{Unknown, Unsure, "Enter", 1, ""}},
		"the server ends before it":   {func(p *pane) { p.onPaste = func(p *pane, _ string) { p.lookErr = tmux.ErrNoServer } }, want{Unknown, Unsure, "", 1, ""}},
		"a draft comes before paste":  {func(p *pane) { p.onGuard = func(p *pane) { p.show("claude-draft") } }, want{Refused, Draft, "", 1, ""}},
		"a prompt comes before paste": {func(p *pane) { p.onGuard = func(p *pane) { p.show("claude-bash") } }, want{Refused, AwaitingDecision, "", 1, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-idle")
				c.arrange(p)
				var began begins
				start := time.Now()
				res := p.typist().Type(t.Context(), text("claude", "run the tests"), began.begin)
				check(t, p, res, began, c.want)
				if len(p.pasted) > 1 {
					t.Errorf("pasted %d times", len(p.pasted))
				}
				if took := time.Since(start); took > 12*time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// TestOneEnterWhereMoreIsNotKnownToBeSafe leaves the text in the box of an agent for which a second Enter may
// be unsafe.
func TestOneEnterWhereMoreIsNotKnownToBeSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "opencode", "opencode-idle")
		p.onPaste = func(p *pane, text string) {
			row := -1
			for i, r := range p.rows {
				if strings.HasPrefix(r, "  ┃") {
					row = i
				}
			}
			// The second row from the panel's end is the first one for words.
			p.edit(p.rows[row-2]+"\n"+p.rows[row-1]+"\n"+p.rows[row], p.rows[row-2]+"  "+text+"\n"+p.rows[row-1]+"\n"+p.rows[row])
		}
		var began begins
		res := p.typist().Type(t.Context(), text("opencode", "run the tests"), began.begin)
		if res.Outcome != Unknown || len(p.typed) > 1 || len(p.pasted) != 1 {
			t.Errorf("%s, typed %q, pasted %q: %s", res.Outcome, p.typed, p.pasted, words.Why(res.Detail))
		}
	})
}

func TestNeverTextIntoAPrompt(t *testing.T) {
	for _, name := range []string{"claude-bash", "claude-edit", "claude-guarded", "claude-plan", "claude-question"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", name)
				for _, about := range []*screen.Prompt{{}, promptOn(t, "claude", name)} {
					r := text("claude", "yes please")
					r.decides(about)
					var began begins
					check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{outcome: Refused, reason: AwaitingDecision})
				}
				if len(p.pasted) > 0 {
					t.Errorf("pasted %q", p.pasted)
				}
			})
		})
	}
}

func TestNeverTextIntoAShell(t *testing.T) {
	for name, front := range map[string][]proc.Process{
		"the agent has exited": {bash},
		"another program":      {{ID: proc.ID{PID: 5, Start: 5}, Comm: "psql"}},
		"nothing":              {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// The agent's last frame is still on the screen.
				p := newPane(t, "claude", "claude-idle")
				p.front = front
				res := p.typist().Type(t.Context(), text("claude", "rm -rf build"), func() error { return errors.New("began") })
				if res.Outcome != Refused || len(p.pasted)+len(p.typed) > 0 {
					t.Errorf("%s, pasted %q, typed %q", res.Outcome, p.pasted, p.typed)
				}
				if name == "the agent has exited" && res.Reason != Shell {
					t.Errorf("reason %s", res.Reason)
				}
			})
		})
	}
}

func TestNeverOntoADraft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-draft")
		var began begins
		res := p.typist().Type(t.Context(), text("claude", "run the tests"), began.begin)
		check(t, p, res, began, want{outcome: Refused, reason: Draft})
		if len(p.pasted) > 0 {
			t.Errorf("pasted %q", p.pasted)
		}
	})
}

// TestNothingIntoAnInputBoxInShellMode: somebody typed "!" and nothing else, so any text would run as a command.
func TestNothingIntoAnInputBoxInShellMode(t *testing.T) {
	for name, r := range map[string]Request{"an instruction": {Instruction: "run the tests"}, "a reason": {Because: Say("use the cache")}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-idle")
				p.edit("❯", "!")
				p.look.Pane.Activity = time.Now().Add(-time.Minute).Truncate(time.Second)
				r.Pane, r.Process, r.Agent = ref, processes["claude"].ID, "claude"
				var began begins
				check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{outcome: Refused, reason: Draft})
				if len(p.pasted) > 0 {
					t.Errorf("pasted %q", p.pasted)
				}
			})
		})
	}
}

func TestNoTextForABusyAgent(t *testing.T) {
	for screen, reason := range map[string]Reason{"claude-working": Working, "claude-simple-transcript": Unreadable} {
		t.Run(screen, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", screen)
				var began begins
				res := p.typist().Type(t.Context(), text("claude", "run the tests"), began.begin)
				check(t, p, res, began, want{outcome: Refused, reason: reason})
			})
		})
	}
}

func TestAnswersAQuestionInItsTextField(t *testing.T) {
	if !promptOn(t, "codex", "codex-form").TextField {
		t.Fatal("the recorded form has no text field in focus")
	}
	for name, c := range map[string]struct {
		onKey func(p *pane, key string)
		want  want
	}{
		"submitted":       {func(p *pane, _ string) { p.show("codex-working") }, want{Delivered, "", "Enter", 1, ""}},
		"left in the box": {func(*pane, string) {}, want{Unknown, Unsure, "Enter", 1, promptOn(t, "codex", "codex-form").Shape}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "codex", "codex-form")
				p.onPaste = func(p *pane, _ string) { p.show("codex-form-typed") }
				p.onKey = c.onKey
				r := Request{Pane: ref, Process: processes["codex"].ID, Agent: "codex", Answer: Say("abc")}
				r.decides(promptOn(t, "codex", "codex-form"))
				var began begins
				check(t, p, p.typist().Type(t.Context(), r, began.begin), began, c.want)
			})
		})
	}
	t.Run("with a draft in it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "codex", "codex-form-typed")
			r := Request{Pane: ref, Process: processes["codex"].ID, Agent: "codex", Answer: Say("def")}
			r.decides(promptOn(t, "codex", "codex-form-typed"))
			var began begins
			check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{outcome: Refused, reason: Draft})
		})
	})
	t.Run("another question", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "codex", "codex-form")
			r := Request{Pane: ref, Process: processes["codex"].ID, Agent: "codex", Answer: Say("abc")}
			r.Fingerprint = "another"
			var began begins
			check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{outcome: Refused, reason: Changed})
		})
	})
}
