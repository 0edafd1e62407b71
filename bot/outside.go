package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"nod/detect"
	"nod/nudge"
)

// An agent says the same more than once: with its request, and some seconds later with a notification.
const saidAgain = time.Minute

// outsiders remembers which agents outside tmux were told of, and when.
type outsiders struct {
	mu   sync.Mutex
	told map[string]time.Time // by agent, session and what is asked
}

// fresh reports whether an event tells something that was not told within the last minute. One that does
// not say what is asked only repeats an event of its session that did.
func (o *outsiders) fresh(e detect.HookEvent, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, at := range o.told {
		if now.Sub(at) >= saidAgain {
			delete(o.told, key)
		}
	}
	if o.told == nil {
		o.told = map[string]time.Time{}
	}
	session := e.Agent + " " + e.Session
	asked := session + " " + e.Tool + " " + string(e.Input)
	_, repeats := o.told[asked]
	if e.Tool == "" {
		_, repeats = o.told[session]
	}
	o.told[session], o.told[asked] = now, now
	return !repeats
}

// Outside tells every supervisor of an agent that asks outside tmux, where nod can't type. The message has
// no buttons and answers to it do nothing, since no screen proves what stands there.
func (b *Bot) Outside(e detect.HookEvent) {
	now := time.Now()
	if e.Kind != detect.Asks || !b.outside.fresh(e, now) {
		return
	}
	silent, err := b.quietNow(now)
	if err != nil {
		b.cfg.Log.Error("quiet hours are not known, so a message comes with a sound", "error", err)
	}
	l := outsideLetter(e, b.look())
	l.silent = silent
	for _, chat := range b.settings().Supervisors {
		b.queue(chat, "notice", func(ctx context.Context) error {
			m, err := b.send(ctx, chat, l)
			if err == nil {
				b.owe(chat, nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Aside, Chat: chat}, Message: m.ID, Sent: m.at()})
			}
			return err
		})
	}
}

// longestAsk is how much of what is asked goes into the message: it can't be answered there anyway.
const longestAsk = 1000

func outsideLetter(e detect.HookEvent, look look) letter {
	var l letter
	head := "⚠ "
	if look.host != "" {
		head += look.host + " · "
	}
	head += oneLine(e.Agent)
	if e.Cwd != "" {
		head += " in " + oneLine(filepath.Base(e.Cwd))
	}
	l.page.bold(head + " asks outside tmux")
	if asked := askedFor(e); asked != "" && !look.minimal {
		l.page.text(": ").code(cut(look.redact(asked), longestAsk))
	}
	l.page.line().text("nod can't type there: answer it in its own window.")
	return l
}

// askedFor is what an event says is asked: a command as it is, any other tool with its input.
func askedFor(e detect.HookEvent) string {
	var input struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(e.Input, &input) == nil && input.Command != "" {
		return input.Command
	}
	if e.Tool == "" {
		return e.Message
	}
	return fmt.Sprintf("%s %s", e.Tool, e.Input)
}
