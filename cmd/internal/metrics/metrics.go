// Package metrics counts nod's work for Prometheus. It reads the fates of prompts from the audit trail, which
// records all of them; calls to Telegram and tmux are counted as they happen. Labels are nod's own words and
// never contain text of a person, an agent or a screen.
package metrics

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nod/detect"
	"nod/internal/host/tmux"
	"nod/nudge"
	"nod/store"
)

// Config is the input of Metrics. Every field is required.
type Config struct {
	Store    *store.Store
	Panes    func() []detect.Sighting      // the watched panes, as last seen
	Queue    func() ([]nudge.Nudge, error) // the waiting nudges
	Problems func() []string               // current problems, in sentences
	Version  string
	Log      *slog.Logger
}

// Metrics has all of nod's counts since its start.
type Metrics struct {
	registry *prometheus.Registry

	calls     *prometheus.HistogramVec
	errors    *prometheus.CounterVec
	polls     prometheus.Histogram
	pollFails prometheus.Counter
}

// New makes Metrics that count from the opening of the store on.
func New(cfg Config) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nod_telegram_call_seconds", Help: "How long Telegram took to answer a call, by method. getUpdates waits for news.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20, 60},
		}, []string{"method"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nod_telegram_errors_total", Help: "Calls that Telegram refused or did not answer, by what that means.",
		}, []string{"class"}),
		polls: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "nod_tmux_poll_seconds", Help: "How long one look at a tmux server took.",
			Buckets: []float64{.0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
		}),
		pollFails: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "nod_tmux_poll_errors_total", Help: "Looks at a tmux server that failed. One at a server that does not run counts too.",
		}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "nod_build_info", Help: "1, with nod's version.", ConstLabels: prometheus.Labels{"version": cfg.Version},
	})
	info.Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.calls, m.errors, m.polls, m.pollFails, newTrailReader(cfg.Store, cfg.Log), now{cfg}, info)
	return m
}

// Handler serves the counts to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Called records a call to Telegram and its duration. class is the kind of its failure; empty if it
// succeeded.
func (m *Metrics) Called(method, class string, took time.Duration) {
	m.calls.WithLabelValues(method).Observe(took.Seconds())
	if class != "" {
		m.errors.WithLabelValues(class).Inc()
	}
}

// Timed wraps a tmux server so that its polls are timed.
func (m *Metrics) Timed(s detect.Screens) detect.Screens { return timedScreens{s, m} }

type timedScreens struct {
	detect.Screens
	metrics *Metrics
}

func (t timedScreens) Poll(ctx context.Context, known []tmux.Capture, last tmux.Listing) (tmux.Listing, []tmux.Capture, error) {
	began := time.Now()
	listing, captures, err := t.Screens.Poll(ctx, known, last)
	t.metrics.polls.Observe(time.Since(began).Seconds())
	if err != nil {
		t.metrics.pollFails.Inc()
	}
	return listing, captures, err
}
