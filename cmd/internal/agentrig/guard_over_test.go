//go:build agents

package agentrig

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/internal/botapi"
)

// proveLeft: the hint to retry names no call, and what was left stays denied when the agent takes that for it.
func (g *guardProof) proveLeft() {
	g.plays(func(results, hints int) []string {
		switch {
		case results == 0:
			return []string{push("left"), push("guarded")}
		case results == 2 && hints > 0:
			return []string{push("left")}
		case results == 3:
			return []string{push("guarded")}
		}
		return nil
	})
	g.tap(g.message("left.ran", "held"), "❌ Leave it")
	g.tap(g.message("2. auto mode blocked", "held"), "✅ Allow this once (2)")
	g.finished()
	g.wantRan("left", 0)
	g.wantRan("guarded", 1)
	if results := g.Model.Results("guarded"); len(results) != 4 || !strings.Contains(results[2].Text, "left it denied") {
		g.t.Errorf("the model hears %+v", results)
	}
}

// proveEscape: the person at the terminal has decided.
func (g *guardProof) proveEscape() {
	g.plays(func(results, _ int) []string { return []string{push("guarded")}[min(results, 1):] })
	m := g.message("blocked git push", "held")
	data := buttons(m)[0].Data
	g.Tmux.Type(g.Pane, "Escape")
	if m = g.message("Escape was pressed at the terminal"); len(buttons(m)) > 0 {
		g.t.Errorf("it has %+v", buttons(m))
	}
	g.bot.owner.TapData(m.ID, data)
	time.Sleep(2 * time.Second)
	g.wantRan("guarded", 0)
}

// proveEscapeAfter: the hook has told the agent to try again, and the person at the terminal stops it before it does. Outside tmux nod hears of
// that by the next instruction.
func (g *guardProof) proveEscapeAfter() {
	tries, stopped := make(chan struct{}), make(chan struct{})
	g.plays(func(results, hints int) []string {
		switch {
		case results == 0:
			return []string{push("guarded")}
		case results == 1 && hints > 0:
			close(tries)
			<-stopped
		}
		return nil
	})
	m := g.message("auto mode blocked", "held")
	g.tap(m, "✅ Allow this once")
	select {
	case <-tries:
	case <-time.After(Patience):
		g.Fatalf("it does not try again")
	}
	time.Sleep(time.Second) // it waits for the model's answer
	g.Tmux.Type(g.Pane, "Escape")
	g.Until("has stopped", func(screen string) bool { return strings.Contains(screen, "Interrupted") })
	close(stopped)
	if !g.outside {
		g.message("Escape was pressed at the terminal")
	}
	g.plays(func(results, _ int) []string { return []string{push("guarded")}[min(results, 1):] })
	g.message("Escape was pressed at the terminal")
	g.tap(g.message("auto mode blocked", "held"), "❌ Leave it")
	g.finished()
	g.wantRan("guarded", 0)
}

// proveRefused: a no that nod gives in a dialog ends nothing else.
func (g *guardProof) proveRefused() {
	g.plays(func(results, _ int) []string {
		if results < 3 {
			return []string{fmt.Sprintf("git push --force origin b%d; echo ran >> %s", results, model.RanFile("guarded"))}
		}
		return nil
	})
	if landed, said := g.bot.reply(g.bot.see(g.Run, sight{}), "n", "--unseen"); !landed {
		g.Fatalf("%s", said)
	}
	g.Until("is idle", g.Agent.ready.MatchString)
	time.Sleep(6 * time.Second)
	g.tap(g.message("auto mode blocked git push --force origin b0", "gone on without it"), "✅ Allow this once")
	g.message("it has not run yet")
	g.wantRan("guarded", 0)
}

// proveSettingsDeny: the hook that would announce a dialog is the only one that asks, and lets the call run once.
func (g *guardProof) proveSettingsDeny() {
	g.plays(func(results, _ int) []string { return []string{push("guarded")}[min(results/2, 1):] })
	g.allowOneAndLeaveTheNext("its settings")
}

// proveSettingsDenyLate: a tap after the agent has gone on counts for the next try.
func (g *guardProof) proveSettingsDenyLate() {
	g.plays(func(results, hints int) []string {
		if results <= hints {
			return []string{push("guarded")}
		}
		return nil
	})
	g.finished()
	g.again(g.message("its settings blocked", "gone on without it"))
}

// proveKilled: a nod that ends lets the agent go on without the call, and the next one takes the tap for the next try.
func (g *guardProof) proveKilled() {
	g.plays(func(results, hints int) []string {
		if results <= hints {
			return []string{push("guarded")}
		}
		return nil
	})
	m := g.message("auto mode blocked", "held")
	g.bot.kill()
	g.finished()
	g.wantRan("guarded", 0)
	g.bot.start()
	g.bot.listens()
	g.again(m)
}

// proveLate: a tap after the agent has gone on counts for the next try.
func (g *guardProof) proveLate() {
	g.plays(func(results, hints int) []string {
		if results <= hints {
			return []string{push("guarded")}
		}
		return nil
	})
	g.finished()
	g.again(g.message("auto mode blocked", "gone on without it"))
}

// proveNotTriedAgain: an agent that goes on without the call, although its hook told it to try again, is told so by another tap.
func (g *guardProof) proveNotTriedAgain() {
	g.plays(func(results, hints int) []string {
		if results == 0 || results == 1 && hints > 1 {
			return []string{push("guarded")}
		}
		return nil
	})
	m := g.message("auto mode blocked", "held")
	g.tap(m, "✅ Allow this once")
	g.finished()
	g.Until("may be told to try again", func(string) bool {
		m, _ = g.bot.owner.Message(m.ID)
		return len(buttons(m)) > 0
	})
	g.wantRan("guarded", 0)
	g.tellAgain(m)
}

// proveExpired: what was allowed an hour ago is denied again, and asked about once more.
func (g *guardProof) proveExpired() {
	g.plays(func(results, _ int) []string { return []string{push("guarded")}[min(results, 1):] })
	m := g.message("auto mode blocked", "gone on without it")
	g.finished()
	g.tap(m, "✅ Allow this once")
	g.message("it has not run yet")
	g.bot.ages(time.Hour)
	g.Until("is idle", g.Agent.ready.MatchString)
	g.Ask("guarded")
	g.Until("tries once more", func(string) bool { return len(g.Model.Results("guarded")) == 2 })
	g.wantRan("guarded", 0)
	g.Until("is asked about once more", func(string) bool {
		return slices.ContainsFunc(g.bot.owner.Messages(), func(o botapi.Record) bool { return o.ID > m.ID && strings.Contains(o.Text, "auto mode blocked") })
	})
	g.wantRan("guarded", 0)
}

// proveOutsideLate: outside tmux nothing can be typed, so a tap after the agent has gone on counts when it tries by itself.
func (g *guardProof) proveOutsideLate() {
	g.plays(func(results, _ int) []string { return []string{push("guarded")}[min(results, 1):] })
	m := g.message("auto mode blocked", "gone on without it", "outside tmux")
	g.finished()
	g.tap(m, "✅ Allow this once")
	if m = g.message("it has not run yet"); len(buttons(m)) > 0 {
		g.t.Errorf("it has %+v", buttons(m))
	}
	g.wantRan("guarded", 0)
	g.Until("is idle", g.Agent.ready.MatchString)
	g.Ask("guarded")
	for end := time.Now().Add(Patience); g.Ran("guarded") == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
	}
	g.wantRan("guarded", 1)
}

// again allows a call that the agent has given up, and tells it to try again.
func (g *guardProof) again(m botapi.Record) {
	g.t.Helper()
	time.Sleep(2 * time.Second)
	g.tap(m, "✅ Allow this once")
	g.tellAgain(g.message("it has not run yet"))
}

// tellAgain tells the agent to try an allowed call again, by a tap, and the call runs once.
func (g *guardProof) tellAgain(m botapi.Record) {
	g.t.Helper()
	g.tap(m, "🔁 Tell it to try again")
	g.message("and let through")
	for end := time.Now().Add(Patience); g.Ran("guarded") == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
	}
	g.wantRan("guarded", 1)
	g.Until("is idle", g.Agent.ready.MatchString)
	g.wantRan("guarded", 1)
}
