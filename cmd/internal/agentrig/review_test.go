//go:build agents

package agentrig

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/detect/agents"
	"nod/internal/botapi"
)

// TestReviews proves what nod says of calls that Codex's reviewer and Qwen's auto mode denied: told by the transcript or the screen, and
// after a tap made once more by the agent's own means. Nothing runs that neither a reviewer nor a human let through.
func TestReviews(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, name := range []string{"codex", "qwen"} {
		a, err := Find(name, "")
		must(t, err)
		marks := agents.GrantsOf(name) != nil
		for how, o := range map[string]Options{
			"screen": {Auto: true, Width: 160, Height: 40}, "hooks": {Auto: true, Nod: nod, Width: 160, Height: 40}, "narrow": {Auto: true, Nod: nod, Width: 80, Height: 24},
		} {
			prove := (*guardProof).proveAskedAgain
			switch {
			case marks && how == "narrow":
				prove = (*guardProof).proveNotWhole
			case marks:
				prove = (*guardProof).proveMarked
			}
			t.Run(a.String()+"/"+how, func(t *testing.T) {
				install, err := Install(t.Context(), a)
				must(t, err)
				g := &guardProof{doorProof: doorProof{Run: Start(t, a, install, o)}}
				g.bot = startBot(t, nod, g.Run, "NOD_IDLE=off")
				g.bot.listens()
				g.flag("push")
				prove(g)
			})
		}
		for how, o := range map[string]Options{"escape": {Auto: true}, "escape, hooks": {Auto: true, Nod: nod}} {
			t.Run(a.String()+"/"+how, func(t *testing.T) {
				install, err := Install(t.Context(), a)
				must(t, err)
				g := &guardProof{doorProof: doorProof{Run: Start(t, a, install, o)}}
				g.bot = startBot(t, nod, g.Run, "NOD_IDLE=off")
				g.bot.listens()
				g.Model.Guard(func(input string) string { // it has the whole turn
					if at := strings.LastIndex(input, "push --force"); at > strings.LastIndex(input, "date") && at > strings.LastIndex(input, "tail -f") {
						return "Force-pushing rewrites shared history."
					}
					return ""
				})
				g.proveStopped(name)
			})
		}
	}
}

// TestUncheckedCalls proves what nod makes of the dialogs of agents whose check has failed: a yes takes the row that allows the call once, and
// nothing that switches the mode as well, which Qwen recommends and Claude Code offers by a key.
func TestUncheckedCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for name, prove := range map[string]func(*guardProof){"qwen": (*guardProof).proveOnceAndInItsMode, "claude": (*guardProof).proveStays} {
		a, err := Find(name, "")
		must(t, err)
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			g := &guardProof{doorProof: doorProof{Run: Start(t, a, install, Options{Auto: true, Nod: nod})}}
			g.bot = startBot(t, nod, g.Run, "NOD_IDLE=off")
			g.bot.listens()
			if name == "qwen" {
				g.Model.Guard(func(string) string { return model.NoVerdict })
			} // Claude Code gets no verdict at all, as from a gateway that does not know of any
			prove(g)
		})
	}
}

// proveStays: the dialog that says that nothing is checked is told once and takes no yes; a person stays in auto mode at the terminal. Each call is asked then, of
// which the first is allowed, and the next one is not.
func (g *guardProof) proveStays() {
	g.plays(func(results, _ int) []string {
		return []string{push("guarded")}[min(results/2, 1):]
	})
	notice := g.bot.see(g.Run, sight{})
	if c, said := g.bot.check(g.Run); c.Shape != "claude.auto_mode_notice" || len(c.Approve) > 0 {
		g.t.Errorf("nod says %s", said)
	}
	if landed, said := g.bot.reply(notice, "y", "--unseen"); landed || strings.Contains(g.Screen(), "❯ No") {
		g.t.Errorf("a yes landed: %s", said)
	}
	time.Sleep(quiet)
	if now := g.bot.queue(); len(now) != 1 || now[0].ID != notice.ID {
		g.t.Errorf("it was told of %+v", now)
	}
	g.Tmux.Type(g.Pane, "Enter")
	last := notice
	for _, word := range []string{"y", "n"} {
		g.bot.see(g.Run, last)
		g.Settle()
		last = g.bot.see(g.Run, last)
		if c, said := g.bot.check(g.Run); len(c.Options) != 2 || c.Options[0].Scope != "no" || c.Options[1].Scope != "once" {
			g.t.Errorf("nod says %s", said)
		}
		landed, why := g.bot.reply(last, word)
		if !landed && strings.Contains(why, "unseen") {
			landed, why = g.bot.reply(last, word, "--unseen")
		}
		if !landed {
			g.Fatalf("%s did not land: %s", word, why)
		}
	}
	time.Sleep(quiet)
	g.wantRan("guarded", 1)
	if screen := g.Screen(); !strings.Contains(screen, "auto mode on") {
		g.t.Errorf("its mode is another:\n%s", screen)
	}
}

// proveOnceAndInItsMode: the call is allowed, and the same call is denied when it comes again.
func (g *guardProof) proveOnceAndInItsMode() {
	g.plays(func(results, _ int) []string {
		if results < 2 {
			return []string{push("guarded")}
		}
		return nil
	})
	last := sight{}
	for _, word := range []string{"y", "n"} {
		g.bot.see(g.Run, last)
		g.Settle()
		last = g.bot.see(g.Run, last) // its hook may have told it before all of it was drawn
		c, said := g.bot.check(g.Run)
		if len(c.Options) != 3 || c.Options[1].Scope != "mode" || !strings.Contains(c.Options[1].Label, "Default Mode") {
			g.t.Errorf("nod says %s", said)
		}
		landed, why := g.bot.reply(last, word)
		if !landed && strings.Contains(why, "unseen") {
			landed, why = g.bot.reply(last, word, "--unseen")
		}
		if !landed {
			g.Fatalf("%s did not land: %s", word, why)
		}
	}
	time.Sleep(quiet)
	g.wantRan("guarded", 1)
	if screen := g.Screen(); !strings.Contains(screen, "Auto mode (") {
		g.t.Errorf("its mode is another:\n%s", screen)
	}
}

// proveStopped: Escape at the terminal, while the agent goes on without what was denied, ends the buttons. Codex gives up by itself at three
// denials in a row.
func (g *guardProof) proveStopped(name string) {
	calls := []string{push("guarded"), "tail -f /dev/null"}
	if name == "codex" {
		calls = []string{push("guarded"), push("guarded"), "date", push("guarded"), "tail -f /dev/null"}
	}
	g.plays(func(results, _ int) []string {
		return calls[min(results, len(calls)-1):][:1]
	})
	m := g.message("blocked git push --force origin main")
	data := buttons(m)[0].Data
	g.Until("goes on without it", func(string) bool { return len(g.Model.Results("guarded")) >= len(calls)-1 })
	time.Sleep(quiet)
	g.Tmux.Type(g.Pane, "Escape")
	m = g.message("Escape was pressed at the terminal")
	if len(buttons(m)) > 0 {
		g.t.Errorf("it has %+v", buttons(m))
	}
	g.bot.owner.TapData(m.ID, data)
	time.Sleep(quiet)
	g.wantRan("guarded", 0)
	if all := g.bot.owner.Messages(); slices.ContainsFunc(all, func(o botapi.Record) bool { return o.ID > m.ID && strings.Contains(o.Text, "blocked") }) {
		g.t.Errorf("it was told once more: %+v", all)
	}
	if screen := g.Screen(); strings.Contains(screen, "Repeat exactly") || strings.Contains(screen, "/approve") {
		g.t.Errorf("something was typed:\n%s", screen)
	}
}

// flag has the guard deny what holds a word; empty: nothing.
func (g *guardProof) flag(word string) {
	g.Model.Guard(func(input string) string {
		if word != "" && strings.Contains(input, word) {
			return "Force-pushing rewrites shared history."
		}
		return ""
	})
}

// playPush has the model make one call, and that call again whenever it is told to.
func (g *guardProof) playPush(command string) {
	g.plays(func(results, hints int) []string {
		if results <= hints {
			return []string{command}
		}
		return nil
	})
}

// quiet is for how long nothing must happen, for a test to say that nothing does.
const quiet = 4 * time.Second

// proveMarked: the tap marks the call in the agent's own list, of which nobody is told. It is tried again only when the owner says so,
// and reviewed then.
func (g *guardProof) proveMarked() {
	g.playPush(push("guarded"))
	m := g.message("its reviewer blocked git push --force origin main", "reviewed again")
	g.finished()
	g.wantRan("guarded", 0)
	g.tap(m, "✅ Allow this once")
	g.message("and marked in the agent's list")
	g.Until("says that it is marked", func(screen string) bool { return strings.Contains(screen, "Approval recorded for one retry") })
	time.Sleep(quiet)
	if list := g.bot.queue(); len(list) > 0 {
		g.t.Errorf("it was told of %+v", list)
	}
	g.wantRan("guarded", 0)
	g.flag("")
	g.tap(m, "🔁 Tell it to try again")
	g.Until("ran it", func(string) bool { return g.Ran("guarded") > 0 })
	time.Sleep(quiet)
	g.wantRan("guarded", 1)
}

// proveNotWhole: where the list does not show the call whole, nothing is marked there, and it is closed again.
func (g *guardProof) proveNotWhole() {
	g.playPush(push("guarded"))
	m := g.message("its reviewer blocked git push --force origin main", "reviewed again")
	g.finished()
	g.tap(m, "✅ Allow this once")
	g.message("does not show that call whole")
	time.Sleep(quiet)
	if screen := g.Screen(); strings.Contains(screen, "Auto-review Denials") || strings.Contains(screen, "Approval recorded") {
		g.t.Errorf("the list was left open, or used:\n%s", screen)
	}
}

// proveAskedAgain: the tap has the agent make the very call again, which then asks. Nothing runs before that is answered.
func (g *guardProof) proveAskedAgain() {
	g.playPush(push("guarded"))
	m := g.message("auto mode blocked git push --force origin main", "Force-pushing rewrites shared history.")
	g.finished()
	g.tap(m, "✅ Allow this once")
	asked := g.bot.see(g.Run, sight{})
	if !strings.Contains(asked.Subject, "git push --force") {
		g.t.Errorf("it asks about %q", asked.Subject)
	}
	time.Sleep(quiet)
	g.wantRan("guarded", 0)
	if now := g.bot.queue(); len(now) == 1 {
		asked = now[0] // its hook may have told it before all of it was drawn
	}
	landed, said := g.bot.reply(asked, "y")
	if !landed && strings.Contains(said, "unseen") { // the row above the command that says so is in no event
		landed, said = g.bot.reply(asked, "y", "--unseen")
	}
	if !landed {
		g.t.Errorf("the yes did not land: %s", said)
	}
	g.Until("ran it", func(string) bool { return g.Ran("guarded") > 0 })
	time.Sleep(quiet)
	g.wantRan("guarded", 1)
	if strings.Contains(g.Screen(), "Default Mode") {
		g.t.Errorf("its mode is another:\n%s", g.Screen())
	}
}
