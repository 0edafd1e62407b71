package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/cmd/internal/fleet/pipe"
	"nod/internal/testrun"
)

// TestAServerThatIsKilledComesBack: the links end and begin again, and the members stay the same.
func TestAServerThatIsKilledComesBack(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	c := newCluster(t)
	hub := c.hub(tempDir(t))
	edge := dials(t, joins(t, hub, "gpu1", ""))
	hub.up("gpu1")
	edge.up("")
	c.kill()
	hub.down("gpu1")
	edge.down("")
	c.start()
	hub.up("gpu1")
	edge.up("")
	edge.send("", "back")
	hub.hears("gpu1", "back")
	hub.send("gpu1", "welcome")
	edge.hears("", "welcome")
}

// TestAHubThatBeginsAnew: after a restart of the hub the edge notices the end, finds the hub again by itself,
// and the stored state is there.
func TestAHubThatBeginsAnew(t *testing.T) {
	t.Parallel()
	dir, address := tempDir(t), freeAddress(t)
	hub := hubAt(t, dir, address)
	edge := dials(t, joins(t, hub, "gpu1", ""))
	hub.up("gpu1")
	edge.up("")
	keepsIn(t, hub, dir)
	hub.close()
	edge.down("")
	hub = hubAt(t, dir, address)
	c, _ := hub.until("what was kept", func(c carrier.Control, _ pipe.Message) bool { return c.Kept != nil })
	if c.Kept.Machine != "gpu1" || string(c.Kept.State) != `{"agents":2}` {
		t.Errorf("kept was %+v", c.Kept)
	}
	edge.up("")
	edge.send("", "again")
	hub.hears("gpu1", "again")
}

// TestAHubThatBeginsAnewTurnsNoMachineAway: from its first moment on it knows who has joined, or an edge would say that it was forgotten.
func TestAHubThatBeginsAnewTurnsNoMachineAway(t *testing.T) {
	t.Parallel()
	dir, address := tempDir(t), freeAddress(t)
	hub := hubAt(t, dir, address)
	j := joins(t, hub, "gpu1", "")
	for range 5 {
		hub.close()
		in := make(chan error)
		go func() {
			for {
				proof, err := nkey(j.Keys)
				if err == nil {
					var nc *nats.Conn
					if nc, err = nats.Connect("tls://"+address, proof, nats.Secure(pinned(join.Pin(j.Hub))), nats.TLSHandshakeFirst(), nats.Timeout(2*time.Second)); err == nil {
						nc.Close()
					}
				}
				if err == nil || errors.Is(err, nats.ErrAuthorization) {
					in <- err
					return
				}
			}
		}()
		hub = hubAt(t, dir, address)
		if err := <-in; err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheStoreIsBoundedAndWritten: what is acknowledged is on disk, since a power failure can't be played here.
func TestTheStoreIsBoundedAndWritten(t *testing.T) {
	t.Parallel()
	s, err := startServer("127.0.0.1:0", tempDir(t), join.NewKeys(), func(*users) error { return nil }, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	if c := s.server.JetStreamConfig(); !c.SyncAlways || c.MaxMemory != maxMemory || c.MaxStore != maxStore {
		t.Errorf("the store is kept with %+v", c)
	}
}

// keepsIn is keeps with a hub's own store: with SyncAlways it is on disk then.
func keepsIn(t *testing.T, hub *end, dir string) {
	t.Helper()
	const state = `{"agents":2}`
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		hub.call(carrier.Control{Keep: &carrier.Kept{Machine: "gpu1", State: []byte(state)}})
		for _, path := range blocks(t, dir) {
			if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), state) {
				return
			}
		}
		if time.Now().After(late) {
			t.Fatal("nothing was kept")
		}
	}
}

// blocks returns the files of the store.
func blocks(t *testing.T, dir string) (paths []string) {
	t.Helper()
	_ = filepath.WalkDir(filepath.Join(dir, "jetstream"), func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths = append(paths, path)
		}
		return nil // a file may be removed while it is listed
	})
	return paths
}

// TestADamagedStoreLosesNothing: files of the store are cut, changed or removed between two starts, and the
// machines are still members and exchange frames.
func TestADamagedStoreLosesNothing(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	for life := range 4 {
		t.Run(fmt.Sprint(life), func(t *testing.T) { t.Parallel(); damaged(t, rand.New(rand.NewPCG(23, uint64(life)))) })
	}
}

// damaged damages the store of one hub repeatedly.
func damaged(t *testing.T, r *rand.Rand) {
	dir, address := tempDir(t), freeAddress(t)
	hub := hubAt(t, dir, address)
	edge := dials(t, joins(t, hub, "gpu1", ""))
	hub.up("gpu1")
	keepsIn(t, hub, dir)
	for round := range testrun.Rounds(2, 15) {
		hub.close()
		files := blocks(t, dir)
		for range 1 + r.IntN(3) {
			path := files[r.IntN(len(files))]
			data, err := os.ReadFile(path)
			if err != nil {
				continue // an earlier round removed it
			}
			switch what := r.IntN(3); {
			case what == 0 && len(data) > 0:
				data[r.IntN(len(data))] ^= 1 << r.IntN(8)
				err = os.WriteFile(path, data, 0o600)
			case what == 1 && len(data) > 0:
				err = os.Truncate(path, int64(r.IntN(len(data))))
			default:
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		hub = hubAt(t, dir, address)
		hub.up("gpu1")
		edge.up("")
		edge.send("", "all of it again")
		hub.hears("gpu1", "all of it again")
		hub.send("gpu1", "type")
		edge.hears("", "type")
		edge.hearsNothing(10 * time.Millisecond) // once
		hub.call(carrier.Control{Keep: &carrier.Kept{Machine: "gpu1", State: []byte(`{"agents":2}`)}})
		if len(blocks(t, dir)) == 0 {
			t.Fatalf("round %d: nothing is kept any more", round)
		}
	}
}
