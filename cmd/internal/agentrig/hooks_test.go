//go:build agents

package agentrig

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/detect/agents"
)

// TestHooks proves that nod's hooks fire in the real agents. nod looks by itself only once a minute, so a
// prompt that it reports at once can only have come by a hook.
func TestHooks(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	var rows []hookRow
	for _, a := range Agents() {
		if !hasHooks(a) {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			p := &hookProof{row: hookRow{Agent: a.Name, Version: a.Version, Nudged: no, Approved: no, Removed: no}}
			// Deferred, because a step that fails ends the test's goroutine.
			defer func() { rows = append(rows, p.row) }()
			p.Run = Start(t, a, install, Options{Nod: nod})
			p.bot = startBot(t, nod, p.Run, "NOD_POLL_INTERVAL=1m")
			p.prove()
		})
	}
	writeRows(t, hooksFile, merge(readRows[hookRow](t, hooksFile), rows))
}

// hasHooks leaves out Codex 0.61, which knows only a program to call at the end of a turn.
func hasHooks(a Agent) bool {
	return slices.Contains(agents.Hooked(), a.Name) && a.String() != "codex-0.61.0"
}

// hookProof proves one agent, and fills its row as it goes.
type hookProof struct {
	*Run
	bot *bot
	row hookRow
}

// soon is how long after the prompt a hook's nudge may come, and what the table then says. Claude Code 1.0
// has no event of a prompt but a notification, which comes six seconds after it.
func soon(a Agent) (time.Duration, string) {
	if a.String() == "claude-1.0.128" {
		return 8 * time.Second, "after 6 s"
	}
	return 2 * time.Second, yes
}

func (p *hookProof) prove() {
	p.t.Helper()
	p.bot.listens()
	const of = "run"
	p.Ask(of)
	shown := p.shown()
	s := p.bot.see(p.Run, sight{})
	seen := p.bot.detected(s)
	late := seen.At.Sub(shown)
	limit, nudged := soon(p.Agent)
	p.t.Logf("nudged by %s, %v after the prompt stood there", seen.By, late.Round(time.Millisecond))
	switch {
	case seen.By != "hook" || late > limit:
		p.t.Errorf("nudged by %s, %v after the prompt, want by hook within %v", seen.By, late, limit)
	case !strings.Contains(s.Subject, model.RanFile(of)):
		p.t.Errorf("nod nudges for %q, want %s in it", s.Subject, model.RanFile(of))
	default:
		p.row.Nudged = nudged
	}

	landed, said := p.bot.reply(s, "y")
	if !landed {
		p.Fatalf("nod reply y: %s", said)
	}
	p.Until("finished", func(string) bool { return p.Model.Finished(of) > 0 })
	p.Settle()
	if n := p.Ran(of); n != 1 {
		p.t.Errorf("approved once, and it ran %d times", n)
	} else {
		p.row.Approved = yes
	}
	p.proveRemoved()
}

// shown waits until the prompt is on the screen, and returns when it was first seen there.
func (p *hookProof) shown() time.Time {
	p.t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, _ := p.bot.check(p.Run); c.State == "permission" {
			return time.Now()
		}
	}
	p.Fatalf("%s never asked", p.Agent)
	return time.Time{}
}

// proveRemoved takes the hooks out again. The agent may have written into the same file meanwhile, and
// what it wrote stays.
func (p *hookProof) proveRemoved() {
	p.t.Helper()
	path := p.HookFile()
	installed, err := os.ReadFile(path)
	must(p.t, err)
	p.Hooks(p.bot.program, "uninstall")
	left, err := os.ReadFile(path)
	switch {
	case p.HooksBefore == nil && os.IsNotExist(err):
		p.row.Removed = yes
	case err != nil:
		p.t.Errorf("after nod hooks uninstall: %v", err)
	case bytes.Equal(left, p.HooksBefore):
		p.row.Removed = yes
	case withoutHooks(p.t, left) == withoutHooks(p.t, installed) && !bytes.Contains(left, []byte(p.bot.program)):
		p.t.Logf("%s wrote into %s itself", p.Agent, path)
		p.row.Removed = yes
	default:
		p.t.Errorf("after nod hooks uninstall %s holds\n%s\nbefore it held\n%s", path, left, p.HooksBefore)
	}
}

// withoutHooks is a settings file's JSON without its hooks, in one order.
func withoutHooks(t testing.TB, text []byte) string {
	t.Helper()
	var settings obj
	must(t, json.Unmarshal(text, &settings))
	delete(settings, "hooks")
	plain, err := json.Marshal(settings)
	must(t, err)
	return string(plain)
}

// logged is a line of `nod log --json`.
type logged struct {
	At    time.Time
	Kind  string
	Nudge string
	By    string
}

// detected is the line that tells how nod came to know of a prompt.
func (b *bot) detected(s sight) logged { return b.line("prompt detected", s) }

// answered is when nod took the answer to a prompt.
func (b *bot) answered(s sight) time.Time { return b.line("answer received", s).At }

func (b *bot) line(kind string, s sight) logged {
	b.t.Helper()
	out, err := b.command("log", "--json").Output()
	must(b.t, err)
	for line := range strings.Lines(string(out)) {
		var e logged
		must(b.t, json.Unmarshal([]byte(line), &e))
		if e.Kind == kind && e.Nudge == s.ID {
			return e
		}
	}
	b.t.Fatalf("nod log does not report %s:\n%s", s.ID, out)
	return logged{}
}

// listens waits until nod takes events.
func (b *bot) listens() {
	b.t.Helper()
	for end := time.Now().Add(Patience); b.command("queue", "--json").Run() != nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) || !b.runs() {
			b.t.Fatalf("nod never started:\n%s", b.log)
		}
	}
}
