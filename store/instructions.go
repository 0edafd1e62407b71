package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/detect"
	"nod/nudge"
)

// Instructions returns the live instructions of a pane, in the order of sending.
func (tx *Tx) Instructions(pane detect.PaneRef) nudge.Instructions {
	return tx.instructionsUnder(panePrefix(pane))
}

// LiveInstructions returns the live instructions of all panes, pane by pane in the order of sending.
func (tx *Tx) LiveInstructions() nudge.Instructions { return tx.instructionsUnder(nil) }

// instructionsUnder returns the live instructions whose keys begin with prefix.
func (tx *Tx) instructionsUnder(prefix []byte) (list nudge.Instructions) {
	c := tx.bolt.Bucket(instructionsBucket).Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		i := new(nudge.Instruction)
		if json.Unmarshal(v, i) != nil || i.ID == "" {
			tx.store.unreadable(instructionsBucket, k)
			continue
		}
		list = append(list, i)
	}
	return list
}

// AllInstructions returns every stored instruction.
func (tx *Tx) AllInstructions() nudge.Instructions {
	return append(tx.LiveInstructions(), readAll(tx, instructionsOverBucket, instructionID)...)
}

// Instruction returns the instruction with that id; nil: none.
func (tx *Tx) Instruction(id string) *nudge.Instruction {
	if i := readOne(tx, id, instructionID, instructionsOverBucket); i != nil {
		return i
	}
	for _, i := range tx.LiveInstructions() {
		if i.ID == id {
			return i
		}
	}
	return nil
}

func instructionID(i *nudge.Instruction) string { return i.ID }

// PutInstruction writes i, in place of an older state of it.
func (tx *Tx) PutInstruction(i *nudge.Instruction) { tx.write(putInstruction(tx.bolt, i)) }

func putInstruction(tx *bolt.Tx, i *nudge.Instruction) error {
	live, over := tx.Bucket(instructionsBucket), tx.Bucket(instructionsOverBucket)
	prefix, id := panePrefix(i.Pane), []byte(i.ID)
	c := live.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		if bytes.Equal(k[len(prefix)+8:], id) {
			if err := live.Delete(k); err != nil {
				return fmt.Errorf("replace instruction %s: %w", i.ID, err)
			}
			break
		}
	}
	if i.Live() {
		if err := over.Delete(id); err != nil {
			return fmt.Errorf("replace instruction %s: %w", i.ID, err)
		}
		return putJSON(live, instructionKey(i.Pane, i.Number, i.ID), i)
	}
	return putJSON(over, id, i)
}

// dropEnded drops the records of a bucket that ended before a time.
func dropEnded(b *bolt.Bucket, before time.Time) error {
	var old [][]byte
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		var record struct{ Ended time.Time }
		if json.Unmarshal(v, &record) == nil && record.Ended.Before(before) {
			old = append(old, bytes.Clone(k))
		}
	}
	for _, k := range old {
		if err := b.Delete(k); err != nil {
			return fmt.Errorf("drop an old record: %w", err)
		}
	}
	return nil
}
