package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Memory is what the bot must know after a restart: the updates that it has read, the topics that it has
// made, and the messages that it has sent to a chat other than nudges.
type Memory struct{ store *Store }

// Memory returns the bot's part of the database.
func (s *Store) Memory() Memory { return Memory{s} }

// Outage is a time without Telegram.
type Outage struct {
	Since, Last time.Time // the first and the last failed poll
}

// Outage returns the current outage, or one whose end was not reported yet; nil: none.
func (m Memory) Outage() (*Outage, error) {
	var o *Outage
	if err := m.get(outageName, &o); err != nil {
		return nil, fmt.Errorf("read how long Telegram was out of reach: %w", err)
	}
	return o, nil
}

// SetOutage stores an outage; nil: there is none.
func (m Memory) SetOutage(o *Outage) error {
	if o == nil {
		return m.store.Put(outageName, nil)
	}
	return m.put(outageName, o)
}

// get decodes what put wrote under a name, if anything.
func (m Memory) get(name string, into any) error {
	data, err := m.store.Get(name)
	if err != nil || data == nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func (m Memory) put(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return m.store.Put(name, data)
}

// mark stores whether something is so; what is not so has no value.
func (m Memory) mark(name string, is bool) error {
	if !is {
		return m.store.Put(name, nil)
	}
	return m.store.Put(name, []byte{1})
}

// HeldAnswer is an answer that waits for a machine: to which nudge, and the message that it came in.
type HeldAnswer struct {
	Nudge string
	nudge.Ref
}

// Held returns the answers that wait for machines, as SetHeld last stored them.
func (m Memory) Held() (held []HeldAnswer, err error) {
	if err := m.get(heldName, &held); err != nil {
		return nil, fmt.Errorf("read the answers that wait for machines: %w", err)
	}
	return held, nil
}

// SetHeld stores the answers that wait for machines.
func (m Memory) SetHeld(held []HeldAnswer) error {
	if len(held) == 0 {
		return m.store.Put(heldName, nil)
	}
	return m.put(heldName, held)
}

// Digested returns the last audit event in a chat's digests; false: there was no digest.
func (m Memory) Digested(chat int64) (seq uint64, told bool, err error) {
	data, err := m.store.Get(digestName(chat))
	if err != nil || len(data) != 8 {
		return 0, false, err
	}
	return binary.BigEndian.Uint64(data), true, nil
}

// SetDigested stores the last audit event in a chat's digest.
func (m Memory) SetDigested(chat int64, seq uint64) error {
	return m.store.Put(digestName(chat), number(seq))
}

// Lack is something that nod can't do in a chat.
type Lack string

// The lacks.
const (
	Topicless Lack = "topicless" // no topics
	Pinless   Lack = "pinless"   // nothing can be pinned
)

// Known reports whether the people of a chat were told of a lack.
func (m Memory) Known(l Lack, chat int64) (bool, error) {
	data, err := m.store.Get(lackName(l, chat))
	return data != nil, err
}

// SetKnown stores whether the people of a chat were told of a lack.
func (m Memory) SetKnown(l Lack, chat int64, known bool) error {
	return m.mark(lackName(l, chat), known)
}

// Menus are the chats whose menu button may open the page.
func (m Memory) Menus() (chats []int64, err error) {
	all, err := m.store.All(menuPrefix)
	for name := range all {
		if chat, wrong := strconv.ParseInt(strings.TrimPrefix(name, menuPrefix), 10, 64); wrong == nil {
			chats = append(chats, chat)
		}
	}
	return chats, err
}

// SetMenu stores whether a chat's menu button may open the page.
func (m Memory) SetMenu(chat int64, opens bool) error {
	return m.mark(menuName(chat), opens)
}

// unaskedKept is how many agents Unasked remembers.
const unaskedKept = 100

// Unasked returns the agents that do not ask, of which people were told.
func (m Memory) Unasked() (agents []string, err error) {
	if err := m.get(unaskedName, &agents); err != nil {
		return nil, fmt.Errorf("read which agents do not ask: %w", err)
	}
	return agents, nil
}

// AddUnasked adds an agent; the oldest are forgotten.
func (m Memory) AddUnasked(agent string) error {
	agents, err := m.Unasked()
	if err != nil {
		agents = nil // an unreadable list is overwritten
	}
	agents = append(agents, agent)
	return m.put(unaskedName, agents[max(len(agents)-unaskedKept, 0):])
}

// Offset returns the offset of the next getUpdates, as SetOffset last wrote it; 0 at first.
func (m Memory) Offset() (offset int, err error) {
	err = m.store.view(func(tx *bolt.Tx) error {
		if data := tx.Bucket(stateBucket).Get(offsetKey); data != nil {
			offset = int(binary.BigEndian.Uint64(data))
		}
		return nil
	})
	return offset, err
}

// SetOffset stores the offset of the next getUpdates. It may go down, because update ids may start again
// lower.
func (m Memory) SetOffset(offset int) error {
	return m.store.update(func(tx *bolt.Tx) error {
		return tx.Bucket(stateBucket).Put(offsetKey, number(uint64(offset)))
	})
}

// Handled reports whether the update has acted before, as an answer or by Handle.
func (m Memory) Handled(update int) (handled bool, err error) {
	err = m.store.view(func(tx *bolt.Tx) error {
		handled = tx.Bucket(handledBucket).Get(handledKey(nudge.Ref{Update: update})) != nil
		return nil
	})
	return handled, err
}

// Handle records an update that is no answer as handled. The update of an answer is recorded in the
// transaction that claims its nudge.
func (m Memory) Handle(update int) error {
	return m.store.update(func(tx *bolt.Tx) error {
		return handle(tx, time.Now(), handledKey(nudge.Ref{Update: update}))
	})
}

// handle stores key with its time, in both indexes. A key that is there keeps its first time.
func handle(tx *bolt.Tx, now time.Time, key []byte) error {
	if tx.Bucket(handledBucket).Get(key) != nil {
		return nil
	}
	if err := tx.Bucket(handledBucket).Put(key, moment(now)); err != nil {
		return fmt.Errorf("note an update: %w", err)
	}
	return tx.Bucket(handledAtBucket).Put(handledAtKey(now, key), key)
}

// forget drops the handled updates from before a time.
func forget(tx *bolt.Tx, before time.Time) error {
	var old []entry
	c := tx.Bucket(handledAtBucket).Cursor()
	for k, v := c.First(); k != nil && keyTime(k).Before(before); k, v = c.Next() {
		old = append(old, entry{key: k, value: v})
	}
	for _, e := range old {
		if err := tx.Bucket(handledBucket).Delete(e.value); err != nil {
			return fmt.Errorf("forget an update: %w", err)
		}
		if err := tx.Bucket(handledAtBucket).Delete(e.key); err != nil {
			return fmt.Errorf("forget an update: %w", err)
		}
	}
	return nil
}
