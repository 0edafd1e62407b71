// Package pipe carries frames over a program's standard input and output: 4 bytes of length, the most significant first, then so many
// bytes of JSON. A program that carries several machines names the one of each frame; beside frames it passes messages of its own.
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

// Message is what crosses at once: a frame, or a message of the carrier's own.
type Message struct {
	Machine string          `json:"machine,omitempty"` // whose frame it is; empty where the pipe has one machine
	Frame   json.RawMessage `json:"frame,omitempty"`
	Control json.RawMessage `json:"control,omitempty"`
}

// maxMessage is how many bytes a message has at most: a frame of a megabyte, and what stands around it.
const maxMessage = 1<<20 + 4<<10

// Pipe is one end. One goroutine may read it while any number write to it.
type Pipe struct {
	in *bufio.Reader

	mu  sync.Mutex
	out io.Writer
}

// New makes an end of what the other one writes to in, and reads from out.
func New(in io.Reader, out io.Writer) *Pipe {
	return &Pipe{in: bufio.NewReader(in), out: out}
}

// Read waits for the next message. io.EOF: the other end is closed. After any error there is nothing more to read: it is not known where
// a next message would begin.
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

// Write sends a message. After an error the other end may have a part of it, and nothing more can be written.
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

// How long it is waited until what ended is begun again, at first and at most.
const (
	firstWait = time.Second
	MostWait  = time.Minute
)

// Again calls do until ctx ends. It waits twice as long after each call as after the one before, and as at first after one that lasted.
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
