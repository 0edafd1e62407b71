//go:build agents

package agentrig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/agentrig/model"
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
	for way, setting := range map[string]string{"door": "NOD_DOORS=on", "keys": "NOD_DOORS=off"} {
		d := &doorProof{Run: Start(t, a, install, Options{Nod: nod})}
		d.bot = startBot(t, nod, d.Run, setting)
		d.bot.listens()
		var took []time.Duration
		d.Ask("many")
		for range model.Many {
			if span, by := d.timed(); by == way {
				took = append(took, span)
			}
		}
		slices.Sort(took)
		t.Logf("by %s: p50 %v, p99 %v, worst %v, of %d", way, took[len(took)/2], took[len(took)*99/100], took[len(took)-1], len(took))
	}

	d := &doorProof{Run: Start(t, a, install, Options{Nod: nod})}
	d.bot = startBot(t, nod, d.Run)
	d.bot.listens()
	answered := map[string]bool{}
	ways := map[string]int{}
	for range 10 {
		d.Ask("crowd")
		for range model.Many {
			s := d.next()
			name := d.ranName(s.Subject)
			if answered[name] || strings.Contains(d.read(model.RanFile("numbered")), name+"\n") {
				d.Fatalf("%s was answered or ran before it was asked", name)
			}
			answered[name] = true
			r := d.answer(s, "y")
			ways[r.Outcome+" by "+r.Way]++
			d.Until("ran "+name, func(string) bool { return strings.Contains(d.read(model.RanFile("numbered")), name+"\n") })
		}
		d.Until("is done", func(screen string) bool {
			return !strings.Contains(screen, "esc to interrupt") && !strings.Contains(screen, "Waiting for")
		})
		d.Settle()
	}
	lines := strings.Fields(d.read(model.RanFile("numbered")))
	slices.Sort(lines)
	twice := len(lines) - len(slices.Compact(slices.Clone(lines)))
	t.Logf("with %d sub-agents at once: %d answered (%v), %d ran, %d twice", model.Crowd, len(answered), ways, len(lines), twice)
	if twice > 0 || len(lines) != len(answered) {
		t.Errorf("wrong ones: %v", lines)
	}
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
	d.Until("ran "+name, func(string) bool { return strings.Contains(d.read(model.RanFile("numbered")), name+"\n") })
	info, err := os.Stat(file)
	must(d.t, err)
	return info.ModTime().Sub(d.bot.answered(s)).Round(time.Millisecond), r.Way
}
