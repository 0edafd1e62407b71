package bot

import (
	"context"
	"time"
)

// slowCall is how long a message may be on its way before the chat removes dead buttons meanwhile.
const slowCall = 2 * time.Second

// closingMeanwhile makes a call that sends a message. While Telegram is slow to answer, it removes buttons of
// ended nudges, because Telegram may well take edits.
func (s *sender) closingMeanwhile(ctx context.Context, edit bool, call func() error) error {
	if edit {
		return call()
	}
	done := make(chan error, 1)
	go func() { done <- call() }()
	again := time.NewTimer(slowCall)
	defer again.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-again.C:
			if wait, ok := s.closeOne(ctx, time.Now()); ok {
				again.Reset(wait)
			}
		}
	}
}

// closeOne removes the buttons of one message whose nudge is over, if there is one. It returns how long to
// wait before the next call; false: it failed, and the rest waits for its turn.
func (s *sender) closeOne(ctx context.Context, now time.Time) (wait time.Duration, ok bool) {
	closing, _, _ := s.notices(now)
	if closing == nil {
		return slowCall, true
	}
	if wait := s.pace.wait(true, now); wait > 0 {
		return wait, true
	}
	receipt, err := closing.do(ctx, s)
	if err != nil {
		return 0, false
	}
	closing.over(true)
	if receipt != nil {
		err = s.bot.cfg.Keeper.Told(*receipt)
	}
	return 0, err == nil
}
