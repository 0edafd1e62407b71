package pipe

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	var wire bytes.Buffer
	p := New(&wire, &wire)
	sent := []Message{
		{Machine: "gpu1", Frame: json.RawMessage(`{"kind":"hello"}`)},
		{Frame: json.RawMessage(`{"text":"` + strings.Repeat("x", 1<<20-11) + `"}`)}, // the largest frame
		{Control: json.RawMessage(`{"invite":{}}`)},
	}
	for _, m := range sent {
		if err := p.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if head := binary.BigEndian.Uint32(wire.Bytes()); string(wire.Bytes()[4:4+head]) != `{"machine":"gpu1","frame":{"kind":"hello"}}` {
		t.Errorf("the first message is %q", wire.Bytes()[:60])
	}
	for _, want := range sent {
		got, err := p.Read()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%.80v, %v", got, err)
		}
	}
	if _, err := p.Read(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestManyMayWriteAtOnce: no message is mixed with another.
func TestManyMayWriteAtOnce(t *testing.T) {
	in, out := io.Pipe()
	p := New(in, out)
	var writers sync.WaitGroup
	const each, all = 50, 8
	for range all {
		writers.Go(func() {
			for range each {
				if err := p.Write(Message{Frame: json.RawMessage(`{"a":1}`)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range each * all {
		if m, err := p.Read(); err != nil || string(m.Frame) != `{"a":1}` {
			t.Fatalf("%s, %v", m.Frame, err)
		}
	}
	writers.Wait()
}

// TestWhatIsNoMessageEndsThePipe, before memory of the stated length is allocated.
func TestWhatIsNoMessageEndsThePipe(t *testing.T) {
	for name, wire := range map[string]string{
		"words of a shell":  "Welcome to gpu1!\n",
		"no length":         "\x00\x00\x00\x00",
		"too long":          "\x00\x20\x00\x00{",
		"cut in its length": "\x00\x00",
		"cut":               "\x00\x00\x00\x09{}",
		"no JSON":           "\x00\x00\x00\x02no",
	} {
		_, err := New(strings.NewReader(wire), io.Discard).Read()
		if err == nil || errors.Is(err, io.EOF) && name != "cut" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := New(nil, io.Discard).Write(Message{Frame: json.RawMessage(`"` + strings.Repeat("x", maxMessage) + `"`)}); err == nil {
		t.Error("a message that nobody reads was written")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x0b{\"frame\":1}"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		p := New(bytes.NewReader(wire), io.Discard)
		for {
			m, err := p.Read()
			if err != nil {
				return
			}
			var again bytes.Buffer
			q := New(&again, &again)
			if err := q.Write(m); err != nil {
				return // encoding/json changes some invalid text in the frame
			}
			if _, err := q.Read(); err != nil {
				t.Fatalf("%q is written and can't be read: %v", wire, err)
			}
		}
	})
}
