package deliver

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"nod/internal/host/proc"
	"nod/internal/testrun"
)

// reviewed plays a Codex whose reviewer has denied calls: idle, with the list that /approve opens. It draws
// like 0.169.0, without colours.
type reviewed struct {
	*pane
	list   []string // the texts of the list's rows
	marked int
	taken  []string // the rows on which Enter was pressed
}

func newReviewed(t *testing.T, commands ...string) *reviewed {
	r := &reviewed{pane: plainPane(t, "codex", "codex-review-denied")}
	for _, c := range commands {
		r.list = append(r.list, "/bin/bash -lc '"+c+"'")
	}
	r.onPaste = func(p *pane, text string) {
		if text == "/approve" {
			r.shows("codex-approve")
		}
	}
	r.onKey = func(p *pane, key string) { r.take(key) }
	return r
}

func (r *reviewed) shows(name string) {
	rows := rowsOf(r.t, name)
	r.draw(strings.Join(rows, "\n"), rows)
}

func (r *reviewed) open() bool {
	return strings.Contains(strings.Join(r.rows, "\n"), "Auto-review Denials")
}

// take does what Codex does with a key.
func (r *reviewed) take(key string) {
	switch {
	case !r.open() && key == "Enter":
		r.drawList()
	case key == "Down" && r.marked < len(r.list)-1:
		r.marked++
		r.drawList()
	case key == "Up" && r.marked > 0:
		r.marked--
		r.drawList()
	case key == "Enter":
		r.taken = append(r.taken, r.list[r.marked])
		r.shows("codex-review-denied")
	case key == "Escape":
		r.shows("codex-review-denied")
	}
}

const actionRoom = 52

func (r *reviewed) drawList() {
	rows := []string{"• Done.", "", "", "  Auto-review Denials", "  Select a denied action to approve.", "", "", "", fmt.Sprintf("  %-*s  Rationale", actionRoom, "Action")}
	for i, said := range r.list {
		mark := " "
		if i == r.marked {
			mark = "›"
		}
		if cells := []rune(said); len(cells) > actionRoom {
			said = string(cells[:actionRoom-1]) + "…"
		}
		rows = append(rows, fmt.Sprintf("%s %-*s  not asked for", mark, actionRoom, said))
	}
	rows = append(rows, "", "  enter select · esc back")
	r.draw(strings.Join(rows, "\n"), rows)
}

// afterList calls change before the first look after those that read the list.
func (r *reviewed) afterList(change func()) {
	seen := 0
	r.onLook = func(p *pane) {
		if !r.open() {
			return
		}
		if seen++; seen == 3 {
			change()
		}
	}
}

// granted returns a request to mark a command.
func granted(command string) Request {
	r := text("codex", "/approve")
	r.Granted = command
	return r
}

func TestACallIsMarkedInTheAgentsOwnList(t *testing.T) {
	for name, c := range map[string]struct {
		list   []string
		marked int
		change func(r *reviewed)
		want   want
		taken  string
	}{
		"the first":           {[]string{"touch a", "touch b"}, 0, nil, want{Delivered, "", "Enter Enter", 1, ""}, "touch a"},
		"further down":        {[]string{"touch b", "touch c", "touch a"}, 0, nil, want{Delivered, "", "Enter Down Down Enter", 1, ""}, "touch a"},
		"further up":          {[]string{"touch a", "touch b"}, 1, nil, want{Delivered, "", "Enter Up Enter", 1, ""}, "touch a"},
		"the newest, first":   {[]string{"touch a", "touch b", "touch a"}, 1, nil, want{Delivered, "", "Enter Up Enter", 1, ""}, "touch a"},
		"the newest of equal": {[]string{"touch b", "touch a", "touch a"}, 0, nil, want{Delivered, "", "Enter Down Enter", 1, ""}, "touch a"},
		"not there":           {[]string{"touch b", "touch a b"}, 0, nil, want{Refused, NoKey, "Enter Escape", 1, ""}, ""},
		"a draft":             {[]string{"touch a"}, 0, func(r *reviewed) { r.edit("Ask Codex to do anything", "half a thought") }, want{Refused, Draft, "", 0, ""}, ""},
		"a no-break space": {[]string{"touch a"}, 0, func(r *reviewed) { r.list[0] = "/bin/bash -lc 'touch\u00a0a'" },
			want{Refused, NoKey, "Enter Escape", 1, ""}, ""},
		"another menu": {[]string{"touch a"}, 0, func(r *reviewed) {
			r.onPaste = func(*pane, string) {
				r.shows("codex-approve")
				r.edit("› /approve  approve one", "› /approvals  change the")
			}
		}, want{Unknown, Unsure, "", 1, ""}, ""},
		"the menu goes just before Enter": {[]string{"touch a"}, 0, func(r *reviewed) {
			r.onGuard = func(p *pane) {
				if len(p.pasted) == 1 {
					r.shows("codex-review-denied")
				}
			}
		}, want{Unknown, Unsure, "", 1, ""}, ""},
		"a question comes instead of the list": {[]string{"touch a"}, 0, func(r *reviewed) {
			r.onKey = func(*pane, string) { r.shows("codex-escalate") }
		}, want{Refused, Changed, "Enter", 1, ""}, ""},
		"the list goes by itself": {[]string{"touch b"}, 0, func(r *reviewed) { r.afterList(func() { r.shows("codex-review-denied") }) },
			want{Refused, NoKey, "Enter", 1, ""}, ""},
		"a question comes over the list": {[]string{"touch b"}, 0, func(r *reviewed) { r.afterList(func() { r.shows("codex-escalate") }) },
			want{Refused, NoKey, "Enter", 1, ""}, ""},
		"the mark does not move": {[]string{"touch b", "touch a"}, 0, func(r *reviewed) {
			r.onKey = func(_ *pane, key string) {
				if key != "Down" {
					r.take(key)
				}
			}
		}, want{Refused, Changed, "Enter Down Escape", 1, ""}, ""},
		"the list changes": {[]string{"touch b", "touch a"}, 0, func(r *reviewed) {
			r.onKey = func(_ *pane, key string) {
				if r.take(key); key == "Down" {
					r.list[1] = "/bin/bash -lc 'touch c'"
					r.drawList()
				}
			}
		}, want{Refused, Changed, "Enter Down Escape", 1, ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newReviewed(t, c.list...)
				r.marked = c.marked
				if c.change != nil {
					c.change(r)
				}
				var began begins
				res := r.typist().Type(t.Context(), granted("touch a"), began.begin)
				check(t, r.pane, res, began, c.want)
				if got := strings.Join(r.taken, " "); got != "" != (c.taken != "") || c.taken != "" && got != "/bin/bash -lc '"+c.taken+"'" {
					t.Errorf("taken: %q, want %q", got, c.taken)
				}
				if r.open() {
					t.Error("the list was left open")
				}
			})
		})
	}
}

// TestAListIsLeftOnlyByWhoseItIs: Escape goes to no program that replaced the agent, and to no list in which the call was marked.
func TestAListIsLeftOnlyByWhoseItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReviewed(t, "touch b")
		r.afterList(func() { r.front = []proc.Process{bash} })
		res := r.typist().Type(t.Context(), granted("touch a"), func() error { return nil })
		if res.Outcome != Refused || strings.Join(r.typed, " ") != "Enter" {
			t.Errorf("a shell: %s, typed %q", res.Outcome, r.typed)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newReviewed(t, "touch a")
		r.onKey = func(p *pane, key string) {
			if len(p.typed) == 1 {
				r.take(key)
			}
		}
		res := r.typist().Type(t.Context(), granted("touch a"), func() error { return nil })
		if res.Outcome != Unknown || strings.Join(r.typed, " ") != "Enter Enter" {
			t.Errorf("the list stays: %s, typed %q", res.Outcome, r.typed)
		}
	})
}

// TestOnlyTheAgentsOwnListIsOpened: no other agent has one, and no other text opens it.
func TestOnlyTheAgentsOwnListIsOpened(t *testing.T) {
	for agent, opens := range map[string]Instruction{"codex": "/clear", "claude": "/approve"} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, agent, map[string]string{"codex": "codex-review-denied", "claude": "claude-idle"}[agent])
			r := text(agent, string(opens))
			r.Granted = "touch a"
			var began begins
			check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{outcome: Refused, reason: NoKey})
			if len(p.pasted) > 0 {
				t.Errorf("%s: pasted %q", agent, p.pasted)
			}
		})
	}
}

// TestNoOtherCallIsEverMarked: in lists of similar calls, Enter is pressed on the granted call or not at all.
func TestNoOtherCallIsEverMarked(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 5))
	for range testrun.Rounds(30, 3000) {
		draw := func() string {
			words := []string{"touch a", "touch  a", "touch a ", "touch\u00a0a", "touch a; rm -rf b", "touch " + strings.Repeat("a", r.IntN(60)), "touch а"} // the last one has a Cyrillic letter
			return words[r.IntN(len(words))]
		}
		list := make([]string, 1+r.IntN(5))
		for i := range list {
			list[i] = draw()
		}
		command, start := draw(), r.IntN(len(list))
		synctest.Test(t, func(t *testing.T) {
			codex := newReviewed(t, list...)
			codex.marked = start
			var began begins
			res := codex.typist().Type(t.Context(), granted(command), began.begin)
			for _, row := range codex.taken {
				if row != "/bin/bash -lc '"+command+"'" {
					t.Errorf("of %q was taken %q for %q", list, row, command)
				}
			}
			if len(codex.taken) > 1 || (len(codex.taken) == 1) != (res.Outcome == Delivered) {
				t.Errorf("of %q was taken %q for %q, which was %s", list, codex.taken, command, res.Outcome)
			}
		})
	}
}
