package store

import (
	"path/filepath"
	"reflect"
	"testing"
)

func TestTopicsLastUntilTheBotIsAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nod.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Memory().Bind(1); err != nil {
		t.Fatal(err)
	}
	pane := sample("k3f", "%1", 1).Pane
	first, second := Topic{Place: "7", Number: 12, Pane: pane, Title: "claude in api"}, Topic{Place: "7", Number: 40, Pane: pane, Title: "claude in api"}
	lost := first
	lost.Lost = true
	elsewhere := first
	elsewhere.Place = "8"
	for _, topic := range []Topic{first, second, elsewhere, lost} {
		if err := s.Memory().PutTopic(topic); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := s.Memory().Topics(); err != nil || !reflect.DeepEqual(got, []Topic{lost, second, elsewhere}) {
		t.Errorf("the topics are %v, %v", got, err)
	}
	if _, err := s.Memory().Bind(2); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Memory().Topics(); err != nil || len(got) != 0 {
		t.Errorf("another bot has the topics %v, %v", got, err)
	}
}
