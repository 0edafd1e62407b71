package setup

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"nod/bot"
)

// pairTime is how long a link is valid.
const pairTime = 10 * time.Minute

// askPeople finds the supervisors: those in the settings, those of the flag, or else the person who opens a
// link.
func (s *setup) askPeople(ctx context.Context) error {
	if s.Desk {
		return nil
	}
	s.people = slices.Clone(s.now.Supervisors)
	for _, id := range s.Supervisors {
		if !slices.Contains(s.people, id) {
			s.people = append(s.people, id)
		}
	}
	if len(s.people) == 0 {
		return s.pair(ctx)
	}
	for _, id := range s.people {
		s.checkPerson(ctx, id)
	}
	if s.Yes || len(s.Supervisors) > 0 {
		return nil
	}
	more, err := s.Insist(ctx, "Add another person?")
	if err != nil || !more {
		return err
	}
	if s.nodRuns(ctx) {
		return errors.New("a nod runs here and takes what people write to the bot, so a link would reach it alone: stop it first (`nod service stop`), or name them: nod setup --supervisor ID")
	}
	return s.pair(ctx)
}

// checkPerson prints whether the bot may write to somebody. A no is no failure, because it can be allowed
// later.
func (s *setup) checkPerson(ctx context.Context, id int64) {
	switch err := s.account.CanWrite(ctx, id); {
	case err == nil:
		s.Say("✓ supervisor %d: the bot may write to them", id)
	case errors.Is(err, bot.ErrNotStarted):
		s.Say("! supervisor %d: has to open https://t.me/%s and press Start before the bot may write to them", id, s.self.Username)
	default:
		s.Say("! supervisor %d: %s; %s", id, err, bot.Advice(err))
	}
}

// pair learns a person's id: the person opens a link that only this terminal shows, and is then confirmed at
// this terminal.
func (s *setup) pair(ctx context.Context) error {
	for range askTimes {
		who, err := s.awaitStart(ctx)
		if err != nil {
			return err
		}
		s.Say("%s has opened it.", described(who))
		s.Say("nod will tell this person what your agents ask, and type what they answer.")
		yes, err := s.Insist(ctx, "Is that you, or somebody whom you trust with this machine?")
		if err != nil {
			return err
		}
		if yes {
			if !slices.Contains(s.people, who.ID) {
				s.people = append(s.people, who.ID)
			}
			s.greet(ctx, who)
			return nil
		}
		s.Say("Then nod does not listen to them. Here is another link; the old one is worth nothing any more.")
	}
	return errors.New("nobody was confirmed: nothing was changed; start again with `nod setup`")
}

// awaitStart shows a link with a new code and waits until somebody has opened it.
func (s *setup) awaitStart(ctx context.Context) (bot.Started, error) {
	code := rand.Text() // which only this terminal shows
	link := "https://t.me/" + s.self.Username + "?start=" + code
	s.Say("")
	s.Say("Who gets the messages? Open this link on your phone, or scan the code, and press Start. A Start without this link is not enough:")
	s.Say("")
	s.Say("  %s", link)
	if code := drawQR(link, s.Columns()); code != "" && os.Getenv("TERM") != "dumb" {
		fmt.Fprint(s.Out, "\n"+code)
	}
	p := pairing{code: code, earlier: -1}
	came, err := s.Wait(ctx, "Waiting for you to press Start (10 minutes at most)…", pairTime, time.Second, func(ctx context.Context) (bool, error) {
		return s.opened(ctx, &p)
	})
	switch {
	case err != nil:
		return bot.Started{}, err
	case !came:
		return bot.Started{}, errors.New("nobody pressed Start in ten minutes: nothing was changed; start `nod setup` again, or give it your numeric id: `nod setup --supervisor ID`")
	}
	return p.who, nil
}

// pairing is what is known while a link waits to be opened.
type pairing struct {
	code      string
	who       bot.Started // who opened it
	conflicts int         // refusals of polls so far
	earlier   int         // the Starts from before the link was shown; -1: not known yet
	told      bool        // that one of the later Starts lacked the link
}

// opened polls once, and reports whether somebody has opened the link.
func (s *setup) opened(ctx context.Context, p *pairing) (bool, error) {
	wait := 5 * time.Second
	if p.earlier < 0 {
		wait = 0
	}
	starts, full, err := s.account.Starts(ctx, wait)
	// One refusal may be caused by another program's last poll.
	if errors.Is(err, bot.ErrOtherPoll) && p.conflicts < 3 {
		p.conflicts++
		return false, nil
	}
	if err != nil && ctx.Err() == nil {
		return false, explained(err)
	}
	if p.earlier < 0 {
		p.earlier = len(starts)
	}
	for _, one := range starts {
		if subtle.ConstantTimeCompare([]byte(one.Payload), []byte(p.code)) == 1 {
			p.who = one
			return true, nil
		}
	}
	switch {
	case !p.told && len(starts) > p.earlier:
		p.told = true
		s.Wipe()
		s.Say("! Somebody has pressed Start without this link, and that is not enough. If it was you: open the link above, or scan the code.")
	case full > 0 && len(s.now.Supervisors) > 0: // there may be their answers among them
		return false, errors.New("a hundred messages to the bot wait for nod, and hide who presses Start: run nod until it has read them, and stop it; or give their numeric id: `nod setup --supervisor ID`")
	case full > 0:
		if err := s.account.Confirm(ctx, full); err != nil && ctx.Err() == nil {
			return false, explained(err)
		}
	}
	return false, nil
}

// described names somebody by name and id. Only the id counts, since people choose their names.
func described(who bot.Started) string {
	text := strconv.Quote(who.Name)
	if who.Username != "" {
		text += " (@" + who.Username + ")"
	}
	return text + ", user id " + strconv.FormatInt(who.ID, 10) + ","
}

// greet sends a message to the phone, which need not arrive. It first confirms the updates so far: messages
// to a bot without supervisors answer nothing, and nod would greet again.
func (s *setup) greet(ctx context.Context, who bot.Started) {
	if len(s.now.Supervisors) == 0 {
		if err := s.account.Confirm(ctx, who.Update); err != nil {
			s.Say("! %s; %s", err, bot.Advice(err))
		}
	}
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	if err := s.account.Say(ctx, who.ID, "This chat is now paired with nod on "+host+". When an agent there waits for you, you hear of it here. /help says how to answer."); err != nil {
		s.Say("! %s; %s", err, bot.Advice(err))
	}
}
