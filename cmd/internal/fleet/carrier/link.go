package carrier

import (
	"context"
	"io"

	"nod/cmd/internal/fleet/pipe"
)

// linkRoom is how many frames wait for the user of a link. Further ones are lost, as on any link.
const linkRoom = 256

// Link carries frames to one machine and back. It implements fleet.Link.
type Link struct {
	machine string
	pipe    *pipe.Pipe
	in      chan []byte
	gone    <-chan struct{} // closed: the link has ended
	over    func()          // closes gone
	left    chan struct{}   // closed: nobody uses the link any more
}

// Send sends a frame.
func (l *Link) Send(_ context.Context, frame []byte) error {
	select {
	case <-l.gone:
		return io.EOF
	default:
		return l.pipe.Write(pipe.Message{Machine: l.machine, Frame: frame})
	}
}

// Receive waits for the next frame. io.EOF means that the link has ended.
func (l *Link) Receive(ctx context.Context) ([]byte, error) {
	select {
	case frame := <-l.in:
		return frame, nil
	default:
	}
	select {
	case frame := <-l.in:
		return frame, nil
	case <-l.gone:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the link at this end.
func (l *Link) Close() error {
	l.over()
	return nil
}

func (l *Link) put(frame []byte) {
	select {
	case l.in <- frame:
	default:
	}
}
