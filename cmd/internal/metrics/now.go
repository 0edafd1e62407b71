package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// now collects nod's current state.
type now struct{ cfg Config }

var (
	panesDesc    = prometheus.NewDesc("nod_panes", "Panes that an agent runs in, by its state.", []string{"state"}, nil)
	waitingDesc  = prometheus.NewDesc("nod_nudges_waiting", "Nudges that wait for a person, by whether they hold up an agent.", []string{"urgent"}, nil)
	problemsDesc = prometheus.NewDesc("nod_problems", "How many things are wrong: nod status names them.", nil, nil)
)

func (now) Describe(out chan<- *prometheus.Desc) {
	out <- panesDesc
	out <- waitingDesc
	out <- problemsDesc
}

func (n now) Collect(out chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value int, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), labels...)
	}
	states := map[string]int{}
	for _, s := range n.cfg.Panes() {
		states[string(s.State)]++
	}
	for state, count := range states {
		gauge(panesDesc, count, state)
	}
	queue, err := n.cfg.Queue()
	if err != nil {
		out <- prometheus.NewInvalidMetric(waitingDesc, err)
	} else {
		urgent := 0
		for _, w := range queue {
			if w.Asks() {
				urgent++
			}
		}
		gauge(waitingDesc, urgent, "yes")
		gauge(waitingDesc, len(queue)-urgent, "no")
	}
	gauge(problemsDesc, len(n.cfg.Problems()))
}
