package deliver

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
	"nod/internal/words"
)

// stage is an actor in a real pane, and a Typist that types there.
type stage struct {
	*tmuxtest.Server
	*Typist
	play *play
	pane string
	r    Request
}

// screens returns recorded screens by name, as an actor draws them.
func screens(t testing.TB, names ...string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = capture(t, name)
	}
	return all
}

// perform starts p as agent in a pane and waits for its first screen. The request is an approval of
// the prompt there, if there is one.
func perform(t testing.TB, agent string, p *play) *stage {
	t.Helper()
	s := &stage{Server: tmuxtest.New(t), play: p, Typist: New(Config{Keyboards: func(socket string) Keyboard { return tmux.New(socket) }})}
	s.start(t, agent)
	return s
}

func (s *stage) start(t testing.TB, agent string) {
	t.Helper()
	s.pane = s.Pane(s.play.command(t, agent), 80, 24)
	s.meet(t, agent)
}

// meet waits until the agent shows its first screen, and makes the request that answers it.
func (s *stage) meet(t testing.TB, agent string) {
	t.Helper()
	rows := rowsOf(t, s.play.Start)
	last := strings.TrimSpace(rows[len(rows)-1])
	for i := len(rows) - 1; last == ""; i-- {
		last = strings.TrimSpace(rows[i])
	}
	if len(s.play.Flip) > 0 {
		s.Until(s.pane, func(screen string) bool { return screen != "" })
	} else {
		s.UntilShows(s.pane, last)
	}
	look, err := tmux.New(s.Socket).Look(t.Context(), s.pane)
	if err != nil {
		t.Fatal(err)
	}
	front, err := proc.Foreground(look.Pane.PID)
	if err != nil {
		t.Fatal(err)
	}
	name, p, ok := agents.Of(front)
	if !ok || name != agent {
		t.Fatalf("the pane runs %q and no %s: %+v", name, agent, front)
	}
	s.r = Request{Pane: detect.PaneRef{Server: look.Life, ID: s.pane}, Process: p.ID, Agent: agent, Decision: screen.Approve}
	if q := agents.Read(agent, screen.Parse(capture(t, s.play.Start))).Prompt; q != nil {
		s.r.decides(q)
	}
}

func (s *stage) typed(t testing.TB, r Request) Result {
	t.Helper()
	return s.Typist.Type(t.Context(), r, func() error { return nil })
}

// bashPlay is Claude Code with a permission prompt, whose four keys work.
func bashPlay(t testing.TB) *play {
	return &play{
		Screens: screens(t, "claude-bash", "claude-bash-approved", "claude-bash-denied"),
		Start:   "claude-bash",
		On: map[string]map[string]string{"claude-bash": {
			"1": "claude-bash-approved", "2": "claude-bash-approved", "3": "claude-bash-approved", "4": "claude-bash-denied",
		}},
	}
}

func TestTmuxTypesOneKey(t *testing.T) {
	for name, c := range map[string]struct {
		agent    string
		decision screen.Decision
		play     *play
		keys     string
	}{
		"claude approve": {"claude", screen.Approve, bashPlay(t), "claude-bash 1"},
		"claude deny":    {"claude", screen.Deny, bashPlay(t), "claude-bash 4"},
		"opencode approve": {"opencode", screen.Approve, &play{
			Screens: screens(t, "opencode-bash", "opencode-bash-approved"), Start: "opencode-bash",
			On: map[string]map[string]string{"opencode-bash": {"Enter": "opencode-bash-approved"}},
		}, "opencode-bash Enter"},
		"kilo deny": {"kilo", screen.Deny, &play{
			Screens: screens(t, "kilo-bash", "kilo-reject", "kilo-denied"), Start: "kilo-bash",
			On: map[string]map[string]string{"kilo-bash": {"Escape": "kilo-reject"}, "kilo-reject": {"Enter": "kilo-denied"}},
		}, "kilo-bash Escape\nkilo-reject Enter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := perform(t, c.agent, c.play)
			s.r.Decision = c.decision
			res := s.typed(t, s.r)
			if got := c.play.keys(t); res.Outcome != Delivered || got != c.keys {
				t.Errorf("%s: %s; the agent got %q, want %q", res.Outcome, words.Why(res.Detail), got, c.keys)
			}
			if again := s.typed(t, s.r); again.Outcome != Refused || again.Reason != Changed || c.play.keys(t) != c.keys {
				t.Errorf("the same answer again: %s (%s), the agent got %q", again.Outcome, again.Reason, c.play.keys(t))
			}
		})
	}
}

// TestTmuxSwap flips between two prompts every few milliseconds and approves one of them. The terminal's own
// reports tell the actor which one was on the screen when tmux typed.
func TestTmuxSwap(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	p.Screens["claude-bash-git"] = capture(t, "claude-bash-git")
	p.Flip = []string{"claude-bash", "claude-bash-git"}
	p.On["claude-bash-approved"] = map[string]string{"r": "claude-bash"}
	s := perform(t, "claude", p)
	delivered := 0
	for end := time.Now().Add(time.Duration(testrun.Rounds(1, 4)) * time.Second); time.Now().Before(end); {
		res := s.typed(t, s.r)
		if res.Outcome == Delivered {
			delivered++
			s.Server.Type(s.pane, "r")
		}
	}
	for _, line := range strings.Split(p.keys(t), "\n") {
		if strings.HasSuffix(line, " 1") && strings.HasPrefix(line, "claude-bash-git") {
			t.Errorf("the key met the other prompt: %q", line)
		}
	}
	t.Logf("%d answers were delivered", delivered)
}

func TestTmuxCopyMode(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	s := perform(t, "claude", p)
	outer := tmuxtest.New(t)
	client := s.Attach(outer, s.pane, 80, 25)
	s.meet(t, "claude")
	s.Run("copy-mode", "-t", s.pane)
	if res := s.typed(t, s.r); res.Outcome != Refused || res.Reason != CopyMode || p.keys(t) != "" {
		t.Errorf("watched: %s (%s), the agent got %q", res.Outcome, res.Reason, p.keys(t))
	}
	outer.Run("kill-pane", "-t", client)
	for s.Run("list-clients") != "" {
		time.Sleep(10 * time.Millisecond)
	}
	if res := s.typed(t, s.r); res.Outcome != Delivered || p.keys(t) != "claude-bash 1" {
		t.Errorf("unwatched: %s: %s; the agent got %q", res.Outcome, words.Why(res.Detail), p.keys(t))
	}
}

// TestTmuxWheel has a person turn the wheel over the pane and go to another one. With the option mouse, which is on by default from tmux 3.8
// on, that leaves the pane in copy mode.
func TestTmuxWheel(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	s := perform(t, "claude", p)
	s.Run("set-option", "-g", "mouse", "on")
	outer := tmuxtest.New(t)
	client := s.Attach(outer, s.pane, 80, 25)
	s.meet(t, "claude")
	outer.Run("send-keys", "-t", client, "-l", "--", "\x1b[<64;10;5M")
	s.Server.Until(s.pane, func(string) bool {
		return s.Run("display-message", "-p", "-t", s.pane, "#{pane_mode}") == "copy-mode"
	})
	if res := s.typed(t, s.r); res.Outcome != Refused || res.Reason != CopyMode || p.keys(t) != "" {
		t.Errorf("watched: %s (%s), the agent got %q", res.Outcome, res.Reason, p.keys(t))
	}
	s.Run("switch-client", "-c", s.Run("list-clients", "-F", "#{client_name}"), "-t", s.Pane("exec cat", 80, 24))
	if res := s.typed(t, s.r); res.Outcome != Delivered || p.keys(t) != "claude-bash 1" {
		t.Errorf("unwatched: %s: %s; the agent got %q", res.Outcome, words.Why(res.Detail), p.keys(t))
	}
}

// TestTmuxDisplayPanes has a person look at the numbers of the panes, which from tmux 3.8 on is a mode of the pane: there a key would choose a
// pane by its number.
func TestTmuxDisplayPanes(t *testing.T) {
	t.Parallel()
	if v, err := tmux.Version(t.Context()); err != nil || strings.TrimPrefix(v, "next-") < "3.8" {
		t.Skipf("in tmux %s it is no mode (%v)", v, err)
	}
	p := bashPlay(t)
	s := perform(t, "claude", p)
	other := s.Run("split-window", "-d", "-l", "3", "-t", s.pane, "-P", "-F", "#{pane_id}", "exec cat")
	outer := tmuxtest.New(t)
	s.Attach(outer, s.pane, 80, 28)
	s.meet(t, "claude")
	shown := exec.Command("tmux", "-u", "-S", s.Socket, "display-panes", "-d", "0", "-t", s.Run("list-clients", "-F", "#{client_name}"))
	if err := shown.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shown.Process.Kill(); _ = shown.Wait() }()
	mode := func() string { return s.Run("display-message", "-p", "-t", s.pane, "#{pane_mode}") }
	s.Server.Until(s.pane, func(string) bool { return mode() == "panes-mode" })
	if res := s.typed(t, s.r); res.Outcome != Refused || res.Reason != CopyMode || p.keys(t) != "" || mode() != "panes-mode" {
		t.Errorf("watched: %s (%s), the agent got %q, the pane is in %q", res.Outcome, res.Reason, p.keys(t), mode())
	}
	s.r.LeaveMode = true
	if res := s.typed(t, s.r); res.Outcome != Delivered || p.keys(t) != "claude-bash 1" {
		t.Errorf("told to leave it: %s: %s; the agent got %q", res.Outcome, words.Why(res.Detail), p.keys(t))
	}
	if active := s.Run("display-message", "-p", "-t", other, "#{pane_active}"); active != "0" {
		t.Error("the key chose another pane")
	}
}

func TestTmuxSynchronizedPanes(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	s := perform(t, "claude", p)
	s.Run("split-window", "-t", s.pane, "-l", "3", "cat")
	s.Run("set-option", "-w", "-t", s.pane, "synchronize-panes", "on")
	if res := s.typed(t, s.r); res.Outcome != Refused || res.Reason != Synchronized || p.keys(t) != "" {
		t.Errorf("%s (%s), the agent got %q", res.Outcome, res.Reason, p.keys(t))
	}
}

func TestTmuxDeadPane(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	p.On["claude-bash"]["q"] = ""
	s := perform(t, "claude", p)
	s.Run("set-option", "-p", "-t", s.pane, "remain-on-exit", "on")
	s.Server.Type(s.pane, "q")
	for s.Run("display-message", "-p", "-t", s.pane, "#{pane_dead}") != "1" {
		time.Sleep(10 * time.Millisecond)
	}
	if res := s.typed(t, s.r); res.Outcome != Refused || res.Reason != Gone {
		t.Errorf("%s (%s): %s", res.Outcome, res.Reason, words.Why(res.Detail))
	}
}

func TestTmuxRespawnedPane(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	s := perform(t, "claude", p)
	old, before := s.r, *p
	s.Run("respawn-pane", "-k", "-t", s.pane, p.command(t, "claude"))
	s.meet(t, "claude")
	if res := s.typed(t, old); res.Outcome != Refused || res.Reason != Changed || p.keys(t) != "" || before.keys(t) != "" {
		t.Errorf("%s (%s), the agents got %q and %q", res.Outcome, res.Reason, before.keys(t), p.keys(t))
	}
	if res := s.typed(t, s.r); res.Outcome != Delivered {
		t.Errorf("the new agent: %s: %s", res.Outcome, words.Why(res.Detail))
	}
}

func TestTmuxShellInTheForeground(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	p.On["claude-bash"]["q"] = ""
	s := &stage{Server: tmuxtest.New(t), play: p, Typist: New(Config{Keyboards: func(socket string) Keyboard { return tmux.New(socket) }})}
	s.pane = s.Pane("PS1= exec sh", 80, 24)
	s.Server.Type(s.pane, strings.TrimPrefix(p.command(t, "claude"), "exec "), "Enter")
	s.UntilShows(s.pane, "Esc to cancel")
	s.meet(t, "claude")
	s.Server.Type(s.pane, "q")
	for {
		pid := 0
		fmt.Sscan(s.Run("display-message", "-p", "-t", s.pane, "#{pane_pid}"), &pid)
		front, err := proc.Foreground(pid)
		if err == nil && len(front) == 1 && front[0].Comm == "sh" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	// The prompt's last frame is still there.
	s.UntilShows(s.pane, "Do you want to proceed?")
	for _, r := range []Request{s.r, {Pane: s.r.Pane, Process: s.r.Process, Agent: "claude", Instruction: "rm -rf build"}} {
		if res := s.typed(t, r); res.Outcome != Refused || res.Reason != Shell {
			t.Errorf("%s (%s): %s", res.Outcome, res.Reason, words.Why(res.Detail))
		}
	}
}

func TestTmuxServerStartedAnew(t *testing.T) {
	t.Parallel()
	p := bashPlay(t)
	s := perform(t, "claude", p)
	old := s.r
	s.Kill()
	if res := s.typed(t, old); res.Outcome != Refused || res.Reason != Gone {
		t.Errorf("no server: %s (%s): %s", res.Outcome, res.Reason, words.Why(res.Detail))
	}
	s.Start()
	s.start(t, "claude")
	if s.r.Pane.ID != old.Pane.ID {
		t.Fatalf("the new pane is %s, want %s again", s.r.Pane.ID, old.Pane.ID)
	}
	if res := s.typed(t, old); res.Outcome != Refused || res.Reason != Gone || p.keys(t) != "" {
		t.Errorf("another life: %s (%s), the agent got %q", res.Outcome, res.Reason, p.keys(t))
	}
}

// TestTmuxHungServer stops the server before the look, and then between the look and the key.
func TestTmuxHungServer(t *testing.T) {
	testrun.InFull(t)
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	p := bashPlay(t)
	s := perform(t, "claude", p)
	thaw := s.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	res := s.Typist.Type(ctx, s.r, func() error { t.Error("began"); return nil })
	thaw()
	if res.Outcome != Refused || res.Reason != Unreadable {
		t.Errorf("before the look: %s (%s): %s", res.Outcome, res.Reason, words.Why(res.Detail))
	}
	s.UntilShows(s.pane, "Esc to cancel")

	res = s.Typist.Type(t.Context(), s.r, func() error { thaw = s.Freeze(); return nil })
	thaw()
	if res.Outcome != Unknown || res.Reason != Unsure {
		t.Errorf("before the key: %s (%s): %s", res.Outcome, res.Reason, words.Why(res.Detail))
	}
	s.Run("display-message", "-p", "the server goes on")
	time.Sleep(200 * time.Millisecond)
	if got := p.keys(t); got != "" && got != "claude-bash 1" {
		t.Errorf("the agent got %q", got)
	}
}

func TestTmuxText(t *testing.T) {
	t.Parallel()
	text := "run the tests\nthen `rm -rf \"$HOME\"`; # no"
	p := &play{
		Screens: screens(t, "claude-idle", "claude-draft", "claude-working"),
		Start:   "claude-idle", Pasted: "claude-draft",
		On: map[string]map[string]string{"claude-draft": {"Enter": "claude-working"}},
	}
	p.Screens["claude-draft"] = strings.ReplaceAll(p.Screens["claude-draft"], "half typed draft", "[Pasted text #1 +1 lines]")
	s := perform(t, "claude", p)
	s.r.Decision, s.r.Instruction = "", Instruction(text)
	res := s.typed(t, s.r)
	want := "claude-idle paste:" + strings.ReplaceAll(text, "\n", "\r") + "\nclaude-draft Enter"
	if got := p.keys(t); res.Outcome != Delivered || got != want {
		t.Errorf("%s: %s; the agent got %q, want %q", res.Outcome, words.Why(res.Detail), got, want)
	}
}

// onlyKey is a server that is finished after the key: nothing watches for its effect.
type onlyKey struct{ *tmux.Server }

func (k onlyKey) Press(ctx context.Context, g tmux.Guard, keys ...string) error {
	if err := k.Server.Press(ctx, g, keys...); err != nil {
		return err
	}
	return tmux.ErrDenied
}

// BenchmarkAnswer measures the time from an answer to its key in a real pane: one look, one reading of the
// process table and of the screen, and one guarded key.
func BenchmarkAnswer(b *testing.B) {
	p := bashPlay(b)
	p.On = nil
	s := perform(b, "claude", p)
	// The prompt is old, as it usually is when a person answers.
	time.Sleep(3 * time.Second)
	typist := New(Config{Keyboards: func(socket string) Keyboard { return onlyKey{tmux.New(socket)} }})
	for b.Loop() {
		typist.Type(b.Context(), s.r, func() error { return nil })
	}
	b.StopTimer()
	if got := strings.Count(p.keys(b), "claude-bash 1"); got < b.N {
		b.Errorf("%d keys for %d answers", got, b.N)
	}
}
