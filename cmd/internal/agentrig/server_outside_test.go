//go:build agents

package agentrig

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/host/proc"
)

// elsewhere has nod watch no pane: an agent in a pane runs outside tmux then, as far as it knows.
const elsewhere = "NOD_TMUX_SOCKET=/nonexistent/nod"

// loopback is an address at which nobody listens.
func loopback(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return "ws://" + listener.Addr().String()
}

// TestServersOutside proves the answers to an agent that runs in no pane of nod's, as a client of a server of its own: the command runs once, or
// not at all, its dialog goes, and no key is typed.
func TestServersOutside(t *testing.T) {
	nod, a, install := realCodex(t)
	for _, c := range []struct {
		name, address string
		options       Options
		prove         func(*serverProof)
	}{
		{"websocket", loopback(t), Options{}, (*serverProof).proveAnswers},
		{"unix", "unix://" + filepath.Join(t.TempDir(), "codex.sock"), Options{}, (*serverProof).proveAnswers},
		{"daemon", Daemon, Options{}, (*serverProof).proveAnswers},
		{"terminal", loopback(t), Options{}, (*serverProof).proveTerminal},
		{"cut", loopback(t), Options{}, (*serverProof).proveCut},
		{"nod killed", loopback(t), Options{}, (*serverProof).proveKilled},
		{"told only", loopback(t), Options{}, (*serverProof).proveToldOnly},
		{"reviewed", loopback(t), Options{Auto: true}, (*serverProof).proveReviewed},
		{"reviewed by the daemon", Daemon, Options{Auto: true}, (*serverProof).proveReviewed},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Server = c.address
			p := &serverProof{guardProof{doorProof: doorProof{Run: Start(t, a, install, c.options)}}}
			p.bot = startBot(t, nod, p.Run, "NOD_IDLE=off", elsewhere, "HOME="+p.Home)
			p.bot.listens()
			c.prove(p)
			if log := p.bot.log.String(); strings.Contains(log, "key typed") {
				t.Errorf("nod's log:\n%s", log)
			}
		})
	}
}

type serverProof struct{ guardProof }

// asks waits for what the agent asks in no pane.
func (p *serverProof) asks(before sight) sight {
	p.t.Helper()
	s := (&headless{Run: p.Run, bot: p.bot}).asks(before)
	if s.Kind != "permission" || !strings.Contains(s.Subject, "run.ran") {
		p.t.Errorf("asked %+v", s)
	}
	return s
}

// kept is what a file of the agent's holds; empty: there is none.
func (p *serverProof) kept(path string) string {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		p.t.Error(err)
	}
	return string(text)
}

func (p *serverProof) goesOn() {
	p.t.Helper()
	p.Until("goes on", func(screen string) bool { return !strings.Contains(screen, "Yes, proceed") })
	time.Sleep(quiet)
}

func (p *serverProof) proveAnswers() {
	s := sight{}
	for _, c := range []struct {
		answer    string
		had, runs int
	}{{"y", 0, 1}, {"n", 1, 1}, {"y", 1, 2}} {
		p.Ask("run")
		s = p.asks(s)
		p.bot.told(s)
		time.Sleep(quiet)
		if list := p.bot.queue(); len(list) != 1 {
			p.t.Errorf("it is asked as %+v", list)
		}
		p.wantRan("run", c.had)
		p.wantWay(p.answer(s, c.answer), "door")
		p.goesOn()
		p.wantRan("run", c.runs)
	}
	if strings.Contains(p.kept(filepath.Join(p.Home, ".codex/rules/default.rules")), "rm") {
		p.t.Error("it was allowed for good")
	}
}

// proveTerminal: whoever answers in the agent's own window has answered.
func (p *serverProof) proveTerminal() {
	s := sight{}
	for _, c := range []struct {
		key string
		ran int
	}{{"y", 1}, {"Escape", 1}} {
		p.Ask("run")
		s = p.asks(s)
		p.Until("asks", func(screen string) bool { return strings.Contains(screen, "Yes, proceed") })
		p.Tmux.Type(p.Pane, c.key)
		p.goesOn()
		p.wantRan("run", c.ran)
		for _, late := range []string{"n", "y"} {
			if ok, said := p.bot.reply(s, late); ok || !strings.Contains(said, "own server says that it is over") {
				p.t.Errorf("a late %s: %t, %s", late, ok, said)
			}
		}
		time.Sleep(quiet)
		p.wantRan("run", c.ran)
	}
}

// listener is the process that listens for the agent.
func (p *serverProof) listener() proc.Process {
	p.t.Helper()
	all, err := proc.NewNames("codex").Find()
	must(p.t, err)
	at := slices.IndexFunc(all, func(q proc.Process) bool {
		return slices.Contains(q.Args, "app-server") && slices.Contains(processesOf(filepath.Dir(p.Home)), q.PID)
	})
	if at < 0 {
		p.Fatalf("no process listens")
	}
	return all[at]
}

// proveCut: nobody knows what became of an answer whose server ends before it says so, and it is never given again.
func (p *serverProof) proveCut() {
	p.Ask("run")
	s := p.asks(sight{})
	p.bot.told(s)
	server := p.listener()
	must(p.t, syscall.Kill(server.PID, syscall.SIGSTOP))
	ok, said := p.bot.reply(s, "y")
	if ok || !strings.Contains(said, "has not said that it passed it on") {
		p.t.Errorf("an answer that nobody took: %t, %s", ok, said)
	}
	must(p.t, syscall.Kill(server.PID, syscall.SIGKILL))
	time.Sleep(quiet)
	p.wantRan("run", 0)
	if ok, said := p.bot.reply(s, "y"); ok {
		p.t.Errorf("it was given again: %s", said)
	}
}

// proveKilled: a nod that starts again asks what still waits, and the answer to what it asked before goes nowhere.
func (p *serverProof) proveKilled() {
	p.Ask("run")
	s := p.asks(sight{})
	p.bot.kill()
	p.bot.start()
	p.bot.listens()
	next := p.asks(s)
	for end := time.Now().Add(20 * time.Second); slices.ContainsFunc(p.bot.queue(), func(q sight) bool { return q.ID == s.ID }); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("what was asked before still waits")
		}
	}
	if ok, said := p.bot.reply(s, "y"); ok {
		p.t.Errorf("an old answer: %s", said)
	}
	p.wantRan("run", 0)
	p.wantWay(p.answer(next, "y"), "door")
	p.goesOn()
	p.wantRan("run", 1)
}

// proveToldOnly: what is no command is told, and left to the window of the agent.
func (p *serverProof) proveToldOnly() {
	p.Ask("edit")
	p.message("codex", "asks outside tmux", "answer it in its own window")
	time.Sleep(quiet)
	if list := p.bot.queue(); len(list) > 0 {
		p.t.Errorf("it was asked as %+v", list)
	}
	p.Tmux.Type(p.Pane, "Escape")
	p.wantRan("edit", 0)
}

// proveReviewed: a call that the reviewer denied is told whole, and allowed by that very call: it is reviewed again when it is tried again, and
// only then.
func (p *serverProof) proveReviewed() {
	p.flag("push")
	p.playPush(push("guarded") + "\necho a second line that no list shows")
	m := p.message("its reviewer blocked", "git push --force origin main", "a second line that no list shows", "reviewed again", "Force-pushing rewrites shared history.")
	p.finished()
	p.wantRan("guarded", 0)
	p.tap(m, "✅ Allow this once")
	p.message("the agent's server knows it: it is reviewed again")
	time.Sleep(quiet)
	p.wantRan("guarded", 0)
	p.flag("")
	p.Tmux.Run("send-keys", "-t", p.Pane, "-l", "--", "Try this call again, exactly as it was, once: I allow it.")
	p.Settle()
	p.Tmux.Type(p.Pane, "Enter")
	p.Until("ran it", func(string) bool { return p.Ran("guarded") > 0 })
	time.Sleep(quiet)
	p.wantRan("guarded", 1)
	transcripts, err := filepath.Glob(filepath.Join(p.Home, ".codex/sessions/*/*/*/*.jsonl"))
	must(p.t, err)
	if !slices.ContainsFunc(transcripts, func(path string) bool {
		return strings.Contains(p.kept(path), "manually approved")
	}) {
		p.t.Errorf("%v do not say that somebody allowed it", transcripts)
	}
}
