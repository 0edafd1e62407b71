package metrics

import (
	"fmt"
	"strings"

	victoria "github.com/VictoriaMetrics/metrics"
)

// family is what all series of one name have in common: what they count, and of a histogram its bounds.
type family struct {
	help   string
	bounds []float64
}

// families are nod's own metrics, by their names.
var families = map[string]family{
	"nod_detections_total":       {help: "What agents were seen waiting with: a prompt, or that they are idle or silent."},
	"nod_answers_total":          {help: "Answers that people gave, by the way that they came."},
	"nod_refusals_total":         {help: "Answers and keys that were refused, by the reason."},
	"nod_nudges_ended_total":     {help: "Nudges that are over, by how they ended."},
	"nod_messages_sent_total":    {help: "Messages of nudges that Telegram took, reminders included."},
	"nod_keys_typed_total":       {help: "How often keys were typed."},
	"nod_first_message_seconds":  {"From a prompt's detection to its first message. Presence and grace hold it back.", []float64{.25, .5, 1, 2.5, 5, 20, 60, 300}},
	"nod_typing_seconds":         {"From an answer to its key.", []float64{.1, .25, .5, 1, 2.5, 5, 15, 60}},
	"nod_nudge_life_seconds":     {"From detection to the end, by how it ended.", []float64{5, 15, 60, 300, 900, 3600, 4 * 3600, 8 * 3600}},
	"nod_telegram_call_seconds":  {"How long Telegram took to answer a call, by method. getUpdates waits for news.", []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20, 60}},
	"nod_telegram_errors_total":  {help: "Calls that Telegram refused or did not answer, by what that means."},
	"nod_tmux_poll_seconds":      {"How long one look at a tmux server took.", []float64{.0025, .005, .01, .025, .05, .1, .25, .5, 1, 5}},
	"nod_tmux_poll_errors_total": {help: "Looks at a tmux server that failed. One at a server that does not run counts too."},
	"nod_panes":                  {help: "Panes that an agent runs in, by its state."},
	"nod_nudges_waiting":         {help: "Nudges that wait for a person, by whether they hold up an agent."},
	"nod_problems":               {help: "How many things are wrong: nod status names them."},
	"nod_build_info":             {help: "1, with nod's version."},
}

// counts are series of the families. A series begins to exist when it is first asked for.
type counts struct{ *victoria.Set }

// counter is the counter of a family with these labels: names and values, by turns.
func (c counts) counter(name string, labels ...string) *victoria.Counter {
	return c.GetOrCreateCounter(series(name, labels))
}

// seconds is the histogram of a family with these labels.
func (c counts) seconds(name string, labels ...string) *victoria.PrometheusHistogram {
	return c.GetOrCreatePrometheusHistogramExt(series(name, labels), families[name].bounds)
}

// gauge gives a series a value.
func (c counts) gauge(value int, name string, labels ...string) {
	c.NewGauge(series(name, labels), nil).Set(float64(value))
}

// series is the name of one series of a family.
func series(name string, labels []string) string {
	var pairs []string
	for i := 0; i+1 < len(labels); i += 2 {
		pairs = append(pairs, fmt.Sprintf("%s=%q", labels[i], labels[i+1]))
	}
	if len(pairs) == 0 {
		return name
	}
	return name + "{" + strings.Join(pairs, ",") + "}"
}
