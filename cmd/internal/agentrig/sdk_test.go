//go:build agents

package agentrig

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/internal/botapi"
)

// TestSDK proves the program of docs/agent-sdk.md on the real Agent SDK: what its canUseTool is asked, a human answers.
func TestSDK(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	a := agentSDK()
	t.Run(a.String(), func(t *testing.T) {
		install, err := Install(t.Context(), a)
		must(t, err)
		for name, prove := range map[string]func(*sdkProof){
			"allow": (*sdkProof).proveAllow, "no": (*sdkProof).proveNo, "words": (*sdkProof).proveWords, "minutes": (*sdkProof).proveMinutes,
			"restart": (*sdkProof).proveRestart, "killed": (*sdkProof).proveKilled, "no nod": (*sdkProof).proveNoNod,
		} {
			t.Run(name, func(t *testing.T) {
				r, _ := prepare(t, a, install, &Options{})
				must(t, os.MkdirAll(filepath.Join(r.Home, "bin"), 0o755))
				must(t, os.Symlink(nod, filepath.Join(r.Home, "bin", "nod")))
				p := &sdkProof{headless{Run: r, nod: nod}}
				p.bot = startBot(t, nod, r)
				p.bot.listens()
				prove(p)
			})
		}
	})
}

// sdkProof is a program of the Agent SDK that runs without a screen.
type sdkProof struct{ headless }

// start starts the program with the instruction for a scenario.
func (p *sdkProof) start(scenario string) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command(p.argv[0], append(p.argv[1:], "SCENARIO "+scenario)...)
	cmd.Dir, cmd.Env = p.Project.Dir, p.env
	cmd.Stdout, cmd.Stderr = &p.said, &p.said
	must(p.t, cmd.Start())
	return cmd
}

// heard is the one thing that the model was told of its call.
func (p *sdkProof) heard(scenario, want string) {
	p.t.Helper()
	if results := p.Model.Results(scenario); len(results) != 1 || !strings.Contains(results[0].Text, want) {
		p.t.Errorf("the model heard %+v, want %q in it", results, want)
	}
}

func (p *sdkProof) yes(s sight) {
	p.t.Helper()
	if ok, said := p.bot.reply(s, "y"); !ok {
		p.t.Fatal(said)
	}
}

// proveAllow: the question shows the whole call, a yes is good for one call, and the next one asks again.
func (p *sdkProof) proveAllow() {
	cmd := p.start("chain")
	s := p.asks(sight{})
	if s.Kind != "question" || !strings.HasPrefix(s.Subject, "May Bash be called with this?") || !strings.Contains(s.Subject, "first.ran") {
		p.t.Errorf("asked %+v", s)
	}
	p.bot.told(s)
	p.wantRan("first", 0)
	p.yes(s)
	next := p.asks(s)
	p.wantRan("first", 1)
	p.wantRan("second", 0)
	p.yes(next)
	p.ended(cmd)
	p.wantRan("second", 1)
}

// proveNo: nothing runs, and the model hears that it was denied.
func (p *sdkProof) proveNo() {
	cmd := p.start("run")
	if ok, said := p.bot.reply(p.asks(sight{}), "n"); !ok {
		p.t.Fatal(said)
	}
	p.ended(cmd)
	p.wantRan("run", 0)
	p.heard("run", "The human denied this.")
}

// proveWords: words that only begin like a yes deny, and the model hears them.
func (p *sdkProof) proveWords() {
	cmd := p.start("run")
	s := p.asks(sight{})
	m, err := p.bot.owner.Await(p.t.Context(), func(m botapi.Record) bool { return strings.Contains(m.Text, "#"+s.ID) })
	must(p.t, err)
	const words = "yes, but on the staging host"
	p.bot.owner.ReplyTo(m.ID, words)
	p.ended(cmd)
	p.wantRan("run", 0)
	p.heard("run", words)
}

// proveMinutes: an agent waits for its human as long as it takes.
func (p *sdkProof) proveMinutes() {
	cmd := p.start("run")
	s := p.asks(sight{})
	time.Sleep(150 * time.Second)
	p.wantRan("run", 0)
	p.yes(s)
	p.ended(cmd)
	p.wantRan("run", 1)
}

// proveRestart: the answer that the next nod takes is the answer.
func (p *sdkProof) proveRestart() {
	cmd := p.start("run")
	s := p.asks(sight{})
	p.bot.restart()
	p.yes(s)
	p.ended(cmd)
	p.wantRan("run", 1)
}

// proveKilled: a program that is gone takes its question with it, and a late yes lets nothing run.
func (p *sdkProof) proveKilled() {
	cmd := p.start("run")
	s := p.asks(sight{})
	must(p.t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	for end := time.Now().Add(10 * time.Second); len(p.bot.queue()) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatal("its question still waits")
		}
	}
	if ok, said := p.bot.reply(s, "y"); ok || !strings.Contains(said, "withdrawn") {
		p.t.Errorf("a late yes: %t, %s", ok, said)
	}
	p.wantRan("run", 0)
}

// proveNoNod: where nobody can be asked, nothing runs.
func (p *sdkProof) proveNoNod() {
	p.bot.kill()
	cmd := p.start("run")
	p.ended(cmd)
	p.wantRan("run", 0)
	p.heard("run", "No human could be asked")
}
