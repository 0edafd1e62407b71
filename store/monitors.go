package store

import (
	"bytes"
	"encoding/json"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Monitors gives what PutMonitor has written, by name.
func (s *Store) Monitors() (all map[string][]byte, err error) { return monitorsIn(s.view) }

func monitorsIn(view func(func(*bolt.Tx) error) error) (all map[string][]byte, err error) {
	all = map[string][]byte{}
	err = view(func(tx *bolt.Tx) error {
		return tx.Bucket(monitorsBucket).ForEach(func(k, v []byte) error {
			all[string(k)] = bytes.Clone(v)
			return nil
		})
	})
	return all, err
}

// PutMonitor keeps a small value under the name of a monitor; a nil value takes it away.
func (s *Store) PutMonitor(name string, value []byte) error { return putMonitor(s.update, name, value) }

func putMonitor(update func(func(*bolt.Tx) error) error, name string, value []byte) error {
	return update(func(tx *bolt.Tx) error {
		if value == nil {
			return tx.Bucket(monitorsBucket).Delete([]byte(name))
		}
		return tx.Bucket(monitorsBucket).Put([]byte(name), value)
	})
}

// newsKey is the key of what a place is to be told of a monitor, whose name holds no zero byte.
func newsKey(monitor string, place nudge.Place) []byte {
	return append(append([]byte(monitor), 0), place...)
}

// MonitorNews gives what places still have to be told of monitors.
func (tx *Tx) MonitorNews() (list []*nudge.MonitorNews) {
	c := tx.bolt.Bucket(monitorNewsBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		n := new(nudge.MonitorNews)
		if json.Unmarshal(v, n) != nil {
			tx.store.unreadable(monitorNewsBucket, k)
			continue
		}
		list = append(list, n)
	}
	return list
}

// NewsOf gives what a place still has to be told of a monitor; nil: nothing.
func (tx *Tx) NewsOf(monitor string, place nudge.Place) *nudge.MonitorNews {
	for _, n := range tx.MonitorNews() {
		if n.Monitor == monitor && n.Place == place {
			return n
		}
	}
	return nil
}

// PutNews keeps what a place is to be told of a monitor.
func (tx *Tx) PutNews(n *nudge.MonitorNews) {
	tx.write(putJSON(tx.bolt.Bucket(monitorNewsBucket), newsKey(n.Monitor, n.Place), n))
}

// DropNews forgets it.
func (tx *Tx) DropNews(n *nudge.MonitorNews) {
	tx.write(tx.bolt.Bucket(monitorNewsBucket).Delete(newsKey(n.Monitor, n.Place)))
}
