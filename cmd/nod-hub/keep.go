package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// keeper holds the last state of each edge in a bucket of the NATS servers, for the hub's next start. It is never the only copy of anything: an
// edge announces all that it sees whenever it comes. So an error loses nothing, and what is damaged is left out.
type keeper struct {
	js     jetstream.JetStream
	bucket string

	mu     sync.Mutex
	values jetstream.KeyValue // nil: not opened yet
	queue  map[string][]byte  // what is to be put; nil: to be deleted
	busy   bool
}

// The bounds of the bucket.
const (
	maxKept     = 64 << 20
	maxKeptEach = 256 << 10
	keptFor     = 24 * time.Hour
	storeWait   = 5 * time.Second
)

func newKeeper(nc *nats.Conn, s subjects) *keeper {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil
	}
	return &keeper{js: js, bucket: "nod-" + last(string(s[:len(s)-1])), queue: map[string][]byte{}}
}

// open gives the bucket, and makes it where there is none.
func (k *keeper) open(ctx context.Context) (jetstream.KeyValue, error) {
	k.mu.Lock()
	values := k.values
	k.mu.Unlock()
	if values != nil {
		return values, nil
	}
	values, err := k.js.KeyValue(ctx, k.bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		values, err = k.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: k.bucket, Description: "nod: the last state of each machine, for the hub's next start", History: 1,
			TTL: keptFor, MaxBytes: maxKept, MaxValueSize: maxKeptEach, Storage: jetstream.FileStorage,
		})
	}
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.values = values
	k.mu.Unlock()
	return values, nil
}

// all gives what is kept.
func (k *keeper) all() (map[string]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	values, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := values.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil
	}
	kept := map[string]json.RawMessage{}
	for _, key := range keys {
		if entry, err := values.Get(ctx, key); err == nil && json.Valid(entry.Value()) {
			kept[key] = entry.Value()
		}
	}
	return kept, err
}

// put has a state kept. It does not wait: where several come meanwhile, the last one counts.
func (k *keeper) put(id string, state []byte) {
	if len(state) > maxKeptEach {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.queue[id] = state
	if !k.busy {
		k.busy = true
		go k.work()
	}
}

func (k *keeper) forget(id string) { k.put(id, nil) }

// work puts what is queued, until nothing is.
func (k *keeper) work() {
	for {
		k.mu.Lock()
		var id string
		var state []byte
		for id, state = range k.queue {
			break
		}
		if id == "" {
			k.busy = false
			k.mu.Unlock()
			return
		}
		delete(k.queue, id)
		k.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), storeWait)
		if values, err := k.open(ctx); err == nil {
			if state == nil {
				err = values.Purge(ctx, id)
			} else {
				_, err = values.Put(ctx, id, state)
			}
			if err != nil {
				k.reopen()
			}
		}
		cancel()
	}
}

// reopen has the bucket looked for again: whoever keeps it may have lost it.
func (k *keeper) reopen() {
	k.mu.Lock()
	k.values = nil
	k.mu.Unlock()
}

// streamThatKeeps says why nothing may be sent to edges: a stream would keep it, or nobody can tell. Empty: none would.
func streamThatKeeps(nc *nats.Conn, s subjects) (why string, known bool) {
	down := s.down(">")
	js, err := jetstream.New(nc)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), storeWait)
		defer cancel()
		var name string
		if name, err = js.StreamNameBySubject(ctx, down); err == nil {
			return fmt.Sprintf("The stream %q of the NATS servers keeps what is sent to machines, and an answer must lie on no stream, so none is sent: take %s out of its subjects.", name, down), true
		}
	}
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return "", true
	}
	return fmt.Sprintf("It is not known whether a stream of the NATS servers keeps %s, where an answer must not lie, so none is sent (%v). nod needs to publish to $JS.API.STREAM.NAMES there.", down, err), false
}
