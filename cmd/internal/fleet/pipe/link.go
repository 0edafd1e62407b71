package pipe

import (
	"context"
	"io"
	"sync"
)

// Link is the one machine's frames of a pipe. It meets the contract of fleet.Link.
type Link struct {
	pipe  *Pipe
	in    chan []byte
	out   chan []byte
	close func() error

	ends  sync.Once
	ended chan struct{}
	err   error // why it ended
}

// waiting is how many frames wait at most in each direction.
const waiting = 64

// NewLink makes a link of what the other end writes to in and reads from out. close has both end; it is called once.
func NewLink(in io.Reader, out io.Writer, close func() error) *Link {
	l := &Link{pipe: New(in, out), in: make(chan []byte, waiting), out: make(chan []byte, waiting), close: close, ended: make(chan struct{})}
	go l.read()
	go l.write()
	return l
}

func (l *Link) read() {
	for {
		m, err := l.pipe.Read()
		if err != nil {
			l.end(err)
			return
		}
		if m.Frame == nil {
			continue
		}
		select {
		case l.in <- m.Frame:
		case <-l.ended:
			return
		}
	}
}

func (l *Link) write() {
	for {
		select {
		case frame := <-l.out:
			if err := l.pipe.Write(Message{Frame: frame}); err != nil {
				l.end(err)
				return
			}
		case <-l.ended:
			return
		}
	}
}

func (l *Link) end(err error) {
	l.ends.Do(func() {
		l.err = err
		close(l.ended)
		_ = l.close() // the ends of a pipe, of which nothing is expected any more
	})
}

// Send puts a frame on its way.
func (l *Link) Send(ctx context.Context, frame []byte) error {
	select {
	case <-l.ended:
		return io.ErrClosedPipe
	default:
	}
	select {
	case l.out <- frame:
		return nil
	case <-l.ended:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Receive waits for a frame.
func (l *Link) Receive(ctx context.Context) ([]byte, error) {
	select {
	case frame := <-l.in:
		return frame, nil
	default:
	}
	select {
	case frame := <-l.in:
		return frame, nil
	case <-l.ended:
		return nil, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the link.
func (l *Link) Close() error {
	l.end(io.EOF)
	return nil
}
