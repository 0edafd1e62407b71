package pipe

import (
	"context"
	"io"
	"sync"
	"time"
)

// Link is the one machine's frames of a pipe. It meets the contract of fleet.Link. Where the other end has ended what it sends, it may still
// be sent what is to be heard last.
type Link struct {
	pipe  *Pipe
	in    chan []byte
	out   chan []byte
	close func() error

	ends    sync.Once
	ended   chan struct{}
	over    chan struct{} // nothing more is received
	why     error         // of that
	hung    sync.Once
	hungUp  chan struct{} // nothing more is sent
	written chan struct{} // the writer is done
}

// unread is how many frames that came wait at most, and unsent how many that are to go: what comes is bounded by the other end's patience,
// or fifty machines that connect at once would fill the memory.
const unread, unsent = 2, 64

// NewLink makes a link of what the other end writes to in and reads from out. close has both end; it is called once.
func NewLink(in io.Reader, out io.Writer, close func() error) *Link {
	l := &Link{
		pipe: New(in, out), in: make(chan []byte, unread), out: make(chan []byte, unsent), close: close, ended: make(chan struct{}),
		over: make(chan struct{}), hungUp: make(chan struct{}), written: make(chan struct{}),
	}
	go l.read()
	go l.write()
	return l
}

func (l *Link) read() {
	for {
		m, err := l.pipe.Read()
		if err != nil {
			l.why = err
			close(l.over)
			return
		}
		if m.Frame == nil {
			continue
		}
		select {
		case l.in <- m.Frame:
		case <-l.ended:
			l.why = io.EOF
			close(l.over)
			return
		}
	}
}

// write writes what is sent until the link ends, and then what still waits.
func (l *Link) write() {
	defer close(l.written)
	for {
		select {
		case frame := <-l.out:
			if !l.put(frame) {
				return
			}
		case <-l.ended:
			for len(l.out) > 0 && l.put(<-l.out) {
			}
			return
		}
	}
}

func (l *Link) put(frame []byte) bool {
	if l.pipe.Write(Message{Frame: frame}) == nil {
		return true
	}
	select {
	case <-l.hungUp:
	default:
		l.end()
	}
	return false
}

func (l *Link) end() {
	l.ends.Do(func() {
		close(l.ended)
		_ = l.close() // the ends of a pipe, of which nothing is expected any more
	})
}

// HangUp sends nothing more. What the other end still says is received.
func (l *Link) HangUp() { l.hung.Do(func() { close(l.hungUp) }) }

// Send puts a frame on its way.
func (l *Link) Send(ctx context.Context, frame []byte) error {
	select {
	case <-l.ended:
		return io.ErrClosedPipe
	case <-l.hungUp:
		return nil // as any frame that is lost on the way
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
	case <-l.over:
		if len(l.in) > 0 { // it came before
			return <-l.in, nil
		}
		return nil, l.why
	case <-l.ended:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// flushTime is how long the end of a link waits for what was sent to be written.
const flushTime = time.Second

// Close ends the link, after what was sent.
func (l *Link) Close() error {
	l.end()
	select {
	case <-l.written:
	case <-time.After(flushTime): // the other end reads no more
	}
	return nil
}
