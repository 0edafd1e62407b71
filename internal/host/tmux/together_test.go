package tmux

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestLooksThatComeTogetherAreReadOneByOne: where nod had no time to read, several looks wait for it, and a part of the next.
func TestLooksThatComeTogetherAreReadOneByOne(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	var looks []records
	for i := range 5 {
		m := newRecords()
		looks = append(looks, m)
		fmt.Fprintf(&printed, "%sS7 %d v3.4 \n%sE\n", m.marker, i, m.marker)
	}
	for _, each := range []int{1, 7, 100, 10000} {
		pieces := &piecewise{printed.String(), each}
		var read bytes.Buffer
		for i, m := range looks {
			if told, err := m.readLook(pieces, &read, "/s"); err != nil || told.Life.Start != int64(i) {
				t.Fatalf("look %d of pieces of %d: %+v, %v", i, each, told.Life, err)
			}
		}
		if _, err := newRecords().readLook(pieces, &read, "/s"); err == nil {
			t.Error("there is one more look")
		}
	}
}

// piecewise reads a text in pieces of a length.
type piecewise struct {
	text string
	each int
}

func (p *piecewise) Read(into []byte) (n int, err error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n = copy(into, p.text[:min(p.each, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}
