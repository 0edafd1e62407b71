package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/deliver"
	"nod/nudge"
)

// TestReasonsOfAnOlderNodAreWords: what a nod that knew of no kinds queued after a denial can't be sent as a command, in
// whatever state it was left; what it queued for somebody is still that instruction.
func TestReasonsOfAnOlderNodAreWords(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "nod.db")
	s := reopen(t, path)
	want := map[string]bool{} // whether it is the reason of a denial
	texts := map[string]string{}
	states := []nudge.InstructionState{nudge.Queued, nudge.Sent, nudge.TimeoutWaiting, nudge.Completed, nudge.Cancelled, nudge.Interrupted}
	update(t, s, func(tx *Tx) {
		for n := range 100 {
			id := fmt.Sprintf("i%d", n)
			i := &nudge.Instruction{ID: id, Number: n + 1, Addressee: nudge.Addressee{Whereabouts: sample("k3f", "%1", 1).Whereabouts}, Course: nudge.Course{State: states[rnd.IntN(len(states))]}}
			texts[id] = []string{"!", "/", "#", "@", "！", "\u0301!", " \n!", "\u200b/", "a"}[rnd.IntN(9)] + " rm -rf build"
			i.Text = deliver.Instruction(texts[id])
			switch rnd.IntN(3) {
			case 0:
				i.Source, want[id] = "k3f/because", true
			case 1:
				i.Source = "k3f/" + fmt.Sprint(n)
			}
			tx.PutInstruction(i)
		}
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	asSchema(t, path, 5)
	view(t, reopen(t, path), func(tx *Tx) {
		all := tx.AllInstructions()
		if len(all) != 100 {
			t.Errorf("%d records are left", len(all))
		}
		for _, i := range all {
			r := i.Request()
			switch {
			case want[i.ID] && (r.Instruction != "" || r.Because.Said() != texts[i.ID]):
				t.Errorf("the reason of a denial is %+v", r)
			case !want[i.ID] && (string(r.Instruction) != texts[i.ID] || !r.Because.IsZero()):
				t.Errorf("the instruction is %+v", r)
			}
		}
	})
}

// asSchema makes a file one of an older schema, as which its records count then.
func asSchema(t *testing.T, path string, schema int) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bolt.Tx) error {
		for _, bucket := range [][]byte{instructionsBucket, instructionsOverBucket} {
			err := tx.Bucket(bucket).ForEach(func(_, record []byte) error {
				var fields map[string]any
				if err := json.Unmarshal(record, &fields); err != nil || fields["Because"] != nil {
					return fmt.Errorf("%s is no record of that schema: %w", record, err)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return tx.Bucket(metaBucket).Put(schemaKey, number(uint64(schema)))
	})
	if err != nil {
		t.Fatal(err)
	}
}
