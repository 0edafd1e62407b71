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

// troubles are what is wrong at the moment, one per name. The same trouble is logged once when it
// begins and once when it is over, however often it is met in between.
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

// begin takes note of a trouble. It counts as the same while its kind is, whatever the sentence.
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

// over ends a trouble, if there is one of that name, and gives it.
func (t *troubles) over(name string) (old trouble, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, known = t.now[name]; known {
		delete(t.now, name)
		t.log.Info("trouble is over", "trouble", name, "after", time.Since(old.since).Round(time.Second))
	}
	return old, known
}

// list gives the sentences, the oldest trouble first.
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

// troubleSentence is what people read of a failed call, with a next step.
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
