package monitor

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/time/rate"

	"nod/internal/host/ansi"
)

const (
	// ringSize is how many bytes of the output are kept.
	ringSize = 1 << 20
	// longestLine is the longest line in bytes; the rest of a longer one is read as another line.
	longestLine = 16 << 10
	// The largest amounts that one monitor reads in a second. A child that writes more has to wait: its
	// output uses a limited share of the machine, and nothing is lost.
	linesASecond = 20_000
	bytesASecond = 8 << 20
)

// ring keeps the last bytes of an output. Offsets count from the first byte ever written.
type ring struct {
	data  []byte
	total int64
}

func (r *ring) write(p []byte) {
	r.total += int64(len(p))
	r.data = append(r.data, p...)
	if len(r.data) > 2*ringSize {
		r.data = append(r.data[:0], r.data[len(r.data)-ringSize:]...)
	}
}

// settle gives back the memory for further output, and returns the length of what is kept.
func (r *ring) settle() int {
	if len(r.data) > ringSize || cap(r.data) > len(r.data) {
		r.data = slices.Clip(slices.Clone(r.data[max(0, len(r.data)-ringSize):]))
	}
	return len(r.data)
}

// last returns up to n of the last bytes that were written after an offset, and the offset after them.
func (r *ring) last(n int, after int64) (text []byte, end int64) {
	have := r.data[max(0, len(r.data)-ringSize):]
	if n > 0 && n < len(have) {
		have = have[len(have)-n:]
	}
	if fresh := max(0, r.total-after); fresh < int64(len(have)) {
		have = have[len(have)-int(fresh):]
	}
	return append([]byte(nil), have...), r.total
}

// readLines reads an output line by line until it ends, within the limits per second.
func readLines(ctx context.Context, from io.Reader, see func(line []byte)) error {
	lines, size := rate.NewLimiter(linesASecond, linesASecond/10), rate.NewLimiter(bytesASecond, bytesASecond/8)
	in := bufio.NewReaderSize(from, longestLine)
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			if lines.Wait(ctx) != nil || size.WaitN(ctx, len(line)) != nil {
				return ctx.Err()
			}
			see(line)
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

// plain returns a line as it is matched and reported: without escape sequences and non-text.
func plain(line []byte) string {
	text := strings.TrimRight(string(line), "\r\n")
	for _, c := range []byte(text) {
		if c < ' ' && c != '\t' || c >= 0x7f {
			return strings.ToValidUTF8(ansi.Harmless(text), "\ufffd")
		}
	}
	return text
}
