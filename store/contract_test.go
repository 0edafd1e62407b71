package store

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/nudge"
)

// TestTheFirstWriteThatFailsFailsTheTransaction: no caller looks at the error of a single write, so one that fails among others
// that succeed must leave nothing of any of them.
func TestTheFirstWriteThatFailsFailsTheTransaction(t *testing.T) {
	tooLong := sample(strings.Repeat("k", 1<<16), "%2", 1) // no key of bbolt's is as long
	for _, order := range []string{"first", "between", "last"} {
		s := openTest(t)
		err := s.Update(func(tx *Tx) error {
			if order == "first" {
				tx.Put(tooLong)
			}
			tx.Put(sample("k3f", "%1", 1))
			if order == "between" {
				tx.Put(tooLong)
			}
			tx.Handle(nudge.Ref{Update: 1})
			if order == "last" {
				tx.Put(tooLong)
			}
			return nil
		})
		if err == nil {
			t.Errorf("%s: a write failed and the transaction did not", order)
		}
		view(t, s, func(tx *Tx) {
			if tx.Nudge("k3f") != nil || tx.Handled(nudge.Ref{Update: 1}) {
				t.Errorf("%s: half of the transaction was written", order)
			}
		})
	}
}

// TestHandledTwiceKeepsItsFirstTime: an update that comes again is one entry in either index, and it is forgotten by the age
// of the first.
func TestHandledTwiceKeepsItsFirstTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openTest(t)
		first := time.Now()
		for range 3 {
			if err := s.Memory().Handle(5); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		if n := len(keysInBucket(t, s, handledAtBucket)); n != 1 {
			t.Errorf("%d times are noted, want one", n)
		}
		update(t, s, func(tx *Tx) { tx.Forget(first.Add(time.Second), time.Time{}) })
		if handled, err := s.Memory().Handled(5); err != nil || handled {
			t.Errorf("it is still remembered: %t, %v", handled, err)
		}
	})
}

func keysInBucket(t *testing.T, s *Store, bucket []byte) (keys []string) {
	t.Helper()
	view(t, s, func(tx *Tx) { keys = keysOf(tx.bolt.Bucket(bucket)) })
	return keys
}

// TestWhatWasDueBeforeTheEpochIsDue: a machine without a clock of its own starts in 1970, and what waits has moved there.
func TestWhatWasDueBeforeTheEpochIsDue(t *testing.T) {
	s := openTest(t)
	n := sample("k3f", "%1", 1)
	n.Due = time.Unix(-3600, 0).UTC()
	update(t, s, func(tx *Tx) { tx.Put(n) })
	view(t, s, func(tx *Tx) {
		if due := tx.Due(time.Unix(60, 0)); len(due) != 1 {
			t.Errorf("due: %v", due)
		}
	})
}
