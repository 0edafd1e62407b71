package bot

import (
	"errors"
	"fmt"
	"time"

	"nod/bot/message"
)

const (
	blockedPause  = time.Hour       // how often an unreachable chat is tried
	refusedPause  = 5 * time.Minute // when a refused notice is tried again
	rejectedPause = time.Minute     // while the token is rejected
)

// setbacks are recent refusals of Telegram.
type setbacks struct {
	notBefore time.Time            // no call before that
	tries     int                  // failures in a row
	blocked   bool                 // nobody can be written to
	deaf      time.Time            // when its people were told elsewhere that it takes no messages; zero: it takes them
	refused   map[string]time.Time // notices that Telegram refused for good, and when to try them again
	errors    map[string]int       // how often Telegram failed with a notice since its last success
	apart     time.Time            // until when each question has a message of its own
}

// failed decides about a job whose call failed: it is over because it was refused for good, or it is repeated
// after a wait.
func (s *sender) failed(j *job, err error) {
	f := classify(err)
	wait := backoff(s.tries)
	switch {
	case f.kind == canceled:
		return
	case f.kind == moot:
		j.over(false)
		return
	case f.refused():
		s.bot.cfg.Log.Error("Telegram refused a message", "chat", s.id, "message", j.what, "error", err)
		s.bot.troubles.begin(s.trouble(), "refused", fmt.Sprintf("Telegram refused a message to %d: %v", s.id, err))
		j.over(false)
		if !j.edit {
			s.sayDeaf(err)
		}
		return
	case f.kind == goneChat:
		s.setBlocked(err.Error())
		return
	case f.kind == unauthorized:
		s.bot.troubles.begin("token", "rejected", troubleSentence(f, err))
		wait = max(wait, rejectedPause)
	case f.kind == later:
		s.bot.troubles.begin(s.trouble(), string(f.kind), troubleSentence(f, err))
		wait = 0 // the chat's pace waits as long as Telegram asks
	default:
		s.bot.troubles.begin(s.trouble(), string(f.kind), troubleSentence(f, err))
		if _, answered := errors.AsType[*rejection](err); answered {
			s.errors[j.what]++
		}
		if f.kind == unsure && j.later != nil {
			j.later()
		}
	}
	s.tries++
	s.notBefore = time.Now().Add(wait)
}

func (s *sender) trouble() string { return fmt.Sprintf("chat %d", s.id) }

// setBlocked records why nobody can be written to in the chat; empty: somebody can.
func (s *sender) setBlocked(why string) {
	switch {
	case why != "":
		known := s.blocked
		s.blocked, s.notBefore = true, time.Now().Add(blockedPause)
		said := "Supervisor %d can't be written to (%s): they must open the bot's chat and press Start"
		if s.id < 0 {
			said = "The group %d can't be written to (%s): add the bot to it, and see that NOD_CHAT is its id"
		}
		said = fmt.Sprintf(said, s.id, why)
		s.bot.troubles.begin(s.trouble(), "gone", said)
		if !known && s.id == s.bot.settings().Chat {
			s.bot.sayGroupGone(said)
		}
	case s.blocked:
		s.blocked, s.notBefore = false, time.Time{}
		s.bot.troubles.over(s.trouble())
	}
}

// sayGroupGone tells the supervisors in their own chats that the common group is gone: they would hear of it
// nowhere else.
func (b *Bot) sayGroupGone(said string) {
	for _, person := range b.settings().Supervisors {
		b.say(person, 0, message.Sentence("⚠ "+message.Cut(message.OneLine(said), message.SentenceRoom)+". Until then nobody gets messages."))
	}
}

// sayDeaf tells the supervisors in their own chats that the common group has refused a message even in its
// plainest form: the bot may not write there, or the topic for messages is closed.
func (s *sender) sayDeaf(err error) {
	if s.id != s.bot.settings().Chat || !s.deaf.IsZero() {
		return
	}
	s.deaf = time.Now()
	said := fmt.Sprintf("⚠ The group %d takes no message of nod's: %s.", s.id, message.Cut(message.OneLine(err.Error()), message.SentenceRoom))
	for _, person := range s.bot.settings().Supervisors {
		s.bot.say(person, 0, message.Sentence(said+" See that the bot may write there, and that the topic General is open. /queue lists what waits."))
	}
}

// block leaves a chat alone for a while, because an update says that its person or the bot has left it.
func (b *Bot) block(chat int64, why string) { b.sender(chat).tellBlocked(why) }

// unblock tries a chat again at once, because its person has written or pressed Start.
func (b *Bot) unblock(chat int64) { b.sender(chat).tellBlocked("") }

// tellBlocked passes on an update about the chat's person. It replaces an older update that was not taken
// yet. Only the poll loop calls it.
func (s *sender) tellBlocked(why string) {
	select {
	case <-s.blocks:
	default:
	}
	s.blocks <- why
}
