package bot

import (
	"context"
	"errors"
	"slices"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

// What several agents need at the same moment is one message, with a row of buttons for each.
const (
	groupFrom = 3 // fewer come each in a message of their own
	groupMost = 8 // in one message
	// gathers is how long a question waits for others that came up with it, as at a start.
	gathers = 250 * time.Millisecond
	// sameMoment is how far apart questions come up that ring once where each is in a topic of its own.
	sameMoment = 2 * time.Second
)

// groupable reports whether a notice may share its message: the question of an agent in a pane.
func groupable(n nudge.Notice) bool {
	return n.Kind == nudge.Send && n.Nudge().Asks() && n.Nudge().Program() == nil
}

// gathering is for how long the questions among these have to wait for others; 0: they need not.
func (b *Bot) gathering(list []nudge.Notice, now time.Time) time.Duration {
	if len(b.cfg.Panes()) < groupFrom {
		return 0
	}
	var wait time.Duration
	for _, n := range list {
		if groupable(n) {
			wait = max(wait, gathers-now.Sub(n.Nudge().Raised))
		}
	}
	return wait
}

// groupJob is the job that tells the first of these notices together; nil where they are few, or Telegram refused that
// lately: then each goes by itself, so that one which can't be sent holds up no other. One that failed by itself stays alone.
func (s *sender) groupJob(list []nudge.Notice) *job {
	var together []nudge.Notice
	for _, n := range list {
		what := s.jobOf(n).what
		_, refused := s.refused[what]
		if groupable(n) && !refused && s.errors[what] == 0 && len(together) < groupMost {
			together = append(together, n)
		}
	}
	if len(together) < groupFrom || time.Now().Before(s.apart) {
		return nil
	}
	what := "together"
	for _, n := range together {
		what += " " + n.Nudge().ID
	}
	return &job{
		what: what,
		do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
			r, err := s.sendGroup(ctx, together)
			if s.refusesGroup(what, err) {
				s.apart = time.Now().Add(refusedPause)
			}
			return r, err
		},
		over: func(bool) {},
	}
}

// refusesGroup reports whether Telegram refuses a message for several as it is, or has had an error with it before.
func (s *sender) refusesGroup(what string, err error) bool {
	if err == nil {
		return false
	}
	_, answered := errors.AsType[*rejection](err)
	f := classify(err)
	return f.refused() || f.kind == unsure && answered && s.errors[what] > 0
}

// sendGroup tells of several nudges in one message.
func (s *sender) sendGroup(ctx context.Context, list []nudge.Notice) (*nudge.Receipt, error) {
	nudges, silent := make([]nudge.Nudge, len(list)), true
	for i, n := range list {
		nudges[i] = *n.Nudge()
		silent = silent && (n.Silent || s.bot.hushed(nudges[i]))
	}
	style := s.bot.styleIn(s.id)
	out := message.Group(nudges, s.id, s.bot.seal, style, time.Now(), true)
	out.Silent = silent
	m, err := s.send(ctx, out)
	if err != nil {
		return nil, err
	}
	r := nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Together, Place: message.Place(s.id), Watch: style.Watches}, Message: m.ID, Topic: m.topic(), Sent: m.at()}
	for _, n := range nudges {
		r.Parts = append(r.Parts, nudge.Part{Nudge: n, Hidden: m.short || !message.Of(n, style).WholeInGroup()})
	}
	return &r, nil
}

// redrawGroup brings a message for several nudges up to date, one of which is over. That edit closes it for all that are: each
// of them would ask for the same one.
func (s *sender) redrawGroup(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	all, err := s.closed(n, func(nudge.Nudge) bool { return true })
	if err != nil {
		return all, err
	}
	live := slices.Contains(s.bot.audience(), s.id)
	var nudges []nudge.Nudge
	r := nudge.Receipt{Notice: n}
	for _, p := range all.Parts {
		nudges = append(nudges, p.Nudge)
		if p.Nudge.State.Over() || !live || p.Nudge.ID == n.Nudge().ID {
			r.Parts = append(r.Parts, p)
		}
	}
	_, err = s.edit(ctx, n.Copy.Message, message.Group(nudges, s.id, s.bot.seal, s.bot.styleIn(s.id), time.Now(), live))
	return r, err
}
