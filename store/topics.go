package store

import (
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"nod/detect"
	"nod/nudge"
)

// Topic is a topic of a place, about one pane.
type Topic struct {
	Place  nudge.Place
	Number int // its number in the place
	Pane   detect.PaneRef
	Title  string
	Lost   bool `json:",omitempty"` // nothing can be sent there any more
}

// maxTopics is how many topics are stored. An older one counts as not made by nod.
const maxTopics = 2000

// Topics returns the topics that nod made, newest last. Lost ones are included, because messages in them must
// not be taken for something else.
func (m Memory) Topics() (list []Topic, err error) {
	err = m.store.view(func(tx *bolt.Tx) error {
		return getJSON(tx.Bucket(stateBucket), topicsKey, &list)
	})
	if err != nil {
		return nil, fmt.Errorf("read the topics: %w", err)
	}
	return list, nil
}

// PutTopic stores a topic, in place of its older state.
func (m Memory) PutTopic(t Topic) error {
	err := m.store.update(func(tx *bolt.Tx) error {
		var list []Topic
		if err := getJSON(tx.Bucket(stateBucket), topicsKey, &list); err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(o Topic) bool { return o.Place == t.Place && o.Number == t.Number })
		if i >= 0 {
			list[i] = t
		} else {
			list = append(list, t)
		}
		return putJSON(tx.Bucket(stateBucket), topicsKey, list[max(0, len(list)-maxTopics):])
	})
	if err != nil {
		return fmt.Errorf("keep a topic: %w", err)
	}
	return nil
}
