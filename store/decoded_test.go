package store

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"nod/nudge"
)

// TestNobodyChangesADecodedNudge: whatever a caller writes into a nudge that it read, the next one reads the
// record. The file has nudges of every kind in which every field is set.
func TestNobodyChangesADecodedNudge(t *testing.T) {
	s := reopen(t, unpacked(t, "testdata/nudges.db.gz"))
	live := map[string]bool{}
	for range 2 {
		view(t, s, func(tx *Tx) {
			for _, id := range keysOf(tx.bolt.Bucket(nudgesBucket)) {
				fresh, err := readNudge(id, tx.bolt.Bucket(nudgesBucket).Get([]byte(id)))
				if err != nil {
					t.Fatal(err)
				}
				live[id] = fresh.Live()
				n := tx.Nudge(id)
				if !reflect.DeepEqual(n, fresh) {
					t.Errorf("nudge %s is %+v, its record says %+v", id, n, fresh)
				}
				scribble(t, reflect.ValueOf(n).Elem())
				if reflect.DeepEqual(n, fresh) {
					t.Fatalf("nothing of nudge %s can be written to", id)
				}
			}
		})
	}
	for id, want := range live {
		if _, kept := s.decoded.nudges.Load(id); kept != want {
			t.Errorf("nudge %s is kept decoded: %t", id, kept)
		}
	}
	if err := s.decoded.check(); err != nil {
		t.Error(err)
	}
}

// TestNoNudgeThatIsOverStaysDecoded: a look that began before it was over decodes it once more, and the next look at all forgets that.
func TestNoNudgeThatIsOverStaysDecoded(t *testing.T) {
	s := reopen(t, unpacked(t, "testdata/nudges.db.gz"))
	const id = "k3f"
	if err := put(s, id); err != nil {
		t.Fatal(err)
	}
	var record []byte
	view(t, s, func(tx *Tx) { record = bytes.Clone(tx.bolt.Bucket(nudgesBucket).Get([]byte(id))) })
	update(t, s, func(tx *Tx) {
		n := tx.Nudge(id)
		n.State, n.Ended = nudge.Recovered, tx.Now()
		tx.Put(n)
	})
	if n, err := s.decoded.read(id, record); err != nil || !n.Live() {
		t.Fatal(n, err)
	}
	view(t, s, func(tx *Tx) { tx.Live() })
	if _, kept := s.decoded.nudges.Load(id); kept {
		t.Error("it is kept decoded")
	}
}

// scribble writes over all that can be reached from v.
func scribble(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		if at, ok := v.Addr().Interface().(*time.Time); ok {
			*at = at.Add(time.Hour)
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				scribble(t, f)
			} else if k := f.Kind(); (k == reflect.Slice || k == reflect.Pointer) && !f.IsNil() && v.Type() != reflect.TypeFor[time.Time]() {
				t.Errorf("decoding has set %s.%s, which is not copied", v.Type(), v.Type().Field(i).Name)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(t, v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(t, v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() { // its value can't be written to, but what that refers to can
			own := reflect.New(v.Elem().Type()).Elem()
			own.Set(v.Elem())
			scribble(t, own)
		}
	case reflect.String:
		v.SetString(v.String() + "!")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	default:
		t.Fatalf("nobody copies a %s", v.Type())
	}
}

// TestADecodedNudgeIsThatOfItsTransaction: what was rolled back is read by nobody, and of two transactions each
// reads its own state.
func TestADecodedNudgeIsThatOfItsTransaction(t *testing.T) {
	s, n := openTest(t), sample("a", "%1", 1)
	want := func(reminder int, tx *Tx) {
		t.Helper()
		if got := tx.Nudge("a").Reminder; got != reminder {
			t.Errorf("reminder %d is read, want %d", got, reminder)
		}
	}
	put := func(tx *Tx, reminder int) {
		n.Reminder = reminder
		tx.Put(n)
		want(reminder, tx)
	}
	update(t, s, func(tx *Tx) { put(tx, 1) })
	failed := errors.New("no")
	if err := s.Update(func(tx *Tx) error { put(tx, 2); return failed }); err != failed {
		t.Fatal(err)
	}
	view(t, s, func(tx *Tx) { want(1, tx) })

	older, _ := n.MarshalJSON()
	n.Reminder = 3
	newer, _ := n.MarshalJSON()
	for range 2 {
		a, err := s.decoded.read("a", older)
		b, err2 := s.decoded.read("a", newer)
		if err != nil || err2 != nil || a.Reminder != 2 || b.Reminder != 3 {
			t.Errorf("of the older record %+v, %v, of the newer %+v, %v", a, err, b, err2)
		}
	}
	for name, change := range map[string]func(*Tx){
		"deleted": func(tx *Tx) { tx.Delete("a") },
		"large":   func(tx *Tx) { n.By = strings.Repeat("x", largestDecoded); put(tx, 4) },
	} {
		update(t, s, change)
		if _, kept := s.decoded.nudges.Load("a"); kept {
			t.Errorf("a %s nudge is kept decoded", name)
		}
	}
}
