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
