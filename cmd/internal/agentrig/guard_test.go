//go:build agents

package agentrig

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/detect/agents"
	"nod/internal/botapi"
)

// TestGuards proves what nod says of calls that an agent's own guard denied: told at once, allowed once by a tap, and nothing else
// runs. In every version whose hooks take a human's word about them.
func TestGuards(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, a := range Agents() {
		known := agents.HooksOf(a.Name).Guard
		if known == nil || !known.Takes(a.Version) {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			for _, c := range guardCases {
				if c.denies && !known.Silent.Takes(a.Version) {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					g := &guardProof{doorProof: doorProof{Run: Start(t, a, install, Options{Nod: nod, Auto: !c.denies, Denies: c.denies, Outside: c.outside})}, outside: c.outside}
					g.bot = startBot(t, nod, g.Run, append([]string{"NOD_IDLE=off", "HOME=" + g.Home}, c.settings...)...)
					g.bot.listens()
					g.Model.Guard(func(input string) string {
						if strings.Contains(input, "push") {
							return "[Git Destructive] Force-pushing rewrites shared history."
						}
						return ""
					})
					c.prove(g)
				})
			}
		})
	}
}

var guardCases = []struct {
	name     string
	prove    func(*guardProof)
	settings []string
	outside  bool
	denies   bool
}{
	{name: "flagged", prove: (*guardProof).proveOnce},
	{name: "not flagged", prove: (*guardProof).proveNotFlagged},
	{name: "unavailable", prove: (*guardProof).proveUnavailable},
	{name: "three in a row", prove: (*guardProof).proveThree},
	{name: "two equal calls", prove: (*guardProof).proveTwoEqual},
	{name: "another byte", prove: (*guardProof).proveAnotherByte},
	{name: "the one that was left", prove: (*guardProof).proveLeft},
	{name: "not tried again", prove: (*guardProof).proveNotTriedAgain},
	{name: "escape", prove: (*guardProof).proveEscape},
	{name: "escape after the tap", prove: (*guardProof).proveEscapeAfter},
	{name: "outside, escape after the tap", prove: (*guardProof).proveEscapeAfter, outside: true, settings: []string{"NOD_TMUX_SOCKET=/nonexistent/nod"}},
	{name: "refused in a dialog", prove: (*guardProof).proveRefused, settings: []string{"NOD_GUARD_WAIT=0s"}},
	{name: "settings deny", prove: (*guardProof).proveSettingsDeny, denies: true},
	{name: "settings deny, late", prove: (*guardProof).proveSettingsDenyLate, denies: true, settings: []string{"NOD_GUARD_WAIT=0s"}},
	{name: "settings deny, escape", prove: (*guardProof).proveEscape, denies: true},
	{name: "nod killed", prove: (*guardProof).proveKilled},
	{name: "late", prove: (*guardProof).proveLate, settings: []string{"NOD_GUARD_WAIT=0s"}},
	{name: "an hour late", prove: (*guardProof).proveExpired, settings: []string{"NOD_GUARD_WAIT=0s"}},
	{name: "sub-agent", prove: (*guardProof).proveSubagentOnce},
	{name: "outside", prove: (*guardProof).proveOnce, outside: true, settings: []string{"NOD_TMUX_SOCKET=/nonexistent/nod"}},
	{name: "outside, late", prove: (*guardProof).proveOutsideLate, outside: true, settings: []string{"NOD_TMUX_SOCKET=/nonexistent/nod", "NOD_GUARD_WAIT=0s"}},
	{name: "sub-agent and session", prove: (*guardProof).proveSubagentOnly, settings: []string{"NOD_GUARD_WAIT=0s"}},
	{name: "random", prove: (*guardProof).proveRandom, settings: []string{"NOD_GUARD_WAIT=6s"}},
}

type guardProof struct {
	doorProof
	outside bool
}

// push is a command that the guard flags. Each time it runs it adds a line to the file of name.
func push(name string) string {
	return "git push --force origin main; " + "echo ran >> " + model.RanFile(name)
}

// plays has the scenario guarded call what next says, and starts it.
func (g *guardProof) plays(next func(results, hints int) []string) {
	g.t.Helper()
	g.Model.Play("guarded", func(results []model.Result, hints int) []string { return next(len(results), hints) })
	g.Ask("guarded")
}

// message waits for a message of the owner's that holds all of these words.
func (g *guardProof) message(words ...string) botapi.Record {
	g.t.Helper()
	ctx, stop := context.WithTimeout(g.t.Context(), Patience)
	defer stop()
	m, err := g.bot.owner.Await(ctx, func(m botapi.Record) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(m.Text, word) })
	})
	if err != nil {
		g.Fatalf("no message with %q: %v\n%+v\nnod's log:\n%s", words, err, g.bot.owner.Messages(), g.bot.log)
	}
	return m
}

// buttons are those of a message.
func buttons(m botapi.Record) (all []botapi.Button) {
	if m.Markup != nil {
		all = slices.Concat(m.Markup.Rows...)
	}
	return all
}

func (g *guardProof) tap(m botapi.Record, label string) {
	g.t.Helper()
	if _, err := g.bot.owner.Tap(m.ID, label); err != nil {
		now, _ := g.bot.owner.Message(m.ID)
		g.Fatalf("%v; it says %s\nnod's log:\n%s", err, now.Text, g.bot.log)
	}
}

// finished waits until the model has closed the scenario.
func (g *guardProof) finished() {
	g.t.Helper()
	g.closed("guarded")
}

func (g *guardProof) closed(scenario string) {
	g.t.Helper()
	for end := time.Now().Add(Patience); g.Model.Finished(scenario) == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			g.Fatalf("the scenario never ended\nnod's log:\n%s", g.bot.log)
		}
	}
}

// proveOnce: the agent is held, one tap lets the call run once, and the next equal call is denied again.
func (g *guardProof) proveOnce() {
	g.plays(func(results, hints int) []string {
		if results < 3 && hints > 0 || results == 0 {
			return []string{push("guarded")}
		}
		return nil
	})
	m := g.message("auto mode blocked git push --force origin main", "[Git Destructive]", "held for your answer")
	g.toldAtOnce()
	if strings.Contains(m.Text, "Not all of it") {
		g.t.Errorf("it says %q", m.Text)
	}
	time.Sleep(3 * time.Second)
	g.wantRan("guarded", 0)
	data := buttons(m)[0].Data
	g.tap(m, "✅ Allow this once")
	g.message("and let through")
	for end := time.Now().Add(Patience); g.Ran("guarded") == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
	}
	g.wantRan("guarded", 1)
	known := agents.HooksOf(g.Agent.Name).Guard
	if _, asks := known.Through(g.Agent.Version, "Bash"); asks && !g.outside {
		g.answeredByTheTap()
	}
	g.bot.owner.TapData(m.ID, data) // a second tap on what the phone may still show
	m = g.message("2. auto mode blocked")
	g.tap(m, "❌ Leave it (2)")
	g.finished()
	g.wantRan("guarded", 1)
}

// toldAtOnce: the message that has just come did so within a second of the hook.
func (g *guardProof) toldAtOnce() {
	g.t.Helper()
	said := regexp.MustCompile(`time=(\S+) level=INFO msg="call blocked"`).FindStringSubmatch(g.bot.log.String())
	if said == nil {
		g.t.Errorf("nod's log:\n%s", g.bot.log)
		return
	}
	heard, err := time.Parse(time.RFC3339, said[1])
	must(g.t, err)
	took := time.Since(heard)
	g.t.Logf("told %s after the hook", took.Round(time.Millisecond))
	if took > time.Second {
		g.t.Errorf("told %s after the hook", took)
	}
}

// answeredByTheTap: the agent has asked about the call in a dialog of its own, and nobody but the tap has answered.
func (g *guardProof) answeredByTheTap() {
	g.t.Helper()
	if !strings.Contains(g.bot.log.String(), "way=grant") {
		g.t.Errorf("nod's log:\n%s", g.bot.log)
	}
	for _, m := range g.bot.owner.Messages() {
		if strings.HasPrefix(m.Text, "⚠") {
			g.t.Errorf("the owner was asked once more: %s", m.Text)
		}
	}
}

// proveNotFlagged: nothing is told of what the guard lets through.
func (g *guardProof) proveNotFlagged() {
	g.plays(func(results, _ int) []string {
		return []string{"curl -s http://127.0.0.1:9/; echo ran >> " + model.RanFile("guarded")}[min(results, 1):]
	})
	g.finished()
	g.wantRan("guarded", 1)
	if slices.ContainsFunc(g.bot.owner.Messages(), func(m botapi.Record) bool { return strings.Contains(m.Text, "blocked") }) {
		g.t.Errorf("%+v", g.bot.owner.Messages())
	}
}

// proveUnavailable: a check that fails denies too. A tap lets the call run once, and nothing else runs.
func (g *guardProof) proveUnavailable() {
	g.Model.Guard(func(input string) string {
		if strings.Contains(input, "push") {
			return model.NoVerdict
		}
		return ""
	})
	g.plays(func(results, hints int) []string {
		if results == 0 || results < 3 && hints > 0 {
			return []string{push("guarded")}
		}
		return nil
	})
	g.allowOneAndLeaveTheNext("auto mode")
}

// allowOneAndLeaveTheNext: of two equal calls that were denied one after the other the first runs, by one tap.
func (g *guardProof) allowOneAndLeaveTheNext(by string) {
	m := g.message(by+" blocked git push --force origin main", "held for your answer")
	time.Sleep(3 * time.Second)
	g.wantRan("guarded", 0)
	g.tap(m, "✅ Allow this once")
	m = g.message("2. " + by + " blocked")
	g.wantRan("guarded", 1)
	g.tap(m, "❌ Leave it (2)")
	g.finished()
	g.wantRan("guarded", 1)
}

// proveSubagentOnce: a sub-agent's call is told, and one tap lets it run once.
func (g *guardProof) proveSubagentOnce() {
	g.Model.Play("run", func(results []model.Result, hints int) []string {
		if len(results) == 0 || len(results) < 3 && hints > 0 {
			return []string{push("guarded")}
		}
		return nil
	})
	g.Ask("delegate")
	m := g.message("auto mode of a sub-agent blocked git push --force origin main", "held for your answer")
	g.wantRan("guarded", 0)
	g.tap(m, "✅ Allow this once")
	m = g.message("2. auto mode of a sub-agent blocked")
	g.wantRan("guarded", 1)
	g.tap(m, "❌ Leave it (2)")
	g.closed("run")
	g.wantRan("guarded", 1)
}

// proveSubagentOnly: what was allowed to a sub-agent the session itself can't take, and neither can another sub-agent.
func (g *guardProof) proveSubagentOnly() {
	g.Model.Play("run", func(results []model.Result, _ int) []string { return []string{push("guarded")}[min(len(results), 1):] })
	g.Ask("delegate")
	m := g.message("auto mode of a sub-agent blocked", "gone on without it")
	g.closed("run")
	g.tap(m, "✅ Allow this once")
	g.message("it has not run yet")
	g.Until("is idle", g.Agent.ready.MatchString)
	g.plays(func(results, _ int) []string { return []string{push("guarded")}[min(results, 1):] })
	g.finished()
	g.wantRan("guarded", 0)
	g.Ask("delegate")
	for end := time.Now().Add(Patience); len(g.Model.Results("run")) < 2; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			g.Fatalf("the second sub-agent never heard of its call")
		}
	}
	g.wantRan("guarded", 0)
}

// proveThree: the third in a row is an ordinary question, which nobody but a human answers.
func (g *guardProof) proveThree() {
	g.plays(func(results, _ int) []string {
		if results < 3 {
			return []string{fmt.Sprintf("git push --force origin b%d; echo ran >> %s", results, model.RanFile("guarded"))}
		}
		return nil
	})
	g.tap(g.message("origin b0", "held"), "❌ Leave it")
	g.tap(g.message("origin b1", "held"), "❌ Leave it (2)")
	s := g.bot.see(g.Run, sight{})
	if !strings.Contains(s.Subject, "origin b2") {
		g.Fatalf("it asks %+v", s)
	}
	g.wantRan("guarded", 0)
	landed, said := g.bot.reply(s, "y")
	if !landed && strings.Contains(said, "--unseen") { // 2.1.166 says more above its rows than is known of the call
		landed, said = g.bot.reply(s, "y", "--unseen")
	}
	if !landed {
		g.Fatalf("%s", said)
	}
	g.finished()
	g.wantRan("guarded", 1)
}

// proveTwoEqual: one tap lets one of two equal calls run.
func (g *guardProof) proveTwoEqual() {
	g.plays(func(results, hints int) []string {
		switch {
		case results == 0, results == 2 && hints > 0:
			return []string{push("guarded"), push("guarded")}
		}
		return nil
	})
	g.tap(g.message("auto mode blocked", "held"), "✅ Allow this once")
	g.message("and let through")
	if m, _ := g.bot.owner.Message(g.message("2. auto mode blocked").ID); len(buttons(m)) > 0 {
		g.tap(m, "❌ Leave it (2)")
	}
	g.finished()
	g.wantRan("guarded", 1)
}

// proveAnotherByte: what the agent tries after the tap is another call, which nobody has allowed.
func (g *guardProof) proveAnotherByte() {
	g.plays(func(results, hints int) []string {
		switch {
		case results == 0:
			return []string{push("guarded")}
		case results == 1 && hints > 0:
			return []string{push("guarded") + " "}
		}
		return nil
	})
	g.tap(g.message("auto mode blocked", "held"), "✅ Allow this once")
	m := g.message("2. auto mode blocked", "it has not run yet")
	g.wantRan("guarded", 0)
	g.tap(m, "❌ Leave it (2)")
	g.finished()
	g.wantRan("guarded", 0)
}
