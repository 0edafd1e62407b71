package store

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"nod/nudge"
)

// decoded saves decoding the same live nudges again at each look at all of them. A value is used only while the
// record has the very bytes that it was decoded from, so it can't differ from what the transaction reads: one
// that was rolled back, or that began before another ended, needs no rule of its own.
type decoded struct {
	nudges sync.Map // by id, a decodedNudge
}

// largestDecoded is the size of the largest record that is kept decoded: few are larger, and those take memory.
const largestDecoded = 32 << 10

// decodedNudge is never changed, nor handed out: callers get copies.
type decodedNudge struct {
	record []byte
	nudge  *nudge.Nudge
}

// read returns the nudge of a record. It must not be changed.
func (d *decoded) read(id string, record []byte) (*nudge.Nudge, error) {
	if v, ok := d.nudges.Load(id); ok {
		if known := v.(decodedNudge); bytes.Equal(known.record, record) {
			return known.nudge, nil
		}
	}
	n, err := readNudge(id, record)
	if err == nil && n.Live() && len(record) <= largestDecoded {
		d.nudges.Store(id, decodedNudge{bytes.Clone(record), n})
	}
	return n, err
}

// forget makes room: the record is written again, or deleted.
func (d *decoded) forget(id string) { d.nudges.Delete(id) }

// keep forgets all nudges but these, whose ids are in order: a transaction that began before a nudge was over may
// have decoded it after that.
func (d *decoded) keep(ids []string) {
	for id := range d.nudges.Range {
		if _, live := slices.BinarySearch(ids, id.(string)); !live {
			d.forget(id.(string))
		}
	}
}

// check reports every nudge that is no longer what its record says.
func (d *decoded) check() error {
	var problems []error
	for id, v := range d.nudges.Range {
		known := v.(decodedNudge)
		if n, err := readNudge(id.(string), known.record); err != nil || !reflect.DeepEqual(n, known.nudge) {
			problems = append(problems, fmt.Errorf("the decoded nudge %s was changed", id))
		}
	}
	return errors.Join(problems...)
}

// copyOf returns a copy of a decoded record that shares no memory with it which anybody could change.
func copyOf[T any](record *T) *T {
	own := *record
	unshare(reflect.ValueOf(&own).Elem())
	return &own
}

// unshare replaces all that v refers to by copies. Fields that are not exported stay: decoding leaves them empty,
// but in types that are values, such as time.Time.
func unshare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				unshare(f)
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			unshare(own.Index(i))
		}
		v.Set(own)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		own := reflect.New(v.Elem().Type()).Elem()
		own.Set(v.Elem())
		unshare(own)
		if v.Kind() == reflect.Pointer {
			own = own.Addr()
		}
		v.Set(own)
	}
}
