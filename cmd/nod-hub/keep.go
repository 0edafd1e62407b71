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

// keeper stores the last state of each edge in a bucket of the NATS servers, for the hub's next start. It is
// never the only copy: a new link begins with the edge's whole state. So an error loses nothing, and damaged
// values are ignored.
type keeper struct {
	js  jetstream.JetStream
	hub string // the hub's ID, which is the first part of each key

	mu     sync.Mutex
	values jetstream.KeyValue // nil until it is opened
	queue  map[string][]byte  // values to put; nil to delete
	idle   chan struct{}      // closed when the queue is empty; nil while nothing is queued
}

// bucket has the same name for all hubs, so that the owner of a cluster can permit it in advance.
const bucket = "nod-hub"

// Limits of the bucket and of its queue. nod gives nod-hub two seconds to end.
const (
	maxKept     = 64 << 20
	maxKeptEach = 256 << 10
	keptFor     = 24 * time.Hour
	storeWait   = 5 * time.Second
	flushWait   = 1500 * time.Millisecond
)

func newKeeper(nc *nats.Conn, s subjects) (*keeper, error) {
	js, err := jetstream.New(nc)
	return &keeper{js: js, hub: s.hub(), queue: map[string][]byte{}}, err
}

// open returns the bucket, and creates it if necessary.
func (k *keeper) open(ctx context.Context) (jetstream.KeyValue, error) {
	k.mu.Lock()
	values := k.values
	k.mu.Unlock()
	if values != nil {
		return values, nil
	}
	values, err := k.js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		values, err = k.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: bucket, Description: "nod: the last state of each machine, for the hub's next start", History: 1,
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

// get returns the stored state of an edge; nil if there is none that can be read.
func (k *keeper) get(ctx context.Context, id string) (json.RawMessage, error) {
	values, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	entry, err := values.Get(ctx, k.hub+"."+id)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && !json.Valid(entry.Value()) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return entry.Value(), nil
}

// put queues a state. It does not wait; of several queued states the last one counts.
func (k *keeper) put(id string, state []byte) {
	if len(state) > maxKeptEach {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.queue[k.hub+"."+id] = state
	if k.idle == nil {
		k.idle = make(chan struct{})
		go k.work()
	}
}

// flush waits for the queue to empty, for a limited time.
func (k *keeper) flush() {
	k.mu.Lock()
	idle := k.idle
	k.mu.Unlock()
	if idle == nil {
		return
	}
	select {
	case <-idle:
	case <-time.After(flushWait):
	}
}

func (k *keeper) forget(id string) { k.put(id, nil) }

// work stores queued values until the queue is empty.
func (k *keeper) work() {
	for {
		k.mu.Lock()
		var key string
		var state []byte
		for key, state = range k.queue {
			break
		}
		if key == "" {
			close(k.idle)
			k.idle = nil
			k.mu.Unlock()
			return
		}
		delete(k.queue, key)
		k.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), storeWait)
		if values, err := k.open(ctx); err == nil {
			if state == nil {
				err = values.Purge(ctx, key)
			} else {
				_, err = values.Put(ctx, key, state)
			}
			if err != nil {
				k.reopen()
			}
		}
		cancel()
	}
}

// reopen discards the bucket's handle, so that it is opened again: the server may have lost the bucket.
func (k *keeper) reopen() {
	k.mu.Lock()
	k.values = nil
	k.mu.Unlock()
}

// streamThatKeeps says why nothing may be sent to edges: a stream would store it, or nobody can tell. why is
// empty if none would.
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
