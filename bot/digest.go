package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/bot/message"
	"nod/nudge"
	"nod/store"
)

const (
	firstDigest = 24 * time.Hour // how far back a chat's first digest goes
	trailPage   = 500            // how many audit events are read at once
)

// Digest sends everybody one message with the agents' states, the open nudges, and the answers, keys and
// refusals since the last digest. It is silent in quiet hours and while muted. An error comes from the
// database; the messages are sent in the background.
func (b *Bot) Digest(_ context.Context) error {
	now := time.Now()
	silent, err := b.quietNow(now)
	if err != nil {
		return fmt.Errorf("digest: %w", err)
	}
	for _, chat := range b.audience() {
		out, upTo, err := b.digestMessage(chat, now)
		if err != nil {
			return fmt.Errorf("digest for %d: %w", chat, err)
		}
		out.Silent = silent
		b.queue(chat, job{what: "digest", do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
			m, err := s.send(ctx, out)
			if err != nil {
				return nil, err
			}
			if err := b.memory().SetDigested(chat, upTo); err != nil {
				b.cfg.Log.Error("the next digest will repeat a part of this one", "chat", chat, "error", err)
			}
			receipt := severalReceipt(chat)(m)
			return &receipt, nil
		}})
	}
	return nil
}

// quietNow reports whether messages are silent at the moment.
func (b *Bot) quietNow(now time.Time) (bool, error) {
	until, err := b.cfg.Keeper.Muted(now)
	if err != nil {
		return false, err
	}
	hours, err := b.cfg.Keeper.Quiet()
	return until.After(now) || hours.On(now), err
}

// silentNow is quietNow for a message that is sent anyway: if the answer can't be read, the message makes a
// sound.
func (b *Bot) silentNow(now time.Time) bool {
	silent, err := b.quietNow(now)
	if err != nil {
		b.cfg.Log.Error("can't read the quiet hours, so a message comes with a sound", "error", err)
	}
	return silent
}

// hushed reports whether a message about a nudge is silent because only dangerous ones may make a sound.
func (b *Bot) hushed(n nudge.Nudge) bool { return b.hushes(message.Dangerous(n)) }

func (b *Bot) hushes(dangerous bool) bool { return b.settings().RingRisky && !dangerous }

// mutes reports whether an agent or project with one of these names is muted.
func (b *Bot) mutes(now time.Time, names ...string) bool {
	muted, err := b.cfg.Keeper.MutedNames(now)
	if err != nil {
		b.cfg.Log.Error("can't read the mutes, so a message comes with a sound", "error", err)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		_, found := muted[strings.ToLower(name)]
		return found
	})
}

// digestMessage returns a chat's next digest and the last event in it.
func (b *Bot) digestMessage(chat int64, now time.Time) (out message.Outgoing, upTo uint64, err error) {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return out, 0, err
	}
	upTo, told, err := b.memory().Digested(chat)
	if err != nil {
		return out, 0, err
	}
	since := now.Add(-firstDigest)
	if told {
		since = time.Time{}
	}
	events, upTo, err := b.eventsAfter(upTo, since)
	if err != nil {
		return out, 0, err
	}
	style := b.style()
	done, troubles := doneIn(events, style), b.troubleLines()
	if len(open) == 0 && len(done) == 0 && len(troubles) == 0 {
		return message.Sentence("All quiet."), upTo, nil
	}
	panes := b.cfg.Panes()
	out.Page.Bold("Digest: " + statusHead(style.Host, len(panes), open)).Line()
	out.Page.List(b.statusLines(panes, open, style, now))
	if len(open) > 0 {
		out.Page.Line().Line().Bold("Waits for you")
		out.Page.List(message.QueueLines(open, style, now))
	}
	if len(done) > 0 {
		out.Page.Line().Line().Bold("Since the last digest")
		out.Page.ListDated(done, now, style.Zone)
	}
	return out, upTo, nil
}

// eventsAfter returns the audit events after seq that are not older than since, and the number of the last
// event.
func (b *Bot) eventsAfter(seq uint64, since time.Time) (events []store.Line, last uint64, err error) {
	for last = seq; ; {
		page, err := b.cfg.Store.After(last, trailPage)
		if err != nil {
			return nil, 0, fmt.Errorf("read the audit trail: %w", err)
		}
		for _, e := range page {
			last = e.Seq
			if !e.At.Before(since) {
				events = append(events, e)
			}
		}
		if len(page) < trailPage {
			return events, last, nil
		}
	}
}
