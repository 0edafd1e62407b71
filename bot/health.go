package bot

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"nod/internal/text/elapsed"
)

// troubles are the current problems, one per name. A problem is logged once when it begins and once when it
// is over, however often it is met in between.
type troubles struct {
	log *slog.Logger

	mu  sync.Mutex
	now map[string]trouble
}

type trouble struct {
	kind     string
	sentence string
	since    time.Time
}

// begin records a problem. It counts as the same problem as long as its kind is the same, whatever the
// sentence.
func (t *troubles) begin(name, kind, sentence string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, known := t.now[name]
	since := time.Now()
	if known {
		since = old.since
	}
	if t.now == nil {
		t.now = map[string]trouble{}
	}
	t.now[name] = trouble{kind, sentence, since}
	if !known || old.kind != kind {
		t.log.Warn(sentence, "trouble", name, "kind", kind)
	}
}

// over ends and returns the problem with that name, if there is one.
func (t *troubles) over(name string) (old trouble, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, known = t.now[name]; known {
		delete(t.now, name)
		t.log.Info("trouble is over", "trouble", name, "after", time.Since(old.since).Round(time.Second))
	}
	return old, known
}

// list returns the sentences, oldest problem first.
func (t *troubles) list() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := slices.SortedFunc(maps.Values(t.now), func(a, b trouble) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.sentence, b.sentence))
	})
	var out []string
	for _, one := range all {
		out = append(out, fmt.Sprintf("%s (for %s)", one.sentence, elapsed.Short(time.Since(one.since))))
	}
	return out
}

const webhookSet = "This bot has a webhook, so Telegram refuses polling: remove it with deleteWebhook, or give nod a bot of its own"

// troubleSentence returns the sentence for people about a failed call, with a next step.
func troubleSentence(f fault, err error) string {
	switch f.kind {
	case unauthorized:
		return "Telegram rejects the bot's token: get the right one from @BotFather and put it into NOD_TELEGRAM_TOKEN"
	case conflict:
		if holds(err.Error(), "webhook") {
			return webhookSet
		}
		return "Another program uses this bot's token: stop it. If there is none, revoke the token at @BotFather"
	case later:
		return "Telegram asks nod to slow down: messages wait until Telegram accepts them again"
	case offline:
		return "nod can't reach Telegram, and keeps trying: check the network (" + err.Error() + ")"
	}
	return "Telegram answers with an error, and nod keeps trying: " + err.Error()
}
