package bot

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/nudge"
	"nod/store"
)

const (
	firstDigest = 24 * time.Hour // how far back the first digest of a chat looks
	trailPage   = 500            // events of the audit trail that are read at once
)

// Digest tells every supervisor in one message what the agents do, what waits, and what was answered, typed and
// refused since their last digest. In quiet hours and while muted it comes silently. The error is one of the
// database; the messages go out as Telegram takes them.
func (b *Bot) Digest(_ context.Context) error {
	now := time.Now()
	silent, err := b.quietNow(now)
	if err != nil {
		return fmt.Errorf("digest: %w", err)
	}
	for _, chat := range b.settings().Supervisors {
		l, upTo, err := b.digestLetter(chat, now)
		if err != nil {
			return fmt.Errorf("digest for %d: %w", chat, err)
		}
		l.silent = silent
		b.queue(chat, "digest", func(ctx context.Context) error {
			m, err := b.send(ctx, chat, l)
			if err != nil {
				return err
			}
			b.owe(chat, several(chat)(m))
			if err := b.cfg.Store.Put(digestKey(chat), binary.BigEndian.AppendUint64(nil, upTo)); err != nil {
				b.cfg.Log.Error("the next digest will tell some of this one again", "chat", chat, "error", err)
			}
			return nil
		})
	}
	return nil
}

// quietNow reports whether messages come silently at the moment.
func (b *Bot) quietNow(now time.Time) (bool, error) {
	until, err := b.cfg.Keeper.Muted(now)
	if err != nil {
		return false, err
	}
	hours, err := b.cfg.Keeper.Quiet()
	return until.After(now) || hours.On(now), err
}

// digestKey names the last event of the audit trail that a chat's digests have told.
func digestKey(chat int64) string { return fmt.Sprintf("digest/%d", chat) }

// digestLetter is a chat's next digest, and the last event that it tells.
func (b *Bot) digestLetter(chat int64, now time.Time) (l letter, upTo uint64, err error) {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return l, 0, err
	}
	last, err := b.cfg.Store.Get(digestKey(chat))
	if err != nil {
		return l, 0, err
	}
	since := now.Add(-firstDigest)
	if len(last) == 8 {
		upTo, since = binary.BigEndian.Uint64(last), time.Time{}
	}
	events, upTo, err := b.eventsAfter(upTo, since)
	if err != nil {
		return l, 0, err
	}
	look := b.look()
	done, troubles := deeds(events, now, look), b.troubleLines()
	if len(open) == 0 && len(done) == 0 && len(troubles) == 0 {
		return sentence("All quiet."), upTo, nil
	}
	panes := b.cfg.Panes()
	l.page.bold("Digest: " + statusHead(look.host, len(panes), len(open))).line()
	l.page.list(b.statusLines(panes, open, now))
	if len(open) > 0 {
		l.page.line().line().bold("Waits for you")
		l.page.list(queueLines(open, look, now))
	}
	if len(done) > 0 {
		l.page.line().line().bold("Since the last digest")
		l.page.list(done)
	}
	return l, upTo, nil
}

// eventsAfter reads the audit trail from behind one event on, leaving out what is older than since, and gives the
// number of its last event.
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

// deeds tells in a line for each nudge what was answered, typed and refused, the latest last.
func deeds(events []store.Line, now time.Time, look look) []string {
	byNudge := map[string]int{} // nudge to its line
	var lines []string
	for _, e := range events {
		deed := deedOf(e, look)
		if deed == "" {
			continue
		}
		i, known := byNudge[e.Nudge]
		if !known {
			i = len(lines)
			byNudge[e.Nudge] = i
			lines = append(lines, deedHead(e, now, look)+": "+deed)
			continue
		}
		lines[i] += ", " + deed
	}
	return lines
}

func deedHead(e store.Line, now time.Time, look look) string {
	parts := []string{clock(e.At, now, look.zone), "#" + e.Nudge, oneLine(e.Agent)}
	if subject := oneLine(look.redact(e.Subject)); subject != "" && !look.minimal {
		parts = append(parts, "“"+cut(subject, 60)+"”")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// deedOf is what an event says in a digest; empty for those that say nothing there.
func deedOf(e store.Line, look look) string {
	var deed string
	switch e.Kind {
	case "answer received":
		deed = oneLine(look.redact(e.Decision))
		if deed == "" {
			deed = "words"
		}
		deed += " by " + oneLine(e.By)
	case "key typed":
		deed = "typed " + oneLine(strings.Join(e.Keys, " "))
	case "refused":
		deed = "refused (" + string(e.Reason) + ")"
	case "nudge ended":
		switch nudge.State(e.State) {
		case nudge.Unknown, nudge.Expired:
			deed = e.State
		}
	}
	return cut(deed, 120)
}
