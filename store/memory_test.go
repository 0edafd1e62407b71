package store

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// TestTheBotsMemoryIsWhatItLastStored: nothing at first, each value for itself, and nothing again.
func TestTheBotsMemoryIsWhatItLastStored(t *testing.T) {
	m := openTest(t).Memory()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	outage := &Outage{Since: noon, Last: noon.Add(time.Minute)}
	held := []HeldAnswer{{Nudge: "k3f", Ref: nudge.Ref{Place: "7", Message: 3}}}
	want := func(when string, some bool) {
		t.Helper()
		o, err := m.Outage()
		if must(err); some && !reflect.DeepEqual(o, outage) || !some && o != nil {
			t.Errorf("%s: the outage is %+v", when, o)
		}
		h, err := m.Held()
		if must(err); some && !reflect.DeepEqual(h, held) || !some && h != nil {
			t.Errorf("%s: held are %+v", when, h)
		}
		menus, err := m.Menus()
		slices.Sort(menus)
		if must(err); some && !slices.Equal(menus, []int64{-7, 12}) || !some && menus != nil {
			t.Errorf("%s: menus are in %v", when, menus)
		}
		for _, l := range []Lack{Topicless, Pinless} {
			known, err := m.Known(l, 7)
			if must(err); known != (some && l == Pinless) {
				t.Errorf("%s: %s is known: %t", when, l, known)
			}
		}
	}
	want("at first", false)
	if seq, told, err := m.Digested(7); seq != 0 || told || err != nil {
		t.Errorf("digested are %d, %t, %v", seq, told, err)
	}
	must(m.SetOutage(outage))
	must(m.SetHeld(held))
	must(m.SetMenu(12, true))
	must(m.SetMenu(-7, true))
	must(m.SetMenu(99, false))
	must(m.SetKnown(Pinless, 7, true))
	must(m.SetKnown(Topicless, 8, true))
	must(m.SetDigested(7, 300))
	if seq, told, err := m.Digested(7); seq != 300 || !told || err != nil {
		t.Errorf("digested are %d, %t, %v", seq, told, err)
	}
	want("then", true)
	must(m.SetOutage(nil))
	must(m.SetHeld(nil))
	must(m.SetMenu(12, false))
	must(m.SetMenu(-7, false))
	must(m.SetKnown(Pinless, 7, false))
	want("in the end", false)
	for i := range unaskedKept + 2 {
		must(m.AddUnasked(fmt.Sprint("agent ", i)))
	}
	if agents, err := m.Unasked(); err != nil || len(agents) != unaskedKept || agents[0] != "agent 2" {
		t.Errorf("unasked are %q, %v", agents, err)
	}
}

// TestMemoryThatCantBeReadIsAnError, and a list of agents begins again.
func TestMemoryThatCantBeReadIsAnError(t *testing.T) {
	s := openTest(t)
	m := s.Memory()
	for _, name := range []string{outageName, heldName, unaskedName, digestName(7), menuPrefix + "x"} {
		if err := s.Put(name, []byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	if o, err := m.Outage(); o != nil || err == nil {
		t.Errorf("the outage is %+v, %v", o, err)
	}
	if held, err := m.Held(); held != nil || err == nil {
		t.Errorf("held are %+v, %v", held, err)
	}
	if seq, told, err := m.Digested(7); seq != 0 || told || err != nil {
		t.Errorf("digested are %d, %t, %v", seq, told, err)
	}
	if menus, err := m.Menus(); menus != nil || err != nil {
		t.Errorf("menus are in %v, %v", menus, err)
	}
	if agents, err := m.Unasked(); agents != nil || err == nil {
		t.Errorf("unasked are %q, %v", agents, err)
	}
	if err := m.AddUnasked("amp"); err != nil {
		t.Fatal(err)
	}
	if agents, err := m.Unasked(); err != nil || !slices.Equal(agents, []string{"amp"}) {
		t.Errorf("unasked are %q, %v", agents, err)
	}
}

// TestNewsIsThatOfItsMonitorAndPlace until it is dropped.
func TestNewsIsThatOfItsMonitorAndPlace(t *testing.T) {
	s := openTest(t)
	of := func(monitor string) nudge.MonitorReport { return nudge.MonitorReport{Monitor: monitor} }
	all := []*nudge.MonitorNews{{MonitorReport: of("ci"), Place: "1"}, {MonitorReport: of("ci"), Place: "2"}, {MonitorReport: of("web"), Place: "1"}}
	update(t, s, func(tx *Tx) {
		for _, n := range all {
			tx.PutNews(n)
		}
	})
	view(t, s, func(tx *Tx) {
		if got := tx.MonitorNews(); len(got) != 3 {
			t.Errorf("there are %+v", got)
		}
		for _, n := range all {
			if got := tx.NewsOf(n.Monitor, n.Place); got == nil || got.Monitor != n.Monitor || got.Place != n.Place {
				t.Errorf("of %s for %s: %+v", n.Monitor, n.Place, got)
			}
		}
		if got := tx.NewsOf("web", "2"); got != nil {
			t.Errorf("of none: %+v", got)
		}
	})
	update(t, s, func(tx *Tx) { tx.DropNews(all[0]) })
	view(t, s, func(tx *Tx) {
		if got := tx.MonitorNews(); len(got) != 2 || tx.NewsOf("ci", "1") != nil {
			t.Errorf("there are %+v", got)
		}
	})
}

// TestTheMessageThatIsOverIsThatOfItsPlace, and it stays over.
func TestTheMessageThatIsOverIsThatOfItsPlace(t *testing.T) {
	s := openTest(t)
	refs := []nudge.Ref{{Place: "1", Message: 3}, {Place: "1", Message: 4}, {Place: "2", Message: 3}}
	update(t, s, func(tx *Tx) {
		for _, r := range refs {
			tx.AddOtherMessage(nudge.OtherMessage{Ref: r})
		}
		tx.EndOtherMessage(refs[0])
		tx.EndOtherMessage(refs[1])
		tx.SetHolds([]nudge.Holds{{Spent: time.Minute}})
	})
	view(t, s, func(tx *Tx) {
		for i, o := range tx.OtherMessages() {
			if o.Over != (i != 2) {
				t.Errorf("%+v is over: %t", o.Ref, o.Over)
			}
		}
		if holds := tx.Holds(); len(holds) != 1 || holds[0].Spent != time.Minute {
			t.Errorf("holds are %+v", holds)
		}
	})
}

// TestWhatCantBeReadIsListedByTimeAndName.
func TestWhatCantBeReadIsListedByTimeAndName(t *testing.T) {
	s := openTest(t)
	for _, key := range []string{"m4m", "f7f", "k3f"} {
		update(t, s, func(tx *Tx) { tx.Put(sample(key, "%1", 1)) })
	}
	broken := func(keys ...string) {
		err := s.db.Update(func(tx *bolt.Tx) error {
			for _, key := range keys {
				if err := tx.Bucket(nudgesBucket).Put([]byte(key), []byte("{")); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.decoded.forget("m4m")
		s.decoded.forget("f7f")
		s.decoded.forget("k3f")
		view(t, s, func(tx *Tx) { tx.All() })
	}
	broken("m4m")
	if _, err := s.SetAside(); err != nil {
		t.Fatal(err)
	}
	broken("k3f", "f7f")
	asides, err := s.Asides(time.Now().Add(-time.Hour))
	if err != nil || len(asides) != 3 || asides[0].Name != "nudges/m4m" || asides[1].Name != "nudges/f7f" || asides[2].Name != "nudges/k3f" {
		t.Errorf("listed are %+v, %v", asides, err)
	}
	if _, err := s.SetAside(); err != nil {
		t.Fatal(err)
	}
}
