//go:build agents

package agentrig

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/detect/agents"
	"nod/internal/host/proc"
)

// TestDoors proves that an agent takes an answer from its own hook, and that whoever sits at the terminal has the last
// word: in every version in which nod answers that way.
func TestDoors(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, a := range Agents() {
		known := agents.HooksOf(a.Name).Door
		if known == nil || !known.Takes(a.Version) {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for _, c := range doorCases {
				if c.otherHook != "" && a.Name != "claude" {
					continue // only that one calls several
				}
				if sessions := agents.HooksOf(a.Name).Sessions; c.name == "background" && (sessions == nil || !sessions.Takes(a.Version)) {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					d := &doorProof{Run: Start(t, a, install, Options{Nod: nod, OtherHook: c.otherHook, Outside: c.outside})}
					settings := c.settings
					if c.home {
						settings = append([]string{"HOME=" + d.Home, "PATH=" + filepath.Dir(d.argv[0]) + ":" + os.Getenv("PATH")}, settings...)
					}
					d.bot = startBot(t, nod, d.Run, settings...)
					d.bot.listens()
					c.prove(d)
				})
			}
		})
	}
}

var doorCases = []struct {
	name      string
	prove     func(*doorProof)
	settings  []string
	otherHook string
	outside   bool
	home      bool // nod has the agent's own home, and finds its program
}{
	{name: "once", prove: (*doorProof).proveOnce},
	{name: "kinds", prove: (*doorProof).proveKinds},
	{name: "terminal", prove: (*doorProof).proveTerminal},
	{name: "escape", prove: (*doorProof).proveEscape},
	{name: "parallel", prove: (*doorProof).proveParallel},
	{name: "subagent", prove: (*doorProof).proveSubagent},
	{name: "hook killed", prove: (*doorProof).proveHookKilled},
	{name: "nod killed", prove: (*doorProof).proveNodKilled},
	{name: "agent killed", prove: (*doorProof).proveAgentKilled},
	{name: "outside", prove: (*doorProof).proveOutside, outside: true, settings: []string{"NOD_TMUX_SOCKET=/nonexistent/nod"}},
	{name: "background", prove: (*doorProof).proveBackground, home: true, settings: []string{"NOD_TMUX_SOCKET=/nonexistent/nod"}},
	{name: "own window", prove: (*doorProof).proveOwnWindow, outside: true, settings: []string{"NOD_TMUX_SOCKET=/nonexistent/nod"}},
	{name: "off", prove: (*doorProof).proveOff, settings: []string{"NOD_DOORS=off"}},
	{
		name: "another hook", prove: (*doorProof).proveAnotherHook,
		otherHook: `sleep 2; echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'`,
	},
}

type doorProof struct {
	*Run
	bot *bot
}

// replied is what `nod reply --json` says.
type replied struct{ Outcome, Way, Detail string }

// keysOf are the keys with which a person at the terminal allows a call once, and denies it.
func (d *doorProof) keysOf() (allow, deny []string) {
	switch d.Agent.Name {
	case "claude":
		return []string{"1"}, []string{"Escape"}
	case "kilo":
		return []string{"Enter"}, []string{"Escape", "Enter"}
	}
	return []string{"Enter"}, []string{"Escape"}
}

// types presses keys as a person would, one after the other.
func (d *doorProof) types(keys []string) {
	d.t.Helper()
	for _, key := range keys {
		d.Tmux.Type(d.Pane, key)
		time.Sleep(time.Second)
	}
}

// answer answers a nudge and reports how nod says that it went.
func (d *doorProof) answer(s sight, word string) replied {
	d.t.Helper()
	out, err := d.bot.person("reply", s.ID, word, "--json").Output()
	var r replied
	if json.Unmarshal(out, &r) != nil {
		d.Fatalf("nod reply %s: %v: %s", word, err, out)
	}
	return r
}

func (d *doorProof) wantWay(r replied, way string) {
	d.t.Helper()
	if r.Outcome != "delivered" || r.Way != way {
		d.Fatalf("the answer: %+v, want it delivered by %s", r, way)
	}
}

func (d *doorProof) wantRan(scenario string, times int) {
	d.t.Helper()
	if n := d.Ran(scenario); n != times {
		d.Fatalf("%s ran %d times, want %d", scenario, n, times)
	}
}

// waits is a prompt that nod reports and whose hook is seen to wait: a moment passes between the two, in which a dialog
// that was seen half drawn is told again.
func (d *doorProof) waits(before sight) sight {
	d.t.Helper()
	d.bot.see(d.Run, before)
	time.Sleep(2 * time.Second)
	return d.bot.see(d.Run, before)
}

// hooks are the processes of hooks that wait for a human.
func (d *doorProof) hooks() (pids []int) {
	d.t.Helper()
	for _, pid := range processesOf(strings.TrimSuffix(d.Home, "/home")) {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err == nil && strings.HasPrefix(string(line), d.bot.program+"\x00hook\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (d *doorProof) noHooks(within time.Duration) {
	d.t.Helper()
	for end := time.Now().Add(within); len(d.hooks()) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			d.Fatalf("hooks still wait: %v", d.hooks())
		}
	}
}

// proveOnce: a yes is good for one call, and a no reaches the model with its reason. No key is typed.
func (d *doorProof) proveOnce() {
	d.Ask("chain")
	s := d.waits(sight{})
	d.wantRan("first", 0)
	d.wantWay(d.answer(s, "y"), "door")
	next := d.waits(s)
	d.wantRan("first", 1)
	d.wantRan("second", 0)
	d.wantWay(d.answer(next, "n"), "door")
	if d.Agent.Name == "claude" { // the others end the turn
		d.Until("heard the reason", func(string) bool {
			results := d.Model.Results("chain")
			return len(results) == 2 && strings.Contains(results[1].Text, "The human denied this")
		})
	}
	d.wantRan("second", 0)
	d.noHooks(3 * time.Second)
	out, err := d.bot.command("log").Output()
	must(d.t, err)
	if text := string(out); strings.Contains(text, "key typed") || strings.Count(text, "handed over") != 2 {
		d.t.Errorf("nod log:\n%s", text)
	}
	if text := d.read(".claude/settings.local.json"); text != "" {
		d.t.Errorf("it was allowed for good:\n%s", text)
	}
}

// proveKinds: whatever is asked for is answered by the door, a file that is written or changed and a page as well as a command.
func (d *doorProof) proveKinds() {
	var s sight
	scenarios := []string{"write", "edit", "fetch", "run"}
	if d.Agent.Name == "claude" {
		scenarios = []string{"write", "run"} // an edit is drawn with rows around it, and of a page its event tells more than its dialog
	}
	for _, scenario := range scenarios {
		d.Ask(scenario)
		s = d.waits(s)
		d.wantRan(scenario, 0)
		if r := d.answer(s, "y"); r.Outcome != "delivered" || r.Way != "door" {
			c, out := d.bot.check(d.Run)
			d.t.Errorf("%s: %+v; %+v %s", scenario, r, c, out)
		}
		d.Until("is done with "+scenario, func(string) bool { return d.Ran(scenario) == 1 && d.Model.Finished(scenario) == 1 })
		d.idle()
	}
}

// idle waits until the agent takes an instruction.
func (d *doorProof) idle() { (&asked{Run: d.Run, bot: d.bot}).idle() }

// proveTerminal: a key at the terminal wins, and the answer that comes late opens nothing, also when the next prompt is up.
func (d *doorProof) proveTerminal() {
	d.Ask("chain")
	s := d.waits(sight{})
	allow, _ := d.keysOf()
	d.types(allow)
	next := d.waits(s)
	d.wantRan("first", 1)
	if ok, said := d.bot.reply(s, "y"); ok || !strings.Contains(said, "is over") {
		d.t.Errorf("a late yes: %t, %s", ok, said)
	}
	if n := len(d.hooks()); n != 1 {
		d.t.Errorf("%d hooks wait, want that of the second prompt", n)
	}
	d.wantRan("second", 0)
	d.wantWay(d.answer(next, "y"), "door")
	d.Until("finished", func(string) bool { return d.Model.Finished("chain") > 0 })
	d.wantRan("first", 1)
	d.wantRan("second", 1)
}

// proveEscape: a prompt that is denied at the terminal leaves no hook behind, and nothing runs.
func (d *doorProof) proveEscape() {
	d.Ask("run")
	s := d.waits(sight{})
	_, deny := d.keysOf()
	d.types(deny)
	d.noHooks(10 * time.Second)
	d.wantRan("run", 0)
	if ok, said := d.bot.reply(s, "y"); ok {
		d.t.Errorf("a late yes: %s", said)
	}
	d.wantRan("run", 0)
}

// proveParallel: of two calls that ask at once each gets its own answer, whichever way it takes. The one that is asked first
// is allowed: some agents end their turn with a denial.
func (d *doorProof) proveParallel() {
	d.Ask("parallel")
	s := d.waits(sight{})
	first, second := "first", "second"
	if strings.Contains(s.Subject, model.RanFile(second)) {
		first, second = second, first
	}
	d.answer(s, "y")
	next := d.waits(s)
	if !strings.Contains(s.Subject, model.RanFile(first)) || !strings.Contains(next.Subject, model.RanFile(second)) {
		d.Fatalf("it asks about %q and then about %q", s.Subject, next.Subject)
	}
	d.answer(next, "n")
	d.Settle()
	d.wantRan(first, 1)
	d.wantRan(second, 0)
}

// proveSubagent: the dialog of a sub-agent's call comes at once, and is answered.
func (d *doorProof) proveSubagent() {
	d.Ask("delegate")
	s := d.waits(sight{})
	if n := d.Model.Asked("run"); n != 1 {
		d.t.Errorf("the sub-agent asked the model %d times", n)
	}
	d.wantRan("run", 0)
	if r := d.answer(s, "y"); r.Outcome != "delivered" {
		d.Fatalf("the answer: %+v", r)
	}
	d.Until("ran", func(string) bool { return d.Ran("run") == 1 })
}

// proveHookKilled: where the hook is gone before anything was handed over, keys answer.
func (d *doorProof) proveHookKilled() {
	d.Ask("run")
	s := d.waits(sight{})
	pids := d.hooks()
	if len(pids) != 1 {
		d.Fatalf("%d hooks wait, want one", len(pids))
	}
	must(d.t, syscall.Kill(pids[0], syscall.SIGKILL))
	d.noHooks(2 * time.Second)
	d.wantWay(d.answer(s, "y"), "keys")
	d.Until("ran", func(string) bool { return d.Ran("run") == 1 })
}

// proveNodKilled: a nod that is killed opens nothing, and the next one answers by keys.
func (d *doorProof) proveNodKilled() {
	d.Ask("run")
	s := d.waits(sight{})
	d.bot.kill()
	d.noHooks(2 * time.Second)
	d.wantRan("run", 0)
	d.bot.start()
	d.bot.listens()
	time.Sleep(2 * time.Second)
	d.wantWay(d.answer(s, "y"), "keys")
	d.Until("ran", func(string) bool { return d.Ran("run") == 1 })
}

// proveAgentKilled: its hook does not stay behind, and an answer that comes late goes nowhere.
func (d *doorProof) proveAgentKilled() {
	d.Ask("run")
	s := d.waits(sight{})
	pids := d.hooks()
	if len(pids) != 1 {
		d.Fatalf("%d hooks wait, want one", len(pids))
	}
	for _, p := range d.agents() {
		must(d.t, syscall.Kill(p.PID, syscall.SIGKILL))
	}
	d.noHooks(5 * time.Second)
	if ok, said := d.bot.reply(s, "y"); ok {
		d.t.Errorf("an answer to an agent that is gone: %s", said)
	}
	d.wantRan("run", 0)
}

// agents are the processes in the foreground of the pane.
func (d *doorProof) agents() []proc.Process {
	d.t.Helper()
	shell, err := strconv.Atoi(strings.TrimSpace(d.Tmux.Run("display-message", "-p", "-t", d.Pane, "#{pane_pid}")))
	must(d.t, err)
	front, err := proc.Foreground(shell)
	must(d.t, err)
	return front
}

// proveOutside: an agent in no pane is answered too, and only through its hook.
func (d *doorProof) proveOutside() {
	h := &headless{Run: d.Run, bot: d.bot}
	d.Ask("chain")
	s := h.asks(sight{})
	if !strings.Contains(s.Subject, "first.ran") {
		d.t.Errorf("asked %+v", s)
	}
	d.bot.told(s)
	d.wantRan("first", 0)
	d.wantWay(d.answer(s, "y"), "door")
	next := h.asks(s)
	d.wantRan("first", 1)
	d.wantRan("second", 0)
	pids := d.hooks()
	if len(pids) != 1 {
		d.Fatalf("%d hooks wait, want one", len(pids))
	}
	must(d.t, syscall.Kill(pids[0], syscall.SIGKILL))
	d.noHooks(2 * time.Second)
	for end := time.Now().Add(10 * time.Second); len(d.bot.queue()) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			d.Fatalf("its request still waits")
		}
	}
	if ok, said := d.bot.reply(next, "y"); ok || !strings.Contains(said, "stopped waiting") {
		d.t.Errorf("a late yes: %t, %s", ok, said)
	}
	d.wantRan("second", 0)
}

// killsUnasked are the versions of Claude Code that kill their hook at Escape without asking it to end: what became of the
// request is then not known.
var killsUnasked = []string{"2.1.9", "2.0.54"}

// proveOwnWindow: whoever sits before an agent in no pane answers it there, and nod says how, as far as the agent tells.
func (d *doorProof) proveOwnWindow() {
	h := &headless{Run: d.Run, bot: d.bot}
	allowed, denied := "stopped waiting", "stopped waiting"
	if d.Agent.Name == "claude" {
		allowed = "The agent says that it has run"
	}
	if d.Agent.Name == "claude" && !slices.Contains(killsUnasked, d.Agent.Version) {
		denied = "The agent called it off"
	}
	d.Ask("chain")
	s := h.asks(sight{})
	allow, deny := d.keysOf()
	time.Sleep(time.Second)
	d.types(allow)
	next := h.asks(s)
	d.wantRan("first", 1)
	if ok, said := d.bot.reply(s, "y"); ok || !strings.Contains(said, allowed) {
		d.t.Errorf("a late yes: %t, %s", ok, said)
	}
	time.Sleep(time.Second)
	d.types(deny)
	d.noHooks(10 * time.Second)
	d.Settle()
	if ok, said := d.bot.reply(next, "y"); ok || !strings.Contains(said, denied) {
		d.t.Errorf("a late yes: %t, %s", ok, said)
	}
	d.wantRan("second", 0)
}

func (d *doorProof) proveOff() {
	d.Ask("run")
	s := d.waits(sight{})
	if n := len(d.hooks()); n != 0 {
		d.t.Errorf("%d hooks wait", n)
	}
	d.wantWay(d.answer(s, "y"), "keys")
	d.Until("ran", func(string) bool { return d.Ran("run") == 1 })
}

// proveAnotherHook: what another program's hook decides first holds, and nod's hook ends without a word.
func (d *doorProof) proveAnotherHook() {
	d.Ask("run")
	s := d.bot.see(d.Run, sight{})
	d.Until("ran", func(string) bool { return d.Ran("run") == 1 })
	d.noHooks(5 * time.Second)
	if ok, said := d.bot.reply(s, "n"); ok || !strings.Contains(said, "is over") {
		d.t.Errorf("a late no: %t, %s", ok, said)
	}
	d.wantRan("run", 1)
}
