package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
)

// TestThatNothingWasTypedIsSaidOnce: the sentence of a refusal is made where something is refused, and nobody says it
// a second time.
func TestThatNothingWasTypedIsSaidOnce(t *testing.T) {
	refused := func(code deliver.Reason, detail string) func(w *world) {
		return func(w *world) {
			w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: code, Detail: reason.Why{Said: detail}})
			w.ann.ReplyTo(w.ask(1, prompt("make test")).ID, "y")
		}
	}
	for name, c := range map[string]struct {
		do   func(w *world)
		says int // how often a message says it
	}{
		"for now":                {refused(deliver.CopyMode, "Nothing was typed: main:1.0 is in copy mode. Leave it."), 1},
		"for good":               {refused(deliver.Changed, "Nothing was typed: pane %1 shows another prompt now."), 1},
		"without a sentence":     {refused(deliver.Changed, ""), 1},
		"after a key that moves": {refused(deliver.Changed, "Typed Down, which answers nothing, and stopped: it did not follow."), 0},
		"no agent there":         {func(w *world) { withPanes(w); w.see(sighting(1, screen.Gone, nil)); w.ann.Say("/tell api commit") }, 1},
		"what was refused before": {func(w *world) {
			refused(deliver.Changed, "Nothing was typed: it changed.")(w)
			time.Sleep(time.Minute)
			w.ann.Say("y " + w.onlyNudge())
		}, 1},
		"no such nudge": {func(w *world) { w.ann.Say("y a2b") }, 1},
		"no nudge":      {func(w *world) { w.ann.ReplyTo(w.ann.Say("hm").ID, "y") }, 1},
		"no answer":     {func(w *world) { w.ann.Say("yeah sure") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				c.do(w)
				last := w.last()
				for _, m := range w.botSaid() {
					if n := timesSaid(m); n > c.says || m.ID == last.ID && n != c.says {
						t.Errorf("a message says it %d times:\n%s", n, m.Text)
					}
				}
			})
		})
	}
}

func timesSaid(m botapi.Record) int {
	return strings.Count(strings.ToLower(m.Text), "nothing was typed")
}

// onlyNudge is the id of the one nudge that there is.
func (w *world) onlyNudge() string {
	w.t.Helper()
	all, err := w.keeper.List(true)
	if err != nil || len(all) != 1 {
		w.t.Fatalf("%d nudges, %v", len(all), err)
	}
	return all[0].ID
}
