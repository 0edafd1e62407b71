package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Claims is an edge's record of the requests that it was given, in a file of its own. A request is stored
// before anything is done about it, and its result before anybody hears of it.
//
//	claims
//	  ID -> Claim as JSON
//	monitors
//	  NAME -> as in a bot's file
//	state
//	  NAME -> as in a bot's file, of the sessions that were started
type Claims struct {
	values
	db   *bolt.DB
	path string
}

// Claim is a request that an edge was given.
type Claim struct {
	ID     string          `json:"-"`
	At     time.Time       // when it was given
	Boot   string          // the edge's process that was given it
	Nudge  string          // the nudge of the request
	Result json.RawMessage `json:",omitempty"` // its result; empty: not stored
	Heard  bool            `json:",omitempty"` // the hub has the result
}

// OpenClaims opens or makes the file. It moves a damaged file aside and returns its new path. A lost file
// can't lead to a second key, because every request names the process that it is for.
func OpenClaims(path string) (c *Claims, aside string, err error) {
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return nil, "", err
	}
	if c, err = openClaims(path); err == nil || !errors.Is(err, errDamaged) {
		return c, "", err
	}
	aside = path + ".damaged-" + time.Now().UTC().Format("20060102-150405")
	if err := os.Rename(path, aside); err != nil {
		return nil, "", fmt.Errorf("put the damaged %s aside: %w", path, err)
	}
	c, err = openClaims(path)
	return c, aside, err
}

var errDamaged = errors.New("it is damaged")

func openClaims(path string) (*Claims, error) {
	db, err := openFile(path, bolt.Options{Timeout: lockWait})
	switch {
	case err != nil && isOpenError(err):
		return nil, openError(path, err)
	case err != nil:
		return nil, errors.Join(errDamaged, err)
	}
	if err := checkPages(db); err != nil {
		return nil, errors.Join(errDamaged, err, db.Close())
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(claimsBucket)
		for _, bucket := range [][]byte{monitorsBucket, stateBucket} {
			_, more := tx.CreateBucketIfNotExists(bucket)
			err = errors.Join(err, more)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(saveError(path, err), db.Close())
	}
	return &Claims{values: values{db.View, db.Update}, db: db, path: path}, nil
}

// Close closes the file.
func (c *Claims) Close() error { return c.db.Close() }

// Claim stores a new request. If it is stored already, fresh is false and earlier is the stored one.
func (c *Claims) Claim(next Claim) (earlier Claim, fresh bool, err error) {
	err = c.db.Update(func(tx *bolt.Tx) error {
		bucket := tx.Bucket(claimsBucket)
		if record := bucket.Get([]byte(next.ID)); record != nil {
			earlier.ID = next.ID
			return json.Unmarshal(record, &earlier)
		}
		fresh = true
		return putClaim(bucket, next)
	})
	if err != nil {
		return earlier, false, saveError(c.path, err)
	}
	return earlier, fresh, nil
}

// Done stores the result of a request.
func (c *Claims) Done(id string, result json.RawMessage) error {
	return c.change(id, func(claim *Claim) { claim.Result = result })
}

// Heard records that the hub has the result of a request.
func (c *Claims) Heard(id string) error {
	return c.change(id, func(claim *Claim) { claim.Heard = true })
}

func (c *Claims) change(id string, how func(*Claim)) error {
	err := c.db.Update(func(tx *bolt.Tx) error {
		bucket, claim := tx.Bucket(claimsBucket), Claim{ID: id}
		record := bucket.Get([]byte(id))
		if record == nil {
			return nil
		}
		if err := json.Unmarshal(record, &claim); err != nil {
			return err
		}
		how(&claim)
		return putClaim(bucket, claim)
	})
	if err != nil {
		return saveError(c.path, err)
	}
	return nil
}

// Unheard returns the requests whose result the hub does not have. It deletes all requests from before the
// given time.
func (c *Claims) Unheard(before time.Time) (list []Claim, err error) {
	err = c.db.Update(func(tx *bolt.Tx) error {
		bucket := tx.Bucket(claimsBucket)
		var old [][]byte
		err := bucket.ForEach(func(key, record []byte) error {
			claim := Claim{ID: string(key)}
			if err := json.Unmarshal(record, &claim); err != nil || claim.At.Before(before) {
				old = append(old, key)
				return nil //nolint:nilerr // an unreadable record is as good as forgotten
			}
			if !claim.Heard {
				list = append(list, claim)
			}
			return nil
		})
		for _, key := range old {
			err = errors.Join(err, bucket.Delete(key))
		}
		return err
	})
	if err != nil {
		return nil, saveError(c.path, err)
	}
	return list, nil
}

func putClaim(bucket *bolt.Bucket, claim Claim) error {
	record, err := json.Marshal(claim)
	if err != nil {
		return err
	}
	return bucket.Put([]byte(claim.ID), record)
}
