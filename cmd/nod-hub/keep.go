package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nod/cmd/internal/fleet/carrier"
)

// bucket holds the last state of each edge, for the hub's next start. It is never the only copy: a new link begins with the edge's whole
// state. So an error loses nothing, and damaged values are ignored. It has the same name for all hubs, so that the owner of a cluster can
// permit it in advance.
const bucket = "nod-hub"

// Limits of the bucket.
const (
	maxKept     = 64 << 20
	maxKeptEach = 256 << 10
	keptFor     = 24 * time.Hour
	storeWait   = 5 * time.Second
)

// openBucket returns the bucket, and creates it if necessary.
func openBucket(ctx context.Context, nc *nats.Conn) (jetstream.KeyValue, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	values, err := js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		values, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: bucket, Description: "nod: the last state of each machine, for the hub's next start", History: 1,
			TTL: keptFor, MaxBytes: maxKept, MaxValueSize: maxKeptEach, Storage: jetstream.FileStorage,
		})
	}
	return values, err
}

// keptAs is the key of an edge's state in the bucket.
func (s subjects) keptAs(edge string) string { return s.hub() + "." + edge }

// recall opens the bucket and sends the stored state of each machine to nod. Errors don't matter: the machines send everything again.
func (h *hub) recall(nc *nats.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	values, err := openBucket(ctx, nc)
	h.mu.Lock()
	h.kept = err == nil
	machines := slices.Clone(h.members.Machines)
	h.mu.Unlock()
	for _, m := range machines {
		var entry jetstream.KeyValueEntry
		if err == nil {
			entry, err = values.Get(ctx, h.subject.keptAs(m.Public.ID()))
		}
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			err = nil
		case err != nil:
			h.say(carrier.Control{Log: "can't read the states of machines that are away; they send them when they are back: " + err.Error()})
			return
		case json.Valid(entry.Value()):
			h.say(carrier.Control{Kept: &carrier.Kept{Machine: m.Name, State: entry.Value()}})
		}
	}
}

// keep stores the state of an edge; an empty one is none. It waits for nothing, and what is lost comes again. The caller holds h.mu.
func (h *hub) keep(edge string, state []byte) {
	if h.kept {
		h.publish(h.nc, "$KV."+bucket+"."+h.subject.keptAs(edge), state)
	}
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
