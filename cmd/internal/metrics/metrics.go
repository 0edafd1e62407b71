// Package metrics counts nod's work for Prometheus. It reads the fates of prompts from the audit trail, which
// records all of them; calls to Telegram and tmux are counted as they happen. Labels are nod's own words and
// never contain text of a person, an agent or a screen.
package metrics

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	victoria "github.com/VictoriaMetrics/metrics"

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
	cfg    Config
	counts counts
	trail  *trailReader

	polls     *victoria.PrometheusHistogram
	pollFails *victoria.Counter
}

// New makes Metrics that count from the opening of the store on.
func New(cfg Config) *Metrics {
	victoria.ExposeMetadata(true)
	c := counts{victoria.NewSet()}
	return &Metrics{
		cfg: cfg, counts: c, trail: newTrailReader(cfg.Store, c),
		polls: c.seconds("nod_tmux_poll_seconds"), pollFails: c.counter("nod_tmux_poll_errors_total"),
	}
}

// Handler serves the counts to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var all bytes.Buffer
		if err := m.write(&all); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = explained(&all).WriteTo(w)
	})
}

func (m *Metrics) write(w io.Writer) error {
	if err := m.trail.readOn(); err != nil {
		m.cfg.Log.Warn("the metrics lack the newest events", "error", err)
	}
	m.counts.WritePrometheus(w)
	if err := m.cfg.writeNow(w); err != nil {
		return err
	}
	victoria.WriteProcessMetrics(w)
	return nil
}

// explained completes the help of nod's own metrics, of which the library writes the names alone.
func explained(text *bytes.Buffer) *bytes.Buffer {
	var out bytes.Buffer
	for lines := bufio.NewScanner(text); lines.Scan(); {
		line := lines.Text()
		if name, is := strings.CutPrefix(line, "# HELP "); is && families[name].help != "" {
			line += " " + families[name].help
		}
		out.WriteString(line + "\n")
	}
	return &out
}

// Called records a call to Telegram and its duration. class is the kind of its failure; empty if it
// succeeded.
func (m *Metrics) Called(method, class string, took time.Duration) {
	m.counts.seconds("nod_telegram_call_seconds", "method", method).Update(took.Seconds())
	if class != "" {
		m.counts.counter("nod_telegram_errors_total", "class", class).Inc()
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
	t.metrics.polls.UpdateDuration(began)
	if err != nil {
		t.metrics.pollFails.Inc()
	}
	return listing, captures, err
}
