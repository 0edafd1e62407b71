package metrics

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nod/detect/agents"
	"nod/internal/text/lazy"
	"nod/nudge"
	"nod/store"
)

// trailReader counts the events of the audit trail. Each read continues where the last one stopped.
type trailReader struct {
	store *store.Store
	log   *slog.Logger

	mu       sync.Mutex
	seq      uint64               // of the last event counted
	began    map[string]time.Time // detection time of each nudge that is not over
	answered map[string]time.Time // time of each nudge's last answer

	detected, answers, refusals, ended *prometheus.CounterVec
	sent, typed                        prometheus.Counter
	first, typing                      prometheus.Histogram
	lives                              *prometheus.HistogramVec
}

func newTrailReader(records *store.Store, log *slog.Logger) *trailReader {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	seconds := func(name, help string, buckets ...float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}
	}
	return &trailReader{
		store: records, log: log, seq: records.Before(), began: map[string]time.Time{}, answered: map[string]time.Time{},
		detected: counters("nod_detections_total", "What agents were seen waiting with: a prompt, or that they are idle or silent.", "kind", "agent", "by"),
		answers:  counters("nod_answers_total", "Answers that people gave, by the way that they came.", "way"),
		refusals: counters("nod_refusals_total", "Answers and keys that were refused, by the reason.", "reason"),
		ended:    counters("nod_nudges_ended_total", "Nudges that are over, by how they ended.", "outcome"),
		sent:     counter("nod_messages_sent_total", "Messages of nudges that Telegram took, reminders included."),
		typed:    counter("nod_keys_typed_total", "How often keys were typed."),
		first:    prometheus.NewHistogram(seconds("nod_first_message_seconds", "From a prompt's detection to its first message. Presence and grace hold it back.", .25, .5, 1, 2.5, 5, 20, 60, 300)),
		typing:   prometheus.NewHistogram(seconds("nod_typing_seconds", "From an answer to its key.", .1, .25, .5, 1, 2.5, 5, 15, 60)),
		lives:    prometheus.NewHistogramVec(seconds("nod_nudge_life_seconds", "From detection to the end, by how it ended.", 5, 15, 60, 300, 900, 3600, 4*3600, 8*3600), []string{"outcome"}),
	}
}

func (r *trailReader) all() []prometheus.Collector {
	return []prometheus.Collector{r.detected, r.answers, r.refusals, r.ended, r.sent, r.typed, r.first, r.typing, r.lives}
}

func (r *trailReader) Describe(out chan<- *prometheus.Desc) {
	for _, c := range r.all() {
		c.Describe(out)
	}
}

func (r *trailReader) Collect(out chan<- prometheus.Metric) {
	if err := r.readOn(); err != nil {
		r.log.Warn("the metrics lack the newest events", "error", err)
	}
	for _, c := range r.all() {
		c.Collect(out)
	}
}

// readOn counts the events since the last call.
func (r *trailReader) readOn() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	const page = 500
	for {
		lines, err := r.store.After(r.seq, page)
		if err != nil {
			return fmt.Errorf("read the audit trail: %w", err)
		}
		for _, line := range lines {
			r.seq = line.Seq
			r.count(line.Event)
		}
		if len(lines) < page {
			return nil
		}
	}
}

// count counts one event. The caller holds mu.
func (r *trailReader) count(e nudge.Event) {
	switch e.Kind {
	case nudge.PromptDetected, nudge.AgentIdle, nudge.AgentSilent:
		r.began[e.Nudge] = e.At
		kind := map[string]string{nudge.PromptDetected: "prompt", nudge.AgentIdle: "idle", nudge.AgentSilent: "silent"}[e.Kind]
		r.detected.WithLabelValues(kind, agent(e.Agent), word(e.By)).Inc()
	case nudge.NudgeSent:
		r.sent.Inc()
		if began, known := r.began[e.Nudge]; known && e.Reminder == 1 {
			r.first.Observe(between(began, e.At))
		}
	case nudge.AnswerReceived:
		r.answered[e.Nudge] = e.At
		r.answers.WithLabelValues(word(e.Way)).Inc()
	case nudge.KeyTyped:
		r.typed.Inc()
		if answered, known := r.answered[e.Nudge]; known && e.Nudge != "" {
			r.typing.Observe(between(answered, e.At))
		}
	case nudge.AnswerRefused:
		r.refusals.WithLabelValues(word(e.Reason)).Inc()
	case nudge.NudgeEnded:
		outcome := word(e.State)
		r.ended.WithLabelValues(outcome).Inc()
		if life, err := time.ParseDuration(e.After); err == nil {
			r.lives.WithLabelValues(outcome).Observe(life.Seconds())
		}
		delete(r.began, e.Nudge)
		delete(r.answered, e.Nudge)
	}
}

// between returns the seconds from began to at; 0 if the clock was set back.
func between(began, at time.Time) float64 { return max(at.Sub(began).Seconds(), 0) }

// agent returns name if nod knows that agent. By hand a pane can be given any name.
func agent(name string) string {
	if slices.Contains(agents.Names(), name) {
		return name
	}
	return "other"
}

var wordShape = lazy.MustCompile(`^[a-z_]{1,30}$`)

// word returns constant if it has the form of nod's own words: a way, a reason, a state.
func word(constant string) string {
	if wordShape().MatchString(constant) {
		return constant
	}
	return "other"
}
