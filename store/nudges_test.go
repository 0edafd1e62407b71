package store

import (
	"encoding/json"
	"maps"
	"reflect"
	"testing"

	bolt "go.etcd.io/bbolt"

	"nod/detect/screen"
	"nod/nudge"
)

// TestEveryNudgeIsReadAsItWasWritten reads a file with every kind of nudge in every state, all fields of which are
// random: nothing is lost in a record that is written again, and every index says the same of it.
func TestEveryNudgeIsReadAsItWasWritten(t *testing.T) {
	s := reopen(t, unpacked(t, "testdata/nudges.db.gz"))
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	before := records(t, s)
	for _, record := range before {
		if screen.State(record["Kind"].(string)).Asks() {
			delete(record, "Since") // it names the turn of an agent that asks nothing
		}
	}
	sorts, states := map[string]int{}, map[nudge.State]int{}
	update(t, s, func(tx *Tx) {
		for _, n := range tx.All() {
			sorts[sortOf(before[n.ID])]++
			states[n.State]++
			tx.Put(n)
		}
	})
	if len(states) != 9 || len(sorts) != 12 || len(before) != 108 {
		t.Errorf("%d records: %v, %v", len(before), sorts, states)
	}
	after := records(t, s)
	for id, was := range before {
		if is := after[id]; !reflect.DeepEqual(was, is) {
			t.Errorf("the record of a %s, which is %s, changed:\nfrom %v\nto   %v", sortOf(was), was["State"], was, is)
		}
	}
}

// sortOf names what tells one record from others: what it is about, and what is known of that.
func sortOf(record map[string]any) string {
	sort, _ := record["Kind"].(string)
	if by := record["By"]; by == "tell" {
		return sort + " tell"
	}
	if program, ok := record["Program"].(map[string]any); ok {
		if sort += " of a program"; program["Door"] != nil {
			sort += " with a door"
		}
		return sort
	}
	for _, field := range []string{"Exited", "Did", "Blocked"} {
		if record[field] != nil {
			return sort + " " + field
		}
	}
	return sort
}

// records are those of the nudges as they are in the file, by id.
func records(t *testing.T, s *Store) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	err := s.view(func(tx *bolt.Tx) error {
		return tx.Bucket(nudgesBucket).ForEach(func(id, data []byte) error {
			var record map[string]any
			err := json.Unmarshal(data, &record)
			all[string(id)] = withoutZeros(record).(map[string]any)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// withoutZeros drops from a decoded record what a field that is absent says as well. A reason that was stored as a sentence
// stays that sentence, in a record of its own.
func withoutZeros(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = withoutZeros(value)
		}
		maps.DeleteFunc(v, func(_ string, value any) bool { return isZero(value) })
		if said, sentence := v["Said"]; sentence && len(v) == 1 {
			return said
		}
	case []any:
		for i := range v {
			v[i] = withoutZeros(v[i])
		}
	}
	return v
}

func isZero(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case string:
		return v == "" || v == "0001-01-01T00:00:00Z"
	}
	return v == nil || v == false || v == 0.0
}
