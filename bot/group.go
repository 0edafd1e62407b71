package bot

import (
	"context"
	"errors"
	"slices"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

// Questions that several agents ask at the same moment go into one message, with a row of buttons for each.
const (
	groupFrom = 3 // fewer get a message each
	groupMost = 8 // in one message
	// gathers is how long a question waits for others of the same moment, as at a start.
	gathers = 250 * time.Millisecond
	// sameMoment is how far apart questions in different topics may be so that only the first makes a sound.
	sameMoment = 2 * time.Second
)

// groupable reports whether a notice may share a message: a question of an agent in a pane.
func groupable(n nudge.Notice) bool {
	return n.Kind == nudge.Send && n.Nudge().Asks() && n.Nudge().Program() == nil
}

// gathering returns how long the questions in the list have to wait for others; 0: not at all.
func (b *Bot) gathering(list []nudge.Notice, now time.Time) time.Duration {
	var wait time.Duration
	for _, n := range list {
		if groupable(n) {
			wait = max(wait, gathers-now.Sub(n.Nudge().Raised))
		}
	}
	if wait > 0 && len(b.cfg.Panes()) < groupFrom {
		return 0
	}
	return wait
}

// groupJob returns the job that sends the first of these notices together; nil: they are few, or Telegram
// refused such a message lately. Then each goes alone, so that one which can't be sent delays no other. A
// notice that failed alone stays alone.
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

// refusesGroup reports whether Telegram refuses a message for several nudges for good, or has failed with it
// before.
func (s *sender) refusesGroup(what string, err error) bool {
	if err == nil {
		return false
	}
	_, answered := errors.AsType[*rejection](err)
	f := classify(err)
	return f.refused() || f.kind == unsure && answered && s.errors[what] > 0
}

// sendGroup sends several nudges in one message.
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

// redrawGroup updates a message for several nudges after one of them has ended. The receipt closes the
// message for all ended ones, because each of them would ask for the same edit.
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
