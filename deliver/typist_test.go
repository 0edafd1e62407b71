package deliver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/words"
)

// want is the expected result of a request.
type want struct {
	outcome Outcome
	reason  Reason
	typed   string // keys, separated by blanks
	begun   begins
	after   string // the shape of the prompt in the pane afterwards
}

func check(t *testing.T, p *pane, res Result, began begins, w want) {
	t.Helper()
	after := ""
	if res.After != nil {
		after = res.After.Shape
	}
	typed := strings.Join(p.typed, " ")
	if res.Outcome != w.outcome || res.Reason != w.reason || typed != w.typed || began != w.begun || after != w.after {
		t.Errorf("%s (%s), typed %q, begun %d times, after %q\nwant %s (%s), typed %q, begun %d times, after %q\ndetail: %s",
			res.Outcome, res.Reason, typed, began, after, w.outcome, w.reason, w.typed, w.begun, w.after, words.Why(res.Detail))
	}
	if said := slices.DeleteFunc(slices.Clone(res.Keys), func(k string) bool { return k == TypedWords }); w.outcome != Unknown && !slices.Equal(said, p.typed) {
		t.Errorf("says that it typed %q, not %q", said, p.typed)
	}
	if !strings.HasSuffix(words.Why(res.Detail), ".") {
		t.Errorf("the detail is no sentence: %q", words.Why(res.Detail))
	}
}

// answers are the keys of an agent's prompt and the screens that they lead to.
var answers = []struct {
	agent, screen string
	decision      screen.Decision
	leads         map[string]string
	keys          string
}{
	{"claude", "claude-bash", screen.Approve, map[string]string{"1": "claude-bash-approved"}, "1"},
	{"claude", "claude-bash", screen.Deny, map[string]string{"4": "claude-bash-denied"}, "4"},
	{"codex", "codex-escalate", screen.Approve, map[string]string{"y": "codex-escalate-approved"}, "y"},
	{"opencode", "opencode-bash", screen.Approve, map[string]string{"Enter": "opencode-bash-approved"}, "Enter"},
	{"kilo", "kilo-bash", screen.Deny, map[string]string{"Escape": "kilo-reject", "Enter": "kilo-denied"}, "Escape Enter"},
}

func TestTypesTheKeyOfTheDecision(t *testing.T) {
	for _, a := range answers {
		t.Run(a.agent+" "+string(a.decision), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, a.agent, a.screen)
				p.onKey = func(p *pane, key string) {
					if next, ok := a.leads[key]; ok {
						p.later(20*time.Millisecond, func() { p.show(next) })
					}
				}
				var began begins
				start := time.Now()
				res := p.typist().Type(t.Context(), request(t, a.agent, a.screen, a.decision), began.begin)
				check(t, p, res, began, want{Delivered, "", a.keys, 1, ""})
				if took := time.Since(start); took > time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// TestRefuses tests every condition that forbids a key, with every kind of request.
func TestRefuses(t *testing.T) {
	shown := func(name string) func(*pane) { return func(p *pane) { p.show(name) } }
	watched := []tmux.Client{{Name: "/dev/pts/1", Pane: "%3", Shows: []string{"%3", "%7"}}}
	elsewhere := []tmux.Client{{Name: "/dev/pts/1", Pane: "%3", Shows: []string{"%3"}}}
	conditions := []struct {
		name    string
		arrange func(p *pane)
		reason  Reason
		byHand  bool // also keys by hand
	}{
		{"another life of the server", func(p *pane) { p.look.Life.Start++ }, Gone, true},
		{"another server process", func(p *pane) { p.look.Life.PID++ }, Gone, true},
		{"no pane", func(p *pane) { p.look.Pane.ID = "%8" }, Gone, true},
		{"no server", func(p *pane) { p.lookErr = tmux.ErrNoServer }, Gone, true},
		{"a hung server", func(p *pane) { p.lookErr = fmt.Errorf("read pane: %w", tmux.ErrHung) }, Unreadable, true},
		{"a server that denies", func(p *pane) { p.lookErr = tmux.ErrDenied }, Unreadable, true},
		{"an unknown error", func(p *pane) { p.lookErr = errors.New("boom") }, Unreadable, true},
		{"a dead pane", func(p *pane) { p.look.Pane.Dead = true }, Gone, true},
		{"copy mode, watched", func(p *pane) { p.look.Pane.InMode, p.look.Clients = true, watched }, CopyMode, true},
		{"synchronized", func(p *pane) { p.look.Pane.Synchronized = true }, Synchronized, true},
		{"input off", func(p *pane) { p.look.Pane.InputOff = true }, Unreadable, true},
		{"a shell", func(p *pane) { p.front = []proc.Process{bash} }, Shell, true},
		{"nothing in the foreground", func(p *pane) { p.front = []proc.Process{} }, Gone, true},
		{"an unreadable process", func(p *pane) { p.front = nil }, Unreadable, true},
		{"another program", func(p *pane) { p.front = []proc.Process{{ID: proc.ID{PID: 5, Start: 5}, Comm: "vim"}} }, Changed, true},
		{"the same agent, started again", func(p *pane) { p.front[0].Start++ }, Changed, true},
		{"another agent", func(p *pane) { p.front = []proc.Process{processes["codex"]} }, Changed, true},
		{"the process became something else", func(p *pane) {
			p.front[0].Comm, p.front[0].Exe, p.front[0].Args = "less", "/bin/less", []string{"less"}
		}, Changed, true},
		{"the process became another agent", func(p *pane) {
			p.front[0].Comm, p.front[0].Exe, p.front[0].Args = "codex", "/opt/codex", []string{"codex"}
		}, Changed, true},
		{"another prompt", shown("claude-bash-git"), Changed, false},
		{"another kind of prompt", shown("claude-edit"), Changed, false},
		{"no prompt, working", shown("claude-working"), Changed, false},
		{"no prompt, idle", shown("claude-idle"), Changed, false},
		{"the prompt in a transcript", shown("claude-simple-transcript"), Unreadable, false},
		{"a pane taller than is read", func(p *pane) {
			p.draw(strings.Repeat("above\n", 500)+p.look.Capture, append(slices.Repeat([]string{"above"}, 500), p.rows...))
		}, Unreadable, true},
		{"an empty screen", func(p *pane) { p.draw("\n", nil) }, Changed, false},
		{"copy mode, watched elsewhere, another prompt", func(p *pane) {
			p.look.Pane.InMode, p.look.Clients = true, elsewhere
			p.show("claude-edit")
		}, Changed, false},
	}
	base := request(t, "claude", "claude-bash", "")
	option := promptOn(t, "claude", "claude-bash").Options[1]
	requests := map[string]func(*Request){
		"approve": func(r *Request) { r.Decision = screen.Approve },
		"deny":    func(r *Request) { r.Decision = screen.Deny },
		"choice":  func(r *Request) { r.Choice = &Choice{Index: 1, Label: option.Label} },
		"by hand": func(r *Request) { r.Keys = []string{"1"} },
	}
	for _, c := range conditions {
		for kind, set := range requests {
			if kind == "by hand" && !c.byHand {
				continue
			}
			t.Run(c.name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newPane(t, "claude", "claude-bash")
					c.arrange(p)
					r := base
					set(&r)
					var began begins
					r.Where = "work:2.0"
					res := p.typist().Type(t.Context(), r, began.begin)
					if why := res.Detail.Because; why == nil || why.Where != r.Where {
						t.Errorf("the refusal names another place: %+v", res.Detail)
					}
					check(t, p, res, began, want{outcome: Refused, reason: c.reason})
					if p.left > 0 {
						t.Error("left copy mode for nothing")
					}
				})
			})
		}
	}
}

func TestRefusesARequestThatNamesTooLittle(t *testing.T) {
	whole := request(t, "claude", "claude-bash", screen.Approve)
	for name, c := range map[string]struct {
		change func(*Request)
		reason Reason
	}{
		"nothing to type":   {func(r *Request) { r.Decision = "" }, NoKey},
		"two things":        {func(r *Request) { r.Keys = []string{"1"} }, NoKey},
		"no fingerprint":    {func(r *Request) { r.Fingerprint = "" }, Changed},
		"no rows":           {func(r *Request) { r.Rows = nil }, Changed},
		"no process":        {func(r *Request) { r.Process = proc.ID{} }, Changed},
		"no agent":          {func(r *Request) { r.Agent = "" }, Changed},
		"blank text":        {func(r *Request) { r.Decision, r.Instruction = "", " \n" }, NoKey},
		"a wrong key name":  {func(r *Request) { r.Decision, r.Keys = "", []string{"1", "Esc"} }, NoKey},
		"words with a yes":  {func(r *Request) { r.Because = Say("but hurry") }, NoKey},
		"an unknown word":   {func(r *Request) { r.Decision = "perhaps" }, NoKey},
		"another machine":   {func(r *Request) { r.Pane.Machine = "gpu1" }, NotOwner},
		"an unwatched tmux": {func(r *Request) { r.Pane.Server.Socket = "/run/other" }, NotOwner},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, r := newPane(t, "claude", "claude-bash"), whole
				c.change(&r)
				var began begins
				check(t, p, p.typist().Type(t.Context(), r, began.begin), began, want{outcome: Refused, reason: c.reason})
			})
		})
	}
}

func TestNoKeyWhereNoneIsOnce(t *testing.T) {
	for _, name := range []string{"claude-plan", "claude-question"} {
		for _, d := range []screen.Decision{screen.Approve, screen.Deny} {
			t.Run(name+" "+string(d), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newPane(t, "claude", name)
					var began begins
					res := p.typist().Type(t.Context(), request(t, "claude", name, d), began.begin)
					check(t, p, res, began, want{outcome: Refused, reason: NoKey})
				})
			})
		}
	}
}

// TestNeverTypesIntoAnotherPrompt replaces the prompt that was decided on by another one at every moment:
// before the look, between the looks, and between the last look and the key.
func TestNeverTypesIntoAnotherPrompt(t *testing.T) {
	for _, d := range []screen.Decision{screen.Approve, screen.Deny} {
		for look := 1; look <= 3; look++ {
			t.Run(fmt.Sprintf("%s, before look %d", d, look), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newPane(t, "claude", "claude-bash")
					p.show("claude-bash") // it was just drawn, so it is looked at twice
					p.onLook = func(p *pane) {
						if p.looks == look {
							p.show("claude-bash-git")
						}
					}
					if look == 3 {
						p.onGuard = func(p *pane) { p.show("claude-bash-git"); p.onGuard = nil }
					}
					var began begins
					res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", d), began.begin)
					check(t, p, res, began, want{outcome: Refused, reason: Changed, begun: began})
				})
			})
		}
	}
	t.Run("one letter of the command", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			p.onGuard = func(p *pane) { p.edit("rm -rf build\n", "rm -rf buile\n") }
			var began begins
			res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
			check(t, p, res, began, want{outcome: Refused, reason: Changed, begun: 1})
		})
	})
}

func TestTypesAgainWhereTheSamePromptMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onGuard = func(p *pane) {
			p.onGuard = nil
			// A row above the dialog disappears, so all rows of the dialog move up by one.
			_, rest, _ := strings.Cut(p.look.Capture, "\n")
			p.draw(rest+"\n", append(slices.Clone(p.rows[1:]), ""))
		}
		p.onKey = func(p *pane, _ string) { p.show("claude-bash-approved") }
		var began begins
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
		check(t, p, res, began, want{Delivered, "", "1", 1, ""})
	})
}

func TestGivesUpOnAScreenThatNeverHoldsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onGuard = func(p *pane) { p.look.Pane.Width ^= 1 }
		var began begins
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
		check(t, p, res, began, want{Refused, Unreadable, "", 1, ""})
	})
}

// TestOutputElsewhereStopsNoAnswer: the window draws between each look and its key, but never in the dialog.
// Only the first tries at the first key require a silent window.
// first tries at the first key alone.
func TestOutputElsewhereStopsNoAnswer(t *testing.T) {
	draws := func(p *pane) { p.look.Pane.Activity = p.look.Pane.Activity.Add(time.Second) }
	for _, a := range answers {
		if a.agent == "opencode" {
			continue // its highlight is a colour
		}
		t.Run(a.agent+" "+string(a.decision), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, a.agent, a.screen)
				p.onGuard = draws
				if strings.Contains(a.keys, " ") {
					p.onGuard = func(p *pane) {
						if len(p.typed) > 0 {
							draws(p)
						}
					}
				}
				p.onKey = func(p *pane, key string) {
					p.show(a.leads[key])
					p.look.Pane.Activity = time.Now().Add(-time.Minute).Truncate(time.Second)
				}
				var began begins
				res := p.typist().Type(t.Context(), request(t, a.agent, a.screen, a.decision), began.begin)
				check(t, p, res, began, want{Delivered, "", a.keys, 1, ""})
			})
		})
	}
}

func TestNoKeyIsTypedUnlessItIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), func() error { return errors.New("disk full") })
		check(t, p, res, 0, want{outcome: Refused, reason: Unreadable})
		if !res.Reason.ForNow() || !strings.Contains(words.Why(res.Detail), "disk full") {
			t.Errorf("%s: %s", res.Reason, words.Why(res.Detail))
		}
	})
}

func TestRefusesInCopyMode(t *testing.T) {
	watched := []tmux.Client{{Name: "/dev/pts/1", Pane: "%3", Shows: []string{"%3", "%7"}}}
	for name, c := range map[string]struct {
		clients   []tmux.Client
		leaveMode bool
		want      want
		left      int
	}{
		"a person looks at it":                {clients: watched, want: want{outcome: Refused, reason: CopyMode}},
		"a person asked to leave it":          {clients: watched, leaveMode: true, want: want{Delivered, "", "1", 1, ""}, left: 1},
		"nobody looks at it":                  {want: want{Delivered, "", "1", 1, ""}, left: 1},
		"a person looks at another pane only": {clients: []tmux.Client{{Pane: "%3", Shows: []string{"%3"}}}, want: want{Delivered, "", "1", 1, ""}, left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				p.look.Pane.InMode, p.look.Clients = true, c.clients
				p.onKey = func(p *pane, _ string) { p.show("claude-bash-approved") }
				r := request(t, "claude", "claude-bash", screen.Approve)
				r.LeaveMode = c.leaveMode
				var began begins
				check(t, p, p.typist().Type(t.Context(), r, began.begin), began, c.want)
				if p.left != c.left {
					t.Errorf("left copy mode %d times, want %d", p.left, c.left)
				}
			})
		})
	}
	t.Run("it is entered just before the key", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			p.look.Clients = watched
			p.onGuard = func(p *pane) { p.look.Pane.InMode = true }
			var began begins
			res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
			check(t, p, res, began, want{Refused, CopyMode, "", 1, ""})
		})
	})
	t.Run("it can't be left", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			p.onLook = func(p *pane) { p.look.Pane.InMode = true }
			var began begins
			res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
			check(t, p, res, began, want{outcome: Refused, reason: CopyMode})
		})
	})
}

func TestRefusesSynchronizedPanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onGuard = func(p *pane) { p.look.Pane.Synchronized = true }
		var began begins
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
		check(t, p, res, began, want{Refused, Synchronized, "", 1, ""})
		if !res.Reason.ForNow() {
			t.Error("the answer could not be given again once that is over")
		}
	})
}

func TestRefusesAfterRespawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onGuard = func(p *pane) {
			p.look.Pane.PID++
			p.front[0].ID = proc.ID{PID: 222, Start: 99}
		}
		var began begins
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
		check(t, p, res, began, want{Refused, Changed, "", 1, ""})
	})
}

func TestAnAgentNamedByHandIsItsForegroundProcess(t *testing.T) {
	ssh := proc.Process{ID: proc.ID{PID: 60, Start: 2}, Comm: "ssh", Exe: "/usr/bin/ssh", Args: []string{"ssh", "box"}}
	for name, c := range map[string]struct {
		option string
		front  proc.Process
		want   want
	}{
		"named":          {"claude", ssh, want{Delivered, "", "1", 1, ""}},
		"not named":      {"", ssh, want{outcome: Refused, reason: Changed}},
		"another name":   {"codex", ssh, want{outcome: Refused, reason: Changed}},
		"another ssh":    {"claude", proc.Process{ID: proc.ID{PID: 61, Start: 2}, Comm: "ssh"}, want{outcome: Refused, reason: Changed}},
		"back to bash":   {"claude", bash, want{outcome: Refused, reason: Shell}},
		"another claude": {"claude", processes["claude"], want{outcome: Refused, reason: Changed}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				p.look.Pane.Agent, p.front = c.option, []proc.Process{c.front}
				p.onKey = func(p *pane, _ string) { p.show("claude-bash-approved") }
				r := request(t, "claude", "claude-bash", screen.Approve)
				r.Process = ssh.ID
				var began begins
				check(t, p, p.typist().Type(t.Context(), r, began.begin), began, c.want)
			})
		})
	}
}

// TestAYoungPromptGetsNoKey delays the key until the prompt is 150 ms old: Claude Code swallows earlier keys.
func TestAYoungPromptGetsNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		drawn := time.Now()
		p.show("claude-bash")
		var pressed time.Time
		p.onKey = func(p *pane, _ string) { pressed = time.Now(); p.show("claude-bash-approved") }
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), func() error { return nil })
		if age := pressed.Sub(drawn); res.Outcome != Delivered || age < settle || age > 2*settle {
			t.Errorf("%s, the key came %v after the prompt", res.Outcome, age)
		}
	})
}

func TestAnOldPromptIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		start := time.Now()
		var pressed time.Time
		p.onKey = func(p *pane, _ string) { pressed = time.Now(); p.show("claude-bash-approved") }
		p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), func() error { return nil })
		if wait := pressed.Sub(start); wait != 0 {
			t.Errorf("the key came after %v", wait)
		}
	})
}

// TestAHalfDrawnScreenIsLookedAtAgain lets the prompt appear during the looks.
func TestAHalfDrawnScreenIsLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-working")
		p.later(250*time.Millisecond, func() { p.show("claude-bash") })
		p.onKey = func(p *pane, _ string) { p.show("claude-bash-approved") }
		var began begins
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
		check(t, p, res, began, want{Delivered, "", "1", 1, ""})
	})
}

// TestOneAtATimePerPane gives one pane two answers to the same prompt at once: the second one finds the
// prompt gone.
