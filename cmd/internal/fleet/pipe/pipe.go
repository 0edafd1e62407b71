// Package pipe carries frames over a program's standard input and output: the length in 4 bytes, big-endian,
// followed by that many bytes of JSON. A program that carries several machines adds the name of the machine
// to each frame. It may also pass messages of its own.
package pipe

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Message is one unit on the pipe: a frame, or a message of the carrier itself.
type Message struct {
	Machine string          `json:"machine,omitempty"` // whose frame it is; empty if the pipe carries only one machine
	Frame   json.RawMessage `json:"frame,omitempty"`
	Control json.RawMessage `json:"control,omitempty"`
}

// maxMessage is the size limit of a message: a frame of a megabyte and its envelope.
const maxMessage = 1<<20 + 4<<10

// Pipe is one end of a pipe. One goroutine may read while any number of them write.
type Pipe struct {
	in *bufio.Reader

	mu  sync.Mutex
	out io.Writer
}

// New makes an end from the other end's output and input.
func New(in io.Reader, out io.Writer) *Pipe {
	return &Pipe{in: bufio.NewReader(in), out: out}
}

// Read waits for the next message. io.EOF means that the other end is closed. After an error the pipe can't
// be read any more, because the start of the next message is unknown.
func (p *Pipe) Read() (m Message, err error) {
	var head [4]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("read the length of a message: %w", err)
		}
		return m, err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length == 0 || length > maxMessage {
		return m, fmt.Errorf("read a message: its %d bytes are none that nod writes; does something else print there, such as a shell's start-up file?", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(p.in, text); err != nil {
		return m, fmt.Errorf("read a message of %d bytes: %w", length, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read a message: %w", err)
	}
	return m, nil
}

// Write sends a message. After an error the other end may have received a part of it, so nothing more can be
// written.
func (p *Pipe) Write(m Message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	if len(text) > maxMessage {
		return fmt.Errorf("write a message: it has %d bytes, and %d are too many", len(text), maxMessage+1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return nil
}

// The first and the longest pause before something that ended is started again.
const (
	firstWait = time.Second
	MostWait  = time.Minute
)

// Again calls do until ctx ends. Each pause is twice as long as the one before. After a call that lasted
// long, the first pause is used again.
func Again(ctx context.Context, do func()) {
	for wait := firstWait; ctx.Err() == nil; wait = min(2*wait, MostWait) {
		began := time.Now()
		do()
		if time.Since(began) >= MostWait {
			wait = firstWait
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}
