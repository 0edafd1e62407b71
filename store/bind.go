package store

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// Bind records the user id of the bot that the chats are with, and reports whether it was another bot before.
// The ids of another bot's updates and messages start again, so everything that refers to the old ids is
// dropped: the offset, the handled updates, and which messages show what. Pending nudges then count as not
// yet sent.
func (m Memory) Bind(bot int64) (another bool, err error) {
	err = m.store.update(func(tx *bolt.Tx) error {
		state := tx.Bucket(stateBucket)
		before := state.Get(botKey)
		another = before != nil && int64(binary.BigEndian.Uint64(before)) != bot
		if another {
			if err := m.store.leaveChats(tx); err != nil {
				return err
			}
		}
		return state.Put(botKey, number(uint64(bot)))
	})
	return another, err
}

// leaveChats drops everything that refers to ids of Telegram.
func (s *Store) leaveChats(tx *bolt.Tx) error {
	if err := tx.Bucket(stateBucket).Delete(offsetKey); err != nil {
		return fmt.Errorf("drop the offset: %w", err)
	}
	for _, name := range [][]byte{handledBucket, handledAtBucket} {
		if err := tx.DeleteBucket(name); err != nil {
			return fmt.Errorf("drop what was handled: %w", err)
		}
		if _, err := tx.CreateBucket(name); err != nil {
			return fmt.Errorf("drop what was handled: %w", err)
		}
	}
	records := &Tx{store: s, bolt: tx}
	for _, id := range keysOf(tx.Bucket(nudgesBucket)) {
		n := records.Nudge(id)
		if n == nil {
			continue // an unreadable record is in no chat
		}
		n.Copies = nil
		if n.Claim != nil {
			n.Claim.Message, n.Claim.Update, n.Claim.Topic = 0, 0, 0
		}
		if err := records.putNudge(id, n); err != nil {
			return err
		}
	}
	for _, i := range records.AllInstructions() {
		i.Buttons = nil
		if err := putInstruction(tx, i); err != nil {
			return err
		}
	}
	for _, w := range records.AllWishes() {
		w.Copies = nil
		if err := putWish(tx, w); err != nil {
			return err
		}
	}
	for _, d := range records.AllDenials() {
		d.Copies = nil
		if err := putDenials(tx, d); err != nil {
			return err
		}
	}
	for _, key := range [][]byte{othersKey, topicsKey} {
		if err := tx.Bucket(stateBucket).Delete(key); err != nil {
			return fmt.Errorf("drop the messages of the chats: %w", err)
		}
	}
	return nil
}
