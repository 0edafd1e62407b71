package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// TestCheckFindsWhatDoesNotFit: one key too many, too few or elsewhere, in each bucket that has a rule.
func TestCheckFindsWhatDoesNotFit(t *testing.T) {
	s := openTest(t)
	ref := nudge.Ref{Place: "7", Message: 9, Update: 3}
	waits, over := nudge.Instruction{ID: "i1", Number: 1}, nudge.Instruction{ID: "i2", Number: 2, Course: nudge.Course{State: nudge.Completed}}
	waits.Pane, over.Pane, waits.State = paneNamed("%1"), paneNamed("%1"), nudge.Queued
	wish, dropped := &nudge.Wish{ID: "w1", State: nudge.Wished}, &nudge.Wish{ID: "w2", State: nudge.WishDropped}
	denials, ended := &nudge.Denials{ID: "d1"}, &nudge.Denials{ID: "d2", Ended: noon}
	update(t, s, func(tx *Tx) {
		tx.Put(sample("k3f", "%1", 1))
		tx.Handle(ref)
		tx.PutInstruction(&waits)
		tx.PutInstruction(&over)
		tx.PutWish(wish)
		tx.PutWish(dropped)
		tx.PutDenials(denials)
		tx.PutDenials(ended)
	})
	var handledAt []byte
	view(t, s, func(tx *Tx) { handledAt, _ = tx.bolt.Bucket(handledAtBucket).Cursor().First() })
	handledAt = bytes.Clone(handledAt)
	finished := waits
	finished.State = nudge.Completed
	due := noon.Add(5 * time.Minute)
	key, over1 := instructionKey(waits.Pane, 1, "i1"), []byte("i1")
	type entry struct {
		bucket, key []byte
		value       any // nil: none
	}
	for name, wrong := range map[string][]entry{
		"an entry of nobody":              {{dueBucket, dueKey(noon, "none"), []byte("none")}},
		"an entry that leads elsewhere":   {{dueBucket, dueKey(due, "k3f"), []byte("another")}},
		"no entry":                        {{dueBucket, dueKey(due, "k3f"), nil}},
		"handled at no time":              {{handledAtBucket, handledAt, nil}},
		"handled at another time":         {{handledBucket, handledKey(ref), moment(noon.Add(time.Hour))}},
		"an instruction by its id":        {{instructionsBucket, key, nil}, {instructionsBucket, over1, waits}},
		"one that waits among the others": {{instructionsBucket, key, nil}, {instructionsOverBucket, key, waits}},
		"one that is over among the live": {{instructionsOverBucket, []byte("i2"), nil}, {instructionsBucket, []byte("i2"), over}},
		"one that waits and is over":      {{instructionsOverBucket, over1, finished}},
		"an instruction that is none":     {{instructionsBucket, key, []byte("{")}},
		"a wish of another id":            {{wishesBucket, []byte("w9"), wish}},
		"a wish that is over":             {{wishesBucket, []byte("w2"), dropped}, {wishesOverBucket, []byte("w2"), nil}},
		"a wish that lives":               {{wishesOverBucket, []byte("w1"), wish}, {wishesBucket, []byte("w1"), nil}},
		"a wish that is none":             {{wishesBucket, []byte("w1"), []byte("{")}},
		"denied calls that are over":      {{denialsBucket, []byte("d2"), ended}, {denialsOverBucket, []byte("d2"), nil}},
		"denied calls of another id":      {{denialsOverBucket, []byte("d9"), ended}},
		"an unreadable nudge":             {{nudgesBucket, []byte("k3f"), []byte("{")}},
	} {
		kept := map[*entry][]byte{}
		write := func(undo bool) {
			if err := s.db.Update(func(tx *bolt.Tx) (err error) {
				for i := range wrong {
					e := &wrong[i]
					value, raw := e.value.([]byte)
					if e.value != nil && !raw {
						value, _ = json.Marshal(e.value)
					}
					if undo {
						value = kept[e]
					} else if was := tx.Bucket(e.bucket).Get(e.key); was != nil {
						kept[e] = bytes.Clone(was)
					}
					if value == nil {
						err = errors.Join(err, tx.Bucket(e.bucket).Delete(e.key))
					} else {
						err = errors.Join(err, tx.Bucket(e.bucket).Put(e.key, value))
					}
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		write(false)
		if s.Check() == nil {
			t.Errorf("%s: nothing is found", name)
		}
		write(true)
		if err := s.Check(); err != nil {
			t.Fatalf("without %s: %v", name, err)
		}
	}
}

// TestAFileFromBeforeSomeBucketsIsInOrder: Inspect reads it before nod makes them.
func TestAFileFromBeforeSomeBucketsIsInOrder(t *testing.T) {
	s := openTest(t)
	if err := s.db.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(wishesOverBucket) }); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}
