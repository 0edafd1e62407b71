package monitor

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/time/rate"

	"nod/internal/host/ansi"
)

const (
	// ringSize is how much of the output is kept.
	ringSize = 1 << 20
	// longestLine bounds a line: what is longer is read on as the next one.
	longestLine = 16 << 10
	// What one monitor reads in a second at most. A child that writes more waits: its output costs a bounded share of
	// the machine, and nothing is lost.
	linesASecond = 20_000
	bytesASecond = 8 << 20
)

// ring keeps the last bytes of an output. Its offsets count from the first byte ever written.
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

// last gives up to n of the last bytes that were written after an offset, and the offset behind them.
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

// readLines reads an output line by line until it ends, as fast as a monitor may.
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

// plain is a line as it is matched and told: without escape sequences and what is no text.
func plain(line []byte) string {
	text := strings.TrimRight(string(line), "\r\n")
	for _, c := range []byte(text) {
		if c < ' ' && c != '\t' || c >= 0x7f {
			return strings.ToValidUTF8(ansi.Harmless(text), "\ufffd")
		}
	}
	return text
}
