package metrics

import (
	"fmt"
	"io"

	victoria "github.com/VictoriaMetrics/metrics"
)

// writeNow writes nod's current state.
func (cfg Config) writeNow(w io.Writer) error {
	queue, err := cfg.Queue()
	if err != nil {
		return fmt.Errorf("read what waits: %w", err)
	}
	urgent := 0
	for _, n := range queue {
		if n.Asks() {
			urgent++
		}
	}
	states := map[string]int{}
	for _, s := range cfg.Panes() {
		states[string(s.State)]++
	}
	now := counts{victoria.NewSet()}
	for state, count := range states {
		now.gauge(count, "nod_panes", "state", state)
	}
	now.gauge(urgent, "nod_nudges_waiting", "urgent", "yes")
	now.gauge(len(queue)-urgent, "nod_nudges_waiting", "urgent", "no")
	now.gauge(len(cfg.Problems()), "nod_problems")
	now.gauge(1, "nod_build_info", "version", cfg.Version)
	now.WritePrometheus(w)
	return nil
}
