package monitor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestARowThatStoodThereIsNotNew: whatever a program writes and whenever a monitor looks, a row counts once
// if it was completed after the first look, and not at all if it was complete before.
func TestARowThatStoodThereIsNotNew(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for round := range 300 {
		var written []string // the last row may be incomplete
		write := func() {
			if n := len(written); n > 0 && strings.HasSuffix(written[n-1], "…") && random.IntN(2) == 0 {
				written[n-1] += " goes on"
				return
			}
			end := []string{"", "…"}[random.IntN(2)]
			written = append(written, fmt.Sprintf("row %d of %d%s", len(written), round, end))
		}
		for range random.IntN(6) {
			write()
		}
		stood := slices.Clone(written)
		var rows paneRows
		got := rows.look(written)
		for range random.IntN(8) {
			for range random.IntN(4) {
				write()
			}
			got = append(got, rows.look(written)...)
		}
		var want []string
		for _, row := range written[:max(0, len(written)-1)] {
			if !slices.Contains(stood, row) {
				want = append(want, row)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("there stood %q, and at last %q:\ngot  %q\nwant %q", stood, written, got, want)
		}
	}
}
