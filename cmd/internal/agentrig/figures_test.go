//go:build agents

package agentrig

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
)

// TestFigures measures how long it takes from an answer until the agent goes on, by door and by key, and counts what goes
// wrong where four sub-agents ask at once. `-run TestFigures -v` prints it.
func TestFigures(t *testing.T) {
	if testing.Short() || os.Getenv("NOD_FIGURES") == "" {
		t.Skip("it takes a quarter of an hour: set NOD_FIGURES=1")
	}
	nod := buildNod(t)
	a, err := Find("claude", "")
	must(t, err)
	install, err := Install(t.Context(), a)
	must(t, err)
	settings := map[string]string{"door": "NOD_DOORS=on", "keys": "NOD_DOORS=off"}
	took := map[string][]time.Duration{}
	for range 5 { // side by side, so that a machine that is busy for a while is so for both
		for way, setting := range settings {
			t.Run(way, func(t *testing.T) {
				d := &doorProof{Run: Start(t, a, install, Options{Nod: nod})}
				d.bot = startBot(t, nod, d.Run, setting)
				d.bot.listens()
				d.Ask("many")
				for range model.Many {
					if span, by := d.timed(); by == way {
						took[way] = append(took[way], span)
					}
				}
			})
		}
	}
	for way, spans := range took {
		slices.Sort(spans)
		t.Logf("by %s: p50 %v, p99 %v, worst %v, of %d", way, spans[len(spans)/2], spans[len(spans)*99/100], spans[len(spans)-1], len(spans))
	}
	t.Run("crowd", func(t *testing.T) {
		d := &doorProof{Run: Start(t, a, install, Options{Nod: nod})}
		d.bot = startBot(t, nod, d.Run)
		d.bot.listens()
		d.answerCrowd()
	})
}

// answerCrowd answers what sub-agents ask as soon as it is told, without a moment in which the screen could come to rest:
// where another prompt took the place meanwhile nod refuses, and asks again.
func (d *doorProof) answerCrowd() {
	d.t.Helper()
	answered, ways := map[string]bool{}, map[string]int{}
	for round := range 10 {
		d.Ask("crowd")
		for done := 0; done < model.Many; {
			s := d.next()
			name := d.ranName(s.Subject)
			if answered[name] || d.hasRun(name) {
				d.Fatalf("%s was answered or ran before it was asked", name)
			}
			out, _ := d.bot.person("reply", s.ID, "y", "--json").Output() // a refusal prints no JSON
			var r replied
			if json.Unmarshal(out, &r) != nil {
				ways["refused, asked again"]++
				continue
			}
			ways[r.Outcome+" by "+r.Way]++
			answered[name] = true
			done++
			d.Until("ran "+name, func(string) bool { return d.hasRun(name) })
		}
		// It closes once itself, and once more for each sub-agent.
		d.Until("is done", func(string) bool { return d.Model.Finished("crowd") == (round+1)*(1+model.Crowd) })
		d.Settle()
	}
	lines := strings.Fields(d.read(model.RanFile("numbered")))
	slices.Sort(lines)
	twice := len(lines) - len(slices.Compact(slices.Clone(lines)))
	d.t.Logf("with %d sub-agents at once: %d answered (%v), %d ran, %d twice", model.Crowd, len(answered), ways, len(lines), twice)
	if twice > 0 || len(lines) != len(answered) {
		d.t.Errorf("wrong ones: %v", lines)
	}
}

// hasRun reports whether the command that adds name to the file has run.
func (d *doorProof) hasRun(name string) bool {
	return strings.Contains(d.read(model.RanFile("numbered")), name+"\n")
}

// next is the next prompt that waits, of whichever agent.
func (d *doorProof) next() sight {
	d.t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, s := range d.bot.queue() {
			if s.Pane == d.Pane {
				return s
			}
		}
	}
	d.Fatalf("nothing is asked")
	return sight{}
}

// ranName is what the command of a subject adds to the file.
func (d *doorProof) ranName(subject string) string {
	d.t.Helper()
	_, rest, ok := strings.Cut(subject, "echo ")
	name, _, cut := strings.Cut(rest, " ")
	if !ok || !cut {
		d.Fatalf("it asks about %q", subject)
	}
	return name
}

// timed answers the next prompt, and gives the time from the answer until its command ran, and the way.
func (d *doorProof) timed() (took time.Duration, way string) {
	d.t.Helper()
	s := d.next()
	name := d.ranName(s.Subject)
	time.Sleep(1500 * time.Millisecond)
	r := d.answer(s, "y")
	if r.Outcome != "delivered" {
		d.Fatalf("%s: %+v", name, r)
	}
	file := filepath.Join(d.Project.Dir, model.RanFile("numbered"))
	d.Until("ran "+name, func(string) bool { return d.hasRun(name) })
	info, err := os.Stat(file)
	must(d.t, err)
	return info.ModTime().Sub(d.bot.answered(s)).Round(time.Millisecond), r.Way
}
