package pipe

import (
	"context"
	"io"
	"sync"
	"time"
)

// Link carries the frames of one machine through a pipe. It implements fleet.Link. When the other end has
// stopped sending, this end may still send a last frame.
type Link struct {
	pipe  *Pipe
	in    chan []byte
	out   chan []byte
	close func() error

	ends    sync.Once
	ended   chan struct{}
	over    chan struct{} // closed: nothing more is received
	why     error         // the reason for that
	hung    sync.Once
	hungUp  chan struct{} // closed: nothing more is sent
	written chan struct{} // closed: the writer has ended
}

// unread is the highest number of received frames that wait, and unsent that of frames to send. unread is
// small because fifty machines that connect at once would fill the memory; the other end waits instead.
const unread, unsent = 2, 64

// NewLink makes a link from the other end's output and input. close closes both; it is called once.
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

// write writes frames until the link ends, and then the frames that still wait.
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
		_ = l.close() // closes the pipe; an error changes nothing any more
	})
}

// HangUp stops sending. Frames from the other end are still received.
func (l *Link) HangUp() { l.hung.Do(func() { close(l.hungUp) }) }

// Send queues a frame.
func (l *Link) Send(ctx context.Context, frame []byte) error {
	select {
	case <-l.ended:
		return io.ErrClosedPipe
	case <-l.hungUp:
		return nil // like any frame that is lost on the way
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
		if len(l.in) > 0 { // it arrived before the end
			return <-l.in, nil
		}
		return nil, l.why
	case <-l.ended:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// flushTime is how long Close waits until queued frames are written.
const flushTime = time.Second

// Close ends the link after queued frames are written.
func (l *Link) Close() error {
	l.end()
	select {
	case <-l.written:
	case <-time.After(flushTime): // the other end has stopped reading
	}
	return nil
}
