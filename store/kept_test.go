package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	berrors "go.etcd.io/bbolt/errors"
	"golang.org/x/sys/unix"
)

// TestOnlyAnUnfinishedDatabaseIsEmptied: one that another nod has finished, or is about to, stays.
func TestOnlyAnUnfinishedDatabaseIsEmptied(t *testing.T) {
	page := os.Getpagesize()
	for name, c := range map[string]struct {
		size   int
		locked bool
		want   int
	}{
		"cut off":               {page + 7, false, 0},
		"all but a byte":        {firstPages*page - 1, false, 0},
		"finished":              {firstPages * page, false, firstPages * page},
		"in use":                {9 * page, false, 9 * page},
		"cut off, and locked":   {page, true, page},
		"nothing written to it": {0, false, 0},
	} {
		path := filepath.Join(t.TempDir(), "nod.db")
		if err := os.WriteFile(path, bytes.Repeat([]byte("x"), c.size), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.locked {
			f, err := os.Open(path)
			if err == nil {
				err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		}
		if err := emptyUnfinished(path); (err != nil) != c.locked {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Stat(path); err != nil || int(info.Size()) != c.want {
			t.Errorf("%s: it has %d bytes now, %v", name, info.Size(), err)
		}
	}
}

// TestADamagedRecordOfRequestsIsPutAside as it is, and the next one works.
func TestADamagedRecordOfRequestsIsPutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claims.db")
	garbage := bytes.Repeat([]byte("garbage "), 1<<12)
	if err := os.WriteFile(path, garbage, 0o600); err != nil {
		t.Fatal(err)
	}
	c, aside, err := OpenClaims(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, garbage) || filepath.Dir(aside) != filepath.Dir(path) {
		t.Errorf("aside in %q: %v", aside, err)
	}
	first := Claim{ID: "a", At: time.Now().UTC(), Boot: "b", Nudge: "k3f"}
	if _, fresh, err := c.Claim(first); !fresh || err != nil {
		t.Fatal(fresh, err)
	}
	if err := c.Done("a", json.RawMessage(`{"outcome":"delivered"}`)); err != nil {
		t.Fatal(err)
	}
	earlier, fresh, err := c.Claim(Claim{ID: "a", Boot: "another"})
	if fresh || err != nil || earlier.ID != "a" || earlier.Boot != "b" || string(earlier.Result) != `{"outcome":"delivered"}` {
		t.Errorf("given twice: %+v, fresh %t, %v", earlier, fresh, err)
	}
	for heard, want := range []int{1, 0} {
		if list, err := c.Unheard(time.Now().Add(-time.Hour)); err != nil || len(list) != want || want == 1 && list[0].Nudge != "k3f" {
			t.Errorf("heard %d times, unheard are %+v, %v", heard, list, err)
		}
		if err := c.Heard("a"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatKeepsAFileFromOpeningIsNoDamage, so that nobody moves it away for that.
func TestWhatKeepsAFileFromOpeningIsNoDamage(t *testing.T) {
	for err, want := range map[error]bool{
		berrors.ErrTimeout: true, os.ErrPermission: true, syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EROFS: true, errors.New("file resize error: " + syscall.ENOSPC.Error()): true,
		berrors.ErrInvalid: false, errors.New("unexpected end"): false, syscall.EIO: false,
	} {
		if isOpenError(err) != want {
			t.Errorf("%v says something about what is in the file: %t", err, want)
		}
	}
}
