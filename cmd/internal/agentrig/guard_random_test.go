//go:build agents

package agentrig

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"nod/cmd/internal/agentrig/model"
)

// guardNames are the calls that are drawn at random. Each differs from the others by bytes.
var guardNames = []string{"a", "b"}

// randomRounds is how many steps of the agent's are drawn. They share a session and few turns: what a person types there takes longer
// than a step.
const randomRounds = 50

// proveRandom: whatever the agent calls, whenever a human taps what, and whenever nod crashes, no call runs that no human allowed.
func (g *guardProof) proveRandom() {
	seed := uint64(time.Now().UnixNano())
	g.t.Logf("seed %d", seed)
	p := &guardTaps{guardProof: g, r: rand.New(rand.NewPCG(seed, 0)), allowed: map[string]int{}, seen: map[string]bool{}, did: map[string]int{}}
	began := time.Now()
	for p.did["rounds"] < randomRounds {
		p.turn()
	}
	p.check()
	for _, name := range guardNames {
		p.did["ran"] += g.Ran(name)
	}
	g.t.Logf("%v in %s; %d calls that nobody flagged", p.did, time.Since(began).Round(time.Second), g.Ran("free"))
	if p.did["ran"] == 0 || g.Ran("free") == 0 {
		g.t.Error("nothing was let through, so nothing is proven")
	}
}

// guardTaps is a human who taps at random.
type guardTaps struct {
	*guardProof
	r       *rand.Rand
	allowed map[string]int // taps that allow, by the call
	buttons []guardButton  // all that the phone ever showed
	seen    map[string]bool
	did     map[string]int // how often what was done
}

// guardButton is a button under a denied call.
type guardButton struct {
	message int
	data    string
	allows  string // the call that a first tap on it allows; empty: none
}

// turn is an instruction whose steps are drawn at random, with taps, answers, crashes and Escape at random moments of it.
func (p *guardTaps) turn() {
	plan := make([][]string, min(3+p.r.IntN(4), randomRounds-p.did["rounds"]))
	for i := range plan {
		for range 1 + p.r.IntN(2) {
			plan[i] = append(plan[i], p.call())
		}
	}
	p.Model.Play("guarded", func(results []model.Result, _ int) []string {
		done := 0
		for _, calls := range plan {
			if len(results) <= done {
				return calls
			}
			done += len(calls)
		}
		return nil
	})
	p.idle()
	finished := p.Model.Finished("guarded")
	p.did["turns"]++
	p.instruct()
	p.did["rounds"] += len(plan)
	escape, crash := p.r.IntN(5) == 0, p.r.IntN(5) == 0
	for end := time.Now().Add(Patience); p.Model.Finished("guarded") == finished && !p.interrupted(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("the turn never ended")
		}
		p.check()
		p.tap()
		switch {
		case escape && p.r.IntN(60) == 0:
			p.did["escapes"]++
			p.Tmux.Type(p.Pane, "Escape")
			return
		case crash && p.r.IntN(40) == 0:
			crash = false
			p.did["crashes"]++
			p.bot.kill()
			p.bot.start()
		case p.r.IntN(4) == 0 && strings.Contains(p.Screen(), "1. Yes"):
			p.decide()
		}
	}
}

// instruction is what starts a turn. Each has a number: the one before is on the screen too.
func (p *guardTaps) instruction() string { return fmt.Sprintf("SCENARIO guarded %d.", p.did["turns"]) }

// interrupted reports whether the turn is over before its end: a no that is typed ends it, as Escape does.
func (p *guardTaps) interrupted() bool {
	since := p.Screen()
	if _, below, ok := strings.Cut(since, p.instruction()); ok {
		since = below // else that has scrolled away, and all of the screen is of this turn
	}
	return strings.Contains(since, "Interrupted")
}

// instruct types the next instruction.
func (p *guardTaps) instruct() {
	before := p.Model.Asked("guarded")
	text := p.instruction()
	p.Tmux.Run("send-keys", "-t", p.Pane, "-l", "--", text)
	p.Until("shows "+text, func(screen string) bool { return strings.Contains(screen, text) })
	for range 5 { // an Enter that comes at once is a part of the text to it
		time.Sleep(300 * time.Millisecond)
		p.Tmux.Type(p.Pane, "Enter")
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if p.Model.Asked("guarded") > before {
				return
			}
		}
	}
	p.Fatalf("the instruction never reached the model")
}

// idle waits until the agent takes an instruction, whatever it asks until then.
func (p *guardTaps) idle() {
	p.t.Helper()
	p.Until("is idle", func(screen string) bool {
		if strings.Contains(screen, "1. Yes") {
			p.decide()
			return false
		}
		c, _ := p.bot.check(p.Run)
		return c.State == "idle"
	})
}

// decide answers a dialog of the agent's: the third denial in a row, or what was allowed and is asked about.
func (p *guardTaps) decide() {
	for _, s := range p.bot.queue() {
		word := []string{"y", "n"}[p.r.IntN(2)]
		name := ran.FindStringSubmatch(s.Subject)
		if word == "y" && name != nil {
			p.allowed[name[1]]++
		}
		p.did["answers"]++
		p.bot.reply(s, word, "--unseen") // 2.1.166 says more above its rows than is known of the call
	}
}

func (p *guardTaps) call() string {
	if p.r.IntN(3) == 0 {
		return "curl -s http://127.0.0.1:9/; echo ran >> " + model.RanFile("free")
	}
	return push(guardNames[p.r.IntN(len(guardNames))])
}

// ran finds the calls of a message, one after the other.
var ran = regexp.MustCompile(`>> ([a-z]+)\.ran`)

// look takes in which buttons the phone shows.
func (p *guardTaps) look() {
	for _, m := range p.bot.owner.Messages() {
		if !strings.Contains(m.Text, "🚧") {
			continue
		}
		for _, b := range buttons(m) {
			if p.seen[b.Data] {
				continue
			}
			p.seen[b.Data] = true
			known := guardButton{message: m.ID, data: b.Data}
			if strings.HasPrefix(b.Text, "✅") {
				which := 0
				if _, number, ok := strings.Cut(b.Text, "("); ok {
					which = int(number[0] - '1')
				}
				known.allows = ran.FindAllStringSubmatch(m.Text, -1)[which][1]
			}
			p.buttons = append(p.buttons, known)
		}
	}
}

// tap taps one of the newest buttons now and then, be it one that was tapped before, or that is not there any more.
func (p *guardTaps) tap() {
	p.look()
	if len(p.buttons) == 0 || p.r.IntN(8) > 0 {
		return
	}
	b := &p.buttons[len(p.buttons)-1-p.r.IntN(min(len(p.buttons), 8))]
	if b.allows != "" {
		p.allowed[b.allows]++
		p.did["allowed"]++
		b.allows = "" // a second tap allows nothing
	}
	p.did["taps"]++
	p.bot.owner.TapData(b.message, b.data)
}

func (p *guardTaps) check() {
	p.t.Helper()
	for _, name := range guardNames {
		if ran := p.Ran(name); ran > p.allowed[name] {
			p.Fatalf("%s ran %d times, and was allowed %d times\nnod's log:\n%s", name, ran, p.allowed[name], p.bot.log)
		}
	}
}
