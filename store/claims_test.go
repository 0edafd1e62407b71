package store

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// TestARecordOfRequestsInUseStaysInItsPlace: a second edge has to fail. It may not take the file for a damaged one and begin a new one.
func TestARecordOfRequestsInUseStaysInItsPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "claims.db")
	claims, _, err := OpenClaims(path)
	if err != nil {
		t.Fatal(err)
	}
	defer claims.Close()
	if _, aside, err := OpenClaims(path); err == nil || aside != "" || !strings.Contains(err.Error(), "another nod runs") {
		t.Errorf("put aside as %q, %v", aside, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// TestARequestThatCantBeReadIsNeverFresh: it may have been carried out.
func TestARequestThatCantBeReadIsNeverFresh(t *testing.T) {
	claims, _, err := OpenClaims(filepath.Join(t.TempDir(), "claims.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer claims.Close()
	err = claims.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(claimsBucket).Put([]byte("id"), []byte(`{"At":7}`)) })
	if err != nil {
		t.Fatal(err)
	}
	if _, fresh, err := claims.Claim(Claim{ID: "id", At: time.Now()}); err == nil || fresh {
		t.Errorf("fresh %t, %v", fresh, err)
	}
	if err := claims.Done("id", json.RawMessage(`{}`)); err == nil {
		t.Error("its result was stored")
	}
	if err := claims.Done("another", json.RawMessage(`{}`)); err != nil {
		t.Error(err)
	}
	claims.db.View(func(tx *bolt.Tx) error {
		if b := tx.Bucket(claimsBucket); !bytes.Equal(b.Get([]byte("id")), []byte(`{"At":7}`)) || b.Get([]byte("another")) != nil {
			t.Error("the file was changed")
		}
		return nil
	})
}

// TestOldRequestsAreNeitherListedNorKept, nor is one that can't be read.
func TestOldRequestsAreNeitherListedNorKept(t *testing.T) {
	claims, _, err := OpenClaims(filepath.Join(t.TempDir(), "claims.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer claims.Close()
	for id, at := range map[string]time.Time{"old": noon.Add(-time.Second), "new": noon, "heard": noon} {
		if _, fresh, err := claims.Claim(Claim{ID: id, At: at}); err != nil || !fresh {
			t.Fatal(fresh, err)
		}
	}
	err = claims.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(claimsBucket).Put([]byte("odd"), []byte(`{`)) })
	if err != nil {
		t.Fatal(err)
	}
	if err := claims.Heard("heard"); err != nil {
		t.Fatal(err)
	}
	if list, err := claims.Unheard(noon); err != nil || len(list) != 1 || list[0].ID != "new" {
		t.Errorf("%+v, %v", list, err)
	}
	for id, kept := range map[string]bool{"old": false, "odd": false, "new": true, "heard": true} {
		if _, fresh, err := claims.Claim(Claim{ID: id, At: noon}); err != nil || fresh == kept {
			t.Errorf("%s is kept %t, %v", id, !fresh, err)
		}
	}
}
