// Package fleet joins machines: the edge, which watches and types on one, and the hub, which holds the bot and the records of all.
//
// They exchange frames over a Link: what was seen goes up, requests go down, results come back. Nothing relies on the link. The edge sends
// everything that it sees when it is asked to, and its own record of requests keeps each from being carried out twice.
package fleet

import "context"

// MaxFrame is how many bytes a frame has at most.
const MaxFrame = 1 << 20

// Link carries frames to one machine and back. Frames may be lost, doubled, delayed or reordered; nothing relies on them.
type Link interface {
	Send(ctx context.Context, frame []byte) error
	Receive(ctx context.Context) ([]byte, error) // io.EOF: the link is over
	Close() error
}
