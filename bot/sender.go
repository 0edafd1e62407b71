package bot

import (
	"cmp"
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/bot/message"
	"nod/nudge"
)

const (
	allChats   = 30               // calls a second in all chats together, Telegram's limit, and as many at once
	lookAgain  = 30 * time.Second // how often the sender checks for messages without being woken
	brokenLook = 5 * time.Second  // the same while they can't be read
)

// sender sends everything to one chat. Its goroutine takes the most urgent message, sends it, stores the
// receipt, and looks for the next. So the messages of a chat keep their order, and one that must wait delays
// no other chat.
//
// Other goroutines only add to its queues and wake it. Everything else belongs to its own goroutine.
type sender struct {
	bot *Bot
	id  int64 // of the chat

	answers queue         // answers to people who wrote or tapped, and digests
	outside queue         // questions of agents outside tmux
	wake    chan struct{} // something may be due; has room for one
	blocks  chan string   // why nobody can be written to, from an update; empty: somebody can again. Has room for one

	pace      pace
	turn      int             // the kind of job whose turn it is
	setbacks                  // what Telegram refused
	topicless time.Time       // until when no topic is asked for
	rang      *nudge.Nudge    // the last question in a topic that made a sound
	filed     map[string]hash // what files that were sent before their message hold
	bare      map[int]bool    // messages known to have no buttons
	// receipt could not be stored yet. Until it is stored nothing more is sent, because an unrecorded message
	// would be sent again.
	receipt *nudge.Receipt
}

// job is one thing to do in a chat. It is repeated until it succeeds or Telegram refuses it for good.
type job struct {
	what string // for the log
	edit bool   // it edits or reacts to a message and sends none
	// do carries out the job and returns its receipt; nil: the keeper need not know.
	do func(context.Context, *sender) (*nudge.Receipt, error)
	// over removes the job from its list: it is done, or refused for good.
	over func(done bool)
	// later is called when nobody knows whether it was done; nil: not called. fails counts that.
	later func()
	fails int
}

// sendAll runs a sender for every chat until ctx ends, and wakes them when something may be due.
func (b *Bot) sendAll(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	working := map[int64]bool{}
	for {
		for _, chat := range b.chats() {
			s := b.sender(chat)
			if !working[chat] {
				working[chat] = true
				g.Go(func() error { s.run(ctx); return nil })
			}
			s.wakeUp()
		}
		select {
		case <-ctx.Done():
			return g.Wait()
		case <-b.cfg.Wake:
		case <-time.After(lookAgain):
		}
	}
}

// chats returns everybody's chats, the common group, and the chats of former supervisors with messages to
// close.
func (b *Bot) chats() []int64 {
	chats := append(b.people(), b.audience()...)
	notices, _ := b.cfg.Keeper.ToTell(time.Now()) // each sender reports by itself that they can't be read
	for _, n := range notices {
		if chat := message.ChatOf(n.Place); chat != 0 {
			chats = append(chats, chat)
		}
	}
	return chats
}

// sender returns the sender of a chat.
func (b *Bot) sender(chat int64) *sender {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.senders[chat]
	if s == nil {
		s = &sender{
			bot: b, id: chat, wake: make(chan struct{}, 1), blocks: make(chan string, 1),
			answers: queue{most: maxAnswers, lost: answersLost}, outside: queue{most: maxOutside, lost: outsideLost},
			setbacks: setbacks{refused: map[string]time.Time{}, errors: map[string]int{}}, filed: map[string]hash{}, bare: map[int]bool{},
		}
		b.senders[chat] = s
	}
	return s
}

func (s *sender) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run sends the chat's messages until ctx ends.
func (s *sender) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := s.step(ctx)
		select {
		case <-ctx.Done():
		case why := <-s.blocks:
			s.setBlocked(why)
		case <-s.wake:
		case <-time.After(wait):
		}
	}
}

// step does the most urgent job that may be done now. It returns the time until there may be another.
func (s *sender) step(ctx context.Context) time.Duration {
	if wait := time.Until(s.notBefore); wait > 0 {
		return wait
	}
	if !s.record() {
		return 0
	}
	next, wait := s.next(time.Now())
	if next == nil {
		return wait
	}
	receipt, err := s.doSafely(ctx, next)
	if err != nil {
		s.failed(next, err)
		return 0
	}
	next.over(true)
	if !next.edit && time.Since(s.deaf) > blockedPause {
		s.deaf = time.Time{}
	}
	s.tries = 0
	clear(s.errors)
	s.bot.troubles.over(s.trouble())
	s.receipt = receipt
	s.record()
	return 0
}

// doSafely keeps a message that nod can't draw, which is a bug in nod, from ending the bot and every other message with it, again after each
// start: it counts as refused.
func (s *sender) doSafely(ctx context.Context, j *job) (r *nudge.Receipt, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.bot.cfg.Log.Error("a message could not be made", "chat", s.id, "message", j.what, "panic", p, "stack", string(debug.Stack()))
			r, err, s.apart = nil, errUnmade, time.Now().Add(refusedPause) // so that of several questions only that one is held back
		}
	}()
	return j.do(ctx, s)
}

// record stores the receipt of the last message. It reports whether that is done.
func (s *sender) record() bool {
	if s.receipt == nil {
		return true
	}
	if err := s.bot.cfg.Keeper.Told(*s.receipt); err != nil {
		s.bot.troubles.begin("store", "write", "The database can't be written, so nothing more is sent: "+err.Error())
		s.notBefore = time.Now().Add(max(time.Second, backoff(s.tries)))
		s.tries++
		return false
	}
	s.receipt = nil
	s.bot.troubles.over("store")
	return true
}

// next returns the most urgent job that the chat's pace allows now; nil: none before the returned time.
// Closings, answers and notices take turns, so that none of them delays the others. Questions of agents
// outside tmux come when nothing else is left.
func (s *sender) next(now time.Time) (*job, time.Duration) {
	closing, notice, wait := s.notices(now)
	kinds := [3]*job{closing, s.answers.first(now), notice}
	if kinds == [3]*job{} {
		kinds[0] = s.outside.first(now)
	}
	for i := range kinds {
		kind := (s.turn + i) % len(kinds)
		next := kinds[kind]
		if next == nil {
			continue
		}
		pause := s.pace.wait(next.edit, now)
		if pause <= 0 {
			s.turn = kind + 1
			return next, 0
		}
		wait = min(wait, pause)
	}
	return nil, min(wait, s.answers.quietFor(now), s.outside.quietFor(now))
}

// notices returns the chat's first notice that removes buttons and the first that sends a message, and when
// to check again if there is none. A notice with which Telegram failed comes after the others. Questions of
// several agents become one message.
func (s *sender) notices(now time.Time) (closing, number *job, wait time.Duration) {
	notices, err := s.bot.cfg.Keeper.ToTell(now)
	if err != nil {
		s.bot.troubles.begin("due", "store", "The messages to send can't be read: "+err.Error())
		return nil, nil, brokenLook
	}
	s.bot.troubles.over("due")
	wait = lookAgain
	notices = slices.DeleteFunc(notices, func(n nudge.Notice) bool { return n.Place != message.Place(s.id) })
	topical := s.topical(now) // then each question is in its pane's own topic
	if pause := s.bot.gathering(notices, now); pause > 0 && !topical {
		notices, wait = slices.DeleteFunc(notices, groupable), pause
	}
	maps.DeleteFunc(s.refused, func(_ string, again time.Time) bool { return !again.After(now) })
	alone := false // the first message is one question, which others may join
	for _, n := range notices {
		next := s.jobOf(n)
		if _, refused := s.refused[next.what]; refused {
			continue
		}
		first := &number
		if next.edit {
			first = &closing
		}
		if *first == nil || s.errors[next.what] < s.errors[(*first).what] {
			*first = next
			if !next.edit {
				alone = groupable(n)
			}
		}
	}
	if number != nil && alone && !topical {
		number = cmp.Or(s.groupJob(notices), number)
	}
	return closing, number, wait
}

func (s *sender) jobOf(n nudge.Notice) *job {
	what := n.What()
	return &job{
		what: what,
		edit: !n.Sends() || reactionSaysAll(n),
		do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
			r, err := s.perform(ctx, n)
			return &r, err
		},
		over: func(done bool) {
			if !done {
				s.refused[what] = time.Now().Add(refusedPause)
			}
		},
	}
}
