package metrics

import (
	"fmt"
	"slices"
	"sync"
	"time"

	victoria "github.com/VictoriaMetrics/metrics"

	"nod/detect/agents"
	"nod/internal/text/lazy"
	"nod/nudge"
	"nod/store"
)

// trailReader counts the events of the audit trail. Each read continues where the last one stopped.
type trailReader struct {
	store *store.Store

	mu       sync.Mutex
	seq      uint64               // of the last event counted
	began    map[string]time.Time // detection time of each nudge that is not over
	answered map[string]time.Time // time of each nudge's last answer

	counts        counts
	sent, typed   *victoria.Counter
	first, typing *victoria.PrometheusHistogram
}

func newTrailReader(records *store.Store, c counts) *trailReader {
	return &trailReader{
		store: records, seq: records.Before(), began: map[string]time.Time{}, answered: map[string]time.Time{}, counts: c,
		sent: c.counter("nod_messages_sent_total"), typed: c.counter("nod_keys_typed_total"),
		first: c.seconds("nod_first_message_seconds"), typing: c.seconds("nod_typing_seconds"),
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
		r.counts.counter("nod_detections_total", "agent", agent(e.Agent), "by", word(e.By), "kind", kind).Inc()
	case nudge.NudgeSent:
		r.sent.Inc()
		if began, known := r.began[e.Nudge]; known && e.Reminder == 1 {
			r.first.Update(between(began, e.At))
		}
	case nudge.AnswerReceived:
		r.answered[e.Nudge] = e.At
		r.counts.counter("nod_answers_total", "way", word(e.Way)).Inc()
	case nudge.KeyTyped:
		r.typed.Inc()
		if answered, known := r.answered[e.Nudge]; known && e.Nudge != "" {
			r.typing.Update(between(answered, e.At))
		}
	case nudge.AnswerRefused:
		r.counts.counter("nod_refusals_total", "reason", word(e.Reason)).Inc()
	case nudge.NudgeEnded:
		outcome := word(e.State)
		r.counts.counter("nod_nudges_ended_total", "outcome", outcome).Inc()
		if life, err := time.ParseDuration(e.After); err == nil {
			r.counts.seconds("nod_nudge_life_seconds", "outcome", outcome).Update(life.Seconds())
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
