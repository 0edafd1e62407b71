package store

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// migrations lead from an empty file to the current schema, one version each. A released migration is never
// changed; the next one is added after it. So a migration names buckets and fields as they were called then.
// It need not touch the indexes, because migrate rebuilds them.
var migrations = []func(*bolt.Tx) error{
	createBuckets,
	letAgentsBeIdle,
	namePlaces,
	setDamagedAside,
	letProgramsAsk,
	partReasonsFromInstructions,
}

// migrate brings the database to the newest schema in one transaction. It leaves a database of a newer nod
// alone.
func migrate(tx *bolt.Tx, steps []func(*bolt.Tx) error) error {
	version := schemaOf(tx)
	if version > len(steps) {
		return NewerError{version, len(steps)}
	}
	if version == len(steps) {
		return nil
	}
	for i := version; i < len(steps); i++ {
		if err := steps[i](tx); err != nil {
			return fmt.Errorf("bring the database to schema %d: %w", i+1, err)
		}
	}
	if err := reindex(tx); err != nil {
		return fmt.Errorf("rebuild the database's indexes: %w", err)
	}
	return tx.Bucket(metaBucket).Put(schemaKey, number(uint64(len(steps))))
}

// schemaOf returns the schema of the database; 0: an empty file.
func schemaOf(tx *bolt.Tx) int {
	meta := tx.Bucket(metaBucket)
	if meta == nil {
		return 0
	}
	data := meta.Get(schemaKey)
	if len(data) != 8 {
		return 0
	}
	return int(binary.BigEndian.Uint64(data))
}

// NewerError means that a newer nod wrote the database, so that this one can't read it.
type NewerError struct{ found, known int }

func (e NewerError) Error() string {
	return fmt.Sprintf("it has schema %d and this nod knows %d", e.found, e.known)
}

func createBuckets(tx *bolt.Tx) error {
	for _, name := range []string{
		"meta", "nudges", "panes", "live", "due", "messages", "heard", "heard_at", "audit", "state",
	} {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	return tx.Bucket([]byte("meta")).Put([]byte("secret"), secret)
}

// letAgentsBeIdle changes nothing in the file: older records are read as they are. From this schema on some
// nudges are about idle or silent agents, so a nod that takes every nudge for a prompt must not open the
// file.
func letAgentsBeIdle(*bolt.Tx) error { return nil }

// namePlaces replaces Telegram's chat numbers by names of places. An unreadable record stays as it is.
func namePlaces(tx *bolt.Tx) error {
	if err := rewrite(tx.Bucket([]byte("nudges")), namePlacesOfNudge); err != nil {
		return fmt.Errorf("nudges: %w", err)
	}
	if err := rewrite(tx.Bucket([]byte("audit")), func(event map[string]any) { nameNumber(event, "chat", "chat") }); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if err := splitDesk(tx.Bucket([]byte("state"))); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return renameHandled(tx)
}

func namePlacesOfNudge(n map[string]any) {
	copies, _ := n["Copies"].([]any)
	for _, c := range copies {
		if c, ok := c.(map[string]any); ok {
			nameNumber(c, "Chat", "Place")
		}
	}
	if claim, ok := n["Claim"].(map[string]any); ok {
		nameNumber(claim, "Chat", "Place")
		if by, ok := claim["By"].(map[string]any); ok {
			nameNumber(by, "ID", "ID")
		}
	}
}

// nameNumber turns the number in field from into the text in field to; 0 becomes an empty place.
func nameNumber(record map[string]any, from, to string) {
	id, ok := record[from].(json.Number)
	if !ok {
		return
	}
	delete(record, from)
	if record[to] = id.String(); id == "0" {
		record[to] = ""
	}
}

// splitDesk separates the supervisors' preferences from the messages about no single nudge.
func splitDesk(state *bolt.Bucket) error {
	desk := decode(state.Get([]byte("desk")))
	if desk == nil {
		return nil
	}
	others, _ := desk["Spoke"].([]any)
	for _, o := range others {
		if o, ok := o.(map[string]any); ok {
			nameNumber(o, "Chat", "Place")
		}
	}
	delete(desk, "Spoke")
	for key, value := range map[string]any{"preferences": desk, "other_messages": others} {
		if err := putJSON(state, []byte(key), value); err != nil {
			return err
		}
	}
	return state.Delete([]byte("desk"))
}

// renameHandled moves the handled updates to buckets of that name.
func renameHandled(tx *bolt.Tx) error {
	handled, err := tx.CreateBucket([]byte("handled"))
	if err != nil {
		return err
	}
	handledAt, err := tx.CreateBucket([]byte("handled_at"))
	if err != nil {
		return err
	}
	err = tx.Bucket([]byte("heard")).ForEach(func(key, at []byte) error {
		if len(key) == 17 && key[0] == 'm' {
			chat := int64(binary.BigEndian.Uint64(key[1:]) ^ 1<<63)
			key = append(fmt.Appendf(nil, "m%d\x00", chat), key[9:]...)
		}
		if err := handled.Put(bytes.Clone(key), bytes.Clone(at)); err != nil {
			return err
		}
		return handledAt.Put(append(bytes.Clone(at), key...), bytes.Clone(key))
	})
	if err != nil {
		return fmt.Errorf("what was handled: %w", err)
	}
	for _, name := range []string{"heard", "heard_at"} {
		if err := tx.DeleteBucket([]byte(name)); err != nil {
			return fmt.Errorf("drop bucket %s: %w", name, err)
		}
	}
	return nil
}

// setDamagedAside adds the bucket for unreadable records.
func setDamagedAside(tx *bolt.Tx) error {
	_, err := tx.CreateBucket([]byte("set_aside"))
	return err
}

// letProgramsAsk changes nothing in the file. From this schema on some nudges have no pane, so a nod that
// looks for each nudge's pane must not open the file.
func letProgramsAsk(*bolt.Tx) error { return nil }

// partReasonsFromInstructions separates reasons of denials, which no agent may read as a command, from
// instructions. Before, both were the text of an instruction, and only its source told them apart.
func partReasonsFromInstructions(tx *bolt.Tx) error {
	for _, name := range []string{"instructions", "instructions_over"} {
		b, err := tx.CreateBucketIfNotExists([]byte(name))
		if err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
		err = rewrite(b, func(i map[string]any) {
			if source, _ := i["Source"].(string); strings.HasSuffix(source, "/because") {
				i["Because"], i["Text"] = i["Text"], ""
			}
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// rewrite changes every record of a bucket.
func rewrite(b *bolt.Bucket, change func(record map[string]any)) error {
	var keys [][]byte
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		record := decode(b.Get(k))
		if record == nil {
			continue
		}
		change(record)
		if err := putJSON(b, k, record); err != nil {
			return err
		}
	}
	return nil
}

// decode reads a record with its stored field names; nil: it can't be read.
func decode(data []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var record map[string]any
	if d.Decode(&record) != nil {
		return nil
	}
	return record
}
