package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/internal/host/memory"
)

// mappedAt is where the database is in memory.
func mappedAt(t *testing.T, path string) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if strings.HasSuffix(strings.TrimSpace(line), path) {
			return strings.Fields(line)[0]
		}
	}
	t.Fatal("the database is not in memory")
	return ""
}

// TestADatabaseThatGrowsStaysWhereItIsWhileItsMemoryIsGivenBack: what was mapped in its place meanwhile would lose its memory. Nothing of the
// records is lost.
func TestADatabaseThatGrowsStaysWhereItIsWhileItsMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nod.db")
	s := reopen(t, path)
	grown := make(chan error, 1)
	before := mappedAt(t, path)
	err := s.Mapped(func(mapped string) error {
		if mapped != path {
			t.Errorf("%s is mapped", mapped)
		}
		go func() { grown <- s.Put("large", bytes.Repeat([]byte("x"), 8<<20)) }()
		for range 50 {
			if at := mappedAt(t, path); at != before {
				t.Fatalf("it was at %s, and is at %s", before, at)
			}
			time.Sleep(2 * time.Millisecond) // the other goroutine grows the file
		}
		return memory.GiveBack(mapped)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-grown; err != nil {
		t.Fatal(err)
	}
	if at := mappedAt(t, path); at == before {
		t.Fatal("it did not grow beyond its mapping, so nothing was tried")
	}
	if value, err := s.Get("large"); err != nil || len(value) != 8<<20 {
		t.Errorf("%d bytes, %v", len(value), err)
	}
}
