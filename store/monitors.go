package store

import (
	"encoding/json"

	"nod/nudge"
)

// newsKey is the key of a monitor's news for a place. A monitor's name has no zero byte.
func newsKey(monitor string, place nudge.Place) []byte {
	return append(append([]byte(monitor), 0), place...)
}

// MonitorNews returns the news that places still need.
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

// NewsOf returns a monitor's news for a place; nil: none.
func (tx *Tx) NewsOf(monitor string, place nudge.Place) *nudge.MonitorNews {
	for _, n := range tx.MonitorNews() {
		if n.Monitor == monitor && n.Place == place {
			return n
		}
	}
	return nil
}

// PutNews stores news.
func (tx *Tx) PutNews(n *nudge.MonitorNews) {
	tx.write(putJSON(tx.bolt.Bucket(monitorNewsBucket), newsKey(n.Monitor, n.Place), n))
}

// DropNews deletes news.
func (tx *Tx) DropNews(n *nudge.MonitorNews) {
	tx.write(tx.bolt.Bucket(monitorNewsBucket).Delete(newsKey(n.Monitor, n.Place)))
}
