package deliver

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// races is how many rounds TestTmuxRaces has.
const races = 10_000

// racers is the number of panes that are used at once.
const racers = 12

// TestTmuxRaces answers a prompt while it is replaced, answered by a person at the terminal, scrolled,
// resized or covered by copy mode, or while its agent, pane or server goes and comes back. The key reaches
// the answered prompt or is not typed, and is never typed twice.
func TestTmuxRaces(t *testing.T) {
	t.Parallel()
	proof := testrun.Prove(t, races, 20)
	var mu sync.Mutex
	ended := map[string]int{}
	t.Run("racers", func(t *testing.T) {
		for n := range racers {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				r := newRacer(t)
				for at := n; at < len(proof.Rounds()); at += racers {
					round := proof.Rounds()[at]
					how := r.race(t, proof.Random(round))
					if t.Failed() {
						t.Fatalf("round %d", round)
					}
					mu.Lock()
					ended[how]++
					mu.Unlock()
					proof.Passed(t, round)
				}
			})
		}
	})
	t.Logf("%v", ended)
}

// racer is one pane with one agent. Sometimes another agent, which no answer is for, takes its place.
type racer struct {
	*stage
	mine, other string // the commands that start them
	stranger    *play
	read        int // how much of the log of keys was read
	fresh       bool
}

func newRacer(t *testing.T) *racer {
	p := bashPlay(t)
	p.Screens["claude-bash-git"] = capture(t, "claude-bash-git")
	p.Screens["lower"] = "\n" + strings.Join(strings.SplitAfter(p.Screens["claude-bash"], "\n")[:23], "")
	p.On["claude-bash"] = map[string]string{"1": "claude-bash-approved", "4": "claude-bash-denied", "2": "claude-bash-git", "x": "claude-bash-git", "s": "lower", "q": ""}
	p.On["lower"] = maps.Clone(p.On["claude-bash"])
	p.On["claude-bash-git"] = map[string]string{"1": "claude-bash-approved", "q": ""}
	p.On["claude-bash-approved"], p.On["claude-bash-denied"] = map[string]string{"q": ""}, map[string]string{"q": ""}
	for _, keys := range p.On {
		keys["r"] = "claude-bash"
	}
	q := *p
	q.Start = "claude-bash-git"
	r := &racer{
		stage:    &stage{Server: tmuxtest.New(t), play: p, Typist: New(Config{Keyboards: func(socket string) Keyboard { return tmux.New(socket) }})},
		stranger: &q, mine: p.command(t, "claude"), other: q.command(t, "claude"),
	}
	r.raise(t)
	return r
}

// raise starts the server again with one pane, in which the agent runs. The pane's id is always the same.
func (r *racer) raise(t *testing.T) {
	t.Helper()
	r.born(r.mine)
	r.meet(t, "claude")
	r.fresh = true
}

func (r *racer) born(command string) {
	r.Kill()
	r.Start()
	r.Run("set-option", "-g", "remain-on-exit", "on")
	r.pane = r.Pane(command, 80, 24)
}

// happening is an event in the pane. after says how the screen shows it.
type happening struct {
	name   string
	weight int
	do     func(r *racer)
	shows  string // empty: it is complete when do returns
	ends   bool   // the prompt, the agent or the way to it is gone, so no key may arrive afterwards
}

var happenings = []happening{
	{"replaced", 30, func(r *racer) { r.tap("x") }, "git", true},
	{"answered at the terminal", 30, func(r *racer) { r.tap("2") }, "git", true},
	{"scrolled", 10, func(r *racer) { r.tap("s") }, "", false},
	{"resized", 8, func(r *racer) { _ = r.quiet("resize-window", "-t", r.pane, "-x", "72", "-y", "22") }, "", false},
	{"copy mode", 8, func(r *racer) { _ = r.quiet("copy-mode", "-t", r.pane) }, "", false},
	{"agent ended", 4, func(r *racer) { r.tap("q") }, "dead", true},
	{"pane born again", 6, func(r *racer) { _ = r.quiet("respawn-pane", "-k", "-t", r.pane, r.other) }, "git", true},
	{"server born again", 4, func(r *racer) { r.born(r.other) }, "git", true},
}

// tap types a key as a person at the terminal does.
func (r *racer) tap(key string) { _ = r.quiet("send-keys", "-t", r.pane, key) }

// quiet runs a command on a server that may be gone.
func (r *racer) quiet(args ...string) error {
	return exec.Command("tmux", append([]string{"-u", "-S", r.Socket}, args...)...).Run()
}

// racing is the keyboard of a round: the event happens at about the time of the key.
type racing struct {
	*tmux.Server
	press func(press func() error) error
}

func (k racing) Press(ctx context.Context, g tmux.Guard, keys ...string) error {
	return k.press(func() error { return k.Server.Press(ctx, g, keys...) })
}

// race answers once, and returns the event and the outcome.
func (r *racer) race(t *testing.T, rng *rand.Rand) string {
	t.Helper()
	r.again(t)
	h := befalls(rng)
	before, early := rng.IntN(3) == 0, rng.IntN(2) == 0
	wait := time.Duration(rng.Int64N(int64(8 * time.Millisecond)))
	r.Typist = New(Config{Keyboards: func(socket string) Keyboard {
		return racing{tmux.New(socket), func(press func() error) error {
			if before {
				h.do(r)
				r.await(t, h.shows)
				return press()
			}
			var done sync.WaitGroup
			done.Go(func() {
				if !early {
					time.Sleep(wait)
				}
				h.do(r)
			})
			if early {
				time.Sleep(wait)
			}
			err := press()
			done.Wait()
			return err
		}}
	}})
	res := r.typed(t, r.r)
	_ = r.quiet("display-message", "-p", "-t", r.pane, "all keys are read")
	return h.name + ": " + string(res.Outcome) + r.judge(t, h, before)
}

// judge checks the keys that arrived.
func (r *racer) judge(t *testing.T, h happening, before bool) string {
	t.Helper()
	if _, err := os.Stat(r.stranger.Log); err == nil {
		if got := r.stranger.keys(t); strings.Contains(got, " 1") {
			t.Errorf("%s: a key came to an agent that nobody answered: %q", h.name, got)
		}
	}
	all := r.play.keys(t)
	lines := strings.Split(all[min(r.read, len(all)):], "\n")
	r.read = len(all)
	keys, flying := 0, ""
	for _, line := range lines {
		on, key, _ := strings.Cut(line, " ")
		if key != "1" {
			continue
		}
		keys++
		switch on {
		case "claude-bash", "lower":
		case "?":
			flying = ", in flight" // the agent was still drawing, so no terminal showed its output yet
		default:
			t.Errorf("%s: the key met %s", h.name, on)
		}
	}
	if keys > 1 || keys > 0 && before && h.ends {
		t.Errorf("%s, before the key: %t: it came %d times: %q", h.name, before, keys, lines)
	}
	return flying
}

func befalls(rng *rand.Rand) happening {
	all := 0
	for _, h := range happenings {
		all += h.weight
	}
	n := rng.IntN(all)
	for _, h := range happenings {
		if n -= h.weight; n < 0 {
			return h
		}
	}
	panic("no happening")
}

// await waits until the pane shows the event.
func (r *racer) await(t *testing.T, shows string) {
	t.Helper()
	switch shows {
	case "git":
		r.UntilShows(r.pane, "git commit")
	case "dead":
		for end := time.Now().Add(tmuxtest.Patience); r.Run("display-message", "-p", "-t", r.pane, "#{pane_dead}") != "1" && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
}

// again restores the prompt, in a pane of the original size.
func (r *racer) again(t *testing.T) {
	t.Helper()
	if r.fresh {
		r.fresh = false
		return
	}
	if r.quiet("resize-window", "-t", r.pane, "-x", "80", "-y", "24") != nil { // the pane is gone
		r.raise(t)
		r.fresh = false
		return
	}
	_ = r.quiet("copy-mode", "-q", "-t", r.pane)
	for end := time.Now().Add(tmuxtest.Patience); r.isMine() && time.Now().Before(end); { // an agent that was told to end may still be running
		r.tap("r")
		for range 100 {
			if strings.HasPrefix(r.Screen(r.pane), " ▝▝") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	r.Run("respawn-pane", "-k", "-t", r.pane, r.mine)
	r.meet(t, "claude")
}

// isMine reports whether the answered agent runs in the pane.
func (r *racer) isMine() bool {
	pid, dead := 0, ""
	fmt.Sscan(r.Run("display-message", "-p", "-t", r.pane, "#{pane_pid} #{pane_dead}"), &pid, &dead)
	return pid == r.r.Process.PID && dead == "0" && r.PID() == r.r.Pane.Server.PID
}
