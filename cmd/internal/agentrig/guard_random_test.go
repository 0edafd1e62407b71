//go:build agents

package agentrig

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// guardNames are the calls that are drawn at random. Each differs from the others by bytes.
var guardNames = []string{"a", "b"}

// proveRandom: whatever the agent calls, and whenever a human taps what, no call runs that no human allowed.
func (g *guardProof) proveRandom() {
	seed := uint64(time.Now().UnixNano())
	g.t.Logf("seed %d", seed)
	p := &guardTaps{guardProof: g, r: rand.New(rand.NewPCG(seed, 0)), allowed: map[string]int{}, tapped: map[string]bool{}}
	end, rounds := time.Now().Add(time.Duration(testrun.Rounds(30, 300))*time.Second), 0
	for ; rounds < 50 && time.Now().Before(end); rounds++ {
		p.round()
	}
	p.check()
	ran, allowed := 0, 0
	for _, name := range guardNames {
		ran, allowed = ran+g.Ran(name), allowed+p.allowed[name]
	}
	g.t.Logf("%d rounds, %d calls allowed, %d ran", rounds, allowed, ran)
	if ran == 0 || g.Ran("free") == 0 {
		g.t.Error("nothing was let through, so nothing is proven")
	}
}

// guardTaps is a human who taps at random.
type guardTaps struct {
	*guardProof
	r       *rand.Rand
	allowed map[string]int  // taps that allow, by the call
	tapped  map[string]bool // buttons: a second tap on one allows nothing
}

// round is a turn of the agent's with calls drawn at random, and taps and Escape at random moments of it.
func (p *guardTaps) round() {
	plan := make([][]string, 2+p.r.IntN(4))
	for i := range plan {
		for range 1 + p.r.IntN(2) {
			plan[i] = append(plan[i], p.call())
		}
	}
	p.Model.Play("guarded", func(results []model.Result, _ int) []string {
		if len(results) >= len(plan) {
			return nil
		}
		return plan[len(results)]
	})
	before, escape := p.Model.Finished("guarded"), p.r.IntN(6) == 0
	p.Until("is idle", p.Agent.ready.MatchString)
	time.Sleep(time.Second) // it draws its input box before it takes an Enter
	p.Ask("guarded")
	for end := time.Now().Add(Patience); p.Model.Finished("guarded") == before; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("the round never ended")
		}
		p.check()
		p.tap()
		if escape && p.r.IntN(20) == 0 {
			p.Tmux.Type(p.Pane, "Escape")
			break
		}
		if asked := p.bot.queue(); len(asked) > 0 { // the third in a row; a no ends the turn
			p.bot.reply(asked[0], "n")
			break
		}
	}
}

func (p *guardTaps) call() string {
	if p.r.IntN(3) == 0 {
		return "curl -s http://127.0.0.1:9/; echo ran >> " + model.RanFile("free")
	}
	return push(guardNames[p.r.IntN(len(guardNames))])
}

// deniedCall finds the calls of a message, one after the other.
var deniedCall = regexp.MustCompile(`>> ([a-z]+)\.ran`)

// tap taps one of the buttons now and then, be it one that was tapped before.
func (p *guardTaps) tap() {
	var messages []botapi.Record
	for _, m := range p.bot.owner.Messages() {
		if len(buttons(m)) > 0 && strings.Contains(m.Text, "🚧") {
			messages = append(messages, m)
		}
	}
	if len(messages) == 0 || p.r.IntN(6) > 0 {
		return
	}
	m := messages[p.r.IntN(len(messages))]
	all := buttons(m)
	b := all[p.r.IntN(len(all))]
	if strings.HasPrefix(b.Text, "✅") && !p.tapped[b.Data] {
		calls, which := deniedCall.FindAllStringSubmatch(m.Text, -1), 0
		if _, number, ok := strings.Cut(b.Text, "("); ok {
			which = int(number[0] - '1')
		}
		p.allowed[calls[which][1]]++
	}
	p.tapped[b.Data] = true
	p.bot.owner.TapData(m.ID, b.Data) // the message may be another by now
}

func (p *guardTaps) check() {
	p.t.Helper()
	for _, name := range guardNames {
		if ran := p.Ran(name); ran > p.allowed[name] {
			p.Fatalf("%s ran %d times, and was allowed %d times\nnod's log:\n%s", name, ran, p.allowed[name], p.bot.log)
		}
	}
}
