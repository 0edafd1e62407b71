package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
	"nod/store"
)

// kept is how many nudges a year of hard work leaves behind.
const kept = 100_000

// startup is how long nod takes to be ready on the records of a year.
func startup(b *testing.B) map[string]float64 {
	r := newRig(b)
	state := filepath.Join(r.home, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		b.Fatal(err)
	}
	fill(b, filepath.Join(state, "nod.db"), kept)
	var took []time.Duration
	for range short(10) {
		took = append(took, r.start(b))
		r.stop()
	}
	return map[string]float64{"p50": percentile(took, 50), "p99": percentile(took, 99)}
}

// fill makes records of nudges that ended an hour ago.
func fill(b *testing.B, path string, n int) {
	b.Helper()
	records := must[*store.Store](b)(store.Open(path))
	ended := time.Now().Add(-time.Hour).UTC()
	place := nudge.Place("1")
	rules := nudge.Rules{Cadence: []time.Duration{0}, Expiry: time.Hour, Supervisors: []nudge.Place{place}}
	prompt := &screen.Prompt{
		Content: screen.Content{Agent: "claude", Shape: "claude.tool_confirmation", Question: "Do you want to proceed?", Subject: "make",
			Options: []screen.Option{{Key: "1", Label: "Yes", Scope: screen.Once}, {Key: "2", Label: "No", Scope: screen.No}}},
		Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"2"}}, Fingerprint: "make",
	}
	for i := 0; i < n; {
		err := records.Update(func(tx *store.Tx) error {
			for end := min(i+2000, n); i < end; i++ {
				seen := detect.Sighting{State: screen.Permission, Prompt: prompt, Tail: []string{prompt.Question}, By: "poll"}
				seen.Pane = detect.PaneRef{ID: fmt.Sprintf("%%%d", i%50)}
				seen.Agent, seen.Project, seen.Where = "claude", "api", "main:2.0"
				o := nudge.Open(fmt.Sprintf("o%d", i), nudge.Permission{Prompt: prompt}, seen, nil, rules, ended)
				o.Number, o.State, o.Ended = 1+i/50, nudge.Recovered, ended
				o.Copies = []nudge.Copy{{Ref: nudge.Ref{Place: place, Message: 2 + i}, Reminder: 1, Sent: ended, Closed: true}}
				tx.Put(o)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := records.Close(); err != nil {
		b.Fatal(err)
	}
}
