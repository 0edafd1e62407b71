package store

import (
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// TestUnreadableRecordsAreSetAside: each is kept as it is, out of the way of the others.
func TestUnreadableRecordsAreSetAside(t *testing.T) {
	for name, broken := range map[string]string{
		"nudges/k3f": "", "nudges/e5e": `{"ID":"k3f","State":"pending"}`, "nudges/m4m": `{"ID":"m4m","State":"pendinf"}`,
		"nudges/i2d": `{"ID":"i2d","State":"claimed"}`, "state/preferences": `{"Muted":7}`, "state/other_messages": `[`,
		"wishes/w7k": `{"ID":"w8k"}`, "wishes_over/w7k": `{`,
		"monitor_news/ci\x00100": `{"Place":"1`, "denials/d7k": `{"ID":"d8k"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := openTest(t)
			bucket, key, _ := strings.Cut(name, "/")
			update(t, s, func(tx *Tx) {
				tx.Put(sample(key, "%1", 1))
				tx.Put(sample("f7f", "%1", 2))
				tx.SetPreferences(nudge.Preferences{Muted: noon})
				tx.AddOtherMessage(nudge.OtherMessage{Several: true})
			})
			err := s.db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucket)).Put([]byte(key), []byte(broken)) })
			if err != nil {
				t.Fatal(err)
			}
			read := func(tx *Tx) {
				tx.Preferences()
				tx.OtherMessages()
				if tx.AllWishes(); tx.Wish("w7k") != nil {
					t.Error("a broken wish counts as readable")
				}
				if len(tx.MonitorNews()) > 0 || len(tx.AllDenials()) > 0 {
					t.Error("broken news or denied calls count as readable")
				}
				if all := tx.All(); tx.Nudge("f7f") == nil || len(all) != len(tx.Live()) || len(all) == 0 {
					t.Errorf("the others can't be read: %v", all)
				}
				if bucket == "nudges" && (tx.Nudge(key) != nil || tx.Unused(key)) {
					t.Error("it counts as readable, or its id as free")
				}
			}
			view(t, s, read)
			if names, err := s.SetAside(); err != nil || len(names) != 1 || names[0] != name {
				t.Fatalf("set aside: %q, %v", names, err)
			}
			if names, err := s.SetAside(); err != nil || len(names) != 0 {
				t.Errorf("set aside once more: %q, %v", names, err)
			}
			view(t, s, read)
			asides, err := s.Asides(time.Now().Add(-time.Hour))
			if err != nil || len(asides) != 1 || asides[0].Name != name {
				t.Errorf("asides: %v, %v", asides, err)
			}
			if asides, err := s.Asides(time.Now().Add(time.Hour)); err != nil || len(asides) != 0 {
				t.Errorf("asides of the future: %v, %v", asides, err)
			}
			s.db.View(func(tx *bolt.Tx) error {
				if _, value := tx.Bucket(asideBucket).Cursor().First(); string(value) != broken {
					t.Errorf("it was kept as %q", value)
				}
				return nil
			})
		})
	}
}
