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

// quietNow reports whether messages come silently at the moment.
func (b *Bot) quietNow(now time.Time) (bool, error) {
	until, err := b.cfg.Keeper.Muted(now)
	if err != nil {
		return false, err
	}
	hours, err := b.cfg.Keeper.Quiet()
	return until.After(now) || hours.On(now), err
}

// silentNow is quietNow where a message goes out all the same: what is not known comes with a sound.
func (b *Bot) silentNow(now time.Time) bool {
	silent, err := b.quietNow(now)
	if err != nil {
		b.cfg.Log.Error("can't read the quiet hours, so a message comes with a sound", "error", err)
	}
	return silent
}

// hushed reports whether a message about a nudge comes silently since only what is dangerous is to ring.
func (b *Bot) hushed(n nudge.Nudge) bool { return b.settings().RingRisky && !message.Dangerous(n) }

// mutes reports whether messages about an agent or project of one of these names come silently.
func (b *Bot) mutes(now time.Time, names ...string) bool {
	muted, err := b.cfg.Keeper.MutedNames(now)
	if err != nil {
		b.cfg.Log.Error("can't read what is muted, so a message comes with a sound", "error", err)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		_, found := muted[strings.ToLower(name)]
		return found
	})
}

// digestMessage is a chat's next digest, and the last event that it tells.
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
	done, troubles := eventLines(events, style), b.troubleLines()
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

// eventLines tells in a line for each nudge what was answered, typed and refused, the latest last.
func eventLines(events []store.Line, style message.Style) []message.Dated {
	byNudge := map[string]int{} // nudge to its line
	var lines []message.Dated
	for _, e := range events {
		words := eventWords(e, style)
		if words == "" {
			continue
		}
		i, known := byNudge[e.Nudge]
		if !known {
			i = len(lines)
			byNudge[e.Nudge] = i
			lines = append(lines, message.Dated{At: e.At, Text: eventHead(e, style) + ": " + words})
			continue
		}
		lines[i].Text += ", " + words
	}
	return lines
}

func eventHead(e store.Line, style message.Style) string {
	parts := []string{"#" + e.Nudge, message.OneLine(style.Redact(e.Agent))}
	if subject := message.OneLine(style.Redact(e.Subject)); subject != "" && !style.Minimal {
		parts = append(parts, "“"+message.Cut(subject, 60)+"”")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// eventWords is what an event says in a digest; empty for those that say nothing there.
func eventWords(e store.Line, style message.Style) string {
	var words string
	switch e.Kind {
	case nudge.AnswerReceived:
		words = message.OneLine(style.Redact(e.Decision))
		if words == "" {
			words = "words"
		}
		words += " by " + message.OneLine(style.Redact(e.By))
	case nudge.KeyTyped:
		words = "typed " + message.OneLine(style.Redact(strings.Join(e.Keys, " ")))
	case nudge.AnswerRefused:
		words = "refused (" + string(e.Reason) + ")"
	case nudge.NudgeEnded:
		switch nudge.State(e.State) {
		case nudge.Unknown, nudge.Expired:
			words = e.State
		}
	}
	return message.Cut(words, 120)
}
