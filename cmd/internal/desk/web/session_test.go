package web

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestALinkIsNoGoodAfterAMinute, to the second.
func TestALinkIsNoGoodAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions()
		early, late := s.link(false, time.Now()), s.link(false, time.Now())
		time.Sleep(linkLasts - time.Second)
		if _, _, ok := s.spend(early, time.Now()); !ok {
			t.Error("a link of 59 seconds is no good")
		}
		time.Sleep(time.Second)
		if _, _, ok := s.spend(late, time.Now()); ok {
			t.Error("a link of a minute is good")
		}
	})
}

// TestASessionEndsAfterTwelveHoursWithoutUse: an open page is no use. A Mini App's session ends in any case.
func TestASessionEndsAfterTwelveHoursWithoutUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions()
		used, _, _ := s.spend(s.link(false, time.Now()), time.Now())
		left, _, _ := s.spend(s.link(false, time.Now()), time.Now())
		phone, _ := s.admit(42, "Ann", "proof", time.Now(), time.Now())
		stopped := false
		if _, err := s.stream(s.find(left, true, time.Now()), func() { stopped = true }); err != nil {
			t.Fatal(err)
		}
		for range 12 {
			time.Sleep(time.Hour - time.Second)
			for _, key := range []string{used, phone} {
				if s.find(key, true, time.Now()) == nil {
					t.Fatal("a session that is used ended")
				}
			}
			if s.find(left, false, time.Now()) == nil || stopped {
				t.Fatal("a session ended early")
			}
		}
		time.Sleep(12 * time.Second)
		if s.find(left, false, time.Now()) != nil || s.find(phone, true, time.Now()) != nil || !stopped {
			t.Error("a session goes on after twelve hours")
		}
		if s.find(used, true, time.Now()) == nil {
			t.Error("a session that is used ended")
		}
	})
}

// TestTooManySessionsEndTheOldest: and of too many links the oldest stops working.
func TestTooManySessionsEndTheOldest(t *testing.T) {
	s := newSessions()
	now := time.Now()
	var keys []string
	for i := range maxSessions + 1 {
		at := now.Add(time.Duration(i) * time.Second)
		key, _, _ := s.spend(s.link(false, at), at)
		keys = append(keys, key)
	}
	for i, key := range keys {
		if (s.find(key, false, now) == nil) != (i == 0) {
			t.Errorf("session %d", i)
		}
	}
	first := s.link(false, now)
	for range maxLinks {
		s.link(false, now)
	}
	if _, _, ok := s.spend(first, now); ok || len(s.links) > maxLinks {
		t.Errorf("%d links, and the first is good: %t", len(s.links), ok)
	}
}
